"""Who scored what against whom, and which of it the ratings don't explain."""

from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from reports.counts import Source, kinds, restrict
from reports.errors import Span, residuals, spans
from reports.fit import information, strengths
from reports.ratings import ELO, POINTS, Ratings
from reports.results import Array, Matches

SLAB = 1 << 22
"""How many deviations (of deals and pairs) are held at a time."""

STRONG = 3.0
"""Standard errors from which a pair is said not to be explained."""

LIMIT = 0.05
"""One minus the confidence of one-sided bounds."""


class Pair(NamedTuple):
    """What two players scored at the tables that they shared; the first has the lower index."""

    first: int
    second: int
    matches: int
    points: tuple[float, float]
    draws: int
    """Matches in which both scored the same, and something."""
    blocks: tuple[int, int, int]
    """Blocks (a deal in all seatings of a table) won by the first, drawn, lost."""
    deals: int
    decided: tuple[int, int]
    """Deals in which the first scored and the second never did, and the other way round."""
    scored: int
    """Deals in which at least one of them scored."""
    excess: float | None = None
    """Half of what the first scored beyond what the ratings expect less what the second did: with
    two seats, its points minus those expected. None where one isn't rated, or full orders were."""
    error: float | None = None
    """Its standard error, clustered by deal, what the fit took up included."""

    @property
    def deviation(self) -> float | None:
        """The excess in standard errors; None where there is no error or it is 0."""
        return self.excess / self.error if self.excess is not None and self.error else None


class Bound(NamedTuple):
    """Where a rating isn't finite: how far above an opponent at least, or below it at most."""

    player: int
    opponent: int
    above: bool
    deals: int
    """All won by the one above."""
    share: float
    """The least share of the points, with 95 % confidence (exact, one-sided)."""
    elo: float
    """The least difference."""


def pair_up(ratings: Ratings, source: Source) -> list[Pair]:
    """Every pair that met. Reads all matches once, a span of deals at a time."""
    size = len(ratings.players)
    sides = ratings.totals.side
    met = sorted(
        {
            (int(min(a, b)), int(max(a, b)))
            for row in sides
            for i, a in enumerate(row)
            for b in row[i + 1 :]
            if a != b and b >= 0
        }
    )
    number = np.full((size, size), -1)
    for index, (a, b) in enumerate(met):
        number[a, b] = number[b, a] = index
    tally = _Tally(number, len(met))
    strength = np.nan_to_num(ratings.strength)
    rated = ~np.isnan(ratings.strength)
    explained = None
    if rated.any() and ratings.model == POINTS:
        explained = _Explained(ratings, len(met), number)
    for chunk, begins in spans(source()):
        if begins:
            tally.settle()
            if explained is not None:
                explained.settle()
        tally.add(chunk)
        if explained is not None:
            inside = ((chunk.side < 0) | rated[chunk.side]).all(axis=1)
            explained.add(Matches(*(column[inside] for column in chunk)), strength)
    tally.settle()
    if explained is not None:
        explained.settle()
    pairs = [tally.pair(index, a, b) for index, (a, b) in enumerate(met)]
    if explained is None:
        return pairs
    return [
        explained.put(index, pair) if rated[[pair.first, pair.second]].all() else pair
        for index, pair in enumerate(pairs)
    ]


class _Tally:
    """Points, draws, blocks and deals of each pair."""

    def __init__(self, number: Array, pairs: int) -> None:
        self.number = number
        self.pairs = pairs
        self.matches, self.draws = np.zeros(pairs), np.zeros(pairs)
        self.points, self.blocks = np.zeros((pairs, 2)), np.zeros((pairs, 3))
        self.deals, self.scored = np.zeros(pairs), np.zeros(pairs)
        self.decided = np.zeros((pairs, 2))
        self.span = Span(3 * pairs)

    def add(self, chunk: Matches) -> None:
        """Counts a chunk's matches; its deals are settled with its span's."""
        lowest = int(chunk.deal.min())
        width = int(chunk.deal.max()) - lowest + 1
        table = _tables(chunk)
        for i in range(chunk.side.shape[1]):
            for j in range(i + 1, chunk.side.shape[1]):
                a, b = chunk.side[:, i], chunk.side[:, j]
                there = (b >= 0) & (a != b)
                first = np.where(a < b, i, j)[there]
                rows = np.flatnonzero(there)
                pair = self.number[a[there], b[there]]
                x, y = chunk.points[rows, first], chunk.points[rows, i + j - first]
                self.matches += np.bincount(pair, minlength=self.pairs)
                same = (x == y) & (x > 0)
                self.draws += np.bincount(pair, weights=same, minlength=self.pairs)
                for column, value in enumerate((x, y)):
                    self.points[:, column] += np.bincount(pair, weights=value, minlength=self.pairs)
                columns = 3 * pair[:, None] + np.arange(3)
                values = np.column_stack([x, y, np.ones(len(x))])
                self.span.add(chunk.deal[rows], columns, values)
        self._blocks(chunk, table, lowest, width)

    def _blocks(self, chunk: Matches, table: Array, lowest: int, width: int) -> None:
        """Sums points by block and player, and compares them pair by pair."""
        _, where = np.unique(table * width + chunk.deal - lowest, return_inverse=True)
        seated = np.sort(chunk.side, axis=1)[np.unique(where, return_index=True)[1]]
        scored = np.zeros(seated.shape)
        for column in range(chunk.side.shape[1]):
            side = chunk.side[:, column]
            at = (seated[where] == side[:, None]).argmax(axis=1)
            there = side >= 0
            np.add.at(scored, (where[there], at[there]), chunk.points[there, column])
        scored = scored.round(9)
        for i in range(seated.shape[1]):
            for j in range(i + 1, seated.shape[1]):
                there = (seated[:, i] >= 0) & (seated[:, i] != seated[:, j])
                for column in (i, j):  # a bot that sits there twice is looked at once
                    if column:
                        there &= seated[:, column] != seated[:, column - 1]
                pair = self.number[seated[there, i], seated[there, j]]
                x, y = scored[there, i], scored[there, j]
                for column, kind in enumerate((x > y, x == y, x < y)):
                    self.blocks[:, column] += np.bincount(pair, weights=kind, minlength=self.pairs)

    def settle(self) -> None:
        """Takes the deals of a span that is complete."""
        by_deal = self.span.sums.reshape(len(self.span.deals), self.pairs, 3)
        x, y, n = by_deal[:, :, 0], by_deal[:, :, 1], by_deal[:, :, 2]
        self.deals += (n > 0).sum(axis=0)
        self.scored += ((x > 0) | (y > 0)).sum(axis=0)
        self.decided[:, 0] += ((x > 0) & (y == 0)).sum(axis=0)
        self.decided[:, 1] += ((y > 0) & (x == 0)).sum(axis=0)
        self.span = Span(3 * self.pairs)

    def pair(self, index: int, first: int, second: int) -> Pair:
        """What was counted of one pair."""
        won, drawn, lost = self.blocks[index]
        return Pair(
            first,
            second,
            int(self.matches[index]),
            (float(self.points[index, 0]), float(self.points[index, 1])),
            int(self.draws[index]),
            (int(won), int(drawn), int(lost)),
            int(self.deals[index]),
            (int(self.decided[index, 0]), int(self.decided[index, 1])),
            int(self.scored[index]),
        )


def _tables(chunk: Matches) -> Array:
    """A number for each match's table: who sits there, wherever."""
    ordered = Matches(
        chunk.deal, np.sort(chunk.side, axis=1), chunk.points, np.full(len(chunk.deal), -1)
    )
    return kinds(ordered).which.astype(np.int64)


class _Explained:
    """Each pair's excess, and its error by deal.

    The fit takes up a part of every deal's excess: what it moves the strengths by, times how the
    expected excess depends on them. Without that part errors would be too wide.
    """

    def __init__(self, ratings: Ratings, pairs: int, number: Array) -> None:
        self.number = number
        self.pairs = pairs
        strength = np.nan_to_num(ratings.strength)
        rated = ~np.isnan(ratings.strength)
        within = restrict(ratings.totals, rated)
        bread = np.linalg.pinv(information(within, strength), hermitian=True)
        self.taken = self._slopes(within.side, within.matches, strength) @ bread
        self.excess = np.zeros(pairs)
        self.squares = np.zeros(pairs)
        self.deals = 0
        self.span = Span(pairs)
        self.scores = Span(len(strength))

    def _slopes(self, side: Array, matches: Array, strength: Array) -> Array:
        """How each pair's expected excess depends on the strengths, (pairs, players)."""
        slopes = np.zeros((self.pairs, len(strength)))
        share = softmax(strengths(side, strength), axis=1)
        for sides, n, p in zip(side, matches, share, strict=True):
            there = np.flatnonzero(sides >= 0)
            for i in there:
                for j in there:
                    a, b = sides[i], sides[j]
                    if a < b:
                        change = -(p[i] - p[j]) * p
                        change[i] += p[i]
                        change[j] -= p[j]
                        np.add.at(slopes[self.number[a, b]], sides[there], n * change[there] / 2)
        return slopes

    def add(self, chunk: Matches, strength: Array) -> None:
        """Adds a chunk between rated players."""
        left = residuals(chunk, kinds(chunk), strength)
        self.scores.add(chunk.deal, chunk.side, left)
        for i in range(chunk.side.shape[1]):
            for j in range(i + 1, chunk.side.shape[1]):
                a, b = chunk.side[:, i], chunk.side[:, j]
                pair = np.where((b >= 0) & (a != b), self.number[a, b], -1)
                half = np.where(a < b, 0.5, -0.5) * (left[:, i] - left[:, j])
                self.span.add(chunk.deal, pair[:, None], half[:, None])

    def settle(self) -> None:
        """Takes the deals of a span that is complete."""
        rows = max(1, SLAB // max(1, self.pairs))
        for start in range(0, len(self.span.deals), rows):
            seen = self.span.sums[start : start + rows]
            own = self.scores.sums[start : start + rows]
            self.excess += seen.sum(axis=0)
            self.squares += ((seen - own @ self.taken.T) ** 2).sum(axis=0)
        self.deals += len(self.span.deals)
        self.span = Span(self.pairs)
        self.scores = Span(self.scores.sums.shape[1])

    def put(self, index: int, pair: Pair) -> Pair:
        """The pair with its excess and error."""
        pair = pair._replace(excess=float(self.excess[index]))
        if self.deals < 2:
            return pair
        error = sqrt(self.squares[index] * self.deals / (self.deals - 1))
        # Where the fit can follow every pair, nothing is left but rounding.
        return pair._replace(error=error if error > 1e-9 * self.deals else 0.0)


def bounds(ratings: Ratings, pairs: Iterable[Pair]) -> list[Bound]:
    """What can be said of pairs in which one scored every point.

    Where n deals were won out of n, the least share is 0.05^(1/n); a deal counts once, however
    many matches were played of it.
    """
    found = []
    for pair in pairs:
        if not np.isnan(ratings.strength[[pair.first, pair.second]]).any():
            continue
        for winner, (player, opponent) in enumerate(
            ((pair.first, pair.second), (pair.second, pair.first))
        ):
            if pair.scored and pair.decided[winner] == pair.scored:
                share = LIMIT ** (1 / pair.scored)
                elo = ELO * float(np.log(share / (1 - share)))
                found.append(Bound(player, opponent, True, pair.scored, share, elo))
                found.append(Bound(opponent, player, False, pair.scored, share, elo))
    return found


def unexplained(pairs: Iterable[Pair]) -> list[Pair]:
    """Pairs that deviate from the ratings by three standard errors or more, the worst first."""
    strong = [
        pair for pair in pairs if pair.deviation is not None and abs(pair.deviation) >= STRONG
    ]
    return sorted(strong, key=lambda pair: -abs(pair.deviation or 0))


def circles(pairs: Iterable[Pair], least: float = 2.0) -> list[tuple[int, int, int]]:
    """Threes who beat each other in a circle, in blocks, each by `least` standard errors or more.

    The first beats the second, that the third, and that the first. The error of a number of blocks
    won less those lost is that of as many fair coins.
    """
    beats: set[tuple[int, int]] = set()
    for pair in pairs:
        won, _, lost = pair.blocks
        if won + lost and abs(won - lost) >= least * sqrt(won + lost):
            beats.add((pair.first, pair.second) if won > lost else (pair.second, pair.first))
    after: dict[int, list[int]] = {}
    for a, b in sorted(beats):
        after.setdefault(a, []).append(b)
    return [
        (a, b, c)
        for a in after
        for b in after[a]
        for c in after.get(b, [])
        if (c, a) in beats and a < b and a < c
    ]
