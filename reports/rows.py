"""Reads a contest's rows with what the bots did in them, a span of deals at a time."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from harness.store import block_of, span_of
from reports.results import Array, Contest

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
    """Of a slice of matches, (m, k, t): how often each seat did it, by tactic; NaN where these rows
    don't count it."""
    chances: Callable[[slice], Array]
    """Likewise, how often it could have; NaN where the game doesn't count that."""
    seed: str
    """What names the seed whose deals these are."""


def tactics(contest: Contest) -> list[str]:
    """The names of the tactics that any of the contest's rows count, in their order."""
    return list(dict.fromkeys(name for names in counted(contest).values() for name in names))


def counted(contest: Contest) -> dict[int, list[str]]:
    """The tactics that the rows of each table count, by the table's index; all of its rows are of
    one engine and rules number, so its first chunk knows them. Tables without chunks are left out.
    """
    found = {}
    for index, table in enumerate(contest.about["tables"]):
        if table["chunks"]:
            found[index] = _counted(contest, table["chunks"][0])
    return found


def _counted(contest: Contest, name: str) -> list[str]:
    said: list[str] | None = contest.said(name).get("tactics")
    if said is not None:
        return said
    found = [column for column in contest.columns(name) if column not in COLUMNS]
    return [
        column
        for column in found
        if not (column.endswith(CHANCES) and column.removesuffix(CHANCES) in found)
    ]


def uncounted(contest: Contest) -> dict[str, int]:
    """The tactics that not all of the contest's rows count, older ones for instance, each with the
    number of tables whose rows don't.
    """
    found = counted(contest)
    missing = {
        name: sum(name not in names for names in found.values()) for name in tactics(contest)
    }
    return {name: number for name, number in missing.items() if number}


def span(contests: Sequence[Contest]) -> int:
    """The number of deals within which the chunks of all tables of these contests line up."""
    return max(
        (block_of(span_of(name)) for contest in contests for name in contest.chunks()), default=1
    )


def by_span(contest: Contest, size: int) -> dict[tuple[str, int], list[str]]:
    """The contest's chunks by their seed and the number of the span that holds their deals."""
    found: dict[tuple[str, int], list[str]] = {}
    for each in sorted(map(span_of, contest.chunks()), key=lambda each: (each[1:], each.table)):
        found.setdefault((each.seed, each.first // size), []).append(each.name)
    return found


def read(contest: Contest, name: str, tactics: Sequence[str]) -> Rows:
    """A chunk's rows with these tactics; BadChunk if it is damaged."""
    table = contest.read(name)
    index = {bot: number for number, bot in enumerate(contest.bots)}
    seats = contest.about["players"]
    bot = table["bot"].combine_chunks().dictionary_encode()
    known = np.array([index[label] for label in bot.dictionary.to_pylist()], dtype=np.int64)
    seeds = table["seed_id"].unique().to_pylist()
    return Rows(
        table["deal"].to_numpy()[::seats],
        known[bot.indices.to_numpy(zero_copy_only=False)].reshape(-1, seats),
        table["points"].to_numpy().reshape(-1, seats),
        _columns(table, tactics, seats),
        _columns(table, [tactic + CHANCES for tactic in tactics], seats),
        seeds[0] if seeds else "",
    )


def _columns(table: pa.Table, names: Sequence[str], seats: int) -> Callable[[slice], Array]:
    """Columns of whole numbers, kept as small as they are until a slice is asked for; NaN where
    the rows haven't got one.
    """
    kept = {
        at: table[name].to_numpy().reshape(-1, seats)
        for at, name in enumerate(names)
        if name in table.column_names
    }
    width = len(names)

    def part(within: slice) -> Array:
        rows = len(range(*within.indices(len(table) // seats)))
        found = np.full((rows, seats, width), np.nan)
        for at, column in kept.items():
            found[:, :, at] = column[within]
        return found

    return part
