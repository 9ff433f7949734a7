"""Where a target holds among values of options: what was measured, and what lies between.

A grid of points, each with a metric's estimate where it was played. A small grid is played whole.
Of a large one a Gaussian process (scikit-learn's, Matérn 5/2, with each point's own error) says
what to expect at the others; the next to be played is where that is least sure to be on one side
of the target: the straddle rule of Bryan, Schneider, Nichol, Miller, Genovese and Wasserman,
"Active learning for identifying function threshold boundaries", NIPS 2005.

All points play the same deals, so their errors go together. The process takes them for each
point's own; what it expects at points that weren't played has the mean error of the played ones on
top, as if that were wholly common: cautious.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

from harness.errors import UserError
from reports.balance.figures import Measured
from reports.balance.targets import Target, Verdict, verdict_of
from reports.results import Array

FIRST = 8
"""Points of a large grid that are played before any is chosen by what others gave."""
BATCH = 2
"""Points that are then chosen at once."""
STRADDLE = 1.96
"""Errors of the process by which an unplayed point may lie on either side of the target."""


class Option(NamedTuple):
    """One option that is tuned."""

    name: str
    values: Sequence[Any]
    present: Any
    """Its value in the present rules."""

    @property
    def ordered(self) -> bool:
        """Whether its values are numbers, so that one may lie between others."""
        return all(type(value) in (int, float) for value in self.values)

    @property
    def span(self) -> float:
        """The range of a number's values, the present one included."""
        numbers = [*self.values, self.present] if self.ordered else [0]
        return float(max(numbers) - min(numbers)) or 1.0

    def change(self, value: Any) -> float:
        """How much a value changes: a part of the range, or 1 for another choice."""
        if value == self.present and type(value) is type(self.present):
            return 0.0
        return float(abs(value - self.present)) / self.span if self.ordered else 1.0

    def place(self, value: Any) -> list[float]:
        """Its coordinates: a number within its range, or one a choice."""
        if self.ordered:
            return [(value - min([*self.values, self.present])) / self.span]
        every = list(dict.fromkeys([*self.values, self.present]))
        return [float(np.sqrt(0.5)) * (value == other) for other in every]


class Point(NamedTuple):
    """One set of values, and what is known of the metric there."""

    values: Mapping[str, Any]
    change: float
    """From the present rules: the sum over options of `Option.change`."""
    value: float | None
    low: float | None
    """Of the interval, at the level that all points together need."""
    high: float | None
    verdict: Verdict
    """Accepted where the target holds."""
    played: bool
    """Else it is what the Gaussian process expects."""


def change(options: Sequence[Option], values: Mapping[str, Any]) -> float:
    """How far these values are from the present rules."""
    return sum(option.change(values[option.name]) for option in options)


def places(options: Sequence[Option], points: Sequence[Mapping[str, Any]]) -> Array:
    """Coordinates of points, (points, dimensions)."""
    return np.array(
        [[x for option in options for x in option.place(point[option.name])] for point in points]
    )


def spread(at: Array, number: int) -> list[int]:
    """So many points that lie far from each other, the first being point 0."""
    chosen = [0]
    nearest = np.linalg.norm(at - at[0], axis=1)
    while len(chosen) < min(number, len(at)):
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, np.linalg.norm(at - at[chosen[-1]], axis=1))
    return chosen


def following(
    at: Array, played: Mapping[int, Measured], target: Target, number: int = BATCH
) -> list[int]:
    """The points to play next: those that could most easily lie on either side of the target.

    Of two chosen together the second takes account of the first, as if that had given just what is
    expected of it.
    """
    known = dict(played)
    chosen: list[int] = []
    while len(chosen) < number and len(known) < len(at):
        mean, error = expected(at, known)
        bounds = [bound for bound in (target.low, target.high) if bound is not None]
        away = np.min([abs(mean - bound) for bound in bounds], axis=0)
        score = STRADDLE * error - away
        score[list(known)] = -np.inf
        best = int(score.argmax())
        chosen.append(best)
        known[best] = Measured(float(mean[best]), float(error[best]) / 10)
    return chosen


def expected(at: Array, played: Mapping[int, Measured]) -> tuple[Array, Array]:
    """The mean and the error of the metric at every point, by those that were played."""
    # Here, since importing it takes longer than most commands.
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern

    known = [number for number, each in played.items() if each.value is not None]
    if not known:
        raise UserError(
            "no block without a fault is left to measure by (`fairdeal faults` has why)"
        )
    value = np.array([played[number].value for number in known], dtype=float)
    error = np.array([played[number].error or 0.0 for number in known])
    centre, scale = value.mean(), value.std() or 1.0
    kernel = ConstantKernel(1.0, (0.05, 20.0)) * Matern([0.5] * at.shape[1], (0.1, 10.0), nu=2.5)
    process = GaussianProcessRegressor(
        kernel, alpha=(error / scale) ** 2 + 1e-8, n_restarts_optimizer=2, random_state=0
    )
    with warnings.catch_warnings():
        # A length at the end of its range is an answer: the option does nothing, or all at once.
        warnings.simplefilter("ignore", ConvergenceWarning)
        process.fit(at[known], (value - centre) / scale)
    mean, deviation = process.predict(at, return_std=True)
    return centre + scale * mean, np.hypot(scale * deviation, error.mean())


def region(
    options: Sequence[Option],
    points: Sequence[Mapping[str, Any]],
    played: Mapping[int, Measured],
    target: Target,
    alpha: float,
) -> list[Point]:
    """Every point with its verdict; the chance that any played one's is wrong is at most `alpha`.

    Intervals are at the level 1 - alpha / number of points (Bonferroni).
    """
    level = alpha / len(points)
    mean = error = np.zeros(len(points))
    if len(played) < len(points):
        mean, error = expected(places(options, points), played)
    reach = float(norm.isf(level / 2))
    found = []
    for number, values in enumerate(points):
        measured = played.get(number)
        if measured is not None:
            value, (low, high) = measured.value, measured.sure(1 - level)
        else:
            value = float(mean[number])
            low, high = value - reach * float(error[number]), value + reach * float(error[number])
        verdict = verdict_of(target, low, high)
        moved = change(options, values)
        found.append(Point(values, moved, value, low, high, verdict, measured is not None))
    return found


def nearest(points: Sequence[Point], verdict: Verdict = Verdict.accepted) -> list[Point]:
    """The played points with this verdict that change the present rules least; several if equal."""
    holding = [point for point in points if point.played and point.verdict is verdict]
    least = min((point.change for point in holding), default=0.0)
    return [point for point in holding if point.change <= least + 1e-9]


def likeliest(points: Sequence[Point], target: Target) -> Point | None:
    """Where nothing is certain: of the open points, those whose value meets the target before
    others, the one that changes the present rules least; None if none is open.
    """

    def meets(point: Point) -> bool:
        return point.value is not None and (
            verdict_of(target, point.value, point.value) is Verdict.accepted
        )

    open_ = [point for point in points if point.played and point.verdict is Verdict.undecided]
    return min(open_, key=lambda point: (not meets(point), point.change), default=None)
