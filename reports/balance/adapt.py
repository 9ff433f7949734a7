"""Which candidate of a bot does best in a variant: the most points against the same others."""

from collections.abc import Sequence
from typing import NamedTuple

from reports.balance.blocks import blocks_of, row_sums
from reports.balance.figures import Measured, compared
from reports.balance.metrics import Subject
from reports.results import Contest


class Tried(NamedTuple):
    """The outcome of a bot's trials."""

    best: str
    """The label of the best candidate."""
    gain: Measured
    """Its points a match less those of the bot as it is written, on the same deals. As the largest
    of several it flatters; what the study itself measures doesn't."""
    number: int
    """Candidates that were tried."""


def tried(contest: Contest, subject: Subject, deals: int, candidates: Sequence[str]) -> Tried:
    """The best of these candidates, labels of which the first is the bot as it is written.

    That one keeps its place unless another has more points. One that made a fault isn't taken.
    """
    bots = contest.bots
    blocks = blocks_of([contest], deals)
    # Names only have to differ here.
    own = subject._replace(bots=bots, names=bots, tactics=(), chances=(), ends=(), stalls=())
    sums = row_sums(contest, own, blocks)
    faulty = {bot for bot, _ in contest.faults()[0]}
    written, *others = candidates
    best, gain = written, Measured(0.0)
    base = sums.get(f"bot.{written}.points")
    for label in others:
        points = sums.get(f"bot.{label}.points")
        if base is None or points is None or label in faulty:
            continue
        found = compared(base, points)
        if found.value is not None and found.value > (gain.value or 0.0):
            best, gain = label, found
    return Tried(best, gain, len(candidates))
