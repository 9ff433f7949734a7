"""A bot that costs so many microseconds a decision, for `fairdeal bench --bot`."""

from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any

from harness.bot import Bot, Setup


class Thinker(Bot):
    """Thinks for a fixed time, then plays at random."""

    weight = 2

    def __init__(self, setup: Setup, *, microseconds: int = 20) -> None:
        super().__init__(setup)
        self.nanoseconds = 1000 * microseconds

    def act(self, view: Any, legal: Sequence[Any]) -> Any:
        """One of the legal actions, after a while."""
        until = perf_counter_ns() + self.nanoseconds
        action = legal[int(self.rng.random() * len(legal))]
        while perf_counter_ns() < until:
            pass
        return action
