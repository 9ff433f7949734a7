"""Figures of all bots of a variant together: skill, spread of ratings, mixture, order."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from reports.balance.blocks import Blocks, matches_of
from reports.balance.figures import Repeated
from reports.balance.metrics import COMPONENTS, Subject, mixture_names
from reports.equilibrium import nash
from reports.metagame import payoffs
from reports.ratings import ELO, rate
from reports.results import Array, Contest, Matches, Player
from reports.skill import GROUPS, shares

RESAMPLES = 100
"""Of the deals, for the range of the mixture."""


def field_figures(contest: Contest, subject: Subject, blocks: Blocks) -> dict[str, Repeated]:
    """Those of `metrics` that compare bots; the ones that these blocks don't give are missing."""
    matches = matches_of(contest, subject, blocks)
    if not matches:
        return {}
    found = {}
    deals = int(blocks.counted.all(axis=0).sum())
    taken = shares(contest.players, lambda: iter(matches))
    if taken is not None:
        whole, left = taken
        for number, name in enumerate(COMPONENTS):
            found[name] = Repeated(float(whole[number]), left[:, number].tolist(), deals=deals)
    spread = _spread(contest.players, matches)
    if spread is not None:
        found["rating.spread"] = spread._replace(deals=deals)
    return found | _mixture(contest.players, matches, mixture_names(subject))


def _spread(players: Sequence[Player], matches: Sequence[Matches]) -> Repeated | None:
    """The standard deviation of the ratings; None unless all parts of the deals rate everybody."""
    values = []
    for group in range(-1, GROUPS):

        def source(group: int = group) -> Iterator[Matches]:
            for chunk in matches:
                kept = chunk.deal % GROUPS != group
                yield Matches(*(column[kept] for column in chunk)) if not kept.all() else chunk

        ratings = rate(players, source)
        if ratings.status != "ok" or len(players) < 2:
            return None
        strength = ratings.strength.reshape(-1, len({player.bot for player in players}))
        values.append(float(ELO * strength.std(axis=1).mean()))
    return Repeated(values[0], values[1:])


def _mixture(
    players: Sequence[Player], matches: Sequence[Matches], names: Sequence[str]
) -> dict[str, Repeated]:
    """The equilibrium's weights; the same resamples of deals for every variant."""
    found = payoffs(players, lambda: iter(matches), RESAMPLES)
    roles = found.rows != found.columns
    if len(found.rows) < 2 or np.isnan(found.payoff).any():
        return {}

    def weights(payoff: Array) -> Array:
        if not np.isfinite(payoff).all():
            return np.full(len(names), np.nan)
        mixtures = nash(payoff)
        return np.concatenate([mixtures.row, mixtures.column]) if roles else mixtures.row

    value = weights(found.payoff)
    drawn = np.array([weights(resample) for resample in found.resamples])
    return {
        name: Repeated(float(value[number]), drawn[:, number].tolist(), resampled=True)
        for number, name in enumerate(names)
    }


def order_kept(first: Mapping[str, float | None], second: Mapping[str, float | None]) -> float:
    """The share of pairs of bots that both variants put in the same order; a tie is half kept."""
    kept = []
    for one, other in combinations(first, 2):
        signs = []
        for points in (first, second):
            a, b = points[one], points[other]
            signs.append(0.0 if a is None or b is None else float(np.sign(round(a - b, 12))))
        kept.append(1 - abs(signs[0] - signs[1]) / 2)
    return float(np.mean(kept)) if kept else 1.0
