"""Tables and chunks: what is played together, and the key of everything that decides its rows."""

import json
import math
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

from games.game import Game, Rules
from harness.entrants import Entrant
from harness.play import ENGINE
from harness.play.budgets import Budgets
from harness.play.seeds import seatings, seed_id

NO_BUDGETS = Budgets()
"""The defaults."""

CHUNK_SECONDS = 0.5
"""How long a chunk should take, roughly: lost work is small, and its overhead smaller still."""
ENGINE_US = 2.0
"""Roughly what a decision costs beside the bot's own time, in microseconds."""
SMALLEST_CHUNK = 16
LARGEST_CHUNK = 1 << 16


@dataclass(frozen=True)
class Table:
    """Entrants that sit together at a game, in no order: they are kept sorted by label.

    In a game with teams there is one entrant a team, not one a seat.
    """

    game: str
    """A built-in game's name, or a folder's path."""
    game_name: str
    rules_number: int
    rules: tuple[tuple[str, Any], ...]
    """The options that differ from the published rules, sorted."""
    players: int
    entrants: tuple[Entrant, ...]
    isolation: str
    budgets: Budgets = NO_BUDGETS
    text: str = ""
    """For a game outside the package a hash of its rules file: nobody keeps its number."""

    @cached_property
    def key(self) -> str:
        """The hash of everything that decides this table's rows but the seed and the deals."""
        parts = [
            self.game_name,
            self.rules_number,
            self.text,
            self.rules,
            self.players,
            [(entrant.name, entrant.version) for entrant in self.entrants],
            ENGINE,
            self.isolation,
            # In-process no budget is kept, so none decides anything.
            asdict(self.budgets) if self.isolation != "inprocess" else None,
            python_version(),
        ]
        digest = blake2b(digest_size=12, person=b"fairdeal table")
        digest.update(json.dumps(parts).encode())
        return digest.hexdigest()

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The entrants' labels."""
        return tuple(entrant.label for entrant in self.entrants)


@dataclass(frozen=True)
class Chunk:
    """One table and a range of a seed's deals, `first` to `last`, both included."""

    table: Table
    first: int
    last: int
    key: bytes = field(repr=False)
    """The seed's: 32 bytes, from which every deal of it can be computed."""

    @property
    def name(self) -> str:
        """Its file in the store, below `chunks/`."""
        return f"{self.table.key}/{seed_id(self.key)}-{self.first}-{self.last}.parquet"


def python_version() -> str:
    """The Python that plays, as far as rows may depend on it."""
    return f"{platform.python_implementation()} {'.'.join(platform.python_version_tuple()[:2])}"


def make_table(
    game: str,
    found: Game,
    rules: Rules,
    players: int,
    entrants: Sequence[Entrant],
    isolation: str,
    budgets: Budgets = NO_BUDGETS,
    text: str = "",
) -> Table:
    """A table of these entrants, whatever their order."""
    return Table(
        game=game,
        game_name=found.name,
        rules_number=found.number,
        rules=tuple(sorted(rules.changed().items())),
        players=players,
        entrants=tuple(sorted(entrants, key=lambda entrant: entrant.label)),
        isolation=isolation,
        budgets=budgets,
        text=text,
    )


def table_size(game: Game, players: int) -> int:
    """How many entrants a table has: one a seat, or one a team."""
    return len(set(game.teams(players)))


def chunk_deals(game: Game, table: Table) -> int:
    """How many deals a full chunk has: 2^k, from the game, its seats and the bots' weights alone.

    Never from timing, so that the same table is cut the same way on every machine.
    """
    weight = sum(entrant.bot.weight for entrant in table.entrants) / len(table.entrants)
    matches = table_size(game, table.players)
    deal_us = matches * game.decisions(table.players) * (ENGINE_US + 10 * weight)
    wanted = CHUNK_SECONDS * 1e6 / deal_us
    return 1 << max(0, min(int(math.log2(max(1.0, wanted))), LARGEST_CHUNK.bit_length() - 1))


def chunks_of(game: Game, table: Table, deals: int, key: bytes) -> list[Chunk]:
    """The aligned chunks that hold deals 0 to `deals` - 1 of a seed; the last may be short."""
    return list(chunk_stream(game, table, key, deals))


def chunk_stream(game: Game, table: Table, key: bytes, deals: int | None = None) -> Iterator[Chunk]:
    """The aligned chunks of a seed's deals in order, up to so many, or without end.

    The first are small, and each is as large as all before it until they are full: so a bot that
    faults again and again is found out at little cost.
    """
    largest = chunk_deals(game, table)
    first, size = 0, min(SMALLEST_CHUNK, largest)
    while deals is None or first < deals:
        last = first + size - 1
        yield Chunk(table, first, last if deals is None else min(last, deals - 1), key)
        first += size
        if 2 * size <= min(first, largest):
            size *= 2


def table_seatings(
    game: Game, players: int, key: bytes, labels: Sequence[str], deal: int
) -> list[tuple[int, ...]]:
    """All seatings of a table for a deal: for each, the index into `labels` by seat."""
    teams = game.teams(players)
    return [tuple([turn[team] for team in teams]) for turn in seatings(key, labels, deal)]
