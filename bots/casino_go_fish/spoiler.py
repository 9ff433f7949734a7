"""Casino Go Fish: leaves the other side no number of which there can be a set."""

from collections.abc import Sequence

from bots.casino_go_fish._numbers import Numbers
from games.casino_go_fish.actions import DISCARD
from games.casino_go_fish.view import View
from games.game import Action
from harness.bot import Bot

DANGER = (3.0, 4.0, 8.0, 16.0, 32.0)
"""What a number is worth to the other side, by how many it is known to hold."""
SET = 40.0
"""What a set is worth to the own side, should one come about."""


class Spoiler(Bot):
    """Puts a card of every number out of play, first of those that the other side collects.

    As Dealer it keeps one in its hand instead, where no Patron can get it.
    """

    games = ("casino_go_fish",)
    weight = 2

    def act(self, view: View, legal: Sequence[Action]) -> Action:
        if view.phase == "discard":
            return DISCARD
        numbers = Numbers(self.setup, view)
        dealer = self.setup.seat == self.setup.players - 1

        def worth(number: int, held: int, loose: int, theirs: int) -> float:
            """A live number is a danger, and so are loose cards that Patrons may still take."""
            if held >= 4:
                return SET
            if numbers.spare[number] < 0 or (dealer and held):
                return 0.0
            if not numbers.dead(number, loose):
                return -DANGER[theirs]
            return -DANGER[min(4, theirs + loose)] if dealer and theirs else 0.0

        if view.phase != "draw":
            return numbers.best_swap(worth, legal)
        return numbers.best_draw(worth, legal, deck=4, hand=4.5)
