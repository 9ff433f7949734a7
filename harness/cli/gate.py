"""The gate: plays a study's blocks, round by round, until its targets are settled."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.cli.adaptive import wave
from harness.cli.stages import Staged
from harness.cli.tables import say
from harness.watch import watch
from reports.balance.blocks import Watched
from reports.balance.metrics import Subject, metrics
from reports.balance.study import values_of
from reports.balance.targets import Judged, Target, Verdict, look, settled


class Passed(NamedTuple):
    """How a gate ended."""

    judged: list[Judged]
    deals: int
    """That every variant has played."""
    looks: int


def rounds(deals: int) -> list[int]:
    """The numbers of deals after which the gate looks: 64, then up to a quarter more each time."""
    ends = [0]
    while ends[-1] < deals:
        ends.append(min(deals, ends[-1] + wave(ends[-1])))
    return ends[1:]


def gate(
    under_way: Staged,
    variants: Sequence[str],
    subject: Subject,
    deals: int,
    targets: Sequence[Target],
    alpha: float,
) -> Passed:
    """Plays complete rounds of blocks until every target is settled or the deals end.

    All variants play every round, so that differences stay paired. Targets on the course of
    matches watch every match of the variants that they are about.
    """
    wanted = {(target.variant, target.metric) for target in targets}
    known = metrics(subject)
    courses = {name for name, metric in wanted if known[metric].group == "course"}
    watched: list[dict[tuple[int, int], dict[str, tuple[float, float]] | None]] = [
        {} for _ in variants
    ]
    judged: list[Judged] = []
    ends: list[int] = []
    for end in rounds(deals):
        first = ends[-1] if ends else 0
        ends.append(end)
        under_way.to([ends] * len(variants))
        for number, name in enumerate(variants):
            if name in courses:
                contest, key = under_way.planned.contests[number], under_way.planned.key
                watched[number] |= watch(contest, key, range(first, end), subject.pace)
        seen: list[Watched] = list(watched)
        values = values_of(under_way.contests, variants, subject, end, seen, wanted)
        judged = look(targets, values, alpha, judged)
        if not under_way.where.quiet:
            _tell(end, judged)
        if settled(judged):
            break
    return Passed(judged, ends[-1], len(ends))


def _tell(deals: int, judged: Sequence[Judged]) -> None:
    done = sum(each.verdict is not Verdict.undecided for each in judged)
    say(f"After {deals:,} deals {done} of {len(judged)} targets are settled.")
