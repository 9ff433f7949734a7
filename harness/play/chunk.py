"""Plays a chunk and gathers its rows: the same code in a Ray worker and without Ray."""

import gc
import json
import time
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from games.game import Game, chances
from harness.games import find_game
from harness.play import ENGINE, SCHEMA
from harness.play.faults import KINDS
from harness.play.seeds import seed_id
from harness.play.series import LookTaken, Series, played
from harness.play.tables import Chunk, python_version

COLUMNS = (
    ("seed_id", pa.string()),
    ("deal", pa.int64()),
    ("seating", pa.int16()),
    ("seat", pa.int8()),
    ("role", pa.string()),
    ("team", pa.int8()),
    ("bot", pa.string()),
    ("score", pa.int32()),
    ("place", pa.int8()),
    ("points", pa.float64()),
    ("end", pa.string()),
    ("fault", pa.string()),
    ("turns", pa.int32()),
    ("decisions", pa.int32()),
    ("time_us", pa.int32()),
)
"""The columns that every game has; a column for each tactic follows, then those of chances."""

TIMING = ("time_us",)
"""The columns that say how long something took: the only ones that vary from run to run."""

MOST_LEGAL = 12
"""How many legal actions a fault keeps."""

MOST_FAULTS = 5
"""How many faults of a bot and kind a chunk keeps in full."""


class FaultSeen(NamedTuple):
    """One fault, for the bot's author."""

    bot: str
    kind: str
    deal: int
    seating: int
    seat: int
    detail: str
    legal: tuple[str, ...]
    """The first few of the actions that were legal."""
    moves: tuple[str, ...]
    """The record up to there; only hosted matches keep it."""


class Counts(NamedTuple):
    """What is told of a chunk before anyone reads its rows."""

    matches: int
    decisions: int
    points: dict[str, float]
    """By label, summed over the entrant's seats."""
    seats: dict[str, int]
    """Rows by label."""
    faults: dict[tuple[str, str], int]
    """By label and kind."""


class Played(NamedTuple):
    """A chunk's rows, and what is told of it."""

    rows: pa.Table
    counts: Counts
    seconds: float
    """What the matches took; the rest made rows of them."""


def play_chunk(chunk: Chunk) -> Played:
    """Plays all seatings of every deal of a chunk.

    Rows are in the order of deals, seatings and seats. The rows' schema carries what is the same
    for the whole chunk as metadata (`fairdeal`, JSON).
    """
    table = chunk.table
    game = find_game(table.game)
    ends = {end: index for index, end in enumerate((*game.ends, "fault"))}
    kinds = {kind: index for index, kind in enumerate(KINDS)}
    labels = table.labels
    # A match is gathered as a run of integers, each column's values seat by seat, and its points.
    cells: list[int] = []
    points: list[float] = []
    faults: list[FaultSeen] = []
    looks: list[LookTaken] = []
    began = time.perf_counter()
    with collector_off():
        matches = played(series_of(chunk, game), looks)
        for deal, seating, order, state, ended, time_ns, moves in matches:
            result, asked, fault, at, legal = ended
            if fault is None or at is None:
                kind = at = -1
            else:
                kind = kinds[fault.kind]
                bot = labels[order[at]]
                few = tuple(map(str, legal[:MOST_LEGAL]))
                seen = (bot, fault.kind, deal, seating, at, fault.detail, few, tuple(moves or ()))
                faults.append(FaultSeen(*seen))
            end = ends[result.end]
            cells += (deal, seating, end, kind, at, state.turns, *order, *result.scores)
            cells += (*result.places, *asked, *time_ns)
            for counts in state.counts:
                cells += counts
            points += result.points
    seconds = time.perf_counter() - began
    faults.sort(key=lambda seen: (seen.deal, seen.seating))
    rows = _rows(game, chunk, cells, points).replace_schema_metadata(
        {"fairdeal": json.dumps(_metadata(chunk, game, faults, looks))}
    )
    return Played(rows, _counts(chunk, rows, faults), seconds)


def series_of(chunk: Chunk, game: Game) -> Series:
    """What a chunk has to play."""
    table = chunk.table
    return Series(
        game=game,
        path=table.game,
        rules=game.rules.read(dict(table.rules)),
        players=table.players,
        entrants=table.entrants,
        key=chunk.key,
        deals=range(chunk.first, chunk.last + 1),
        isolation=table.isolation,
        budgets=table.budgets,
        restrictions=table.restrictions,
    )


@contextmanager
def collector_off() -> Iterator[None]:
    """Without the cyclic collector: matches make garbage, but hardly any in cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def schema(game: Game) -> pa.Schema:
    """The rows' columns and types for this game, without metadata."""
    fields = [pa.field(name, kind) for name, kind in COLUMNS]
    fields += [pa.field(tactic.name, pa.int16()) for tactic in game.tactics]
    fields += [pa.field(name, pa.int16()) for name in chances(game.tactics)]
    return pa.schema(fields)


def _rows(game: Game, chunk: Chunk, cells: list[int], points: list[float]) -> pa.Table:
    """The gathered matches as a table, a row a match and seat."""
    players = chunk.table.players
    labels = chunk.table.labels
    matches = len(points) // players
    width = len(game.tactics)
    grid = np.frombuffer(array("q", cells), np.int64).reshape(matches, 6 + (5 + width) * players)
    order = np.lexsort((grid[:, 1], grid[:, 0]))  # hosts don't play them in order
    grid = grid[order]
    deal, seating, end, kind, at, turns = (np.repeat(grid[:, i], players) for i in range(6))
    by_seat = np.split(grid[:, 6 : 6 + 5 * players].reshape(matches, 5, players), 5, axis=1)
    entrant, score, place, asked, time_ns = (column.ravel() for column in by_seat)
    counts = grid[:, 6 + 5 * players :].reshape(matches * players, width)
    seat = np.tile(np.arange(players), matches)
    values: dict[str, Any] = {
        "seed_id": _words(np.zeros(len(seat), np.int8), [seed_id(chunk.key)]),
        "deal": deal,
        "seating": seating,
        "seat": seat,
        "role": _words(seat, game.roles(players)),
        "team": np.array(game.teams(players))[seat],
        "bot": _words(entrant, labels),
        "score": score,
        "place": place,
        "points": np.array(points, np.float64).reshape(matches, players)[order].ravel(),
        "end": _words(end, (*game.ends, "fault")),
        "fault": _words(np.where(seat == at, kind, -1), KINDS),
        "turns": turns,
        "decisions": asked,
        "time_us": time_ns // 1000,
    }
    values |= {tactic.name: counts[:, i] for i, tactic in enumerate(game.tactics)}
    values |= {name: counts[:, i].sum(axis=1) for name, i in chances(game.tactics).items()}
    shape = schema(game)
    return pa.Table.from_arrays(
        [pa.array(values[field.name]).cast(field.type) for field in shape], schema=shape
    )


def _words(index: "np.ndarray[Any, Any]", words: Sequence[str]) -> pa.Array:
    """Each index as its word, and -1 as null."""
    return pa.DictionaryArray.from_arrays(
        pa.array(index.astype(np.int8), mask=index < 0), list(words)
    )


def _counts(chunk: Chunk, rows: pa.Table, faults: list[FaultSeen]) -> Counts:
    labels = chunk.table.labels
    by_bot = rows.group_by("bot").aggregate([("points", "sum"), ("points", "count")]).to_pylist()
    return Counts(
        matches=len(rows) // chunk.table.players,
        decisions=pc.sum(rows["decisions"]).as_py(),
        points=dict.fromkeys(labels, 0.0) | {row["bot"]: row["points_sum"] for row in by_bot},
        seats=dict.fromkeys(labels, 0) | {row["bot"]: row["points_count"] for row in by_bot},
        faults=dict(Counter((seen.bot, seen.kind) for seen in faults)),
    )


def _metadata(
    chunk: Chunk, game: Game, faults: list[FaultSeen], looks: list[LookTaken]
) -> dict[str, Any]:
    """What is the same for all rows of a chunk."""
    table = chunk.table
    return {
        "schema": SCHEMA,
        "game": table.game_name,
        "rules_number": table.rules_number,
        "rules": dict(table.rules),
        "forbid": [forbid._asdict() for forbid in table.restrictions.forbid],
        "withhold": table.restrictions.withhold,
        "players": table.players,
        "entrants": list(table.labels),
        "engine": ENGINE,
        "python": python_version(),
        "isolation": table.isolation,
        "table": table.key,
        "deals": [chunk.first, chunk.last],
        "tactics": [tactic.name for tactic in game.tactics],
        "faults": kept(faults),
        "faulted": dict(Counter(seen.bot for seen in faults)),
        "looks": [look._asdict() for look in looks],
    }


def kept(faults: list[FaultSeen]) -> list[dict[str, Any]]:
    """The first few faults of each bot and kind, in full."""
    seen: Counter[tuple[str, str]] = Counter()
    few = []
    for fault in faults:
        seen[fault.bot, fault.kind] += 1
        if seen[fault.bot, fault.kind] <= MOST_FAULTS:
            few.append(fault._asdict())
    return few
