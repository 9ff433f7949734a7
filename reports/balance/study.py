"""A whole study: every metric of every variant, with its difference from the baseline."""

from collections.abc import Collection, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from reports.balance.blocks import Blocks, Watched, blocks_of, row_sums, watched_sums
from reports.balance.field import field_figures, order_kept
from reports.balance.figures import (
    UNKNOWN,
    Measured,
    Repeated,
    Sums,
    compared,
    measured,
    repeated,
    repeated_difference,
)
from reports.balance.metrics import Metric, Subject, metrics
from reports.results import Contest


class Line(NamedTuple):
    """One metric of one variant."""

    metric: Metric
    value: Measured
    difference: Measured
    """From the baseline, on the same deals; unknown for the baseline itself."""

    @property
    def narrower(self) -> float | None:
        """The width of the difference's interval by what it would be on different deals."""
        error, unpaired = self.difference.error, self.difference.unpaired
        return error / unpaired if unpaired and error is not None else None


class Variant(NamedTuple):
    """What one variant gave."""

    name: str
    lines: dict[str, Line]
    order: list[str]
    """The bots by points, the strongest first."""
    faults: int
    """Blocks that it played with a fault."""
    missing: int
    """Blocks that it hasn't."""

    @property
    def narrower(self) -> float | None:
        """The median of that over results and lengths."""
        known = [
            line.narrower
            for line in self.lines.values()
            if line.narrower is not None and line.metric.group in ("results", "length")
        ]
        return median(known) if known else None

    @property
    def same(self) -> bool:
        """Whether no metric differs from the baseline's at any deal."""
        seen = [
            line.difference for line in self.lines.values() if line.difference.error is not None
        ]
        return bool(seen) and not any(each.value or each.error for each in seen)


class Study(NamedTuple):
    """All variants, the baseline first."""

    variants: list[Variant]
    blocks: int
    """Those that count in each variant."""
    left_out: int


def study(
    contests: Sequence[Contest],
    names: Sequence[str],
    subject: Subject,
    deals: int,
    watched: Sequence[Watched],
) -> Study:
    """Measures the variants, which share tables and deals; rows are read twice.

    `watched` has, by variant, the sample whose course was followed; it may be empty.
    """
    blocks = blocks_of(contests, deals)
    known = metrics(subject)
    found: list[Variant] = []
    base: _Figures | None = None
    for number, (contest, name) in enumerate(zip(contests, names, strict=True)):
        own = of_contest(subject, contest)
        figures = _figures(contest, own, blocks, watched[number] if watched else {})
        lines = {
            metric.name: Line(metric, figures.value(metric), figures.difference(base, metric))
            for metric in known.values()
        }
        points = {bot: lines[f"bot.{bot}.points"].value.value for bot in subject.names}
        before = points if base is None else {bot: base.points[bot] for bot in subject.names}
        kept = Measured(order_kept(before, points))
        lines["order.kept"] = lines["order.kept"]._replace(value=kept)
        order = sorted(subject.names, key=lambda bot: -(points[bot] or 0.0))
        found.append(Variant(name, lines, order, blocks.faults[number], blocks.missing[number]))
        if base is None:
            base = figures._replace(points=points)
    return Study(found, int(blocks.counted.sum()), blocks.left_out)


def values_of(
    contests: Sequence[Contest],
    names: Sequence[str],
    subject: Subject,
    deals: int,
    watched: Sequence[Watched],
    wanted: Collection[tuple[str, str]],
) -> dict[tuple[str, str], Measured]:
    """Some figures alone, by variant and metric: what a look at targets needs, and no more."""
    blocks = blocks_of(contests, deals)
    known = metrics(subject)
    field = {name for name, metric in known.items() if metric.group == "skill"}
    found: dict[tuple[str, str], Measured] = {}
    for number, (contest, name) in enumerate(zip(contests, names, strict=True)):
        here = [metric for variant, metric in wanted if variant == name]
        if not here:
            continue
        own = of_contest(subject, contest)
        sums = row_sums(contest, own, blocks)
        sums |= watched_sums(watched[number] if watched else {}, blocks)
        whole = field_figures(contest, own, blocks) if field.intersection(here) else {}
        figures = _Figures(sums, whole)
        found |= {(name, metric): figures.value(known[metric]) for metric in here}
    return found


def of_contest(subject: Subject, contest: Contest) -> Subject:
    """The subject with this variant's entrants: those that adapt have another version in each."""
    return subject._replace(bots=contest.bots)


class _Figures(NamedTuple):
    """What a variant's metrics are computed from."""

    sums: dict[str, Sums]
    field: dict[str, Repeated]
    points: Mapping[str, float | None] = {}

    def value(self, metric: Metric) -> Measured:
        """The metric here."""
        if metric.name in self.sums:
            return measured(self.sums[metric.name], metric.bounds)
        return repeated(self.field.get(metric.name), metric.bounds)

    def difference(self, base: "_Figures | None", metric: Metric) -> Measured:
        """The metric here less that of the baseline."""
        if base is None:
            return UNKNOWN
        if metric.name in self.sums and metric.name in base.sums:
            return compared(base.sums[metric.name], self.sums[metric.name])
        return repeated_difference(base.field.get(metric.name), self.field.get(metric.name))


def _figures(contest: Contest, subject: Subject, blocks: Blocks, watched: Watched) -> _Figures:
    sums = row_sums(contest, subject, blocks) | watched_sums(watched, blocks)
    return _Figures(sums, field_figures(contest, subject, blocks))
