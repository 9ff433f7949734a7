"""Kills drivers, workers and nodes at random moments, resumes, and compares the rows.

`python -m tests.campaigns.chaos --runs 30`
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

import psutil
import pyarrow as pa

from tests.processes import (
    Nodes,
    Started,
    alive,
    below,
    chunks,
    rows,
    start,
    two_nodes,
    wait_for_chunks,
    wait_until,
    workers,
)

CONFIG = """
name = "chaos"
seed = 5
isolation = "{isolation}"
[[contest]]
game = "forest_fox"
bots = ["humble", "one_ahead", "random_legal"]
deals = {deals}
"""

LEFT_SECONDS = 15
"""So long may what was started outlive its driver."""


class Setting(NamedTuple):
    """A config, its rows undisturbed, and how many chunks those are."""

    config: Path
    rows: dict[str, pa.Table]
    chunks: int


class Outcome(NamedTuple):
    """What became of one disturbed run."""

    killed: str
    starts: int
    same: bool
    left: list[str]
    seconds: float


def settings(
    folder: Path, deals: int, levels: Sequence[str] = ("inprocess", "process")
) -> list[Setting]:
    """The same contest at these levels of isolation, each played undisturbed."""
    found = []
    for isolation in levels:
        number = deals if isolation == "inprocess" else max(16, deals // 4)
        config = folder / f"{isolation}.toml"
        config.write_text(CONFIG.format(isolation=isolation, deals=number))
        results = folder / f"{isolation}-results"
        running = start("run", config, "--local", "--results", results)
        _, said = running.communicate()
        assert running.returncode == 0, said
        found.append(Setting(config, rows(results), chunks(results)))
    return found


def disturbed(
    setting: Setting, victim: str, folder: Path, rng: random.Random, nodes: Nodes | None
) -> Outcome:
    """One run in which a victim is killed once, at a random moment, and that is then finished."""
    results = folder / "results"
    shutil.rmtree(results, ignore_errors=True)
    how = ["--workers", "2"] if nodes is None else ["--address", nodes.address]
    arguments: tuple[str | Path, ...] = ("run", setting.config, *how, "--results", results)
    begun = time.monotonic()
    running = start(*arguments)
    if victim == "driver" and rng.random() < 0.3:
        time.sleep(rng.uniform(0, 6))  # while Ray is being started
    else:
        wait_for_chunks(running, results, rng.randrange(0, max(1, setting.chunks * 4 // 5)))
        time.sleep(rng.uniform(0, 0.2))
    started = below(running)
    if victim == "driver":
        running.kill()
    elif victim == "worker":
        wait_until(lambda: workers(below(running)) or running.poll() is not None)
        for process in workers(below(running))[:1]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
    else:
        assert nodes is not None
        nodes.kill()
    starts = 1
    running.communicate(timeout=600)
    started += below(running)
    left = _left(started) if victim == "driver" else []
    while running.returncode != 0:
        assert starts < 4, "it never ends"
        starts += 1
        running = start(*arguments)
        started += _growing(running)
    left = left or _left(started)
    if victim == "node":
        assert nodes is not None
        nodes.add()
    same = rows(results) == setting.rows
    return Outcome(victim, starts, same, left, time.monotonic() - begun)


def _growing(running: subprocess.Popen[str]) -> Started:
    """Waits for the end, and returns what was started on the way."""
    found: set[psutil.Process] = set()
    while True:
        found |= set(below(running))
        try:
            running.communicate(timeout=0.5)
        except subprocess.TimeoutExpired:
            continue
        return tuple(found)


def _left(started: Started) -> list[str]:
    stop = time.monotonic() + LEFT_SECONDS
    while (left := alive(started)) and time.monotonic() < stop:
        time.sleep(0.1)
    return left


def campaign(
    runs: int, deals: int, seed: int, tell: Callable[[Outcome], None], victims: list[str]
) -> list[Outcome]:
    """So many disturbed runs, the victims in turn."""
    rng = random.Random(seed)
    os.environ["RAY_AUTH_MODE"] = "disabled"
    outcomes = []
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        ready = settings(folder, deals)
        nodes = stack.enter_context(two_nodes()) if "node" in victims else None
        for number in range(runs):
            victim = victims[number % len(victims)]
            setting = ready[number // len(victims) % len(ready)]
            where = nodes if victim == "node" else None
            outcome = disturbed(setting, victim, folder, rng, where)
            tell(outcome)
            outcomes.append(outcome)
    return outcomes


def main() -> None:
    """Prints a line a run and what it comes to; exit code 1 for other rows or a process left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--deals", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--victims", default="driver,worker,node")
    given = parser.parse_args()

    def tell(outcome: Outcome) -> None:
        print(
            f"{outcome.killed:7} killed: {'same rows' if outcome.same else 'OTHER ROWS'},"
            f" {outcome.starts} starts, {len(outcome.left)} left behind, {outcome.seconds:.0f} s"
            f" {outcome.left or ''}",
            flush=True,
        )

    outcomes = campaign(given.runs, given.deals, given.seed, tell, given.victims.split(","))
    same = sum(outcome.same for outcome in outcomes)
    left = sum(bool(outcome.left) for outcome in outcomes)
    killed = Counter(outcome.killed for outcome in outcomes)
    print(
        f"{len(outcomes)} runs ({dict(killed)}): {same} with the same rows, {left} left processes"
    )
    sys.exit(same < len(outcomes) or left > 0)


if __name__ == "__main__":
    main()
