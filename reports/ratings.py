"""Ratings: a joint fit of all matches on the Elo scale, with errors that count deals, not rows.

The model is a choice among the sides of a match: each wins the point with probability
proportional to exp(strength), and a shared point counts in parts. With two sides that is Bradley
and Terry's model with ties as half a win each; with more, the top choice of Plackett and Luce's.
A match with a fault says only that the side at fault didn't win.

Errors are a sandwich around the fit: scores are summed within each deal before they are squared,
over all tables that played it, since that is the widest unit that shares luck; times G/(G-1) for
G deals, with Student's t of G-1 degrees of freedom.
"""

from collections.abc import Callable, Iterable, Sequence
from math import log
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components
from scipy.special import logsumexp, softmax
from scipy.stats import t as student

from reports.results import Array, Matches, Player

ELO = 400 / log(10)
"""Elo points a unit of natural-log strength: P(i beats j) = 1 / (1 + 10^(-(ri - rj) / 400))."""

CONFIDENCE = 0.95


class Totals(NamedTuple):
    """Matches counted by what they say: g groups of the same k sides and the same side at fault."""

    side: Array
    """(g, k) indices of players; rows of narrower tables end in -1."""
    fault: Array
    """(g,) the column at fault, or -1."""
    matches: Array
    """(g,) how many."""
    points: Array
    """(g, k) what each side scored in them."""


class Estimate(NamedTuple):
    """A figure with its standard error and interval; all None where it isn't finite or known."""

    value: float | None
    error: float | None = None
    low: float | None = None
    high: float | None = None


class Rated(NamedTuple):
    """One player's line in a rating table."""

    player: Player
    rating: Estimate
    matches: int
    points: float
    faults: int


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


Source = Callable[[], Iterable[Matches]]
"""Gives all matches, from the start, each time it is called."""


def rate(players: Sequence[Player], source: Source) -> Ratings:
    """Rates these players by all matches of a contest.

    Matches are read twice and never held together. Ratings have mean zero over the rated players
    (of each role).
    """
    totals = count(source())
    size = len(players)
    status, rated = comparable(totals, size)
    roles = np.array([list(dict.fromkeys(p.role for p in players)).index(p.role) for p in players])
    within = restrict(totals, rated)
    if rated.sum() < 2 or not len(within.matches):
        strength, spread, deals = np.full(size, np.nan), None, _deals(source)
        edge = None
    else:
        basis = free(rated, roles)
        strength = fit(within, basis)
        meat, deals = scores_by_deal(source, strength, rated)
        spread = sandwich(information(within, strength), meat, basis, deals)
        edge = None
    centre = _centring(rated, roles)
    estimates = _estimates(centre, strength, spread, deals)
    if roles.max(initial=0) > 0:
        first = (rated & (roles == 0)) / max(1, (rated & (roles == 0)).sum())
        edge = _estimates(first[None, :], strength, spread, deals)[0]
    played, scored, faults = _sums(totals, size)
    lines = [
        Rated(
            player,
            estimates[i] if rated[i] else Estimate(None),
            int(played[i]),
            float(scored[i]),
            int(faults[i]),
        )
        for i, player in enumerate(players)
    ]
    order = {role: i for i, role in enumerate(dict.fromkeys(p.role for p in players))}
    lines.sort(
        key=lambda line: (
            order[line.player.role],
            line.rating.value is None,
            -(line.rating.value or 0),
            -line.points / max(1, line.matches),
            line.player.bot,
        )
    )
    return Ratings(status, lines, deals, int(totals.matches.sum()), edge, totals)


# --- Counting -----------------------------------------------------------------------------------


def count(chunks: Iterable[Matches]) -> Totals:
    """Counts matches by their sides and faults."""
    groups: dict[tuple[int, ...], tuple[int, Array]] = {}
    for chunk in chunks:
        order = np.argsort(chunk.side, axis=1, kind="stable")
        side = np.take_along_axis(chunk.side, order, axis=1)
        points = np.take_along_axis(chunk.points, order, axis=1)
        at_fault = order == chunk.fault[:, None]
        fault = np.where(at_fault.any(axis=1), at_fault.argmax(axis=1), -1)
        kinds, which = np.unique(np.column_stack([fault, side]), axis=0, return_inverse=True)
        which = which.ravel()
        sums = np.zeros((len(kinds), side.shape[1]))
        np.add.at(sums, which, points)
        for kind, matches, scored in zip(
            kinds.tolist(), np.bincount(which).tolist(), sums, strict=True
        ):
            before = groups.get(tuple(kind), (0, 0.0))
            groups[tuple(kind)] = (before[0] + matches, before[1] + scored)
    keys = sorted(groups)
    width = max((len(key) - 1 for key in keys), default=0)
    side = np.full((len(keys), width), -1)
    points = np.zeros((len(keys), width))
    for i, key in enumerate(keys):
        side[i, : len(key) - 1] = key[1:]
        points[i, : len(key) - 1] = groups[key][1]
    return Totals(
        side,
        np.array([key[0] for key in keys], dtype=int),
        np.array([groups[key][0] for key in keys], dtype=float),
        points,
    )


def _sums(totals: Totals, size: int) -> tuple[Array, Array, Array]:
    """Matches, points and faults of each player."""
    played, scored, faults = np.zeros(size), np.zeros(size), np.zeros(size)
    there = totals.side >= 0
    matches = np.broadcast_to(totals.matches[:, None], totals.side.shape)
    np.add.at(played, totals.side[there], matches[there])
    np.add.at(scored, totals.side[there], totals.points[there])
    for sides, fault, n in zip(totals.side, totals.fault, totals.matches, strict=True):
        if fault >= 0:
            faults[sides[fault]] += n
    return played, scored, faults


def _deals(source: Source) -> int:
    return len(np.unique(np.concatenate([np.zeros(0), *(np.unique(c.deal) for c in source())])))


# --- Who can be compared ------------------------------------------------------------------------


def comparable(totals: Totals, size: int) -> tuple[str, Array]:
    """The status, and which players can be rated together.

    The fit is finite exactly if the graph "scored against" is strongly connected; an undirected
    check is not enough.
    """
    scored = np.zeros((size, size), dtype=bool)
    met = np.zeros((size, size), dtype=bool)
    for sides, fault, points in zip(totals.side, totals.fault, totals.points, strict=True):
        there = sides[sides >= 0]
        for column, player in enumerate(there):
            met[player, there] = True
            beaten = there if fault < 0 else there[[fault]]
            if points[column] > 0:
                scored[player, beaten] = True
    parts, labels = connected_components(scored, directed=True, connection="strong")
    if parts == 1:
        return "ok", np.ones(size, dtype=bool)
    apart, _ = connected_components(met, directed=False)
    status = "disconnected" if apart > 1 else "not_strongly_connected"
    played, points, _ = _sums(totals, size)
    groups = [labels == label for label in range(parts)]
    # The largest; of several, the one that scores most.
    best = max(groups, key=lambda group: (group.sum(), points[group].sum() / played[group].sum()))
    return status, best


def restrict(totals: Totals, rated: Array) -> Totals:
    """The matches in which all sides are rated."""
    inside = np.all((totals.side < 0) | rated[totals.side], axis=1)
    return Totals(*(column[inside] for column in totals))


# --- The fit --------------------------------------------------------------------------------------


def free(rated: Array, roles: Array) -> Array:
    """A basis of the strengths that the fit is free to choose, (players, dimensions).

    Only differences between the sides of a match are seen, so the last role's strengths sum to
    zero; an earlier role's don't, since their mean is the edge.
    """
    size = len(rated)
    last = rated & (roles == roles.max())
    columns = [np.eye(size)[i] for i in np.flatnonzero(rated & ~last)]
    members = np.flatnonzero(last)
    if len(members) > 1:
        whole, _ = np.linalg.qr(
            np.column_stack([np.ones(len(members)), np.eye(len(members))[:, 1:]])
        )
        for vector in whole.T[1:]:
            column = np.zeros(size)
            column[members] = vector
            columns.append(column)
    return np.column_stack(columns)


def _strengths(side: Array, strength: Array) -> Array:
    """Each side's strength; -inf where a table is narrower."""
    return np.where(side >= 0, strength[side], -np.inf)


def _others(side: Array, fault: Array, eta: Array) -> Array:
    """The strengths without that of the side at fault."""
    others = eta.copy()
    faulty = np.flatnonzero(fault >= 0)
    others[faulty, fault[faulty]] = -np.inf
    return others


def _expected(side: Array, fault: Array, points: Array, eta: Array) -> Array:
    """What is taken as scored: the points, or after a fault the others' shares if they won."""
    faulty = fault >= 0
    scored = points.astype(float).copy()
    if faulty.any():
        sums = points[faulty].sum(axis=1, keepdims=True)
        scored[faulty] = softmax(_others(side, fault, eta)[faulty], axis=1) * sums
    return scored


def fit(totals: Totals, basis: Array) -> Array:
    """The strengths of greatest likelihood, in natural-log units."""
    faulty = totals.fault >= 0
    scale = 1 / float(totals.matches.sum())

    def loss(free: Array) -> float:
        eta = _strengths(totals.side, basis @ free)
        finite = np.where(totals.side >= 0, eta, 0.0)
        won = (totals.points * finite).sum(axis=1)
        if faulty.any():
            others = logsumexp(_others(totals.side, totals.fault, eta)[faulty], axis=1)
            won[faulty] = totals.matches[faulty] * others
        return float(scale * (totals.matches * logsumexp(eta, axis=1) - won).sum())

    def slope(free: Array) -> Array:
        strength = basis @ free
        eta = _strengths(totals.side, strength)
        scored = _expected(totals.side, totals.fault, totals.points, eta)
        residual = totals.matches[:, None] * softmax(eta, axis=1) - scored
        return np.asarray(scale * basis.T @ _scatter(totals.side, residual, len(strength)))

    def curvature(free: Array) -> Array:
        return np.asarray(scale * basis.T @ information(totals, basis @ free) @ basis)

    found = minimize(
        loss,
        np.zeros(basis.shape[1]),
        jac=slope,
        hess=curvature,
        method="trust-exact",
        tol=1e-12,
    )
    return np.asarray(basis @ found.x)


def information(totals: Totals, strength: Array) -> Array:
    """The curvature of the likelihood at these strengths, (players, players)."""
    size = len(strength)
    eta = _strengths(totals.side, strength)
    whole = _curvature(totals.side, totals.matches, softmax(eta, axis=1), size)
    faulty = totals.fault >= 0
    if faulty.any():
        others = softmax(_others(totals.side, totals.fault, eta)[faulty], axis=1)
        whole -= _curvature(totals.side[faulty], totals.matches[faulty], others, size)
    return whole


def _curvature(side: Array, matches: Array, share: Array, size: int) -> Array:
    """The sum of n (diag(p) - p p'), scattered to players."""
    width = side.shape[1]
    blocks = share[:, :, None] * (np.eye(width)[None] - share[:, None, :])
    blocks *= matches[:, None, None]
    into = np.zeros((size, size))
    rows = np.broadcast_to(side[:, :, None], blocks.shape)
    columns = np.broadcast_to(side[:, None, :], blocks.shape)
    there = (rows >= 0) & (columns >= 0)
    np.add.at(into, (rows[there], columns[there]), blocks[there])
    return into


def _scatter(side: Array, values: Array, size: int) -> Array:
    into = np.zeros(size)
    there = side >= 0
    np.add.at(into, side[there], values[there])
    return into


# --- The errors -----------------------------------------------------------------------------------


def scores_by_deal(source: Source, strength: Array, rated: Array) -> tuple[Array, int]:
    """The sum over deals of each deal's score vector times itself, and the number of deals.

    Chunks come ordered by spans of deals, so only one span's scores are held at a time.
    """
    meat = np.zeros((len(strength), len(strength)))
    deals = 0
    held: list[tuple[Array, Array]] = []
    reach = -1
    for chunk in source():
        if held and int(chunk.deal.min()) > reach:
            span, seen = _settle(held)
            meat += span
            deals += seen
            held = []
        reach = max(reach, int(chunk.deal.max()))
        inside = rated[chunk.side].all(axis=1)
        side, points, fault = chunk.side[inside], chunk.points[inside], chunk.fault[inside]
        eta = strength[side]
        residual = _expected(side, fault, points, eta) - softmax(eta, axis=1)
        unique, which = np.unique(chunk.deal[inside], return_inverse=True)
        scores = np.zeros((len(unique), len(strength)))
        np.add.at(scores, (which.ravel()[:, None], side), residual)
        held.append((unique, scores))
    if held:
        span, seen = _settle(held)
        meat += span
        deals += seen
    return meat, deals


def _settle(held: list[tuple[Array, Array]]) -> tuple[Array, int]:
    """Adds up a span's scores deal by deal; their squares' sum, and how many deals there were."""
    unique, which = np.unique(np.concatenate([deal for deal, _ in held]), return_inverse=True)
    scores = np.concatenate([scores for _, scores in held])
    sums = np.zeros((len(unique), scores.shape[1]))
    np.add.at(sums, which.ravel(), scores)
    return sums.T @ sums, len(unique)


def sandwich(information: Array, meat: Array, basis: Array, deals: int) -> Array | None:
    """The covariance of the strengths, or None with fewer than two deals."""
    if deals < 2:
        return None
    bread = np.linalg.inv(basis.T @ information @ basis)
    inner = bread @ (basis.T @ meat @ basis) @ bread * (deals / (deals - 1))
    return np.asarray(basis @ inner @ basis.T)


def _centring(rated: Array, roles: Array) -> Array:
    """The map that takes from each strength the mean of its role's rated players."""
    size = len(rated)
    centre = np.eye(size)
    for role in np.unique(roles):
        members = rated & (roles == role)
        if members.any():
            centre[np.ix_(roles == role, members)] -= 1 / members.sum()
    return centre


def _estimates(maps: Array, strength: Array, spread: Array | None, deals: int) -> list[Estimate]:
    """Linear functions of the strengths, in Elo, with their errors and intervals."""
    values = ELO * (maps @ strength)
    if spread is None:
        return [Estimate(None if np.isnan(value) else float(value)) for value in values]
    errors = ELO * np.sqrt(np.clip(np.einsum("ij,jk,ik->i", maps, spread, maps), 0, None))
    reach = float(student.ppf(0.5 + CONFIDENCE / 2, deals - 1))
    return [
        Estimate(*map(float, (value, error, value - reach * error, value + reach * error)))
        for value, error in zip(values, errors, strict=True)
    ]


# --- The crosstable -------------------------------------------------------------------------------


def crosstable(totals: Totals, size: int) -> tuple[Array, Array]:
    """For each pair that met, the matches and what the first scored in them: (players, players)."""
    matches, points = np.zeros((size, size)), np.zeros((size, size))
    for sides, n, scored in zip(totals.side, totals.matches, totals.points, strict=True):
        there = sides[sides >= 0]
        for column, player in enumerate(there):
            others = np.delete(there, column)
            matches[player, others] += n
            points[player, others] += scored[column]
    return matches, points
