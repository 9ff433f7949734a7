"""A million matches of all five games in one run: time, memory, bytes, and where the time goes.

`python -m tests.benchmarks.million --matches 1000000`
"""

import argparse
import json
import multiprocessing
import os
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import psutil

from harness.attempts import Attempt
from harness.cluster import play_on_ray
from harness.config import read_config
from harness.games import find_game
from harness.patience import Patience
from harness.play.chunk import play_chunk
from harness.play.tables import Chunk
from harness.playing import Missing, play, settle
from harness.schedule import Schedule
from harness.store import Store, open_store
from harness.tournament import PlannedContest, begin, plan
from harness.workers import Done

GAMES = {
    "forest_fox": '["humble", "one_ahead", "random_legal"]',
    "fraser_island": '["burrower", "random_legal"]',
    "casino_go_fish": '["collector", "random_legal"]',
    "de_boers": '["highwayman", "random_legal"]',
    "tragedy": '["sleuth", "random_legal"]',
}
"""The bots that meet, two at a table, at the fewest seats that the game takes."""

EVERY_SECONDS = 0.25
REPEATS = 3
"""How often rates are compared; medians count."""


class Memory(NamedTuple):
    """The memory of a moment, in MB of what isn't shared (USS)."""

    matches: int
    driver: float
    workers: float
    """The largest of them."""


class Measured(NamedTuple):
    """A whole run on Ray."""

    seconds: float
    first: float
    """Seconds from its start to the first chunk that was stored, less what that took."""
    matches: int
    size: int
    rows: int
    outside: float
    """The share of busy workers' time outside the matches' own loop: rows, files, waiting."""
    written: float
    """The share of it in which chunks were made into rows and files."""
    driver_ms: float
    """The driver's CPU a chunk, from the first that was stored to the last."""
    memory: list[Memory]
    rate: float
    """Matches a second while every worker is busy."""


def config(folder: Path, matches: int) -> Path:
    """A config of all five games that comes to about so many matches, alike in each."""
    path = folder / "million.toml"
    lines = ['name = "million"', "seed = 1", 'isolation = "inprocess"']
    for game, bots in GAMES.items():
        players = find_game(game).players[0]
        lines += ["[[contest]]", f'game = "{game}"', f"players = {players}", f"bots = {bots}"]
        lines += ["deals = DEALS"]
    text = "\n".join(lines)
    path.write_text(text.replace("DEALS", "1"))
    per_deal = [
        len(contest.tables) * contest.size for contest in plan(read_config(path), path).contests
    ]
    for each in per_deal:
        text = text.replace("DEALS", str(max(16, round(matches / len(per_deal) / each))), 1)
    path.write_text(text)
    return path


def on_ray(folder: Path, matches: int, workers: int) -> Measured:
    """Plays them as `fairdeal run --workers` does."""
    begun = time.perf_counter()
    path = config(folder, matches)
    planned = plan(read_config(path), path)
    store = open_store(folder / f"results-{workers}")
    run = begin(planned, store)
    found = Missing(planned, store, no_reaction)
    arrived: list[tuple[float, int, Done]] = []
    memory: list[Memory] = []
    used: list[float] = []
    looking = [0.0]
    size = rows = counted = 0

    def watch(done: Done | Attempt) -> None:
        nonlocal size, rows, counted
        assert isinstance(done, Done), done
        used.append(time.process_time() - looking[0])
        matches = done.counts.matches
        arrived.append((time.perf_counter(), matches, done._replace(chunk=None, counts=None)))  # type: ignore[arg-type]
        size += done.size
        rows += sum(done.counts.seats.values())
        counted += done.counts.matches

    def backend(chunks: Iterable[Chunk | None]) -> Iterator[Done | Attempt]:
        root = folder.resolve() / f"results-{workers}"
        return play_on_ray(chunks, root, Patience(0, print), workers, None)

    with sampled(memory, lambda: counted, looking):
        play(run, planned, store, found, backend, watch)
    settle(run, found)
    seconds = time.perf_counter() - begun
    first_at, _, first = arrived[0]
    # While every worker is busy: from the first chunk of the last of them to the first idle one.
    seen: set[int] = set()
    start = 0.0
    for at, _, done in arrived:
        if done.process not in seen:
            seen.add(done.process)
            start = at
    end = arrived[-len(seen)][0]
    inner = [done for at, _, done in arrived if start < at <= end]
    span = max(1e-9, end - start)
    rate = sum(matches for at, matches, _ in arrived if start < at <= end) / span
    busy = span * len(seen)
    outside = 1 - sum(done.playing for done in inner) / busy
    written = sum(done.seconds - done.playing for done in inner) / busy
    driver_ms = 1000 * (used[-1] - used[0]) / max(1, len(used) - 1)
    took = first_at - first.seconds - begun
    return Measured(seconds, took, counted, size, rows, outside, written, driver_ms, memory, rate)


def no_reaction(contest: PlannedContest) -> Schedule:
    """None of its contests has a schedule that looks at results."""
    raise NotImplementedError(contest.schedule)


@contextmanager
def sampled(memory: list[Memory], counted: Any, cost: list[float]) -> Iterator[None]:
    """Looks at the memory of this process and its Ray workers while it goes on.

    `cost` has the CPU seconds that this takes itself.
    """
    ended = threading.Event()
    itself = psutil.Process()

    def look() -> None:
        while not ended.wait(EVERY_SECONDS):
            largest = 0.0
            for child in itself.children(recursive=True):
                try:
                    if child.cmdline()[0].startswith("ray::work"):
                        largest = max(largest, child.memory_full_info().uss / 1e6)
                except (psutil.Error, IndexError):
                    continue
            memory.append(Memory(counted(), itself.memory_full_info().uss / 1e6, largest))
            cost[0] = time.thread_time()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _pool_work(chunk: Chunk, root: Path) -> int:
    played = play_chunk(chunk)
    Store(root).write_chunk(chunk.name, played.rows)
    return played.counts.matches


def _pool_star(both: tuple[Chunk, Path]) -> int:
    return _pool_work(*both)


def in_a_pool(folder: Path, matches: int, workers: int) -> float:
    """Matches a second of the same chunks, played and stored by a plain process pool."""
    path = config(folder, matches)
    planned = plan(read_config(path), path)
    store = open_store(folder / "results-pool")
    found = Missing(planned, store, no_reaction)
    chunks = [chunk for course in found.courses for chunk in course.queue]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        pool.map(_ready, range(4 * workers), chunksize=1)  # their start isn't counted
        begun = time.perf_counter()
        both = ((chunk, folder / "results-pool") for chunk in chunks)
        played = sum(pool.imap_unordered(_pool_star, both))
        return played / (time.perf_counter() - begun)


def _ready(number: int) -> int:
    time.sleep(0.1)
    return number


def flat(memory: list[Memory], matches: int) -> dict[str, float]:
    """Peaks in MB, up to a tenth of the matches and after it."""
    early = [each for each in memory if each.matches <= matches / 10] or memory[:1]
    late = [each for each in memory if each.matches > matches / 10] or memory[-1:]
    return {
        "driver, first tenth": max(each.driver for each in early),
        "driver, after": max(each.driver for each in late),
        "a worker, first tenth": max(each.workers for each in early),
        "a worker, after": max(each.workers for each in late),
    }


def main() -> None:
    """Prints what was measured, and the same as JSON with --json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--compare", type=int, default=0, help="matches of the comparisons")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    fewer = given.compare or max(10_000, given.matches // 10)
    workers = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = on_ray(folder, given.matches, workers)
        figures: dict[str, Any] = {
            "matches": whole.matches,
            "seconds": round(whole.seconds, 1),
            "seconds to the first match": round(whole.first, 2),
            "matches/s": round(whole.rate),
            "bytes a row": round(whole.size / whole.rows, 2),
            "chunks": sum(1 for _ in folder.glob("results-*/chunks/*/*.parquet")),
            "share outside the matches": round(whole.outside, 4),
            "of which rows and files": round(whole.written, 4),
            "driver's CPU ms a chunk": round(whole.driver_ms, 2),
            **{f"MB: {key}": round(mb) for key, mb in flat(whole.memory, whole.matches).items()},
        }
        rates: dict[str, list[float]] = defaultdict(list)
        for number in (1, workers) * REPEATS:
            where = Path(tempfile.mkdtemp(dir=folder))
            rates[f"Ray, {number}"].append(on_ray(where, fewer, number).rate)
            where = Path(tempfile.mkdtemp(dir=folder))
            rates[f"pool, {number}"].append(in_a_pool(where, fewer, number))
        medians = {what: median(each) for what, each in rates.items()}
        for what, each in medians.items():
            figures[f"matches/s: {what}"] = round(each)
        one, many = medians["Ray, 1"], medians[f"Ray, {workers}"]
        figures[f"{workers} workers against 1"] = round(many / one, 2)
        figures["Ray against a pool"] = round(many / medians[f"pool, {workers}"], 2)
    for what, figure in figures.items():
        print(f"{what:32} {figure:>14,}")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
