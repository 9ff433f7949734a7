"""Contests made of given rows, in a store of their own: no match is played."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from harness.store import Store
from reports.results import Contest

EVERY = {
    "seating": 0,
    "score": 0,
    "place": 1,
    "end": "tricks",
    "fault": None,
    "turns": 1,
    "decisions": 1,
    "time_us": 0,
}


def contest(
    root: Path,
    bots: Sequence[str],
    tables: Sequence[tuple[str, Sequence[Mapping[str, Any]]]],
    *,
    seats: int = 2,
    roles: Sequence[str] | None = None,
    teams: Sequence[int] | None = None,
    game: str = "forest_fox",
    seed: str = "s",
) -> Contest:
    """A contest of these chunks: each a file's name, `x/s-0-63.parquet`, and its rows.

    A row has `deal, seat, bot, points`, and counts of tactics.
    """
    store = Store(root)
    seat_roles = list(roles or [""] * seats)
    seat_teams = list(teams or range(seats))
    for name, rows in tables:
        full = [
            {
                "seed_id": seed,
                "role": seat_roles[row["seat"]],
                "team": seat_teams[row["seat"]],
                **EVERY,
                **row,
            }
            for row in rows
        ]
        table = pa.Table.from_pylist(full)
        fault = table.schema.get_field_index("fault")
        table = table.set_column(fault, "fault", table["fault"].cast(pa.string()))
        key, _, span = name.partition("/")
        first, last = span.removesuffix(".parquet").rsplit("-", 2)[1:]
        said = {"table": key, "deals": [int(first), int(last)], "faults": [], "faulted": {}}
        store.write_chunk(name, table.replace_schema_metadata({"fairdeal": json.dumps(said)}))
    about = {
        "game": game,
        "rules": {},
        "players": seats,
        "roles": seat_roles,
        "teams": seat_teams,
        "entrants": [{"label": bot, "version": "", "about": ""} for bot in bots],
        "tables": [{"entrants": [], "chunks": [name for name, _ in tables]}],
        "left_out": [],
        "deals": 0,
    }
    return Contest(1, about, store)
