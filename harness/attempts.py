"""Attempts: chunks that a fault of the machine kept from being stored, and when to try again.

Nothing here is ever a bot's fault: those are rows.
"""

import time
import traceback
from collections import Counter, deque
from collections.abc import Iterable
from typing import NamedTuple

from harness.play.tables import Chunk

MOST_FAILURES = 3
"""A chunk that fails so often stops its table, for this run; the next `run` tries again."""
PAUSES = (0.0, 1.0, 4.0)
"""Seconds before the first, second, … new try."""


class StoreAway(Exception):
    """A chunk was played and couldn't be written; says why. It isn't the chunk's failure."""


class Attempt(NamedTuple):
    """One try of a chunk that came to nothing."""

    chunk: Chunk
    what: str
    """What went wrong, in one line."""
    stops: bool
    """Whether it isn't tried again: its table is given up for now."""


class Tries:
    """The chunks still to be played: first those to be tried again, then new ones."""

    def __init__(self, chunks: Iterable[Chunk | None]) -> None:
        """None among them says that the next one depends on those under way."""
        self._new = iter(chunks)
        self._again: deque[tuple[float, Chunk]] = deque()
        self._failures: Counter[str] = Counter()
        self._stopped: set[str] = set()
        self._ended = False

    def next(self) -> Chunk | None:
        """A chunk to play now; None if there is none at the moment."""
        for _ in range(len(self._again)):
            ready, chunk = self._again.popleft()
            if chunk.table.key in self._stopped:
                continue
            if ready <= time.monotonic():
                return chunk
            self._again.append((ready, chunk))
        if not self._ended:
            for new in self._new:
                if new is None or new.table.key not in self._stopped:
                    return new
            self._ended = True
        return None

    def wait(self) -> bool:
        """Waits until `next` has something; False, at once, if it never will."""
        waiting = [ready for ready, chunk in self._again if chunk.table.key not in self._stopped]
        if not waiting:
            return False
        time.sleep(max(0.0, min(waiting) - time.monotonic()))
        return True

    def failed(self, chunk: Chunk, what: str) -> Attempt:
        """Notes a failure: the chunk is tried again after a pause, or its table is stopped."""
        self._failures[chunk.name] += 1
        failures = self._failures[chunk.name]
        if failures >= MOST_FAILURES or chunk.table.key in self._stopped:
            self._stopped.add(chunk.table.key)
            return Attempt(chunk, what, stops=True)
        self._again.append((time.monotonic() + PAUSES[failures], chunk))
        return Attempt(chunk, what, stops=False)

    def postponed(self, chunk: Chunk, what: str) -> Attempt:
        """The store was away: the chunk is tried again as soon as that may be over."""
        self._again.appendleft((0.0, chunk))
        return Attempt(chunk, what, stops=False)


def explain(error: BaseException) -> str:
    """What went wrong and where, in one line."""
    lines = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    return f"{text} ({frames[-1].filename}, line {frames[-1].lineno})" if frames else text
