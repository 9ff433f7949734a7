"""Schedules: which chunks a contest plays next. One has a single method, `next(totals)`."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Protocol

from games.game import Game
from harness.entrants import Entrant
from harness.play.tables import Chunk, Table, chunks_of, table_size


class Schedule(Protocol):
    """Decides what a contest plays."""

    def next(self, totals: Mapping[str, float]) -> Sequence[Chunk]:
        """The chunks to play now, or none at the end; `totals` has the points so far by label."""


class RoundRobin:
    """Every table plays the same deals, all at once."""

    def __init__(
        self, game: Game, tables: Sequence[Table], deals: int, key_of: Callable[[Table], bytes]
    ) -> None:
        chunks = [
            chunk for table in tables for chunk in chunks_of(game, table, deals, key_of(table))
        ]
        # By deals, so that all tables stand about equally far at any time.
        self.chunks = sorted(chunks, key=lambda chunk: chunk.first)

    def next(self, totals: Mapping[str, float]) -> Sequence[Chunk]:
        """All chunks, once."""
        chunks, self.chunks = self.chunks, []
        return chunks


def all_tables(game: Game, players: int, entrants: Sequence[Entrant]) -> list[tuple[Entrant, ...]]:
    """Every combination of entrants that fills a table.

    In a game with teams an entrant may also meet itself: it is then rated in both roles by it.
    """
    size = table_size(game, players)
    if game.has_roles(players):
        return list(combinations_with_replacement(entrants, size))
    return list(combinations(entrants, size))
