"""What do the matches say? Counted by their sides, and who can be compared by them."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy.sparse.csgraph import connected_components

from reports.results import Array, Matches

Source = Callable[[], Iterable[Matches]]
"""Gives all matches, from the start, each time it is called."""


class Totals(NamedTuple):
    """Matches counted by what they say: g groups of the same k sides and the same side at fault."""

    side: Array
    """(g, k) indices of players; rows of narrower tables end in -1."""
    fault: Array
    """(g,) the column at fault, or -1."""
    matches: Array
    """(g,) how many; of the choices in full orders, their weight."""
    points: Array
    """(g, k) what each side scored in them."""
    squares: Array
    """(g, k, k) the sums of the products of two sides' points."""


class Kinds(NamedTuple):
    """The kinds of match in a chunk: who has which column, and whose fault it was."""

    side: Array
    """(g, k) as in `Matches`."""
    fault: Array
    """(g,)"""
    which: Array
    """(m,) the kind of each match."""


def kinds(chunk: Matches) -> Kinds:
    """Sorts a chunk's matches into kinds: by hashing one integer a match, which is fast."""
    base = int(chunk.side.max(initial=0)) + 2
    columns = chunk.side.shape[1]
    if (columns + 1) * base**columns >= 1 << 63:
        rows = np.column_stack([chunk.fault, chunk.side])
        found, which = np.unique(rows, axis=0, return_inverse=True)
        return Kinds(found[:, 1:], found[:, 0], which.ravel())
    code = chunk.fault.astype(np.int64) + 1
    for column in range(columns):
        code = code * base + (chunk.side[:, column] + 1)
    encoded = pa.array(code).dictionary_encode()
    which = encoded.indices.to_numpy()
    left = encoded.dictionary.to_numpy().copy()
    side = np.empty((len(left), columns), dtype=np.int64)
    for column in reversed(range(columns)):
        left, rest = np.divmod(left, base)
        side[:, column] = rest - 1
    return Kinds(side, left - 1, which)


def count(chunks: Iterable[Matches]) -> Totals:
    """Counts matches by their sides, in whatever seats, and by whose fault they were."""
    groups: dict[tuple[int, ...], tuple[float, Array, Array]] = {}
    for chunk in chunks:
        found = kinds(chunk)
        number, width = found.side.shape
        points = np.column_stack(
            [
                np.bincount(found.which, weights=chunk.points[:, column], minlength=number)
                for column in range(width)
            ]
        )
        squares = np.empty((number, width, width))
        for i in range(width):
            for j in range(i, width):
                product = chunk.points[:, i] * chunk.points[:, j]
                squares[:, i, j] = squares[:, j, i] = np.bincount(
                    found.which, weights=product, minlength=number
                )
        weight = points.sum(axis=1).round(9)
        for kind in range(number):
            sides = found.side[kind]
            order = np.argsort(np.where(sides < 0, np.iinfo(np.int64).max, sides), kind="stable")
            order = order[: int((sides >= 0).sum())]
            at = found.fault[kind]
            fault = int(np.flatnonzero(order == at)[0]) if at >= 0 else -1
            key = (fault, *sides[order].tolist())
            before = groups.get(key, (0.0, 0.0, 0.0))
            groups[key] = (
                before[0] + float(weight[kind]),
                before[1] + points[kind, order],
                before[2] + squares[kind][np.ix_(order, order)],
            )
    return _totals(groups)


def _totals(groups: dict[tuple[int, ...], tuple[float, Array, Array]]) -> Totals:
    keys = sorted(groups)
    width = max((len(key) - 1 for key in keys), default=0)
    side = np.full((len(keys), width), -1)
    points = np.zeros((len(keys), width))
    squares = np.zeros((len(keys), width, width))
    for i, key in enumerate(keys):
        size = len(key) - 1
        side[i, :size] = key[1:]
        points[i, :size] = groups[key][1]
        squares[i, :size, :size] = groups[key][2]
    return Totals(
        side,
        np.array([key[0] for key in keys], dtype=int),
        np.array([groups[key][0] for key in keys], dtype=float),
        points,
        squares,
    )


def sums(totals: Totals, size: int) -> tuple[Array, Array, Array]:
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


# --- Who can be compared ------------------------------------------------------------------------


class Comparable(NamedTuple):
    """Which players can be rated together."""

    status: str
    """`ok`, `disconnected`, or `not_strongly_connected`."""
    rated: Array
    """(players,) whether each is in the largest group; of several, the one that scores most."""
    groups: list[list[int]]
    """Who scored against each other, by way of others or not; a group above another comes first."""
    standing: list[str]
    """Of each player to the rated ones: "" (it is one), "above", "below", or "apart"."""


def comparable(totals: Totals, size: int) -> Comparable:
    """Who can be compared.

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
        return Comparable("ok", np.ones(size, dtype=bool), [list(range(size))], [""] * size)
    apart, _ = connected_components(met, directed=False)
    status = "disconnected" if apart > 1 else "not_strongly_connected"
    played, won, _ = sums(totals, size)
    members = [labels == label for label in range(parts)]
    rate = won / np.maximum(played, 1)
    best = max(members, key=lambda group: (group.sum(), played[group] @ rate[group]))
    reaches = _reaches(scored)
    # Whoever is above another group reaches more.
    order = sorted(
        members, key=lambda group: (-reaches[group][0].sum(), -rate[group].mean(), group.argmax())
    )
    some = int(np.flatnonzero(best)[0])
    standing = [
        ""
        if best[player]
        else "above"
        if reaches[player, some]
        else "below"
        if reaches[some, player]
        else "apart"
        for player in range(size)
    ]
    groups = [[int(player) for player in np.flatnonzero(group)] for group in order]
    return Comparable(status, best, groups, standing)


def _reaches(scored: Array) -> Array:
    """Whom each scored against, by way of others or not; itself too."""
    reach = scored | np.eye(len(scored), dtype=bool)
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if (further == reach).all():
            return np.asarray(reach)
        reach = further


def leaving_out(chunks: Iterable[Matches], gone: Array) -> Iterator[Matches]:
    """The matches without these players, and only those between at least two others.

    For players who never scored against the others, by way of anybody: their strength has no lower
    bound, and in the limit they weigh nothing in a match, so leaving them out is the fit itself. A
    match in which one of them was at fault says nothing of the others.
    """
    for chunk in chunks:
        out = (chunk.side >= 0) & gone[chunk.side]
        order = np.argsort(out | (chunk.side < 0), axis=1, kind="stable")
        side = np.take_along_axis(np.where(out, -1, chunk.side), order, axis=1)
        points = np.take_along_axis(np.where(out, 0.0, chunk.points), order, axis=1)
        faulty = chunk.fault >= 0
        at_fault = np.take_along_axis(out, np.maximum(chunk.fault, 0)[:, None], axis=1)[:, 0]
        fault = np.where(faulty, (order == chunk.fault[:, None]).argmax(axis=1), -1)
        keep = ((side >= 0).sum(axis=1) > 1) & ~(faulty & at_fault)
        if keep.any():
            yield Matches(chunk.deal[keep], side[keep], points[keep], fault[keep])


def restrict(totals: Totals, rated: Array) -> Totals:
    """The matches in which all sides are rated."""
    inside = np.all((totals.side < 0) | rated[totals.side], axis=1)
    return Totals(*(column[inside] for column in totals))
