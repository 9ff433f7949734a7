"""Workers: play a chunk and write its rows; here, one after the other, for `--local`."""

import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from harness.attempts import Attempt, StoreAway, Tries, explain
from harness.errors import reason_of
from harness.files import Place
from harness.patience import Patience
from harness.play.chunk import Counts, play_chunk
from harness.play.cores import claim_core
from harness.play.tables import Chunk, Table
from harness.store import Store
from harness.travel import GameFiles

HASH_SEED = "0"
"""The PYTHONHASHSEED under which matches are played, so that the order of sets never varies."""


class Done(NamedTuple):
    """What a worker tells of a chunk that it played and stored."""

    chunk: Chunk
    counts: Counts
    size: int
    """Bytes of Parquet."""
    seconds: float
    playing: float
    """The seconds of those in which matches were played; the rest made rows and wrote them."""
    process: int


def check_hash_seed() -> None:
    """RuntimeError unless this process has the hash seed that matches are played under."""
    if sys.flags.hash_randomization:
        raise RuntimeError(f"matches are played with PYTHONHASHSEED={HASH_SEED}")


def work(
    table: Table, first: int, last: int, key: bytes, root: Place, game: GameFiles | None = None
) -> Done:
    """Plays one chunk and writes it to the store; StoreAway if it can't be written.

    `game` holds the files of a game outside the package, where its folder may not be.
    """
    check_hash_seed()
    if table.isolation != "inprocess":
        claim_core()
    start = time.perf_counter()
    here = table if game is None else replace(table, game=game.unpacked())
    chunk = Chunk(table, first, last, key)
    played = play_chunk(Chunk(here, first, last, key))
    try:
        size = Store(root).write_chunk(chunk.name, played.rows)
    except OSError as error:
        raise StoreAway(reason_of(error)) from None
    seconds = time.perf_counter() - start
    return Done(chunk, played.counts, size, seconds, played.seconds, os.getpid())


def play_local(
    chunks: Iterable[Chunk | None], root: Place, patience: Patience
) -> Iterator[Done | Attempt]:
    """Plays the chunks in this process, one after the other."""
    tries = Tries(chunks)
    while True:
        chunk = tries.next()
        if chunk is None:
            if not tries.wait():
                return
            continue
        try:
            done = work(chunk.table, chunk.first, chunk.last, chunk.key, root)
        except StoreAway as away:
            yield tries.postponed(chunk, f"the store could not be written: {away}")
            patience.wait(f"{root} can't be written ({away})")
        except Exception as error:  # whatever it is, only this table's
            yield tries.failed(chunk, explain(error))
        else:
            patience.worked()
            yield done
