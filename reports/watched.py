"""Intervals of a mean that stay valid though they are looked at after every deal.

An asymptotic confidence sequence: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform
central limit theory and asymptotic confidence sequences", Annals of Statistics 52 (2024), theorem
2.2 (arXiv 2103.06476). For the mean of n independent values with standard deviation s

    mean ± s sqrt( 2 (n r² + 1) / (n² r²) · log( sqrt(n r² + 1) / a ) )

holds at all n together with probability 1 - a, as the first look moves out; r says at which number
of values it is narrowest, `TUNED_FOR` here, whatever is seen.
"""

from math import log, sqrt

from reports.estimates import CONFIDENCE, Estimate

TUNED_FOR = 2000
"""The number of values at which intervals are about as narrow as they can be."""

LEAST = 64
"""Values before the first look: the theorem is one of large numbers."""


def watched(n: int, mean: float, variance: float) -> Estimate:
    """The mean of n values between -1 and 1 with its error and its 95 % confidence sequence.

    `variance` is theirs, by n - 1. Without an interval for fewer than `LEAST` values. Where no
    value differs from the others nothing is known of how far they may, and a bound that asks for no
    variance takes its place (`_bet`).
    """
    if n < LEAST:
        return Estimate(mean, sqrt(variance / n) if n > 1 else None)
    if variance <= 1e-15:
        return Estimate(mean, 0.0, *_bet(n, mean))
    reach = sqrt(variance) * factor(n)
    return Estimate(mean, sqrt(variance / n), mean - reach, mean + reach)


def factor(n: int, tuned_for: int = TUNED_FOR, alpha: float = 1 - CONFIDENCE) -> float:
    """How many standard deviations of one value the sequence reaches to either side, after n."""
    # What makes it narrowest at `tuned_for`, to a good approximation (their appendix B.2).
    squared = (-2 * log(alpha) + log(1 - 2 * log(alpha))) / tuned_for
    grown = n * squared + 1
    return sqrt(2 * grown / (n * n * squared) * log(sqrt(grown) / alpha))


def _bet(n: int, value: float) -> tuple[float, float]:
    """For n equal values between -1 and 1: the means m that a gambler can't refuse.

    Who bets all on more than m has, after n values, ((1 + value) / (1 + m))^n times his stake, and
    if m is the mean that comes above 2 / a at any time with probability a / 2 at most (Ville).
    """
    share = ((1 - CONFIDENCE) / 2) ** (1 / n)
    return (1 + value) * share - 1, 1 - (1 - value) * share
