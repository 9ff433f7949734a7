"""How often each bot does what, and what comes of it: tactics counted by bot, seat and opponent.

A rate is how often a seat did it a match; where the game counts opportunities, also how often it
did it when it could. Intervals count deals, not rows (reports/moments.py). Points with and without
a tactic compare the matches in which a seat did it with those in which it didn't: who does
something may differ in much else, so it is no effect of the tactic.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from reports.moments import Part, Sums, difference, gather, ratio
from reports.ratings import Estimate
from reports.results import Array, Contest
from reports.rows import Rows, by_span, read, span, tactics

MATCHES, POINTS, COUNT, SQUARE, CHANCES, WITH, POINTS_WITH, WITHOUT, POINTS_WITHOUT = range(9)
"""The figures a row has for each tactic."""
FIGURES = 9


class By(StrEnum):
    """What a bot's matches are divided by, beside its role."""

    bot = "bot"
    seat = "seat"
    opponent = "opponent"


class Group(NamedTuple):
    """Whose rows are counted together."""

    bot: str
    role: str
    seat: int | None
    opponent: str | None


class Frequency(NamedTuple):
    """How often a group did one thing, and its points with and without."""

    group: Group
    tactic: str
    matches: int
    """Rows: a match counts once for each of the group's seats in it."""
    times: int
    """How often it did it in them."""
    rate: Estimate
    """A match."""
    chances: int | None
    """Opportunities; None where the game doesn't count them."""
    taken: Estimate
    """An opportunity."""
    points_with: Estimate
    """A match in which it did it."""
    points_without: Estimate
    gain: Estimate
    """Points with it less points without."""


class Behaviour(NamedTuple):
    """All counts of a contest."""

    tactics: list[str]
    groups: list[Group]
    sums: Sums
    """By group, tactic and figure."""


def behaviour(contest: Contest, by: By = By.bot) -> Behaviour:
    """Counts a contest's tactics; its rows are read once, a span of deals at a time."""
    names = tactics(contest)
    groups = groups_of(contest, by)

    def parts() -> Iterator[list[Part]]:
        for chunks in by_span(contest, span([contest])).values():
            yield [
                part for name in chunks for part in grouped(contest, read(contest, name, names), by)
            ]

    return Behaviour(names, groups, gather(parts(), len(groups), len(names), FIGURES))


def frequencies(found: Behaviour) -> list[Frequency]:
    """A line for each tactic and group that played, tactic by tactic."""
    return [
        _frequency(found, tactic, group)
        for tactic in range(len(found.tactics))
        for group in range(len(found.groups))
        if found.sums.total[group, tactic, MATCHES]
    ]


def _frequency(found: Behaviour, tactic: int, group: int) -> Frequency:
    total = found.sums.total[group, tactic]
    square = found.sums.square[group, tactic]
    deals = int(found.sums.deals[group])
    counted = not np.isnan(total[CHANCES])
    return Frequency(
        found.groups[group],
        found.tactics[tactic],
        int(total[MATCHES]),
        int(total[COUNT]),
        _ratio(total, square, deals, COUNT, MATCHES),
        int(total[CHANCES]) if counted else None,
        _ratio(total, square, deals, COUNT, CHANCES) if counted else Estimate(None),
        _ratio(total, square, deals, POINTS_WITH, WITH),
        _ratio(total, square, deals, POINTS_WITHOUT, WITHOUT),
        _difference(total, square, deals),
    )


def _ratio(total: Array, square: Array, deals: int, above: int, below: int) -> Estimate:
    part = [above, below]
    return ratio(total[part], square[np.ix_(part, part)], deals, 0, 1)


def _difference(total: Array, square: Array, deals: int) -> Estimate:
    part = [POINTS_WITH, WITH, POINTS_WITHOUT, WITHOUT]
    return difference(total[part], square[np.ix_(part, part)], deals, (0, 1), (2, 3))


# --- Groups ---------------------------------------------------------------------------------------


def groups_of(contest: Contest, by: By) -> list[Group]:
    """The groups of a contest in the order of their numbers."""
    seat_roles = contest.about["roles"]
    if by is By.seat:
        return [
            Group(bot, role, seat, None)
            for bot in contest.bots
            for seat, role in enumerate(seat_roles)
        ]
    if by is By.opponent:
        return [
            Group(bot, role, None, other)
            for bot in contest.bots
            for role in contest.roles
            for other in contest.bots
        ]
    return [Group(bot, role, None, None) for bot in contest.bots for role in contest.roles]


def grouped(contest: Contest, rows: Rows, by: By) -> list[Part]:
    """A chunk's rows, with the groups that they count for: one part, or one for each opponent."""
    seat_roles, teams = contest.about["roles"], contest.about["teams"]
    seats = len(teams)
    role = np.array([contest.roles.index(each) for each in seat_roles])
    if by is By.seat:
        return [_part(rows, rows.entrant * seats + np.arange(seats))]
    base = rows.entrant * len(contest.roles) + role
    if by is By.bot:
        return [_part(rows, base)]
    # A team is one opponent, met once; of a seat's opponents the first is its next side, and so on.
    sides = sorted(set(teams))
    first = [teams.index(side) for side in sides]
    found = []
    for turn in range(1, len(sides)):
        across = [first[(sides.index(team) + turn) % len(sides)] for team in teams]
        found.append(_part(rows, base * len(contest.bots) + rows.entrant[:, across]))
    return found


def _part(rows: Rows, group: Array) -> Part:
    seats = group.shape[1]

    def values(within: slice) -> Array:
        matches = slice(within.start // seats, within.stop // seats)
        count, chances = rows.counts(matches), rows.chances(matches)
        points = rows.points[matches][:, :, None]
        did = count > 0
        found = np.empty((*count.shape, FIGURES))
        found[..., MATCHES] = 1
        found[..., POINTS] = points
        found[..., COUNT] = count
        found[..., SQUARE] = count * count
        found[..., CHANCES] = chances
        found[..., WITH] = did
        found[..., POINTS_WITH] = points * did
        found[..., WITHOUT] = ~did
        found[..., POINTS_WITHOUT] = points * ~did
        # Rows that don't count a tactic say nothing of it.
        found[np.isnan(count)] = 0
        return found.reshape(-1, *found.shape[2:])

    return Part(np.repeat(rows.deal, seats), group.ravel(), values)


# --- Near-clones ----------------------------------------------------------------------------------

CLONES = 0.1
"""The distance below which two bots are called near-clones."""


class Pair(NamedTuple):
    """How alike two bots behave."""

    bot: str
    other: str
    distance: float
    """The root mean square, over tactics and roles, of the difference of their rates a match in
    units of that tactic's standard deviation between matches; less what chance alone would make
    of it, so that 0 is the same behaviour."""
    widest: str
    """The tactic in which they differ most."""
    clones: bool


def pairs(found: Behaviour) -> list[Pair]:
    """All pairs of bots, the most alike first; `found` is by bot, or by seat to be stricter.

    Rates are compared as if the two had different deals; where they share them the noise that is
    taken off is somewhat more than there is.
    """
    total = found.sums.total
    bots = list(dict.fromkeys(group.bot for group in found.groups))
    kinds = len(found.groups) // len(bots)
    shape = (len(bots), kinds, len(found.tactics))
    rates, noise = np.zeros(shape), np.zeros(shape)
    for number in range(len(found.groups)):
        at = divmod(number, kinds)
        for tactic in range(len(found.tactics)):
            rate = _ratio(
                total[number, tactic],
                found.sums.square[number, tactic],
                int(found.sums.deals[number]),
                COUNT,
                MATCHES,
            )
            rates[*at, tactic] = np.nan if rate.value is None else rate.value
            noise[*at, tactic] = (rate.error or 0.0) ** 2
    if not total.size:
        return []
    whole = total.reshape(*shape, -1).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = whole[..., COUNT] / whole[..., MATCHES]
        spread = whole[..., SQUARE] / whole[..., MATCHES] - mean**2
    seen = spread > 0
    lines = []
    for a in range(len(bots)):
        for b in range(a + 1, len(bots)):
            apart = ((rates[a] - rates[b]) ** 2)[seen] / spread[seen]
            chance = (noise[a] + noise[b])[seen] / spread[seen]
            if not len(apart) or np.isnan(apart).any():
                continue
            distance = float(np.sqrt(max(0.0, (apart - chance).mean())))
            widest = int(np.argwhere(seen)[apart.argmax()][1])
            lines.append(Pair(bots[a], bots[b], distance, found.tactics[widest], distance < CLONES))
    return sorted(lines, key=lambda pair: (pair.distance, pair.bot, pair.other))


def weighted(found: Behaviour, weights: dict[tuple[str, str], float]) -> list[dict[str, float]]:
    """Each tactic's rate a match: even over the bots, and as a mixture of them would do it.

    `weights` go by bot and role, and sum to 1 in each role; `found` is by bot. With roles the rate
    is the mean over the roles.
    """
    total = found.sums.total
    with np.errstate(invalid="ignore"):
        rates = total[..., COUNT] / total[..., MATCHES]
    weight = np.array([weights.get((group.bot, group.role), 0.0) for group in found.groups])
    roles = len({group.role for group in found.groups})
    return [
        {
            "even": float(rates[:, tactic].mean()),
            "mixture": float(weight @ rates[:, tactic] / roles),
        }
        for tactic in range(len(found.tactics))
    ]
