"""Sums over deals with the moments that their errors need: how clustered intervals are computed.

Rows are added up within each deal, over all tables that played it, before anything is squared; a
figure that is a ratio of such sums, or a difference of ratios, then has the error of the delta
method, times G/(G-1) for G deals, with Student's t of G-1 degrees of freedom.
"""

from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import stdtrit

from reports.ratings import CONFIDENCE, Estimate
from reports.results import Array

STRIDE = 256
"""Deals that are worked on together: bounds memory."""


class Part(NamedTuple):
    """Rows of one chunk, in the order of their deals."""

    deal: Array
    """(r,) which deal, or which of several seeds' deals: what shares luck."""
    group: Array
    """(r,) the number of the group that each row counts for, or -1."""
    values: Callable[[slice], Array]
    """Of a slice of rows, (r, t, q): q figures a row for each of t kinds."""


class Sums(NamedTuple):
    """What groups add up to."""

    total: Array
    """(g, t, q)"""
    square: Array
    """(g, t, q, q): the sum over deals of each deal's figures times each other."""
    deals: Array
    """(g,) in how many deals a group has rows."""


def gather(spans: Iterable[Sequence[Part]], groups: int, kinds: int, figures: int) -> Sums:
    """Adds up rows by deal and group; no deal may be in two spans."""
    total = np.zeros((groups, kinds, figures))
    square = np.zeros((groups, kinds, figures, figures))
    deals = np.zeros(groups, dtype=int)
    for span in spans:
        parts = [part for part in span if len(part.deal)]
        for low, high in _strides(parts):
            group, values = _by_deal(parts, low, high, groups)
            if not len(group):
                continue
            order = np.argsort(group, kind="stable")
            there, starts = np.unique(group[order], return_index=True)
            for number, rows in zip(there, np.split(order, starts[1:]), strict=True):
                figured = values[rows].transpose(1, 2, 0)
                total[number] += figured.sum(axis=2)
                square[number] += figured @ figured.transpose(0, 2, 1)
                deals[number] += len(rows)
    return Sums(total, square, deals)


def _strides(parts: Sequence[Part]) -> Iterable[tuple[int, int]]:
    """Ranges of deals that hold all rows of these parts, and no empty one."""
    found = {deal for part in parts for deal in np.unique(part.deal // STRIDE).tolist()}
    return [(stride * STRIDE, (stride + 1) * STRIDE) for stride in sorted(found)]


def _by_deal(parts: Sequence[Part], low: int, high: int, groups: int) -> tuple[Array, Array]:
    """Rows of these deals added up by deal and group: each sum's group, and its figures."""
    keys, values = [], []
    for part in parts:
        first, last = np.searchsorted(part.deal, [low, high])
        if first < last:
            within = slice(int(first), int(last))
            group = part.group[within]
            key, figured = _add_up(
                (part.deal[within] - low) * groups + group, part.values(within), group >= 0
            )
            keys.append(key)
            values.append(figured)
    if not keys:
        return np.zeros(0, dtype=int), np.zeros((0, 0, 0))
    key, figured = _add_up(np.concatenate(keys), np.concatenate(values))
    return key % groups, figured


def _add_up(key: Array, values: Array, there: Array | None = None) -> tuple[Array, Array]:
    if there is not None and not there.all():
        key, values = key[there], values[there]
    if not len(key):
        return key, values
    order = np.argsort(key, kind="stable")
    unique, starts = np.unique(key[order], return_index=True)
    # A product with a sparse matrix of ones takes a tenth of the time of np.add.reduceat.
    ones = csr_array(
        (np.ones(len(key)), order, np.append(starts, len(key))), shape=(len(unique), len(key))
    )
    return unique, np.asarray(ones @ values.reshape(len(key), -1)).reshape(-1, *values.shape[1:])


# --- Figures --------------------------------------------------------------------------------------


def ratio(total: Array, square: Array, deals: int, above: int, below: int) -> Estimate:
    """One sum over another; None where there is nothing to divide by."""
    if total[below] == 0:
        return Estimate(None)
    value = total[above] / total[below]
    slope = np.zeros(len(total))
    slope[above] += 1 / total[below]
    slope[below] -= value / total[below]
    return estimate(float(value), slope, square, deals)


def difference(
    total: Array, square: Array, deals: int, first: tuple[int, int], second: tuple[int, int]
) -> Estimate:
    """One ratio less another, each as (above, below), whose deals may be the same."""
    if total[first[1]] == 0 or total[second[1]] == 0:
        return Estimate(None)
    slope = np.zeros(len(total))
    value = 0.0
    for sign, (above, below) in ((1, first), (-1, second)):
        part = total[above] / total[below]
        value += sign * part
        slope[above] += sign / total[below]
        slope[below] -= sign * part / total[below]
    return estimate(value, slope, square, deals)


def estimate(value: float, slope: Array, square: Array, deals: int) -> Estimate:
    """A figure with its interval, from how it moves with the sums.

    The error is None with fewer than two deals. Where no deal differs from the others it is 0, and
    there is no interval: nothing has been seen of how far it may vary.
    """
    if deals < 2:
        return Estimate(value)
    spread = float(slope @ square @ slope) * deals / (deals - 1)
    scale = float(np.abs(slope) @ np.abs(square) @ np.abs(slope))
    if spread <= 1e-13 * scale:
        return Estimate(value, 0.0)
    error = sqrt(spread)
    reach = float(stdtrit(deals - 1, 0.5 + CONFIDENCE / 2)) * error
    return Estimate(value, error, value - reach, value + reach)
