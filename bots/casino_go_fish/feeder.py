"""Casino Go Fish: Patrons pass each other what the next one collects, by way of the pool."""

from collections.abc import Sequence

from bots.casino_go_fish._numbers import Numbers
from games.casino_go_fish.actions import DISCARD, SHOW
from games.casino_go_fish.view import View
from games.game import Action
from harness.bot import Bot, Setup

OWN = (0.0, 1.0, 4.0, 12.0, 40.0)
"""What so many cards of one number are worth in one hand."""


class Feeder(Bot):
    """Collects, and as Patron leaves in the pool what the next Patron collects, who may show it."""

    games = ("casino_go_fish",)
    weight = 2

    def __init__(self, setup: Setup, *, show: bool = False) -> None:
        """Whether Patrons show their hands to those before them, and so to the Dealer too."""
        super().__init__(setup)
        self.show = show and 0 < setup.seat < setup.players - 1

    def act(self, view: View, legal: Sequence[Action]) -> Action:
        if view.phase == "discard":
            return DISCARD
        if self.show and legal[0] is SHOW:
            return SHOW
        self.numbers = numbers = Numbers(self.setup, view)
        if view.phase != "draw":
            return numbers.best_swap(self.worth, legal)
        return numbers.best_draw(self.worth, legal, deck=1.0, hand=1.1)

    def worth(self, number: int, held: int, loose: int, theirs: int) -> float:
        """In the hand, or in that of the next Patron, who can take the loose ones too."""
        if self.numbers.spare[number] < 0:
            return 0.0
        mates = self.numbers.mates[number]
        passed = OWN[min(4, mates + loose)] if mates else 0.0
        if self.numbers.dead(number, loose):
            return passed
        return max(OWN[min(4, held)], passed)
