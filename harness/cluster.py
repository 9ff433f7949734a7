"""Plays chunks on Ray: our own small one on loopback, or a cluster of others."""

import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from contextlib import closing, nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

from harness.attempts import Attempt, StoreAway, Tries, explain
from harness.errors import UserError
from harness.files import Place, write_whole
from harness.patience import Patience
from harness.play import ENGINE
from harness.play.tables import Chunk, python_version
from harness.travel import GameFiles, packed
from harness.watchdog import guard
from harness.workers import HASH_SEED, Done, work

LOOK_SECONDS = 5.0
"""How long the driver waits for a chunk before it looks whether the cluster has CPUs left."""


def play_on_ray(
    chunks: Iterable[Chunk | None],
    root: Place,
    patience: Patience,
    workers: int | None,
    address: str | None,
) -> Iterator[Done | Attempt]:
    """Plays the chunks on Ray, started here with so many workers, or the cluster at `address`.

    At most two chunks a worker are under way or waiting, so the driver's memory doesn't grow with
    their number. They come as they are finished, and tries that failed between them.
    """
    left = iter(chunks)
    first = next(left, None)
    if first is None:
        return
    chunks = chain([first], left)
    with nullcontext() if address is not None else guard(), ThreadPoolExecutor(1) as starter:
        ray = _start(starter, workers) if address is None else _join(starter, address)
        try:
            if address is not None:
                _check_nodes(ray, root)
            travels = address is not None  # games outside the package, whose folders are here
            with closing(_in_flight(ray, Tries(chunks), root, patience, travels)) as results:
                yield from results
        finally:
            ray.shutdown()


def _in_flight(
    ray: Any, tries: Tries, root: Place, patience: Patience, travels: bool
) -> Generator[Done | Attempt, None, None]:
    """Keeps every worker busy with one chunk, and one more waiting for it."""
    # Ray would try again by itself, but tell nobody.
    play = ray.remote(num_cpus=1, max_retries=0)(work)
    place = ray.put(root)
    tables: dict[str, Any] = {}
    games: dict[str, GameFiles | None] = {}
    pending: dict[Any, Chunk] = {}
    away = ""
    cpus, looked = _cpus(ray), time.monotonic()
    while True:
        if time.monotonic() - looked > LOOK_SECONDS:
            cpus, looked = _cpus(ray), time.monotonic()
        # While the store is away one chunk at a time finds out whether it still is.
        most = 1 if patience.away else 2 * max(1, cpus)
        while len(pending) < most and (chunk := tries.next()) is not None:
            table = chunk.table
            if table.key not in tables:
                tables[table.key] = ray.put(table)
            if travels and table.game not in games:
                games[table.game] = packed(table.game)
            span = (chunk.first, chunk.last, chunk.key, place, games.get(table.game))
            pending[play.remote(tables[table.key], *span)] = chunk
        if not pending:
            if not tries.wait():
                return
            continue
        finished, _ = ray.wait(list(pending), timeout=LOOK_SECONDS)
        for each in finished:
            chunk = pending.pop(each)
            try:
                done = ray.get(each)
            except ray.exceptions.RayTaskError as error:
                if isinstance(error.cause, StoreAway):
                    away = str(error.cause)
                    yield tries.postponed(chunk, f"the store could not be written: {away}")
                else:
                    yield tries.failed(chunk, explain(error.cause))
            except ray.exceptions.RayError as error:
                yield tries.failed(chunk, _lost(ray, error))
            else:
                patience.worked()
                yield done
        if away and not pending:
            patience.wait(f"{root} can't be written ({away})")
            away = ""
        elif not finished and _cpus(ray) == 0:
            patience.wait("the cluster has no CPU left")


def _lost(ray: Any, error: Exception) -> str:
    """What became of a worker, in one line."""
    known = {
        "OutOfMemoryError": "out of memory: Ray ended the worker to save the machine",
        "WorkerCrashedError": "the worker was killed, or crashed",
        "NodeDiedError": "the worker's node died",
        "LocalRayletDiedError": "the worker's node died",
    }
    return known.get(type(error).__name__) or explain(error.with_traceback(None))


def _cpus(ray: Any) -> int:
    return int(ray.cluster_resources().get("CPU", 0))


# --- Starting and joining -----------------------------------------------------------------------

QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}


def _start(starter: Executor, workers: int | None) -> Any:
    """A Ray of our own, all of whose ports are on loopback."""
    # What Ray does where a firewall would ask about every port, and here only on request.
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    ray = _imported()
    _init(
        starter,
        "local",  # else one that somebody else started on this machine would be joined
        num_cpus=workers,
        num_gpus=0,
        include_dashboard=False,
        object_store_memory=128 * 1024 * 1024,
        _node_ip_address="127.0.0.1",
        **QUIET,
    )
    return ray


def _join(starter: Executor, address: str) -> Any:
    """The cluster at this address; UserError if there is none."""
    _check_address(address)
    if (Path.home() / ".ray" / "auth_token").exists():
        # Ray looks for the token that `ray start` keeps there only for the address "auto".
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    ray = _imported()
    try:
        _init(
            starter,
            address=address,
            runtime_env={"env_vars": {"PYTHONHASHSEED": HASH_SEED}},
            **QUIET,
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        first = str(error).strip().splitlines()[0]
        raise UserError(f"no Ray cluster at {address}: {first}") from error
    return ray


def _init(starter: Executor, *given: Any, **named: Any) -> None:
    """Starts or joins. Who is stopped meanwhile waits for that, and ends a whole Ray: ended half
    started it crashes, and leaves processes behind.

    Not in the main thread, where Ray would take SIGTERM over, and leave without a word. What Ray
    starts ends with the thread that started it, so the thread has to last as long as Ray.
    """
    ray = _imported()
    started = starter.submit(ray.init, *given, **named)
    try:
        started.result()
    except KeyboardInterrupt:
        wait([started])
        ray.shutdown()
        raise
    if threading.current_thread() is threading.main_thread():
        # Ray's core prints a stack at SIGTERM, until the handler is set again.
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM))


def _imported() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray  # here, since importing it takes longer than most commands

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


def _look(file: Place) -> tuple[int, str, bool]:
    """What a node has: the engine's number, Python's version, and whether it sees this file."""
    return ENGINE, python_version(), file.exists()


def _check_nodes(ray: Any, root: Place) -> None:
    """UserError unless every node has our engine and Python, and reads the store as we do."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    file = root / f".seen-{secrets.token_hex(8)}"
    write_whole(file, b"")
    try:
        nodes = [n for n in ray.nodes() if n["Alive"] and n["Resources"].get("CPU", 0) >= 1]
        for node in nodes:
            where = f"the cluster's node {node['NodeManagerAddress']}"
            only = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            asked = ray.remote(num_cpus=0, max_retries=1, scheduling_strategy=only)(_look)
            try:
                engine, python, sees = ray.get(asked.remote(file), timeout=120)
            except ray.exceptions.RayError as error:
                cause = getattr(error, "cause", None) or error
                first = (str(cause).strip().splitlines() or [type(cause).__name__])[-1]
                raise UserError(f"{where} can't play: {first[:200]}") from None
            if (engine, python) != (ENGINE, python_version()):
                raise UserError(
                    f"{where} has engine {engine} on {python}, here it is {ENGINE} on"
                    f" {python_version()}: install the same there"
                )
            if not sees:
                raise UserError(
                    f"{where} doesn't see {root}: with --address, --results is a folder that all"
                    " nodes share, or an address such as s3://bucket/results"
                )
    finally:
        file.unlink(missing_ok=True)
