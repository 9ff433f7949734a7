"""Targets: what a study's variants must hold, and whether what was measured says that they do.

Looked at once, at the end of all deals, a target is judged by its interval; looked at again and
again while deals are played, by its confidence sequence. Either is at the level 1 - alpha / number
of targets (Bonferroni), so that the chance that any verdict is wrong is at most alpha.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from reports.balance.figures import Measured
from reports.balance.study import Study


class Verdict(StrEnum):
    """What is known of a target."""

    accepted = "accepted"
    rejected = "rejected"
    undecided = "undecided"


class Target(NamedTuple):
    """A range in which a metric of a variant must lie."""

    metric: str
    variant: str
    low: float | None
    high: float | None

    @property
    def words(self) -> str:
        """As a person reads it."""
        if self.low is None:
            return f"at most {self.high:g}"
        if self.high is None:
            return f"at least {self.low:g}"
        return f"{self.low:g} to {self.high:g}"


class Judged(NamedTuple):
    """A target with what was measured."""

    target: Target
    value: float | None
    low: float | None
    """Of the interval, at the level that all targets together need."""
    high: float | None
    verdict: Verdict
    deals: int = 0
    """After which it was looked at, where they are known."""


def judge(targets: Sequence[Target], found: Study, alpha: float) -> list[Judged]:
    """Each target by its interval, looked at once.

    Accepted where the interval lies within the range, rejected where it lies wholly outside it.
    """
    by_name = {variant.name: variant for variant in found.variants}
    judged = []
    for target in targets:
        value = by_name[target.variant].lines[target.metric].value
        judged.append(_judged(target, value, value.sure(1 - alpha / len(targets))))
    return judged


def look(
    targets: Sequence[Target],
    values: Mapping[tuple[str, str], Measured],
    alpha: float,
    before: Sequence[Judged] = (),
) -> list[Judged]:
    """Each target by its confidence sequence; `values` are by variant and metric.

    One that an earlier look (`before`, the newest) settled stays as that left it.
    """
    judged = []
    for number, target in enumerate(targets):
        if before and before[number].verdict is not Verdict.undecided:
            judged.append(before[number])
            continue
        value = values[target.variant, target.metric]
        found = _judged(target, value, value.sequence(alpha / len(targets)))
        judged.append(found._replace(deals=value.deals))
    return judged


def settled(judged: Sequence[Judged]) -> bool:
    """Whether none is left undecided."""
    return all(each.verdict is not Verdict.undecided for each in judged)


def _judged(target: Target, value: Measured, interval: tuple[float | None, float | None]) -> Judged:
    verdict = verdict_of(target, *interval)
    return Judged(target, value.value, *interval, verdict, value.deals)


def verdict_of(target: Target, low: float | None, high: float | None) -> Verdict:
    """What an interval says: whether it lies within the target's range, outside it, or neither."""
    if low is None or high is None:
        return Verdict.undecided
    if (target.low is None or low >= target.low) and (target.high is None or high <= target.high):
        return Verdict.accepted
    if (target.low is not None and high < target.low) or (
        target.high is not None and low > target.high
    ):
        return Verdict.rejected
    return Verdict.undecided


def together(judged: Sequence[Judged]) -> Verdict:
    """Rejected if any target is, accepted if all are."""
    verdicts = {each.verdict for each in judged}
    if Verdict.rejected in verdicts:
        return Verdict.rejected
    return Verdict.undecided if Verdict.undecided in verdicts else Verdict.accepted


def read_targets(
    given: Mapping[str, Mapping[str, object]], variants: Sequence[str], known: Sequence[str]
) -> list[Target]:
    """A config's `[targets]`; one without `variant` holds for every variant.

    ValueError, in one line, for a metric or variant that there isn't, or an empty range.
    """
    found = []
    for metric, values in given.items():
        where = f'targets: "{metric}"'
        if metric not in known:
            raise ValueError(f"{where}: there is no such metric; {_near(metric, known)}")
        if not isinstance(values, Mapping) or not set(values) <= {"min", "max", "variant"}:
            raise ValueError(f"{where} must be a table of min, max and variant, not {values!r}")
        ends = []
        for end in ("min", "max"):
            value = values.get(end)
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int | float)
            ):
                raise ValueError(f"{where}: {end} must be a number, not {value!r}")
            ends.append(None if value is None else float(value))
        low, high = ends
        if low is None and high is None:
            raise ValueError(f"{where} must have a min or a max")
        if low is not None and high is not None and low > high:
            raise ValueError(f"{where}: min must be at most max, not {low:g} and {high:g}")
        variant = values.get("variant")
        if variant is not None and variant not in variants:
            names = ", ".join(f'"{name}"' for name in variants)
            raise ValueError(f"{where}: there is no variant {variant!r}; there are: {names}")
        for name in variants if variant is None else [str(variant)]:
            found.append(Target(metric, name, low, high))
    return found


def _near(metric: str, known: Sequence[str]) -> str:
    """A few of the metrics that there are, those that begin alike first."""
    alike = [name for name in known if name.split(".")[0] == metric.split(".")[0]]
    few = (alike or list(known))[:12]
    more = len(alike or known) - len(few)
    return f"there are: {', '.join(few)}" + (f" and {more} more" if more else "")
