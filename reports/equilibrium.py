"""What survives in a game given as a payoff matrix: Nash mixtures, alpha-rank, the replicator.

Matrices have the row player's payoffs, whole populations of bots in rows against bots in columns.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import LinearConstraint, linprog, minimize
from scipy.special import logsumexp, softmax

from reports.results import Array

EXACT = 1e-9
"""What counts as equal, relative to the span of the payoffs."""


class Mixtures(NamedTuple):
    """An equilibrium of a zero-sum game."""

    row: Array
    """(n,) how often each row is played."""
    column: Array
    """(m,) how often each column is."""
    value: float
    """What the row player gets."""


def nash(payoff: Array) -> Mixtures:
    """The equilibrium of greatest entropy of a zero-sum game.

    Equilibria need not be unique: of all optimal mixtures this is the most even one (Balduzzi and
    others 2018), so that a cloned bot shares its twin's weight and nothing else moves.
    """
    low, high = float(payoff.min()), float(payoff.max())
    span = high - low
    if span == 0:
        rows, columns = payoff.shape
        return Mixtures(np.full(rows, 1 / rows), np.full(columns, 1 / columns), low)
    scaled = (payoff - low) / span
    row, value, column = _maximin(scaled)
    if not _unique(scaled, row, column, value):
        row, column = (
            _most_even(scaled, value, _support(-scaled.T, -value)),
            _most_even(-scaled.T, -value, _support(scaled, value)),
        )
    return Mixtures(row, column, low + span * value)


def exploitability(payoff: Array, row: Array, column: Array) -> float:
    """What the best reply to either mixture gains, on average over the two sides."""
    return float(((payoff @ column).max() - (row @ payoff).min()) / 2)


def _maximin(
    payoff: Array, aim: Array | None = None, value: float | None = None
) -> tuple[Array, float, Array]:
    """A linear programme over the row mixtures: the one that guarantees most, and the dual.

    With `value`, the one of largest `aim` among those that guarantee it.
    """
    rows, columns = payoff.shape
    guarantee = np.hstack([-payoff.T, np.ones((columns, 1))])
    cost = np.append(np.zeros(rows), -1.0)
    bounds: list[tuple[float | None, float | None]] = [(0, None)] * rows
    if aim is not None and value is not None:
        cost = np.append(-aim, 0.0)
        bounds.append((value - EXACT, value - EXACT))
    else:
        bounds.append((None, None))
    found = linprog(
        cost,
        A_ub=guarantee,
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None, :],
        b_eq=[1.0],
        bounds=bounds,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.x is None:
        raise ArithmeticError(f"no equilibrium was found: {found.message}")
    mixture = np.clip(found.x[:-1], 0, None)
    dual = np.clip(-found.ineqlin.marginals, 0, None)
    return mixture / mixture.sum(), float(found.x[-1]), dual / max(dual.sum(), EXACT)


def _unique(payoff: Array, row: Array, column: Array, value: float) -> bool:
    """Whether both mixtures are surely the only optimal ones.

    So it is where every reply outside the supports is strictly worse, and the indifference among
    those inside has a single solution.
    """
    inside, across = row > 1e-7, column > 1e-7
    if inside.sum() != across.sum():
        return False
    worse_rows = (payoff @ column)[~inside] < value - 1e-7
    worse_columns = (row @ payoff)[~across] > value + 1e-7
    if not (worse_rows.all() and worse_columns.all()):
        return False
    core = payoff[np.ix_(inside, across)]
    size = len(core)
    system = np.block([[core, np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
    return bool(np.linalg.cond(system) < 1e9)


def _support(payoff: Array, value: float) -> Array:
    """Which rows some optimal mixture plays."""
    played = np.zeros(len(payoff), dtype=bool)
    for row in range(len(payoff)):
        if not played[row]:
            mixture, _, _ = _maximin(payoff, np.eye(len(payoff))[row], value)
            played |= mixture > 1e-6
    return played


def _most_even(payoff: Array, value: float, tight: Array) -> Array:
    """The optimal row mixture of greatest entropy; `tight` columns hold it to the value exactly.

    The set of optimal mixtures is searched in coordinates of its own affine hull, from a point
    inside it: the mean of the mixtures that play each row most.
    """
    corners = np.array([_maximin(payoff, aim, value)[0] for aim in np.eye(len(payoff))])
    start = corners.mean(axis=0)
    inside = start > 1e-7
    start = np.where(inside, start, 0.0)
    start /= start.sum()
    core, at = payoff[inside], start[inside]
    equal = np.vstack([core[:, tight].T, np.ones((1, len(core)))])
    _, sizes, basis = np.linalg.svd(equal)
    along = basis[int((sizes > 1e-7 * sizes[0]).sum()) :].T
    # Back to the hull exactly, since the corners are only within the solver's tolerance.
    goal = np.append(np.full(int(tight.sum()), value), 1.0)
    at = np.clip(at + np.linalg.lstsq(equal, goal - equal @ at, rcond=None)[0], 0, None)
    if along.shape[1]:
        slack = core[:, ~tight].T

        def loss(free: Array) -> float:
            mixture = np.clip(at + along @ free, 1e-300, None)
            return float((mixture * np.log(mixture)).sum())

        def slope(free: Array) -> Array:
            mixture = np.clip(at + along @ free, 1e-12, None)
            return np.asarray(along.T @ (np.log(mixture) + 1))

        limits = np.vstack([slack @ along, along])
        room = np.append(slack @ at - value, at)
        found = minimize(
            loss,
            np.zeros(along.shape[1]),
            jac=slope,
            method="SLSQP",
            constraints=LinearConstraint(limits, -room, np.inf),
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        at = np.clip(at + along @ found.x, 0, None)
    whole = np.zeros(len(payoff))
    whole[inside] = at / at.sum()
    return whole


# --- Alpha-rank -----------------------------------------------------------------------------------


def alpha_rank(payoff: Array, alpha: float, population: int) -> Array:
    """Alpha-rank of a symmetric game: the long-run share of each bot, (n,).

    Omidshafiei and others (2019), one population of `population` (their m) that nearly always
    plays one bot alone. A rare mutant takes over by pairwise comparison of payoffs (Fermi's rule)
    with intensity alpha: rho = (1 - e^-u) / (1 - e^-mu), u = alpha times the payoff of the mutant
    against the resident less that of the resident against the mutant; 1/m where u is 0.
    """
    rates = _log_fixation(alpha * (payoff.T - payoff), population)
    return _stationary(rates)


def alpha_rank_of_roles(
    row: Array, column: Array, alpha: float, population: int
) -> tuple[Array, Array]:
    """Alpha-rank of a game between two populations: the shares of the rows and of the columns.

    `column` has the column player's payoffs, in the shape of `row`. A profile is a row and a
    column; a mutant in one population is compared with the resident of the same one.
    """
    rows, columns = row.shape
    rates = np.full((rows, columns, rows, columns), -np.inf)
    for j in range(columns):
        gain = alpha * (row[None, :, j] - row[:, None, j])
        rates[:, j, :, j] = _log_fixation(gain, population)
    for i in range(rows):
        gain = alpha * (column[i, None, :] - column[i, :, None])
        rates[i, :, i, :] = _log_fixation(gain, population)
    share = _stationary(rates.reshape(rows * columns, rows * columns)).reshape(rows, columns)
    return share.sum(axis=1), share.sum(axis=0)


def _log_fixation(u: Array, population: int) -> Array:
    """The logarithm of the chance that a mutant takes over; `u` is (resident, mutant)."""
    size = np.abs(u)
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.log(-np.expm1(-size)) - np.log(-np.expm1(-population * size))
    found = np.where(u > 0, up, up - (population - 1) * size)
    return np.asarray(np.where(size < 1e-12, -np.log(population), found))


def _stationary(rates: Array) -> Array:
    """The stationary distribution of a chain with these log rates (from, to); the diagonal is free.

    By Grassmann, Taksar and Heyman's elimination, which never subtracts, on logarithms: it stays
    right where rates underflow, and where several states hardly ever let go.
    """
    rates = rates.copy()
    size = len(rates)
    for k in range(size - 1, 0, -1):
        rates[:k, k] -= logsumexp(rates[k, :k])
        rates[:k, :k] = np.logaddexp(rates[:k, :k], rates[:k, k, None] + rates[k, None, :k])
    share = np.zeros(size)
    for k in range(1, size):
        share[k] = logsumexp(share[:k] + rates[:k, k])
    return np.asarray(softmax(share))


# --- The replicator -------------------------------------------------------------------------------


def replicator(
    payoff: Array, other: Array | None = None, time: float = 2000.0, steps: int = 4000
) -> tuple[Array, Array]:
    """The time averages of the replicator dynamics from even mixtures: of rows and of columns.

    Where bots beat each other in a circle the dynamics circle too, and only the average says
    something. `other` has the column player's payoffs in the shape of `payoff`, by default minus
    them. Time is in units of 1 over the span of the payoffs. Fourth-order Runge-Kutta on the log
    shares, whose slopes are the payoffs.
    """
    second = -payoff if other is None else other
    span = max(float(np.ptp(payoff)), float(np.ptp(second)), 1e-300)
    a, b = payoff / span, second.T / span
    rows, columns = payoff.shape
    h = time / steps
    here, there = np.zeros(rows), np.zeros(columns)
    mean_row, mean_column = np.zeros(rows), np.zeros(columns)

    def slope(u: Array, v: Array) -> tuple[Array, Array]:
        return a @ _shares(v), b @ _shares(u)

    for _ in range(steps):
        mean_row += _shares(here) / steps
        mean_column += _shares(there) / steps
        k1, l1 = slope(here, there)
        k2, l2 = slope(here + h / 2 * k1, there + h / 2 * l1)
        k3, l3 = slope(here + h / 2 * k2, there + h / 2 * l2)
        k4, l4 = slope(here + h * k3, there + h * l3)
        here = here + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        there = there + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return mean_row, mean_column


def _shares(logs: Array) -> Array:
    """A softmax without scipy's overhead, which is most of the time for so few numbers."""
    raised = np.exp(logs - logs.max())
    return np.asarray(raised / raised.sum())
