"""A bot that costs so many microseconds a decision, for `fairdeal bench --bot`."""

from time import perf_counter_ns

from harness.bot import Bot


class Thinker(Bot):
    """Thinks for a fixed time, then plays at random."""

    weight = 2

    def __init__(self, setup, *, microseconds=20):
        super().__init__(setup)
        self.nanoseconds = 1000 * microseconds

    def act(self, view, legal):
        """One of the legal actions, after a while."""
        until = perf_counter_ns() + self.nanoseconds
        action = legal[int(self.rng.random() * len(legal))]
        while perf_counter_ns() < until:
            pass
        return action
