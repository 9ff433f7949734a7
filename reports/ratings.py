"""Ratings: a joint fit of all matches on the Elo scale, with errors that count deals, not rows."""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from reports.counts import (
    Source,
    Totals,
    comparable,
    count,
    crosstable,
    leaving_out,
    restrict,
    sums,
)
from reports.errors import sandwich, scores_alone, scores_by_deal
from reports.estimates import CONFIDENCE, Estimate, interval
from reports.fit import fit, free, information
from reports.results import Array, Player

__all__ = [
    "CONFIDENCE",
    "ELO",
    "FULL_ORDERS",
    "POINTS",
    "Difference",
    "Estimate",
    "Rated",
    "Ratings",
    "Source",
    "Totals",
    "count",
    "crosstable",
    "differences",
    "rate",
]

ELO = 400 / log(10)
"""Elo points a unit of natural-log strength: P(i beats j) = 1 / (1 + 10^(-(ri - rj) / 400))."""


POINTS = "points"
FULL_ORDERS = "full orders"


class Rated(NamedTuple):
    """One player's line in a rating table."""

    player: Player
    rating: Estimate
    matches: int
    points: float
    faults: int
    design: float | None = None
    """The design effect: its variance against that of as many independent matches."""
    ranks: tuple[int, int] | None = None
    """The best and the worst that the intervals of its differences to the others allow."""
    standing: str = ""
    """Of one without a rating to those that have one: `above`, `below` or `apart`."""


class Ratings(NamedTuple):
    """A rating table, best first."""

    status: str
    """`ok`, `disconnected`, or `not_strongly_connected`: then only the players of the largest group
    in which everybody scored against everybody, by way of others, have a rating."""
    rated: list[Rated]
    deals: int
    matches: int
    edge: Estimate | None
    """In a game with roles: how much stronger the first role is, between players of mean rating."""
    totals: Totals
    """What the matches were, by their sides."""
    players: Sequence[Player] = ()
    """In the order of `Matches.side`."""
    strength: Array = np.zeros(0)
    """(players,) in natural-log units; NaN where there is none."""
    spread: Array | None = None
    """(players, players) the covariance of the strengths."""
    model: str = POINTS
    """What was fitted: `points`, or `full orders`."""
    groups: Sequence[Sequence[int]] = ()
    """Players who scored against each other, by way of others or not; those above come first."""


class Difference(NamedTuple):
    """One player's rating minus another's."""

    first: int
    second: int
    """Indices of players."""
    difference: Estimate
    superiority: float | None
    """The likelihood that the first is the better one: Phi(difference / error); None where it has
    no error, or one of 0, which says nothing."""


def rate(
    players: Sequence[Player],
    source: Source,
    *,
    fitted: Source | None = None,
    anchor: str | None = None,
    together: bool = False,
) -> Ratings:
    """Rates these players by all matches of a contest.

    Matches are read twice and never held together. Ratings have mean zero over the rated players
    of each role (with `together`, of all roles), or are relative to the bot `anchor`: ValueError
    if that has no rating. `fitted` is what is fitted instead of the points, such as full orders.
    """
    totals = count(source())
    size = len(players)
    roles = _roles(players, together)
    choices = totals if fitted is None else count(fitted())
    found = comparable(choices, size)
    rated = found.rated
    model = fitted or source
    below = np.array([standing == "below" for standing in found.standing])
    if below.any():
        everything = model
        model = lambda: leaving_out(everything(), below)  # noqa: E731
        choices = count(model())
    within = restrict(choices, rated)
    strength, spread, alone = np.full(size, np.nan), None, None
    if rated.sum() < 2 or not len(within.matches):
        _, deals = scores_by_deal(source(), np.zeros(size), np.ones(size, dtype=bool))
    else:
        basis = free(rated, roles)
        strength = fit(within, basis)
        meat, deals = scores_by_deal(model(), strength, rated)
        curvature = information(within, strength)
        spread = sandwich(curvature, meat, basis, deals)
        matches = round(float(within.matches.sum()))
        alone = sandwich(curvature, scores_alone(within, strength), basis, matches)
        strength = np.where(rated, strength, np.nan)
    centre = _centring(players, rated, roles, anchor)
    known = np.nan_to_num(strength)
    estimates = _estimates(centre, known, spread, deals)
    effects = _effects(centre, spread, alone)
    edge = None
    if roles.max(initial=0) > 0:
        edge = Estimate(None)
    if edge is not None and not np.isnan(strength).all():
        first = (rated & (roles == 0)) / max(1, (rated & (roles == 0)).sum())
        edge = _estimates(first[None, :], known, spread, deals)[0]
    played, scored, faults = sums(totals, size)
    table = Ratings(
        found.status,
        [],
        deals,
        round(float(totals.matches.sum())),
        edge,
        totals,
        players,
        strength,
        spread,
        POINTS if fitted is None else FULL_ORDERS,
        found.groups,
    )
    ranks = _ranks(table, roles)
    lines = [
        Rated(
            player,
            estimates[i] if not np.isnan(strength[i]) else Estimate(None),
            round(float(played[i])),
            float(scored[i]),
            round(float(faults[i])),
            effects[i],
            ranks.get(i),
            found.standing[i],
        )
        for i, player in enumerate(players)
    ]
    order = {role: i for i, role in enumerate(dict.fromkeys(p.role for p in players))}
    lines.sort(
        key=lambda line: (
            0 if together else order[line.player.role],
            line.rating.value is None,
            -(line.rating.value or 0),
            -line.points / max(1, line.matches),
            line.player.bot,
        )
    )
    return table._replace(rated=lines)


def differences(ratings: Ratings, *, together: bool = False) -> list[Difference]:
    """Every pair of rated players (of the same role, unless `together`), both ways."""
    roles = _roles(ratings.players, together)
    there = np.flatnonzero(~np.isnan(ratings.strength))
    pairs = [(i, j) for i in there for j in there if i != j and roles[i] == roles[j]]
    maps = np.zeros((len(pairs), len(roles)))
    for row, (i, j) in enumerate(pairs):
        maps[row, i], maps[row, j] = 1, -1
    found = _estimates(maps, np.nan_to_num(ratings.strength), ratings.spread, ratings.deals)
    return [
        Difference(int(i), int(j), estimate, _superiority(estimate))
        for (i, j), estimate in zip(pairs, found, strict=True)
    ]


def _superiority(difference: Estimate) -> float | None:
    value, error = difference.value, difference.error
    if value is None or error is None:
        return None
    if error == 0:
        return 0.5 if value == 0 else None
    return float(ndtr(value / error))


def _roles(players: Sequence[Player], together: bool) -> Array:
    names = list(dict.fromkeys(player.role for player in players))
    return np.array([0 if together else names.index(player.role) for player in players])


def _centring(players: Sequence[Player], rated: Array, roles: Array, anchor: str | None) -> Array:
    """The map that takes from each strength the mean of its role's rated players, or the anchor."""
    centre = np.eye(len(rated))
    for role in np.unique(roles):
        members = rated & (roles == role)
        if anchor is not None:
            members &= np.array([player.bot == anchor for player in players])
            if not members.any():
                raise ValueError(f"the anchor {anchor} has no finite rating")
        if members.any():
            centre[np.ix_(roles == role, members)] -= 1 / members.sum()
    return centre


def _estimates(maps: Array, strength: Array, spread: Array | None, deals: int) -> list[Estimate]:
    """Linear functions of the strengths, in Elo, with their errors and intervals."""
    values = ELO * (maps @ strength)
    if spread is None:
        return [Estimate(float(value)) for value in values]
    errors = ELO * np.sqrt(_variances(maps, spread))
    # Where no deal differs from the others nothing has been seen of how far it may vary, and there
    # is no interval; an anchor is 0 by definition, which is one.
    fixed = (maps == 0).all(axis=1)
    return [
        interval(float(value), float(error), deals)
        if error > 0 or sure
        else Estimate(float(value), 0.0)
        for value, error, sure in zip(values, errors, fixed, strict=True)
    ]


def _variances(maps: Array, spread: Array) -> Array:
    """Exactly 0 where only rounding is left: 10^9 matches still have 4 · 10^-9."""
    found = ((maps @ spread) * maps).sum(axis=1)
    return np.where(found > 1e-18, found, 0.0)


def _effects(centre: Array, spread: Array | None, alone: Array | None) -> list[float | None]:
    """The design effect of each rating; None where there is no error, or none to compare with."""
    if spread is None or alone is None:
        return [None] * len(centre)
    clustered, independent = _variances(centre, spread), _variances(centre, alone)
    return [
        float(a / b) if b > 1e-18 else None for a, b in zip(clustered, independent, strict=True)
    ]


def _ranks(ratings: Ratings, roles: Array) -> dict[int, tuple[int, int]]:
    """For each rated player, one more than are surely better, and all but the surely worse."""
    if ratings.spread is None:
        return {}
    there = [int(i) for i in np.flatnonzero(~np.isnan(ratings.strength))]
    better, worse = dict.fromkeys(there, 0), dict.fromkeys(there, 0)
    together = bool((roles == 0).all())
    for first, _, (_, _, low, high), _ in differences(ratings, together=together):
        better[first] += high is not None and high < 0
        worse[first] += low is not None and low > 0
    size = {i: sum(roles[j] == roles[i] for j in there) for i in there}
    return {i: (1 + better[i], int(size[i]) - worse[i]) for i in there}
