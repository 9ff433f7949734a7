"""How long does it take to rate ten million stored rows, and how much memory?

python -m tests.benchmarks.ratings --bots 10 --deals 55296
"""

import argparse
import resource
import tempfile
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from harness.store import Store
from reports.pairs import pair_up
from reports.ratings import rate
from reports.results import Contest

CHUNK = 1024


def chunk(pair: tuple[str, str], first: int, number: int, rng: Any) -> pa.Table:
    """Deals of two bots in both seatings, won by chance."""
    won = rng.random(2 * number) < 0.5
    seated = np.tile(np.array([0, 1, 1, 0], dtype=np.int8), number)
    return pa.table(
        {
            "deal": np.repeat(np.arange(first, first + number), 4),
            "bot": pa.DictionaryArray.from_arrays(seated, list(pair)).cast(pa.string()),
            "points": np.stack([won, ~won], axis=1).astype(float).ravel(),
            "fault": pa.nulls(4 * number, pa.string()),
        }
    )


def contest(root: Path, bots: int, deals: int) -> Contest:
    """A round-robin in chunks as the store has them."""
    rng = np.random.default_rng(0)
    names = [f"bot{i}@{i:08x}" for i in range(bots)]
    store = Store(root)
    tables = []
    for number, pair in enumerate(combinations(names, 2)):
        chunks = []
        for first in range(0, deals, CHUNK):
            last = min(first + CHUNK, deals) - 1
            name = f"table{number}/seed-{first}-{last}.parquet"
            store.chunk_path(name).parent.mkdir(parents=True, exist_ok=True)
            rows = chunk(pair, first, last - first + 1, rng)
            pq.write_table(rows, store.chunk_path(name), write_page_checksum=True)
            chunks.append(name)
        tables.append({"chunks": chunks})
    about = {
        "entrants": [{"label": name} for name in names],
        "tables": tables,
        "teams": [0, 1],
        "roles": ["", ""],
    }
    return Contest(1, about, store)


def memory() -> float:
    """The most that was held so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Prints seconds of the clock and of the processor, and the growth of memory."""
    parser = argparse.ArgumentParser(description="Rate many stored rows.")
    parser.add_argument("--bots", type=int, default=10)
    parser.add_argument("--deals", type=int, default=55296)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = contest(Path(folder), given.bots, given.deals)
        before, clock, processor = memory(), time.perf_counter(), time.process_time()
        table = rate(made.players, made.matches)
        print(f"{2 * table.matches:,} rows, {table.deals:,} deals, {given.bots} bots")
        print(
            f"rate: {time.perf_counter() - clock:.1f} s, {time.process_time() - processor:.1f} CPU"
        )
        clock, processor = time.perf_counter(), time.process_time()
        pair_up(table, made.matches)
        print(
            f"pairs: {time.perf_counter() - clock:.1f} s, {time.process_time() - processor:.1f} CPU"
        )
        print(f"memory: {before:.0f} MB before, at most {memory():.0f} MB after")


if __name__ == "__main__":
    main()
