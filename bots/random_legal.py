"""Plays any game at random: the floor under every rating."""

from collections.abc import Sequence
from typing import Any

from harness.bot import Bot, Setup


class RandomLegal(Bot):
    """Chooses among the legal actions, each equally likely."""

    games = "*"
    weight = 0.02

    def __init__(self, setup: Setup) -> None:
        # Knuth's congruential generator (MMIX), of which the upper half is used. `self.rng` would
        # be as good and clearer, but seeding it takes five times as long as a match's choices.
        self.luck = setup.seed

    def act(self, view: Any, legal: Sequence[Any]) -> Any:
        self.luck = self.luck * 6364136223846793005 + 1442695040888963407 & 0xFFFFFFFFFFFFFFFF
        return legal[(self.luck >> 32) * len(legal) >> 32]
