"""A line now and then from what takes long and has no terminal to show it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from harness.cli.tables import warn

FIRST = 60.0
"""Seconds to the first line; the next comes after twice as many, and so on,"""
LONGEST = 3600.0
"""but never later than this."""


@contextmanager
def heartbeat(line: Callable[[], str], first: float = FIRST) -> Iterator[None]:
    """Says this on stderr from time to time, until it is left."""
    over = threading.Event()

    def beat() -> None:
        wait = first
        while not over.wait(wait):
            warn(line())
            wait = min(2 * wait, LONGEST)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
