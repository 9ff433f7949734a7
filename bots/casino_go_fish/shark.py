"""Casino Go Fish: collects, and takes from the other side the numbers that it might collect."""

from collections.abc import Sequence
from typing import ClassVar

from bots.casino_go_fish._numbers import Numbers
from games.casino_go_fish.actions import DISCARD
from games.casino_go_fish.view import View
from games.game import Action
from harness.bot import Bot, Setup

OWN = (0.0, 1.0, 3.5, 12.0, 42.0)
"""What so many cards of one number are worth to the own side, as long as there can be a set."""
THEIRS = (3.0, 3.5, 5.0, 18.0, 60.0)
"""What such a number costs if the other side is known to hold so many of it."""
GUARDED = 0.3
"""What remains of that while the Dealer holds one: no Patron can take it away."""


class Shark(Bot):
    """Collects, and spoils what the other side may collect; the Dealer robs, Patrons hurry.

    To spoil a number is to put a card of it out of play, or for the Dealer to hold one.
    """

    games = ("casino_go_fish",)
    ranges: ClassVar = {"hurry": (0.0, 8.0)}
    weight = 2

    def __init__(self, setup: Setup, *, hurry: float = 4.0) -> None:
        """What a card of the deck is worth to Patrons.

        The Dealer's turns are better than theirs, so they do well to have few: with nobody ahead
        when the deck ends they have half the points.
        """
        super().__init__(setup)
        self.hurry = hurry
        self.dealer = setup.seat == setup.players - 1

    def act(self, view: View, legal: Sequence[Action]) -> Action:
        if view.phase == "discard":
            return DISCARD
        self.numbers = numbers = Numbers(self.setup, view)
        if view.phase != "draw":
            return numbers.best_swap(self.worth, legal)
        deck, hand = (0.2, 0.5) if self.dealer else (self.hurry, 0)
        return numbers.best_draw(self.worth, legal, deck, hand)

    def worth(self, number: int, held: int, loose: int, theirs: int) -> float:
        """What a number is worth to this side, less what it is to the other."""
        if self.numbers.spare[number] < 0:
            return 0.0
        own = 0.0 if self.numbers.dead(number, loose) else OWN[min(4, held)]
        danger = 0.0
        if not self.numbers.dead(number, loose):
            danger = THEIRS[theirs]
        elif self.dealer and theirs:
            danger = THEIRS[min(4, theirs + loose)]  # Patrons may take them from the pool
        return own - danger * (GUARDED if self.dealer and held else 1)
