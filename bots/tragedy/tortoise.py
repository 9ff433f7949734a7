"""Tragedy: a cautious attacker, that hoards and gives nothing away."""

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

SPENDING = 0.6
"""What it costs to lay a card that is sure to name some flaw by its rank."""


class Tortoise(Bot):
    """Hoards, and attacks only with cards that it can spare, where no answer would tell the next
    player too much.
    """

    games = ("tragedy",)
    ranges: ClassVar = {"caution": (0.0, 2.0), "hoard": (3, 12)}
    weight = 2

    def __init__(self, setup: Setup, *, caution: float = 0.5, hoard: int = 9) -> None:
        """`caution` is what it costs to leave a flaw with one or two candidates, for all to hear;
        it passes with at most `hoard` cards, and with no more than its share of 36.
        """
        super().__init__(setup)
        self.caution = caution
        self.hoard = hoard
        self.flaws = Flaws(setup)

    def act(self, view: View, legal: Sequence[Any]) -> Any:
        if view.phase == "challenge":
            return legal[0]  # defend
        flaws = self.flaws.candidates(view)
        if view.phase == "turn":
            named = challenge(mask(view.hand), flaws)
            other = partial(self.attack, view.hand, flaws)
            return first_legal(self.setup, legal, named, other)
        values = [worth(action.card, flaws) for action in legal]
        best = max(values) if view.phase == "pick" else min(values)
        return legal[values.index(best)]

    def attack(self, hand: Sequence[Card], flaws: Sequence[Flaw]) -> Action:
        """The attack that tells the most for its card, without telling too much; or none."""
        if len(hand) <= min(self.hoard, 36 // (len(flaws) + 1)):
            return PASS
        caution = self.caution if len(flaws) > 1 else 0
        high = self.flaws.answering["high"]
        best: float = 0
        choice: Action = PASS
        for card in hand:
            spent = SPENDING * worth(card, flaws)
            for seat, cards in flaws:
                n = cards.bit_count()
                match = (cards & MATCHING[card]).bit_count()
                above = (cards & high[card]).bit_count()
                left = [match, above, n - match - above]
                gain = 1 + match / n / 2 - spent
                gain -= sum([m * m for m in left]) / (n * n)
                gain -= caution * sum([m for m in left if m <= 2]) / n
                if gain > best:
                    best, choice = gain, ATTACKS[card][seat]
        return choice
