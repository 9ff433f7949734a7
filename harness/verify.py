"""Verifying a run: its seeds against what was published, and a share of its rows by replaying them.

Bots play from the files that the store keeps. Timing is left aside, and so are matches that ended
because a host ran out of time or memory or died, and tables with bots that say that they aren't
reproducible.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pyarrow as pa

from games.game import Game
from harness.errors import Falsified, UserError
from harness.games import find_game
from harness.play import ENGINE
from harness.play.budgets import Budgets
from harness.play.chunk import TIMING, play_chunk
from harness.play.restrictions import Forbid, Restrictions
from harness.play.tables import Chunk, Table, make_table, python_version, table_size
from harness.reuse import keys_of
from harness.store import Place, Store, read_manifest
from harness.tournament import hash_of
from harness.versions import Versions

VARY = ("timeout", "memory", "died")
"""Faults that depend on the machine."""

SAME = (
    *("schema", "game", "rules_number", "rules", "forbid", "withhold", "players", "entrants"),
    *("engine", "python", "isolation", "table", "tactics"),
)
"""What a chunk says of itself that is compared, beside its rows and the faults by bot."""


@dataclass(frozen=True)
class Replayable:
    """A chunk that can be played again."""

    chunk: Chunk
    matches: int


class Verified(NamedTuple):
    """What came of one chunk."""

    name: str
    matches: int
    uncompared: int
    """Matches that the machine ended, then or now."""
    difference: str
    """The first, or `""`."""


class Audit(NamedTuple):
    """What can be verified of a run."""

    chunks: list[Replayable]
    exempt: int
    """Tables with a bot that isn't reproducible."""
    gone: int
    """Chunks that aren't in the store."""
    seeds: int
    """Secret seeds that have the published hash."""


def audit(store: Store, folder: Place) -> Audit:
    """What a run played, as far as it can be played again; UserError if it can't be at all,
    Falsified if a seed or a bot isn't what was hashed.
    """
    manifest = read_manifest(folder)
    if manifest["seed"] is None:
        raise UserError(
            f"{folder.parent.name}/{folder.name}: its seed is still secret; it can be verified when"
            " it is complete"
        )
    if manifest.get("rows_removed") is not None:
        raise UserError(
            f"{folder.parent.name}/{folder.name}: its chunks were removed on"
            f" {manifest['rows_removed'][:10]}: nothing of it can be played again"
        )
    keys = keys_of(manifest)
    _check_engine(manifest, folder)
    versions = Versions(store)
    found = Audit([], 0, 0, sum(1 for _ in manifest["seeds"]) + bool(manifest["commitment"]))
    exempt = gone = 0
    for contest in manifest["contests"]:
        game, tables = _tables(contest, manifest["isolation"], versions)
        for about in contest["tables"]:
            table = tables(about)
            if not all(entrant.bot.reproducible for entrant in table.entrants):
                exempt += 1
                continue
            for name in about["chunks"]:
                if store.holder(name) is None:
                    gone += 1
                    continue
                chunk = _chunk(name, table, keys)
                matches = (chunk.last - chunk.first + 1) * table_size(game, table.players)
                found.chunks.append(Replayable(chunk, matches))
    return found._replace(exempt=exempt, gone=gone)


def _check_engine(manifest: Mapping[str, Any], folder: Place) -> None:
    for what, then, now in (
        ("engine", manifest["engine"], ENGINE),
        ("Python", manifest["python"], python_version()),
    ):
        if then != now:
            raise UserError(
                f"{folder.parent.name}/{folder.name} was played with {what} {then}, and this is"
                f" {now}: its rows can't be played again here"
            )


def _tables(
    contest: Mapping[str, Any], isolation: str, versions: Versions
) -> tuple[Game, Callable[[Mapping[str, Any]], Table]]:
    """A contest's game, and what makes a table of what the manifest says of it."""
    path = contest["path"]
    game = find_game(path)
    text = hash_of(Path(path) / "rules.py") if "/" in path else ""
    rules = game.rules.read(contest["rules"])
    budgets = Budgets(**contest["budgets"] | {"packages": tuple(contest["budgets"]["packages"])})
    forbid = tuple(Forbid(**each) for each in contest["forbid"])
    restrictions = Restrictions(forbid, contest["withhold"])
    entrants = {
        entrant["label"]: versions.version(entrant["version"]) for entrant in contest["entrants"]
    }

    def table(about: Mapping[str, Any]) -> Table:
        seated = [entrants[label] for label in about["entrants"]]
        given = (path, game, rules, contest["players"], seated, isolation, budgets, text)
        made = make_table(*given, restrictions)
        if made.key != about["key"]:
            raise Falsified(
                f"the table of {', '.join(made.labels)} is {made.key} here, and was {about['key']}:"
                f" the rules of {game.name} aren't those of then"
            )
        return made

    return game, table


def _chunk(name: str, table: Table, keys: Mapping[str, bytes]) -> Chunk:
    seed, first, last = name.partition("/")[2].removesuffix(".parquet").split("-")
    if seed not in keys:
        raise Falsified(f"{name}: the manifest doesn't say which seed {seed} is")
    chunk = Chunk(table, int(first), int(last), keys[seed])
    if chunk.name != name:
        raise Falsified(f"{name}: the chunk of this table and seed is {chunk.name}")
    return chunk


def sample(chunks: Sequence[Replayable], share: float, seed: int) -> list[Replayable]:
    """Chunks by lot, with this share of the matches or more; at least one."""
    order = Random(seed).sample(chunks, len(chunks))
    wanted = share * sum(each.matches for each in chunks)
    found: list[Replayable] = []
    for each in order:
        if found and sum(one.matches for one in found) >= wanted:
            break
        found.append(each)
    return found


def verified(store: Store, chunks: Sequence[Replayable]) -> Iterator[Verified]:
    """Plays each chunk again and compares; BadChunk if one can't be read."""
    for each in chunks:
        name = each.chunk.name
        stored = store.read_chunk(name)
        again = play_chunk(each.chunk).rows
        difference, uncompared = compare(stored, again, store.chunk_metadata(name))
        yield Verified(name, each.matches, uncompared, difference)


def compare(stored: pa.Table, again: pa.Table, about: Mapping[str, Any]) -> tuple[str, int]:
    """The first difference between a chunk's rows and those played again, or `""`; and how many
    matches weren't compared.
    """
    replayed = json.loads(again.schema.metadata[b"fairdeal"])
    for key in SAME:
        if about.get(key) != replayed[key]:
            return f"{key}: stored {about.get(key)!r}, replayed {replayed[key]!r}", 0
    was, now = (
        rows.drop_columns(list(TIMING)).replace_schema_metadata(None) for rows in (stored, again)
    )
    if was.schema.names != now.schema.names or len(was) != len(now):
        return f"stored {_size(was)}, replayed {_size(now)}", 0
    # In this process no budget is kept, and nothing that a bot does ends it: there nothing varies.
    hosted = replayed["isolation"] != "inprocess"
    left_out = _varying(was) | _varying(now) if hosted else set()
    if not was.cast(now.schema).equals(now):
        for one, two in zip(was.to_pylist(), now.to_pylist(), strict=True):
            if one != two and (one["deal"], one["seating"]) not in left_out:
                column = next(column for column in one if one[column] != two[column])
                where = f"deal {two['deal']}, seating {two['seating']}, seat {two['seat']}"
                return f"{where}: {column}: stored {one[column]!r}, replayed {two[column]!r}", 0
    if not left_out and about["faulted"] != replayed["faulted"]:
        return f"faults: stored {about['faulted']}, replayed {replayed['faulted']}", 0
    return "", len(left_out)


def _size(rows: pa.Table) -> str:
    return f"{len(rows)} rows of {rows.num_columns} columns"


def _varying(rows: pa.Table) -> set[tuple[int, int]]:
    """The matches, as deal and seating, that the machine's limits ended."""
    found = rows.select(["deal", "seating", "fault"]).to_pylist()
    return {(row["deal"], row["seating"]) for row in found if row["fault"] in VARY}
