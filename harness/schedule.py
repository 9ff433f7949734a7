"""Schedules: which chunks a contest plays next. One has a single method, `next(stored)`."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Protocol

from games.game import Game
from harness.entrants import Entrant
from harness.play.tables import Chunk, Table, chunk_stream, table_size

KeyOf = Callable[[Table], bytes]
"""The key of the seed under which a table plays."""

MANY_BOTS = 12
"""With more of them at tables of more than two, all tables are too many: rounds are the default."""


class Schedule(Protocol):
    """Decides what a contest plays."""

    reacts: bool
    """Whether it is to be asked again only when all that it gave is stored, since it looks at the
    results: then it decides by them alone, never by who was finished first."""
    endless: bool
    """Whether only a budget ends it."""

    def next(self, stored: Sequence[Chunk]) -> Sequence[Chunk]:
        """The chunks to play now, in order, or none at the end.

        `stored` are those of its last answer, without what came after a suspension; one that
        doesn't react may be asked before they are.
        """


class RoundRobin:
    """Every table plays the same deals, in an order in which all stand about equally far.

    Equally far is by deals, or with `price` (seconds a chunk) by time: then a table with an
    expensive bot has played fewer deals when a budget ends it.
    """

    reacts = False

    def __init__(
        self,
        game: Game,
        tables: Sequence[Table],
        deals: int | None,
        key_of: KeyOf,
        price: Callable[[Chunk], float] | None = None,
    ) -> None:
        self.endless = deals is None
        self.price = price
        self.heap: list[tuple[float, int, Chunk, Iterator[Chunk]]] = []
        for number, table in enumerate(tables):
            chunks = chunk_stream(game, table, key_of(table), deals)
            self._push(0.0, number, chunks)

    def _push(self, place: float, number: int, chunks: Iterator[Chunk]) -> None:
        chunk = next(chunks, None)
        if chunk is not None:
            place = place if self.price is not None else chunk.first
            heapq.heappush(self.heap, (place, number, chunk, chunks))

    def next(self, stored: Sequence[Chunk]) -> Sequence[Chunk]:
        """About a chunk of each table."""
        batch: list[Chunk] = []
        for _ in range(len(self.heap)):
            place, number, chunk, chunks = heapq.heappop(self.heap)
            batch.append(chunk)
            spent = self.price(chunk) if self.price is not None else 0.0
            self._push(place + spent, number, chunks)
        return batch


class Rounds:
    """Round r: its own range of deals, played by the tables that were drawn for it."""

    reacts = False
    endless = False

    def __init__(
        self, drawn: Sequence[Sequence[Table]], length: int, deals: int, key_of: KeyOf
    ) -> None:
        spans = enumerate(range(0, deals, length))
        self.rounds = iter(
            [
                [
                    Chunk(table, first, min(first + length, deals) - 1, key_of(table))
                    for table in drawn[number]
                ]
                for number, first in spans
            ]
        )

    def next(self, stored: Sequence[Chunk]) -> Sequence[Chunk]:
        """A round."""
        return next(self.rounds, [])


# --- Tables ---------------------------------------------------------------------------------------


def all_tables(game: Game, players: int, entrants: Sequence[Entrant]) -> list[tuple[Entrant, ...]]:
    """Every combination of entrants that fills a table.

    In a game with teams an entrant may also meet itself: it is then rated in both roles by it.
    """
    size = table_size(game, players)
    if game.has_roles(players):
        return list(combinations_with_replacement(entrants, size))
    return list(combinations(entrants, size))


def gauntlet_tables(
    game: Game, players: int, new: Sequence[Entrant], reference: Sequence[Entrant]
) -> list[tuple[Entrant, ...]]:
    """Each new entrant with every combination of the reference set that fills its table.

    So new ones never meet, and those of the reference set only beside a new one. Where seats differ
    in kind, the seatings of a table put the new one in every role, and it also meets itself: else
    nothing would compare those in one role with those in the other.
    """
    size = table_size(game, players)
    tables = [(one, *others) for one in new for others in combinations(reference, size - 1)]
    if game.has_roles(players):
        tables += [(one,) * size for one in new]
    return tables
