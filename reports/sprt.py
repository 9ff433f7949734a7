"""Sequential tests: do a bot's results speak for one strength, or for another?

The statistic is the exact generalised likelihood ratio of a multinomial: each hypothesis is fitted
by constrained maximum likelihood. Two bots at two seats give a pentanomial, since a deal played in
both seatings scores 0, 1/4, 1/2, 3/4 or 1. More seats give the block means that occur.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log, sqrt

import numpy as np
from scipy.special import expit, softmax

from harness.errors import UserError
from reports.results import Array

PENTANOMIAL = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""The scores of a pair: lost both; lost and drew; won one or drew both; won and drew; won both."""

NONE_SEEN = 0.001
"""What counts instead of a zero count, so that both hypotheses can always be fitted."""


class Model(StrEnum):
    """What Elo means in a hypothesis."""

    logistic = "logistic"
    """The mean score is 1 / (1 + 10^(-Elo/400))."""
    normalised = "normalised"
    """(mean - 1/2) / sigma of a match is Elo ln(10) / 800."""


@dataclass(frozen=True, kw_only=True)
class Hypotheses:
    """H1 (`elo1` or more) against H0 (`elo0` or less), with their rates of error.

    UserError, naming the option, for values that can't be tested.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    """The rate at which H1 may be accepted where H0 is true."""
    beta: float = 0.05
    """The rate at which H0 may be accepted where H1 is true."""
    model: Model = Model.logistic

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            value = getattr(self, name)
            if not -1000 <= value <= 1000:
                raise UserError(f"--{name} must be -1000 to 1000, not {value:g}")
        if self.elo0 >= self.elo1:
            raise UserError(f"--elo0 must be below --elo1, not {self.elo0:g} and {self.elo1:g}")
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not 0 < value < 0.5:
                raise UserError(f"--{name} must be above 0 and below 0.5, not {value:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's: H0 is accepted at or below the first, H1 at or above the second."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def verdict(self, ratio: float) -> str:
        """`H1`, `H0`, or `continue`."""
        lower, upper = self.bounds
        return "H1" if ratio >= upper else "H0" if ratio <= lower else "continue"

    def ratio(
        self,
        counts: Array,
        scores: Array = PENTANOMIAL,
        matches: int = 2,
        shares: Sequence[float] = (0.5,),
    ) -> Array:
        """The log-likelihood ratio of H1 to H0, shape (...,), of counts with shape (..., scores).

        A score is the mean over a block of so many `matches`. `shares` has for each table of a
        block the part of its seats that the first bot has: with more than two seats each seat wins
        the point with probability proportional to exp(strength), and the bots' seats add up.
        """
        seen = np.where(counts == 0, NONE_SEEN, counts).astype(float)
        seen, scores = np.broadcast_arrays(seen, scores)
        fits = []
        for elo in (self.elo0, self.elo1):
            if self.model is Model.logistic:
                chance = expit(
                    elo * log(10) / 400 + np.log(np.array(shares) / (1 - np.array(shares)))
                )
                fits.append(_with_mean(seen, scores, float(chance.mean())))
            else:
                fits.append(_with_t(seen, scores, sqrt(matches) * elo * log(10) / 800))
        return np.asarray((seen * (np.log(fits[1]) - np.log(fits[0]))).sum(axis=-1))


def _with_mean(seen: Array, scores: Array, mean: float) -> Array:
    """The likeliest distribution with this mean."""
    return _balanced(seen / seen.sum(axis=-1, keepdims=True), scores - mean)


def _balanced(observed: Array, moment: Array) -> Array:
    """The likeliest distribution under which `moment`, which has both signs, has mean zero.

    It is observed / (1 + x moment); x, in the interval where all is positive, is found by Newton's
    method, or halving where that leads outside.
    """
    low, high = -1 / moment.max(axis=-1), -1 / moment.min(axis=-1)
    x = np.zeros(observed.shape[:-1])
    for _ in range(200):
        part = moment / (1 + x[..., None] * moment)
        value = (observed * part).sum(axis=-1)
        low, high = np.where(value > 0, x, low), np.where(value > 0, high, x)
        newer = x + value / (observed * part**2).sum(axis=-1)
        newer = np.where((newer > low) & (newer < high), newer, (low + high) / 2)
        done = np.all(np.abs(newer - x) <= 1e-14 * (1 + np.abs(x)))
        x = newer
        if done:
            break
    fitted = observed / (1 + x[..., None] * moment)
    return np.asarray(fitted / fitted.sum(axis=-1, keepdims=True))


def _with_t(seen: Array, scores: Array, t: float) -> Array:
    """The likeliest distribution with (mean - 1/2) = t sigma, sigma being its own.

    The condition is linearised around a distribution, solved, and linearised again around what was
    found (Van den Bergh, Normalized Elo, section 4.1). The first one is tilted until it meets the
    condition, so that its linear form has both signs.
    """
    observed = seen / seen.sum(axis=-1, keepdims=True)
    low = np.full(observed.shape[:-1], -1e3)
    high = -low
    for _ in range(60):
        tilt = (low + high) / 2
        fitted = softmax(np.log(observed) + tilt[..., None] * scores, axis=-1)
        mean, sigma = _moments(fitted, scores)
        over = mean - 0.5 > t * sigma
        low, high = np.where(over, low, tilt), np.where(over, tilt, high)
    for _ in range(500):
        mean, sigma = _moments(fitted, scores)
        spread = 1 + ((scores - mean[..., None]) / sigma[..., None]) ** 2
        newer = _balanced(observed, scores - 0.5 - t * sigma[..., None] * spread / 2)
        done = np.abs(newer - fitted).max() < 1e-12
        fitted = newer
        if done:
            break
    return np.asarray(fitted)


def _moments(fitted: Array, scores: Array) -> tuple[Array, Array]:
    mean = (fitted * scores).sum(axis=-1)
    variance = (fitted * (scores - mean[..., None]) ** 2).sum(axis=-1)
    return mean, np.sqrt(variance)
