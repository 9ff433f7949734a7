"""The fit: the strengths under which the points that were scored are likeliest.

The model is a choice among the sides of a match: each wins the point with probability
proportional to exp(strength), and a shared point counts in parts. With two sides that is Bradley
and Terry's model with ties as half a win each; with more, the top choice of Plackett and Luce's.
A match with a fault says only that the side at fault didn't win.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from reports.counts import Totals
from reports.results import Array


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


def strengths(side: Array, strength: Array) -> Array:
    """Each side's strength; -inf where a table is narrower."""
    return np.where(side >= 0, strength[side], -np.inf)


def others_than(side: Array, fault: Array, eta: Array) -> Array:
    """The strengths without that of the side at fault."""
    others = eta.copy()
    faulty = np.flatnonzero(fault >= 0)
    others[faulty, fault[faulty]] = -np.inf
    return others


def expected(side: Array, fault: Array, points: Array, eta: Array) -> Array:
    """What is taken as scored: the points, or after a fault the others' shares if they won."""
    faulty = fault >= 0
    scored = points.astype(float).copy()
    if faulty.any():
        sums = points[faulty].sum(axis=1, keepdims=True)
        scored[faulty] = softmax(others_than(side, fault, eta)[faulty], axis=1) * sums
    return scored


def fit(totals: Totals, basis: Array) -> Array:
    """The strengths of greatest likelihood, in natural-log units."""
    faulty = totals.fault >= 0
    scale = 1 / float(totals.matches.sum())

    def loss(free: Array) -> float:
        eta = strengths(totals.side, basis @ free)
        finite = np.where(totals.side >= 0, eta, 0.0)
        won = (totals.points * finite).sum(axis=1)
        if faulty.any():
            others = logsumexp(others_than(totals.side, totals.fault, eta)[faulty], axis=1)
            won[faulty] = totals.matches[faulty] * others
        return float(scale * (totals.matches * logsumexp(eta, axis=1) - won).sum())

    def slope(free: Array) -> Array:
        strength = basis @ free
        eta = strengths(totals.side, strength)
        scored = expected(totals.side, totals.fault, totals.points, eta)
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
    # The search ends where the slope is small, as it is anyway for a bot with few of many matches.
    strength = found.x
    for _ in range(2):
        strength = strength - np.linalg.solve(curvature(strength), slope(strength))
    return np.asarray(basis @ strength)


def information(totals: Totals, strength: Array) -> Array:
    """The curvature of the likelihood at these strengths, (players, players)."""
    size = len(strength)
    eta = strengths(totals.side, strength)
    whole = _curvature(totals.side, totals.matches, softmax(eta, axis=1), size)
    faulty = totals.fault >= 0
    if faulty.any():
        others = softmax(others_than(totals.side, totals.fault, eta)[faulty], axis=1)
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
