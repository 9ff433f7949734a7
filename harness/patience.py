"""Patience: waits, longer each time, for a store that is away, and gives up after a stated time."""

import time
from collections.abc import Callable
from typing import TypeVar

from harness.errors import UserError, reason_of

T = TypeVar("T")

FIRST_SECONDS = 0.5
LONGEST_SECONDS = 15.0


class Patience:
    """How long a run waits for its store, over all tries of one absence; a line when it begins."""

    def __init__(self, seconds: float, say: Callable[[str], None]) -> None:
        self.seconds = seconds
        self.say = say
        self.since: float | None = None
        self.pause = FIRST_SECONDS

    @property
    def away(self) -> bool:
        """Whether the store was away when last tried."""
        return self.since is not None

    def wait(self, why: str) -> None:
        """Waits before the next try; UserError when the time is over."""
        now = time.monotonic()
        if self.since is None:
            self.since, self.pause = now, FIRST_SECONDS
            if self.seconds > 0:
                self.say(f"{why}: waiting, for {self.seconds:g} s at most")
        left = self.since + self.seconds - now
        if left <= 0:
            raise UserError(f"{why}; waited for {self.seconds:g} s")
        time.sleep(min(self.pause, left))
        self.pause = min(2 * self.pause, LONGEST_SECONDS)

    def worked(self) -> None:
        """A try has succeeded."""
        if self.since is not None:
            self.say(f"it works again, after {time.monotonic() - self.since:.0f} s")
            self.since = None

    def call(self, action: Callable[[], T]) -> T:
        """Does what reads or writes the store, again and again while the store is away."""
        while True:
            try:
                result = action()
            except OSError as error:
                where = f"{error.filename}: " if error.filename else ""
                self.wait(f"the store doesn't answer ({where}{reason_of(error)})")
            else:
                self.worked()
                return result
