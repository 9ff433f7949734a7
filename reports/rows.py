"""Reads a contest's rows with what the bots did in them, a span of deals at a time."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from harness.store import deals_of
from reports.results import Array, Contest, seed_of

COLUMNS = frozenset(
    [
        "seed_id",
        "deal",
        "seating",
        "seat",
        "role",
        "team",
        "bot",
        "score",
        "place",
        "points",
        "end",
        "fault",
        "turns",
        "decisions",
        "time_us",
    ]
)
"""The columns that every game has; the others are its tactics, and their chances."""

CHANCES = "_chances"


class Rows(NamedTuple):
    """A chunk's rows: m matches of k seats, in the order of their deals."""

    deal: Array
    """(m,)"""
    entrant: Array
    """(m, k) the index of the bot in each seat."""
    points: Array
    """(m, k)"""
    counts: Callable[[slice], Array]
    """Of a slice of matches, (m, k, t): how often each seat did it, by tactic."""
    chances: Callable[[slice], Array]
    """Likewise, how often it could have; NaN where the game doesn't count that."""
    seed: str
    """What names the seed whose deals these are."""


def tactics(contest: Contest) -> list[str]:
    """The names of the tactics that the contest's rows count, in their order."""
    names = chunk_names(contest)
    if not names:
        return []
    columns = contest.store.read_chunk(names[0]).schema.names
    found = [name for name in columns if name not in COLUMNS]
    return [
        name
        for name in found
        if not (name.endswith(CHANCES) and name.removesuffix(CHANCES) in found)
    ]


def chunk_names(contest: Contest) -> list[str]:
    """The contest's chunks, by table."""
    return [name for table in contest.about["tables"] for name in table["chunks"]]


def span_of(contests: Sequence[Contest]) -> int:
    """The number of deals within which the chunks of all tables of these contests line up."""
    lengths = [1]
    for contest in contests:
        for name in chunk_names(contest):
            first, last = deals_of(name)
            lengths.append(last - first + 1)
    return 1 << (max(lengths) - 1).bit_length()


def by_span(contest: Contest, span: int) -> dict[tuple[str, int], list[str]]:
    """The contest's chunks by their seed and the number of the span that holds their deals."""
    found: dict[tuple[str, int], list[str]] = {}
    for name in sorted(chunk_names(contest), key=lambda name: (seed_of(name), *deals_of(name))):
        found.setdefault((seed_of(name), deals_of(name)[0] // span), []).append(name)
    return found


def read(contest: Contest, name: str, tactics: Sequence[str]) -> Rows:
    """A chunk's rows with these tactics; BadChunk if it is damaged."""
    table = contest.store.read_chunk(name)
    index = {bot: number for number, bot in enumerate(contest.bots)}
    seats = contest.about["players"]
    bot = table["bot"].combine_chunks().dictionary_encode()
    known = np.array([index[label] for label in bot.dictionary.to_pylist()], dtype=np.int64)
    seeds = table["seed_id"].unique().to_pylist()
    return Rows(
        table["deal"].to_numpy()[::seats],
        known[bot.indices.to_numpy(zero_copy_only=False)].reshape(-1, seats),
        table["points"].to_numpy().reshape(-1, seats),
        _columns(table, tactics, seats, 0),
        _columns(table, [tactic + CHANCES for tactic in tactics], seats, np.nan),
        seeds[0] if seeds else "",
    )


def _columns(
    table: pa.Table, names: Sequence[str], seats: int, missing: float
) -> Callable[[slice], Array]:
    """Columns of whole numbers, kept as small as they are until a slice is asked for."""
    kept = {
        at: table[name].to_numpy().reshape(-1, seats)
        for at, name in enumerate(names)
        if name in table.column_names
    }
    width = len(names)

    def part(within: slice) -> Array:
        rows = len(range(*within.indices(len(table) // seats)))
        found = np.full((rows, seats, width), missing, dtype=float)
        for at, column in kept.items():
            found[:, :, at] = column[within]
        return found

    return part
