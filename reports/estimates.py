"""What an estimate is: a value with its standard error and interval."""

from typing import NamedTuple

from scipy.stats import t as student

CONFIDENCE = 0.95


class Estimate(NamedTuple):
    """A figure with its standard error and interval; all None where it isn't finite or known."""

    value: float | None
    error: float | None = None
    low: float | None = None
    high: float | None = None


def interval(value: float, error: float, deals: int) -> Estimate:
    """With a 95 % interval by Student's t, for an error that was computed from so many deals."""
    reach = error * float(student.ppf(0.5 + CONFIDENCE / 2, deals - 1)) if error else 0.0
    return Estimate(value, error, value - reach, value + reach)
