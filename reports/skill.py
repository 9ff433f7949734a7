"""How much of a contest's results is skill, and how much luck: components of their variance.

The model, for the points y of a side in one match of k sides, from blocks in which every bot of a
table has every seat once on the same deal, and of the deals that every table played:

    y = 1/k + seat + bot + bot by bot + deal + rest

- seat: the same for every bot and deal;
- bot: b of the bot less the mean of b over the others at the table;
- bot by bot: what a table's results differ by from that, in all deals and seats;
- deal: what the cards give a seat in this deal, whoever holds them;
- rest: the bots' way with these cards, later chance, and all else, independent between matches.

Components are mean squares over all sides and matches: of these very bots and seats, and of deals
as they may come. They are estimated by the method of moments, unbiased, and sum to the mean square
of y - 1/k; so one that is small may come out just below 0. Errors are a jackknife over whole deals.
Matches with faults count as they ended.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from reports.ratings import CONFIDENCE, Estimate, Source
from reports.results import Array, Matches, Player

GROUPS = 20
"""How many groups of deals the jackknife leaves out in turn."""

UNEVEN = "there are no deals that all tables played in all seatings"

COMPONENTS = ("bot", "seat", "bot by bot", "deal", "rest")


class Component(NamedTuple):
    """One part of the variance."""

    name: str
    variance: Estimate
    """In squared points."""
    share: Estimate
    """Of the whole."""


class Lead(NamedTuple):
    """How long the better of two neighbours in the table needs to lead with 95 % probability."""

    better: Player
    worse: Player
    gap: float
    """What it scores more a match, in points."""
    deals: float | None
    """None where the two don't differ."""
    matches: float | None
    """Of each of the two, in the whole contest."""
    gap_low: float | None = None
    gap_high: float | None = None
    """The gap's 95 % interval; None where no deal differs from the others."""
    matches_low: float | None = None
    matches_high: float | None = None
    """What the matches are at the ends of it; the upper None where the gap may be 0."""


class Skill(NamedTuple):
    """A contest's skill and luck."""

    status: str
    """`ok`, or why the blocks can't be taken apart."""
    components: list[Component]
    leads: list[Lead]
    deals: int


class _Block(NamedTuple):
    """Sums over a group of deals, from which everything is computed."""

    deals: float
    squares: float
    """Of y - 1/k, over sides, matches and deals."""
    mean: Array
    """(t, k) each bot's block means at each table."""
    mean_square: Array
    """(t, k)"""
    seat: Array
    """(k,) a deal's means by seat, over all its matches."""
    seat_square: Array
    """(k,)"""
    bot: Array
    """(n,) a deal's mean points by bot."""
    bot_square: Array
    """(n, n) times each other."""


def skill(players: Sequence[Player], source: Source) -> Skill:
    """The components of a contest's variance; its matches are read once.

    Tables at which a bot meets itself are left out. In a game with roles a bot is as strong as it
    is in all its roles together, so what it gains by having one rather than another is in the rest.
    """
    found = _taken_apart(players, source)
    if isinstance(found, Skill):
        return found
    blocks, known, bots = found
    whole = _sum(blocks)
    variances = _jackknife(blocks, lambda block: _components(block, known, len(bots)))
    shares = _jackknife(blocks, lambda block: _shares(_components(block, known, len(bots))))
    components = [
        Component(name, variance, share)
        for name, variance, share in zip(COMPONENTS, variances, shares, strict=True)
    ]
    return Skill("ok", components, _leads(whole, known, bots), int(whole.deals))


def shares(players: Sequence[Player], source: Source) -> tuple[Array, Array] | None:
    """The components' shares of the variance, (5,), and those without each group of deals in
    turn, (20, 5): what a comparison of contests on the same deals needs. None where the blocks
    can't be taken apart, or where nothing varies.
    """
    found = _taken_apart(players, source)
    if isinstance(found, Skill):
        return None
    blocks, known, bots = found
    parts = [
        _components(_sum(part), known, len(bots))
        for part in [blocks, *([*blocks[:i], *blocks[i + 1 :]] for i in range(len(blocks)))]
    ]
    if any(part.sum() <= 0 for part in parts):
        return None
    return _shares(parts[0]), np.array([_shares(part) for part in parts[1:]])


def _taken_apart(
    players: Sequence[Player], source: Source
) -> tuple[list["_Block"], Array, list[str]] | Skill:
    """A contest's blocks, tables and bots; or why it can't be taken apart."""
    bots = list(dict.fromkeys(player.bot for player in players))
    which = np.array([bots.index(player.bot) for player in players])
    tables: dict[tuple[int, ...], list[_Played]] = {}
    for chunk in source():
        bot = which[chunk.side]
        if len(chunk.deal) and len(set(bot[0].tolist())) == bot.shape[1]:
            played = _played(chunk, bot)
            if played is None:
                return Skill(UNEVEN, [], [], 0)
            tables.setdefault(tuple(sorted(bot[0].tolist())), []).append(played)
    if not tables:
        return Skill("there are no blocks of different bots", [], [], 0)
    blocks = _blocks(tables, len(bots))
    if blocks is None:
        return Skill(UNEVEN, [], [], 0)
    whole = _sum(blocks)
    if whole.deals < 2 * GROUPS:
        return Skill(f"it takes at least {2 * GROUPS} deals", [], [], int(whole.deals))
    return blocks, np.array(sorted(tables)), bots


# --- Blocks ---------------------------------------------------------------------------------------


class _Played(NamedTuple):
    """A chunk of one table: d deals, each in all k seatings."""

    deal: Array
    """(d,)"""
    mean: Array
    """(d, k) the mean points of each of the table's bots, in the order of their indices."""
    seat: Array
    """(d, k) the sum of points by seat."""
    squares: Array
    """(d,) the sum of squares of y - 1/k."""


def _played(chunk: Matches, bot: Array) -> _Played | None:
    """A chunk's blocks, or None unless it has every deal in all seatings."""
    k = bot.shape[1]
    order = np.argsort(chunk.deal, kind="stable")
    deal, numbers = np.unique(chunk.deal, return_counts=True)
    if (numbers != k).any():
        return None
    points = chunk.points[order].reshape(-1, k, k)  # by deal, seating and seat
    seat = np.argsort(bot[order], axis=1).reshape(points.shape)  # of each bot
    if (np.sort(seat, axis=1) != np.arange(k)[None, :, None]).any():
        return None
    by_bot = np.take_along_axis(points, seat, axis=2)
    return _Played(
        deal, by_bot.mean(axis=1), points.sum(axis=1), ((points - 1 / k) ** 2).sum(axis=(1, 2))
    )


def _blocks(tables: dict[tuple[int, ...], list[_Played]], bots: int) -> list[_Block] | None:
    """The sums of each group of the deals that all tables played, or None if there is none."""
    k = len(next(iter(tables)))
    by_table = [np.concatenate([part.deal for part in parts]) for parts in tables.values()]
    deals: Array = np.unique(by_table[0])
    for found in by_table[1:]:
        deals = np.intersect1d(deals, found)
    if not len(deals):
        return None
    seat, bot = np.zeros((len(deals), k)), np.zeros((len(deals), bots))
    squares = np.zeros(len(deals))
    means, mean_squares = [], []
    tables_at = np.zeros(bots)
    for table, parts in sorted(tables.items()):
        mean = np.zeros((len(deals), k))
        for part in parts:
            both = np.isin(part.deal, deals)
            at = np.searchsorted(deals, part.deal[both])
            mean[at] = part.mean[both]
            seat[at] += part.seat[both]
            squares[at] += part.squares[both]
        bot[:, table] += mean
        tables_at[list(table)] += 1
        means.append(_by_group(mean, deals))
        mean_squares.append(_by_group(mean**2, deals))
    seat /= len(tables) * k
    bot /= np.maximum(tables_at, 1)
    return [
        _Block(
            float((deals % GROUPS == group).sum()),
            float(squares[deals % GROUPS == group].sum()),
            np.array([mean[group] for mean in means]),
            np.array([mean[group] for mean in mean_squares]),
            seat[deals % GROUPS == group].sum(axis=0),
            (seat[deals % GROUPS == group] ** 2).sum(axis=0),
            bot[deals % GROUPS == group].sum(axis=0),
            bot[deals % GROUPS == group].T @ bot[deals % GROUPS == group],
        )
        for group in range(GROUPS)
    ]


def _by_group(values: Array, deals: Array) -> Array:
    return np.array([values[deals % GROUPS == group].sum(axis=0) for group in range(GROUPS)])


def _sum(blocks: Sequence[_Block]) -> _Block:
    return _Block(*(sum(column) for column in zip(*blocks, strict=True)))


# --- Components -----------------------------------------------------------------------------------


def _components(block: _Block, tables: Array, bots: int) -> Array:
    """The mean squares of `COMPONENTS`, unbiased."""
    t, k = tables.shape
    d = block.deals
    rows = t * k
    # Bots and pairs, from block means, in which seats and the deal cancel.
    mean = block.mean / d
    noise = float(((block.mean_square / d - mean**2) * d / (d - 1)).mean() / d)
    design = np.zeros((rows, bots))
    for number, table in enumerate(tables):
        for column, bot in enumerate(table):
            design[number * k + column, table] -= 1 / (k - 1)
            design[number * k + column, bot] += 1 + 1 / (k - 1)
    y = (mean - 1 / k).ravel()
    strength, _, rank, _ = np.linalg.lstsq(design, y, rcond=None)
    fitted = design @ strength
    freedom = t * (k - 1) - int(rank)
    if freedom > 0:
        residual = float(((y - fitted) ** 2).sum()) / freedom
        pairs = residual * (k - 1) / k - noise
    else:  # one table says nothing of pairs beyond its bots
        residual = noise * k / (k - 1)
        pairs = 0.0
    bot = (float((fitted**2).sum()) - int(rank) * residual) / rows
    # Seats and deals, from the means by seat of all matches of a deal.
    seat_mean = block.seat / d
    between = float(((block.seat_square / d - seat_mean**2) * d / (d - 1)).mean())
    seat = float(((seat_mean - 1 / k) ** 2).mean()) - between / d
    whole = block.squares / (d * rows * k)
    left = whole - bot - pairs - seat
    matches = t * k
    deal = (between - left / matches) / (1 - 1 / matches)
    return np.array([bot, seat, pairs, deal, left - deal])


def _shares(variances: Array) -> Array:
    return np.asarray(variances / variances.sum())


def _jackknife(parts: Sequence[_Block], figure: Callable[[_Block], Array]) -> list[Estimate]:
    """Figures of all deals, with errors from leaving out each group of them in turn."""
    value = figure(_sum(parts))
    groups = len(parts)
    left = np.array([figure(_sum([*parts[:i], *parts[i + 1 :]])) for i in range(groups)])
    errors = np.sqrt((groups - 1) / groups * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    reach = float(ndtri(0.5 + CONFIDENCE / 2))
    return [
        Estimate(*map(float, (v, e, v - reach * e, v + reach * e)))
        for v, e in zip(value, errors, strict=True)
    ]


def _leads(block: _Block, tables: Array, bots: Sequence[str]) -> list[Lead]:
    """By neighbours in the order of points, both in the whole contest."""
    d = block.deals
    mean = block.bot / d
    spread = (block.bot_square / d - np.outer(mean, mean)) * d / (d - 1)
    seen = [i for i in range(len(bots)) if (tables == i).any()]
    order = sorted(seen, key=lambda i: (-mean[i], bots[i]))
    two_sided = float(ndtri(0.5 + CONFIDENCE / 2))
    lines = []
    for i, j in pairwise(order):
        gap = float(mean[i] - mean[j])
        deviation = sqrt(max(0.0, float(spread[i, i] + spread[j, j] - 2 * spread[i, j])))
        each = int((tables == i).sum()) * tables.shape[1]
        reach = two_sided * deviation / sqrt(d)
        known = reach > 1e-9
        deals = _deals(gap, deviation)
        most = _deals(gap - reach, deviation) if known else None
        least = _deals(gap + reach, deviation) if known else None
        lines.append(
            Lead(
                Player(bots[i], ""),
                Player(bots[j], ""),
                gap,
                deals,
                None if deals is None else deals * each,
                gap - reach if known else None,
                gap + reach if known else None,
                None if least is None else least * each,
                None if most is None else most * each,
            )
        )
    return lines


def _deals(gap: float, deviation: float) -> float | None:
    """Until a lead of this gap, with this deviation a deal, is there with 95 % probability."""
    return max(1.0, (float(ndtri(CONFIDENCE)) * deviation / gap) ** 2) if gap > 0 else None
