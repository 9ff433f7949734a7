"""A figure of a variant with its interval, and the paired difference of two variants' figures.

Figures are ratios of sums over matches, kept by deal; errors are those of the delta method from
the deals' residuals (CR1, times G/(G-1) for G deals, t with G-1 degrees of freedom), or a jackknife
over groups of deals. The difference of two variants takes residuals from one another deal by deal.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from reports.estimates import CONFIDENCE
from reports.results import Array
from reports.watched import LEAST, factor

TUNED_FOR = 500
"""Deals at which confidence sequences are about as narrow as they can be: a study has hundreds."""


class Measured(NamedTuple):
    """A figure, and what its interval at any level follows from."""

    value: float | None
    error: float | None = None
    freedom: int = 0
    """Degrees of freedom of Student's t."""
    span: tuple[float, float] | None = None
    """A range that stands in for the interval at every level, where there is no error."""
    bounds: tuple[float, float] | None = None
    """What the figure can't be beyond."""
    unpaired: float | None = None
    """Of a difference: its error if the variants had been played on different deals."""
    deals: int = 0
    """Those that it was computed from, where its error is known."""

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float | None, float | None]:
        """The interval at this level; Nones where there is none.

        Where all G deals gave the same, a deal that doesn't is rarer than 1 - (a/2)^(1/G) at level
        1 - a, which for a bounded figure gives an interval, exact in the sense of Clopper and
        Pearson; without bounds it is the figure itself.
        """
        if self.span is not None:
            return self.span
        if self.value is None or self.error is None:
            return None, None
        if self.error > 0:
            reach = self.error * float(stdtrit(self.freedom, 0.5 + confidence / 2))
            return self.value - reach, self.value + reach
        if self.bounds is None:
            return self.value, self.value
        rare = 1 - ((1 - confidence) / 2) ** (1 / (self.freedom + 1))
        low, high = self.bounds
        return self.value - rare * (self.value - low), self.value + rare * (high - self.value)

    def sure(self, confidence: float) -> tuple[float | None, float | None]:
        """As `interval`, for whoever decides by it: where nothing varied and nothing bounds what
        wasn't seen, a deal that differs is taken to differ by one (a turn, a time that something
        was done), so that what is merely rare isn't settled by a few deals.
        """
        if self.value is not None and self.error == 0 and self.bounds is None:
            bounds = (self.value - 1, self.value + 1)
            return self._replace(bounds=bounds).interval(confidence)
        return self.interval(confidence)

    def sequence(self, alpha: float) -> tuple[float | None, float | None]:
        """The interval of a confidence sequence: those after any number of deals hold all
        together with probability 1 - alpha, so it may be looked at again and again.

        Nones before `LEAST` deals, and where there is no error. What the normal law says of a
        reach in errors is said by Student's t instead. Where all deals gave the same the interval
        at level 1 - alpha serves: it is also what a gambler's bets allow at all times together
        (`reports.watched`).
        """
        if self.value is None or self.error is None or self.deals < LEAST:
            return None, None
        if self.error == 0:
            return self.sure(1 - alpha)
        tail = float(ndtr(-sqrt(self.deals) * factor(self.deals, TUNED_FOR, alpha)))
        reach = -self.error * float(stdtrit(self.freedom, tail))
        return self.value - reach, self.value + reach


UNKNOWN = Measured(None)


class Sums(NamedTuple):
    """A ratio's sums by deal; arrays (deals,), aligned between the variants of a study."""

    above: Array
    below: Array


def measured(sums: Sums, bounds: tuple[float, float] | None = None) -> Measured:
    """The ratio, with its error over the deals that have it."""
    residual = _residuals(sums)
    if residual is None:
        return UNKNOWN
    deals = int((sums.below > 0).sum())
    value = float(sums.above.sum() / sums.below.sum())
    if deals < 2:
        return Measured(value)
    return Measured(value, _error(residual, deals), deals - 1, bounds=bounds, deals=deals)


def compared(first: Sums, second: Sums) -> Measured:
    """The second variant's ratio less the first's, on the same deals."""
    residuals = _residuals(first), _residuals(second)
    if residuals[0] is None or residuals[1] is None:
        return UNKNOWN
    value = float(second.above.sum() / second.below.sum() - first.above.sum() / first.below.sum())
    deals = int(((first.below > 0) | (second.below > 0)).sum())
    if deals < 2:
        return Measured(value)
    alone = [_error(each, deals) for each in (residuals[0], residuals[1])]
    error = _error(residuals[1] - residuals[0], deals)
    unpaired = sqrt(alone[0] ** 2 + alone[1] ** 2)
    return Measured(value, error, deals - 1, unpaired=unpaired, deals=deals)


def _residuals(sums: Sums) -> Array | None:
    """Each deal's part in the ratio's deviation; None where there is nothing to divide by."""
    below = sums.below.sum()
    if below <= 0:
        return None
    return np.asarray((sums.above - sums.above.sum() / below * sums.below) / below)


def _error(residual: Array, deals: int) -> float:
    square = float((residual**2).sum())
    # Residuals of equal deals differ from 0 by rounding alone.
    return sqrt(deals / (deals - 1) * square) if square > 1e-26 else 0.0


# --- Figures of the whole contest -----------------------------------------------------------------


class Repeated(NamedTuple):
    """A figure that is no ratio of sums: computed anew on parts of the deals."""

    value: float
    again: Sequence[float]
    """Without each group of deals in turn; or, of `resampled` ones, on resampled deals."""
    resampled: bool = False
    deals: int = 0
    """How many it was computed from."""


def repeated(figure: Repeated | None, bounds: tuple[float, float] | None = None) -> Measured:
    """The figure, with a jackknife's error, or the range of its resamples."""
    if figure is None or not np.isfinite(figure.value):
        return UNKNOWN
    again = np.asarray(figure.again, dtype=float)
    if figure.resampled:
        again = again[np.isfinite(again)]
        if not len(again):
            return Measured(figure.value)
        low, high = np.quantile(again, [0.025, 0.975])
        return Measured(figure.value, span=(float(low), float(high)))
    if not np.isfinite(again).all():
        return Measured(figure.value)
    groups = len(again)
    spread = float(((again - again.mean()) ** 2).sum())
    error = sqrt((groups - 1) / groups * spread) if spread > 1e-26 else 0.0
    return Measured(figure.value, error, groups - 1, bounds=bounds, deals=figure.deals)


def repeated_difference(first: Repeated | None, second: Repeated | None) -> Measured:
    """The difference of two variants' figures, whose groups or resamples are the same deals."""
    if first is None or second is None or len(first.again) != len(second.again):
        return UNKNOWN
    again = np.subtract(second.again, first.again)
    found = repeated(Repeated(second.value - first.value, again.tolist(), first.resampled))
    alone = repeated(first).error, repeated(second).error
    if alone[0] is None or alone[1] is None:
        return found
    return found._replace(unpaired=sqrt(alone[0] ** 2 + alone[1] ** 2))
