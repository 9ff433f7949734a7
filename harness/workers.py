"""Workers: play chunks and write their rows, in this process or on Ray."""

import os
import socket
import sys
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from harness.errors import UserError
from harness.play.chunk import Counts, play_chunk
from harness.play.cores import claim_core
from harness.play.hosts import HostFailure
from harness.play.tables import Chunk, Table
from harness.store import Store

HASH_SEED = "0"
"""The PYTHONHASHSEED under which matches are played, so that the order of sets never varies."""


class Done(NamedTuple):
    """What a worker tells of a chunk that it played and stored."""

    chunk: Chunk
    counts: Counts
    size: int
    """Bytes of Parquet."""
    seconds: float
    process: int


def check_hash_seed() -> None:
    """RuntimeError unless this process has the hash seed that matches are played under."""
    if sys.flags.hash_randomization:
        raise RuntimeError(f"matches are played with PYTHONHASHSEED={HASH_SEED}")


def work(table: Table, first: int, last: int, key: bytes, root: str) -> Done:
    """Plays one chunk and writes it to the store."""
    check_hash_seed()
    if table.isolation != "inprocess":
        claim_core()
    chunk = Chunk(table, first, last, key)
    start = time.perf_counter()
    played = play_chunk(chunk)
    size = Store(Path(root)).write_chunk(chunk.name, played.rows)
    return Done(chunk, played.counts, size, time.perf_counter() - start, os.getpid())


def play_local(chunks: Iterable[Chunk | None], root: Path) -> Iterator[Done]:
    """Plays the chunks in this process, one after the other."""
    for chunk in chunks:
        assert chunk is not None, "there is nothing under way to wait for"
        yield work(chunk.table, chunk.first, chunk.last, chunk.key, str(root))


def play_on_ray(
    chunks: Iterable[Chunk | None], root: Path, workers: int | None, address: str | None
) -> Iterator[Done]:
    """Plays the chunks on Ray, started here with so many workers, or the cluster at `address`.

    None among them says that the next one depends on those under way. At most two chunks a worker
    are under way or waiting, so the driver's memory doesn't grow with their number. They come back
    as they are finished.
    """
    left = iter(chunks)
    first = next(left, None)
    if first is None:  # never to wait, with nothing under way
        return
    chunks = chain([first], left)
    ray = _ray(workers, address)
    try:
        with closing(_in_flight(ray, chunks, root)) as done:
            yield from done
    finally:
        ray.shutdown()


def _in_flight(ray: Any, chunks: Iterable[Chunk | None], root: Path) -> Generator[Done, None, None]:
    """Keeps every worker busy with one chunk, and one more waiting for it."""
    slots = max(1, int(ray.cluster_resources().get("CPU", 1)))
    play = ray.remote(num_cpus=1, max_retries=3, retry_exceptions=[HostFailure])(work)
    tables: dict[str, Any] = {}
    pending: list[Any] = []
    left = iter(chunks)
    while True:
        while len(pending) < 2 * slots and (chunk := next(left, None)) is not None:
            name = chunk.table.key
            if name not in tables:
                tables[name] = ray.put(chunk.table)
            span = (chunk.first, chunk.last, chunk.key)
            pending.append(play.remote(tables[name], *span, str(root)))
        if not pending:
            return
        finished, pending = ray.wait(pending)
        for each in finished:
            try:
                done = ray.get(each)
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None  # what went wrong there, as it would be raised here
            yield done


def _ray(workers: int | None, address: str | None) -> Any:
    """Ray, connected: its own small cluster on loopback, or the one at `address`."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if address is not None:
        _check_address(address)
        if (Path.home() / ".ray" / "auth_token").exists():
            # Ray looks for the token that `ray start` keeps there only for the address "auto".
            os.environ.setdefault("RAY_AUTH_MODE", "token")
    import ray  # here, since importing it takes longer than most commands

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address is not None:
        try:
            ray.init(
                address=address,
                runtime_env={"env_vars": {"PYTHONHASHSEED": HASH_SEED}},
                **quiet,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            first = str(error).strip().splitlines()[0]
            raise UserError(f"no Ray cluster at {address}: {first}") from error
        return ray
    ray.init(
        num_cpus=workers,
        num_gpus=0,
        include_dashboard=False,
        object_store_memory=128 * 1024 * 1024,
        _node_ip_address="127.0.0.1",
        **quiet,
    )
    return ray


def _check_address(address: str) -> None:
    """UserError where nobody listens: Ray itself would go on trying for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if address == "auto":
        return
    if not colon or not port.isdecimal():
        raise UserError(f"--address must be HOST:PORT or auto, not {address!r}")
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except (OSError, OverflowError) as error:
        raise UserError(f"no Ray cluster at {address}: {error}") from error
