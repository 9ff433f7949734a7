"""Which mixture of the bots would survive: payoffs of a contest, their equilibrium, its error.

Payoffs are all results as they stand, faults included. With two seats a payoff is the points of
one bot against another less one half; with more, the points of one less those of the other, a
match, at the tables that they share; where seats differ in kind, the points of the first role's
side against the second's less one half.

The error is that of a Poisson bootstrap of whole deals: in each resample every deal counts, at all
tables that played it, as often as a Poisson number of mean 1 says, drawn from the seed and the
deal's number, so that chunks can be read one after the other.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from reports.equilibrium import (
    Mixtures,
    alpha_rank,
    alpha_rank_of_roles,
    exploitability,
    nash,
    replicator,
)
from reports.ratings import Source
from reports.results import Array, Player

ALPHA = 100.0
"""The intensity of selection of alpha-rank, for payoffs in points."""
POPULATION = 50
"""The population of alpha-rank, its m."""
SPAN = 1024
"""Deals whose weights are drawn together."""


class Payoffs(NamedTuple):
    """What each bot gets against each: rows against columns."""

    rows: list[Player]
    columns: list[Player]
    """The same as the rows, unless seats differ in kind."""
    payoff: Array
    """(n, m) in points; NaN where two never met."""
    matches: Array
    """(n, m) how many it rests on."""
    deals: int
    resamples: Array
    """(b, n, m) the payoffs under resampled deals."""


class Share(NamedTuple):
    """A bot's part in what survives."""

    player: Player
    weight: float
    """In the Nash mixture of greatest entropy."""
    low: float | None
    high: float | None
    """Its 2.5 % and 97.5 % quantiles over resamples: a range, not an interval of known coverage."""
    kept: float | None
    """The share of resamples that give it any weight."""
    payoff: float
    """What it gets against the mixture, less the value of the game: 0 at best."""
    alpha_rank: float
    replicator: float


class MetaGame(NamedTuple):
    """A contest as a game in which one chooses a bot."""

    status: str
    """`ok`, or `incomplete`: some never met, and there is no mixture."""
    payoffs: Payoffs
    value: float | None
    """What the row player gets in equilibrium: 0 by symmetry, or the edge of the first role."""
    shares: list[Share]
    exploitability: float | None
    """Of the mixture, by the payoffs as measured: 0 but for rounding."""
    exploitability_high: float | None
    """The 95 % quantile of what the best reply gains under resampled payoffs: how far the
    mixture may be from the truth."""


def metagame(
    players: Sequence[Player],
    source: Source,
    resamples: int = 200,
    seed: int = 0,
    alpha: float = ALPHA,
    population: int = POPULATION,
) -> MetaGame:
    """The meta-game of a contest, whose matches are read once."""
    found = payoffs(players, source, resamples, seed)
    if np.isnan(_off_diagonal(found)).any():
        return MetaGame("incomplete", found, None, [], None, None)
    game = found.payoff
    roles = found.rows != found.columns
    mixtures = nash(game)
    again = [nash(drawn) for drawn in found.resamples if np.isfinite(drawn).all()]
    if roles:
        ranks = alpha_rank_of_roles(game, -game, alpha, population)
    else:
        ranks = (alpha_rank(game, alpha, population),) * 2
    averages = replicator(game)
    shares = _shares(
        found.rows,
        mixtures.row,
        [one.row for one in again],
        game @ mixtures.column - mixtures.value,
        ranks[0],
        averages[0],
    )
    if roles:
        shares += _shares(
            found.columns,
            mixtures.column,
            [one.column for one in again],
            mixtures.value - mixtures.row @ game,
            ranks[1],
            averages[1],
        )
    return MetaGame(
        "ok",
        found,
        mixtures.value,
        shares,
        exploitability(game, mixtures.row, mixtures.column),
        _exploitability_high(found, mixtures),
    )


def _shares(
    players: Sequence[Player],
    weight: Array,
    again: list[Array],
    payoff: Array,
    rank: Array,
    average: Array,
) -> list[Share]:
    drawn = np.array(again).reshape(-1, len(players))
    there = len(drawn) > 0
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0) if there else (weight, weight)
    kept = (drawn > 1e-6).mean(axis=0) if there else weight
    lines = [
        Share(
            player,
            float(weight[i]),
            float(low[i]) if there else None,
            float(high[i]) if there else None,
            float(kept[i]) if there else None,
            float(payoff[i]),
            float(rank[i]),
            float(average[i]),
        )
        for i, player in enumerate(players)
    ]
    return sorted(lines, key=lambda line: (-round(line.weight, 6), -line.payoff, line.player))


def _exploitability_high(found: Payoffs, mixtures: Mixtures) -> float | None:
    drawn = [
        exploitability(game, mixtures.row, mixtures.column)
        for game in found.resamples
        if np.isfinite(game).all()
    ]
    return float(np.quantile(drawn, 0.95)) if drawn else None


def _off_diagonal(found: Payoffs) -> Array:
    if found.rows != found.columns:
        return found.payoff
    return found.payoff[~np.eye(len(found.rows), dtype=bool)]


# --- Payoffs --------------------------------------------------------------------------------------


def payoffs(
    players: Sequence[Player], source: Source, resamples: int = 200, seed: int = 0
) -> Payoffs:
    """The payoffs of a contest and of its resampled deals; matches are read once, in chunks."""
    size = len(players)
    # By resample, the first being what was played: the sums of points' differences, and matches.
    gained = np.zeros((1 + resamples, size, size))
    met = np.zeros((1 + resamples, size, size))
    deals: list[Array] = []
    sides = 2
    for chunk in source():
        sides = chunk.side.shape[1]
        unique, which = np.unique(chunk.deal, return_inverse=True)
        weight = _weights(unique, resamples, seed)
        deals.append(unique)
        for a in range(sides):
            for b in range(sides):
                if a == b:
                    continue
                pair = chunk.side[:, a] * size + chunk.side[:, b]
                kinds, kind = np.unique(pair, return_inverse=True)
                gain = chunk.points[:, a] - (chunk.points[:, b] if sides > 2 else 0.5)
                cell = which.ravel() * len(kinds) + kind.ravel()
                cells = len(unique) * len(kinds)
                sums = np.bincount(cell, gain, cells).reshape(len(unique), -1)
                numbers = np.bincount(cell, minlength=cells).reshape(len(unique), -1)
                at = np.unravel_index(kinds, (size, size))
                gained[:, at[0], at[1]] += weight @ sums
                met[:, at[0], at[1]] += weight @ numbers
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = gained / met
    roles = list(dict.fromkeys(player.role for player in players))
    number = len(np.unique(np.concatenate(deals))) if deals else 0
    if len(roles) == 2:
        first = [i for i, player in enumerate(players) if player.role == roles[0]]
        second = [i for i, player in enumerate(players) if player.role == roles[1]]
        ratio = ratio[:, first][:, :, second]
        met = met[:, first][:, :, second]
        rows, columns = [players[i] for i in first], [players[i] for i in second]
        return Payoffs(rows, columns, ratio[0], met[0], number, ratio[1:])
    ratio[:, np.arange(size), np.arange(size)] = 0.0
    return Payoffs(list(players), list(players), ratio[0], met[0], number, ratio[1:])


def _weights(deals: Array, resamples: int, seed: int) -> Array:
    """How often each deal counts: (1 + resamples, deals); the first row is 1."""
    found = np.ones((1 + resamples, len(deals)))
    for span in np.unique(deals // SPAN).tolist():
        inside = deals // SPAN == span
        found[1:, inside] = _drawn(seed, span, resamples)[:, deals[inside] % SPAN]
    return found


@lru_cache(maxsize=64)
def _drawn(seed: int, span: int, resamples: int) -> Array:
    drawn = np.random.default_rng([seed, span]).poisson(1.0, (resamples, SPAN))
    return drawn.astype(np.uint8)


# --- By the mixture -------------------------------------------------------------------------------


def weights(found: MetaGame) -> dict[Player, float]:
    """Each player's weight in the mixture: by what survives, not by who submitted."""
    return {share.player: share.weight for share in found.shares}
