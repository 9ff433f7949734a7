"""Tragedy: deduces each flaw exactly, and challenges at a set confidence."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from bots.tragedy._flaws import Flaw, Flaws, challenge, first_legal, worth
from games.cards import Card, mask
from games.game import Action
from games.tragedy.actions import ATTACKS, PASS
from games.tragedy.answers import MATCHING
from games.tragedy.view import View
from harness.bot import Bot, Setup


class Sleuth(Bot):
    """Works out what each flaw can be, attacks to halve that, and challenges when it is sure.

    Its candidates are exact: the cards that fit every answer, were never wrongly named, and that it
    has seen nowhere else, in its own hand, on the table or among the answers, also long ago. It
    listens to no events, so with hidden attacks it is as forgetful as the table.
    """

    games = ("tragedy",)
    ranges: ClassVar = {"confidence": (0.2, 1.0), "hoard": (3, 12)}
    weight = 1.5

    def __init__(self, setup: Setup, *, confidence: float = 1.0, hoard: int = 8) -> None:
        """Challenges when as sure as that, 1 for certain; passes with at most `hoard` cards.

        At a full table there aren't so many cards for each, and all would pass for ever: there it
        passes with at most its share of 36.
        """
        super().__init__(setup)
        self.confidence = confidence
        self.hoard = hoard
        self.flaws = Flaws(setup)

    def act(self, view: View, legal: Sequence[Any]) -> Any:
        if view.phase == "challenge":
            return legal[0]  # defend
        flaws = self.candidates(view)
        if view.phase == "turn":
            named = challenge(mask(view.hand), flaws, self.confidence)
            other = partial(self.attack, view.hand, flaws)
            return first_legal(self.setup, legal, named, other)
        values = [worth(action.card, flaws) for action in legal]
        best = max(values) if view.phase == "pick" else min(values)
        return legal[values.index(best)]

    def candidates(self, view: View) -> list[Flaw]:
        """Each opponent in the game, with the mask of the cards that can be its flaw."""
        return self.flaws.candidates(view)

    def attack(self, hand: Sequence[Card], flaws: Sequence[Flaw]) -> Action:
        """The attack that leaves the fewest candidates, with something added for a match."""
        if len(hand) <= min(self.hoard, 36 // (len(flaws) + 1)):
            return PASS
        high = self.flaws.answering["high"]
        best: float = 0
        choice: Action = PASS
        for seat, cards in flaws:
            n = cards.bit_count()
            for card in hand:
                match = (cards & MATCHING[card]).bit_count()
                above = (cards & high[card]).bit_count()
                below = n - match - above
                left = (match * match + above * above + below * below) / (n * n)
                gain = 1 - left + match / n / 2
                if gain > best:
                    best, choice = gain, ATTACKS[card][seat]
        return choice
