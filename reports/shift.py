"""What changed in the bots' behaviour between two runs: differences of rates, tested together.

Each test compares one tactic's rate a match of one bot (by its name, whatever its version) in one
role, or of all bots, in two contests of the same game, seats and rules. Where both runs played the
same deals under the same seed, these are paired. P values are corrected for their number, over all
tests of a comparison, by Holm's method, which needs no independence.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from harness.errors import UserError
from reports.moments import Part, difference, gather
from reports.ratings import Estimate
from reports.results import FAR, Array, Contest
from reports.rows import Rows, by_span, read, span, tactics

ALL = ""
"""Stands for all bots together."""


class Shift(NamedTuple):
    """One comparison."""

    bot: str
    """A name without version, or `""` for all."""
    role: str
    tactic: str
    before: float
    after: float
    change: Estimate
    p: float | None
    corrected: float | None
    """The p value after Holm's correction; None where nothing varies, so nothing can be tested."""


def partners(before: list[Contest], after: list[Contest]) -> list[tuple[Contest, Contest]]:
    """Contests of the same game, seats, rules and restrictions, in order; UserError where there are
    none.
    """

    def kind(contest: Contest) -> str:
        keys = ("game", "path", "players", "rules", "forbid", "withhold")
        return json.dumps([contest.about.get(key) for key in keys], sort_keys=True)

    found, left = [], list(before)
    for contest in after:
        for other in left:
            if kind(other) == kind(contest):
                found.append((other, contest))
                left.remove(other)
                break
    if not found:
        raise UserError(
            "these runs have no contest of the same game, seats and rules: "
            + " and ".join("; ".join(c.title for c in side) for side in (before, after))
        )
    return found


def apart(before: Contest, after: Contest) -> list[str]:
    """The tactics that only one of two contests counts."""
    names = (tactics(before), tactics(after))
    return [name for each, other in (names, names[::-1]) for name in each if name not in other]


def shifts(before: Contest, after: Contest) -> list[Shift]:
    """Every bot that both contests have, and all of them together, by role and tactic."""
    both = (before, after)
    names = [name for name in tactics(before) if name in tactics(after)]
    bots = [bot for bot in _names(before) if bot in _names(after)]
    groups = [(bot, role) for bot in (*bots, ALL) for role in before.roles]
    sums = gather(_parts(both, names, bots), len(groups), len(names), 4)
    lines = []
    for number, (bot, role) in enumerate(groups):
        for at, tactic in enumerate(names):
            total, deals = sums.total[number, at], int(sums.deals[number])
            if not (total[1] and total[3]):
                continue
            change = difference(total, sums.square[number, at], deals, (2, 3), (0, 1))
            p = None
            if change.value is not None and change.error:
                p = 2 * float(stdtr(deals - 1, -abs(change.value) / change.error))
            rates = (float(total[0] / total[1]), float(total[2] / total[3]))
            lines.append(Shift(bot, role, tactic, *rates, change, p, None))
    return _corrected(lines)


def _corrected(lines: list[Shift]) -> list[Shift]:
    from statsmodels.stats.multitest import multipletests  # here: importing it takes a second

    tested = [line.p for line in lines if line.p is not None]
    if not tested:
        return lines
    corrected = iter(multipletests(tested, method="holm")[1].tolist())
    return [
        line if line.p is None else line._replace(corrected=float(next(corrected)))
        for line in lines
    ]


def _names(contest: Contest) -> list[str]:
    """The entrants' names without versions, in the order of their indices."""
    return [label.rpartition("@")[0] for label in contest.bots]


def _parts(
    both: tuple[Contest, Contest], names: list[str], bots: list[str]
) -> Iterator[list[Part]]:
    """Both contests' rows, the spans of the same deals together."""
    size = span(both)
    chunks = [by_span(contest, size) for contest in both]
    seeds: dict[str, int] = {}
    for number in sorted({*chunks[0], *chunks[1]}):
        yield [
            part
            for which, contest in enumerate(both)
            for name in chunks[which].get(number, [])
            for part in _of(contest, read(contest, name, names), which, bots, seeds)
        ]


def _of(
    contest: Contest, rows: Rows, which: int, bots: list[str], seeds: dict[str, int]
) -> list[Part]:
    """A chunk's rows: counts and matches, before or after; once by bot, and once for all."""
    roles = len(contest.roles)
    role = np.array([contest.roles.index(each) for each in contest.about["roles"]])
    known = np.array(
        [bots.index(name) if name in bots else -1 for name in _names(contest)], dtype=int
    )
    bot = known[rows.entrant]
    seats = len(role)

    def values(within: slice) -> Array:
        count = rows.counts(slice(within.start // seats, within.stop // seats))
        count = count.reshape(-1, count.shape[2])
        found = np.zeros((*count.shape, 4))
        found[..., 2 * which] = np.nan_to_num(count)
        found[..., 2 * which + 1] = ~np.isnan(count)
        return found

    deal = np.repeat(rows.deal + FAR * seeds.setdefault(rows.seed, len(seeds)), seats)
    everybody = np.broadcast_to(len(bots) * roles + role, bot.shape)
    return [
        Part(deal, np.where(bot < 0, -1, bot * roles + role).ravel(), values),
        Part(deal, everybody.ravel(), values),
    ]
