"""Plays chunks on all cores for so long, in processes of our own, and stores nothing.

What a worker imports is kept small, since each has to before it can play.
"""

import os
import signal
import time
from collections.abc import Generator, Iterator
from multiprocessing import get_context
from queue import Empty, SimpleQueue

from harness.play.chunk import Played, play_chunk
from harness.play.tables import Chunk
from harness.workers import check_hash_seed


def play(chunks: Iterator[Chunk], seconds: float) -> Generator[tuple[Chunk, Played], None, None]:
    """Plays chunks on all cores until the time is over; they come as they are finished."""
    workers = len(os.sched_getaffinity(0))
    results: SimpleQueue[tuple[Chunk, Played] | BaseException] = SimpleQueue()
    with get_context("spawn").Pool(workers, _quiet) as pool:  # leaving it ends the workers

        def begin() -> None:
            pool.apply_async(
                _work, (next(chunks),), callback=results.put, error_callback=results.put
            )

        pool.apply(os.getpid)  # what workers need to start doesn't count
        for _ in range(2 * workers):
            begin()
        stop = time.monotonic() + seconds
        while (left := stop - time.monotonic()) > 0:
            try:
                result = results.get(timeout=left)
            except Empty:
                return
            if isinstance(result, BaseException):
                raise result
            begin()
            yield result


def _quiet() -> None:
    """A worker leaves Ctrl-C to its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work(chunk: Chunk) -> tuple[Chunk, Played]:
    check_hash_seed()
    return chunk, play_chunk(chunk)
