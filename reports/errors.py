"""The errors of a fit: a sandwich in which scores are summed within each deal before squaring.

The deal is the widest unit that shares luck, over all tables that played it. Times G/(G-1) for G
deals.
"""

from collections.abc import Iterable

import numpy as np
from scipy.special import softmax

from reports.counts import Kinds, Totals, kinds
from reports.fit import expected, strengths
from reports.results import Array, Matches


def residuals(chunk: Matches, found: Kinds, strength: Array) -> Array:
    """(m, k) what each side scored beyond what was expected of it."""
    share = softmax(strengths(found.side, strength), axis=1)
    weight = chunk.points.sum(axis=1, keepdims=True)
    residual = chunk.points - weight * share[found.which]
    faulty = np.flatnonzero(found.fault >= 0)
    if len(faulty):
        # All that is known is who didn't win: what the others scored is what was expected.
        won = np.full((len(faulty), share.shape[1]), 1 / share.shape[1])
        known = np.zeros_like(share)
        eta = strengths(found.side[faulty], strength)
        known[faulty] = expected(found.side[faulty], found.fault[faulty], won, eta) - share[faulty]
        concerned = np.isin(found.which, faulty)
        residual[concerned] = weight[concerned] * known[found.which[concerned]]
    return np.asarray(residual)


class Span:
    """Adds up scores deal by deal over the chunks of a span of deals, (deals, columns)."""

    def __init__(self, columns: int) -> None:
        self.deals = np.zeros(0, dtype=np.int64)
        self.sums = np.zeros((0, columns))

    def add(self, deal: Array, column: Array, value: Array) -> None:
        """Adds values (m, k) to their columns (m, k), negative ones left out, of deals (m,)."""
        if not len(deal):
            return
        first, last = int(deal.min()), int(deal.max())
        if last - first < 4 * len(deal):
            local = np.flatnonzero(np.bincount(deal - first))
            names = local + first
            place = np.zeros(last - first + 1, dtype=np.int64)
            place[local] = np.arange(len(local))
            at = place[deal - first]
        else:
            names, at = np.unique(deal, return_inverse=True)
        if not np.array_equal(names, self.deals):
            union = np.union1d(self.deals, names)
            if len(union) > len(self.deals):
                sums = np.zeros((len(union), self.sums.shape[1]))
                sums[np.searchsorted(union, self.deals)] = self.sums
                self.deals, self.sums = union, sums
            at = np.searchsorted(self.deals, names)[at]
        for k in range(column.shape[1]):
            there = column[:, k] >= 0
            if there.all():
                self._add(at, column[:, k], value[:, k])
            else:
                self._add(at[there], column[there, k], value[there, k])

    def _add(self, at: Array, column: Array, value: Array) -> None:
        np.add.at(self.sums.reshape(-1), at * self.sums.shape[1] + column, value)


def spans(chunks: Iterable[Matches]) -> Iterable[tuple[Matches, bool]]:
    """Each chunk, and whether it begins a span: nothing before it has any of its deals."""
    reach = None
    for chunk in chunks:
        if not len(chunk.deal):
            continue
        begins = reach is not None and int(chunk.deal.min()) > reach
        last = int(chunk.deal.max())
        reach = last if reach is None else max(reach, last)
        yield chunk, begins


def scores_by_deal(chunks: Iterable[Matches], strength: Array, rated: Array) -> tuple[Array, int]:
    """The sum over deals of each deal's score vector times itself, and the number of deals.

    Chunks come ordered by spans of deals, so only one span's scores are held at a time.
    """
    size = len(strength)
    meat = np.zeros((size, size))
    deals = 0
    span = Span(size)
    for chunk, begins in spans(chunks):
        if begins:
            meat += span.sums.T @ span.sums
            deals += len(span.deals)
            span = Span(size)
        inside = ((chunk.side < 0) | rated[chunk.side]).all(axis=1)
        if not inside.all():
            chunk = Matches(*(column[inside] for column in chunk))
        span.add(chunk.deal, chunk.side, residuals(chunk, kinds(chunk), strength))
    return meat + span.sums.T @ span.sums, deals + len(span.deals)


def errors_of_points(chunks: Iterable[Matches], players: int) -> list[float | None]:
    """The standard error of each player's mean points a match, clustered by deal (CR1, over the
    deals that it played); None with fewer than two.
    """
    sums, played, deals = np.zeros(players), np.zeros(players), np.zeros(players)
    squares = np.zeros((3, players))

    def settle(span: Span) -> None:
        points, number = span.sums[:, :players], span.sums[:, players:]
        sums[:] += points.sum(axis=0)
        played[:] += number.sum(axis=0)
        deals[:] += (number > 0).sum(axis=0)
        squares[:] += [
            (points**2).sum(axis=0),
            (points * number).sum(axis=0),
            (number**2).sum(axis=0),
        ]

    span = Span(2 * players)
    for chunk, begins in spans(chunks):
        if begins:
            settle(span)
            span = Span(2 * players)
        span.add(chunk.deal, chunk.side, chunk.points)
        number = np.where(chunk.side >= 0, chunk.side + players, -1)
        span.add(chunk.deal, number, np.ones(number.shape))
    settle(span)
    mean = sums / np.maximum(played, 1)
    meat = np.maximum(squares[0] - 2 * mean * squares[1] + mean**2 * squares[2], 0)
    return [
        float(np.sqrt(m * g / (g - 1)) / n) if g > 1 else None
        for m, g, n in zip(meat, deals, played, strict=True)
    ]


def scores_alone(totals: Totals, strength: Array) -> Array:
    """What `scores_by_deal` would be if every match were a deal of its own."""
    size = len(strength)
    eta = strengths(totals.side, strength)
    share = softmax(eta, axis=1)
    n = totals.matches[:, None, None]
    scored = totals.points
    mixed = scored[:, :, None] * share[:, None, :]
    blocks = totals.squares - mixed - mixed.transpose(0, 2, 1) + n * _outer(share)
    faulty = totals.fault >= 0
    if faulty.any():
        known = expected(totals.side, totals.fault, scored, eta) / totals.matches[:, None] - share
        blocks[faulty] = (n * _outer(known))[faulty]
    into = np.zeros((size, size))
    rows = np.broadcast_to(totals.side[:, :, None], blocks.shape)
    columns = np.broadcast_to(totals.side[:, None, :], blocks.shape)
    there = (rows >= 0) & (columns >= 0)
    np.add.at(into, (rows[there], columns[there]), blocks[there])
    return into


def _outer(vectors: Array) -> Array:
    return np.asarray(vectors[:, :, None] * vectors[:, None, :])


def sandwich(information: Array, meat: Array, basis: Array, units: int) -> Array | None:
    """The covariance of the strengths, from so many independent units; None with fewer than two."""
    if units < 2:
        return None
    bread = np.linalg.inv(basis.T @ information @ basis)
    inner = bread @ (basis.T @ meat @ basis) @ bread * (units / (units - 1))
    return np.asarray(basis @ inner @ basis.T)
