"""Runs of the command line that are disturbed while they go on, and what they leave running."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from harness.play.chunk import TIMING
from tests.command import BASE

Started = tuple[psutil.Process, ...]


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    """A command that runs on by itself."""
    return subprocess.Popen(
        [*BASE, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until(true: Callable[[], Any], seconds: float = 120) -> None:
    stop = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < stop, "waited in vain"
        time.sleep(0.02)


def chunks(results: Path) -> int:
    """How many chunks are stored."""
    return sum(1 for _ in (results / "chunks").glob("*/*.parquet"))


def wait_for_chunks(running: subprocess.Popen[str], results: Path, number: int) -> bool:
    """Waits for so many; False if the run ended before."""
    wait_until(lambda: chunks(results) >= number or running.poll() is not None)
    return running.poll() is None


def below(running: subprocess.Popen[str]) -> Started:
    """Everything that a process has started, and what those have."""
    try:
        return tuple(psutil.Process(running.pid).children(recursive=True))
    except psutil.NoSuchProcess:
        return ()


def alive(started: Started) -> list[str]:
    """Those of these processes that still run."""
    left = []
    for process in started:
        try:
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                left.append(f"{process.pid} {process.name()}")
        except psutil.NoSuchProcess:
            continue
    return left


def workers(started: Started) -> list[psutil.Process]:
    """Ray's workers that are playing just now."""
    found = []
    for process in started:
        try:
            if (process.cmdline() or [""])[0].startswith("ray::work"):
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


def rows(results: Path) -> dict[str, pa.Table]:
    """All rows of a store by chunk, without what was timed."""
    return {
        str(path.relative_to(results / "chunks")): pq.read_table(path, partitioning=None)
        .drop_columns(list(TIMING))
        .replace_schema_metadata()
        for path in sorted((results / "chunks").glob("*/*.parquet"))
    }


CLUSTER = """
import sys
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
node = cluster.add_node(num_cpus=1)
print(cluster.address, flush=True)
for line in sys.stdin:
    if line.strip() == "kill":
        cluster.remove_node(node, allow_graceful=False)
    else:
        node = cluster.add_node(num_cpus=1)
    print("done", flush=True)
cluster.shutdown()
"""


class Nodes:
    """A cluster of two nodes on this machine, one of which may be killed and put back."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process = process
        self.address = address

    def _ask(self, word: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        while self.process.stdout.readline().strip() != "done":
            assert self.process.poll() is None

    def kill(self) -> None:
        """Kills the second node, with all that runs on it."""
        self._ask("kill")

    def add(self) -> None:
        """Puts another in its place."""
        self._ask("add")


@contextmanager
def two_nodes() -> Iterator[Nodes]:
    """Ray's own test cluster, in a process of its own. RAY_AUTH_MODE must be "disabled"."""
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", CLUSTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as cluster:
        assert cluster.stdin is not None
        assert cluster.stdout is not None
        address = ""
        while ":" not in address or " " in address:
            assert cluster.poll() is None, "Ray's test cluster didn't start"
            address = cluster.stdout.readline().strip()
        try:
            yield Nodes(cluster, address)
        finally:
            cluster.stdin.close()
            cluster.wait(timeout=60)
