"""Paired comparison: what a change does on the same deals, with an error over deals."""

from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from harness.errors import UserError
from reports.estimates import Estimate, interval
from reports.results import Array

FEW = 10
"""Below so many deals that differ at all, an interval rests on too little to be believed."""


class Comparison(NamedTuple):
    """Variant 1 minus variant 0."""

    deals: int
    matches: tuple[int, int]
    """Of each variant."""
    means: tuple[float, float]
    """Over all matches of each variant."""
    paired: Estimate
    """The difference of the means; its error is clustered by deal (CR1: the sandwich times
    G/(G-1) for G deals), its interval has t with G-1 degrees of freedom."""
    unpaired: float | None
    """The error if all matches were independent (Welch's): what pairing is measured against."""
    by_deal: Estimate
    """The mean over deals of the difference of a deal's means; deals with both variants alone."""
    both: int
    """Deals with both variants."""
    differ: int
    """Deals with both whose means differ."""
    t: float | None
    """Of `by_deal`, with `both` - 1 degrees of freedom; None where its error is 0 or unknown."""
    p: float | None
    """Two-sided."""
    correlation: float | None
    """Of the deals' means under one variant with those under the other."""

    @property
    def remarks(self) -> list[str]:
        """What a reader must know before believing the interval."""
        said = []
        if self.differ == 0:
            said.append(f"none of {self.both:,} deals differs between the variants")
        elif self.differ < FEW:
            said.append(f"only {self.differ:,} of {self.both:,} deals differ between the variants")
        if self.both < self.deals:
            said.append(f"{self.deals - self.both:,} deals were played under one variant alone")
        if self.paired.error and self.unpaired and self.paired.error > self.unpaired:
            said.append("pairing widens the error here, and the paired one is still the right one")
        return said


def compare(deal: Array, variant: Array, outcome: Array) -> Comparison:
    """Compares two variants; arrays (m,) with an entry a match.

    `variant` is 0 or 1, `deal` any integer names. UserError if a variant has no match.
    """
    numbers = [int((variant == which).sum()) for which in (0, 1)]
    if 0 in numbers:
        raise UserError(f"both variants need matches; variant {numbers.index(0)} has none")
    _, at = np.unique(deal, return_inverse=True)
    deals = int(at.max()) + 1
    sums, played = np.zeros((2, deals)), np.zeros((2, deals))
    for which in (0, 1):
        chosen = variant == which
        sums[which] = np.bincount(at[chosen], weights=outcome[chosen], minlength=deals)
        played[which] = np.bincount(at[chosen], minlength=deals)
    total = played.sum(axis=1)
    means = sums.sum(axis=1) / total
    # Each deal's part in the difference of the means.
    excess = (sums - means[:, None] * played) / total[:, None]
    difference = float(means[1] - means[0])
    paired = Estimate(difference)
    if deals > 1:
        error = sqrt(deals / (deals - 1) * float(((excess[1] - excess[0]) ** 2).sum()))
        paired = interval(difference, error, deals)
    both = (played > 0).all(axis=0)
    deal_means = sums[:, both] / played[:, both]
    by_deal, t, p = _mean(deal_means[1] - deal_means[0])
    return Comparison(
        deals=deals,
        matches=(numbers[0], numbers[1]),
        means=(float(means[0]), float(means[1])),
        paired=paired,
        unpaired=_welch(variant, outcome) if min(numbers) > 1 else None,
        by_deal=by_deal,
        both=int(both.sum()),
        differ=int((deal_means[0] != deal_means[1]).sum()),
        t=t,
        p=p,
        correlation=_correlation(deal_means),
    )


def _mean(differences: Array) -> tuple[Estimate, float | None, float | None]:
    """The mean with its interval, t and p, as far as there are any."""
    number = len(differences)
    if number < 2:
        return Estimate(float(differences[0]) if number else None), None, None
    value = float(differences.mean())
    error = float(differences.std(ddof=1)) / sqrt(number)
    if error == 0:
        return interval(value, 0.0, number), None, None
    t = value / error
    return interval(value, error, number), t, 2 * float(student.sf(abs(t), number - 1))


def _welch(variant: Array, outcome: Array) -> float:
    parts = [outcome[variant == which] for which in (0, 1)]
    return sqrt(sum(float(part.var(ddof=1)) / len(part) for part in parts))


def _correlation(deal_means: Array) -> float | None:
    if deal_means.shape[1] < 2 or (deal_means.std(axis=1) == 0).any():
        return None
    return float(np.corrcoef(deal_means)[0, 1])
