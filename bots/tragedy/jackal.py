"""Tragedy: gangs up on the weakest, to bleed it out."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from bots.tragedy._flaws import Flaw, Flaws, challenge, first_legal, worth
from games.cards import mask
from games.game import Action
from games.tragedy.actions import ATTACKS, PASS
from games.tragedy.answers import MATCHING
from games.tragedy.view import View
from harness.bot import Bot, Setup


class Jackal(Bot):
    """Attacks whoever holds the fewest cards, with the card that most likely steals one.

    So a hand that has been robbed is robbed on; it challenges anybody of whom it is sure.
    """

    games = ("tragedy",)
    ranges: ClassVar = {"hoard": (1, 12)}
    weight = 1.5

    def __init__(self, setup: Setup, *, hoard: int = 9) -> None:
        """Passes with at most `hoard` cards, unless it can bleed somebody out."""
        super().__init__(setup)
        self.hoard = hoard
        self.flaws = Flaws(setup)

    def act(self, view: View, legal: Sequence[Any]) -> Any:
        if view.phase == "challenge":
            return legal[0]  # defend
        flaws = self.flaws.candidates(view)
        if view.phase == "turn":
            named = challenge(mask(view.hand), flaws)
            return first_legal(self.setup, legal, named, partial(self.attack, view, flaws))
        values = [worth(action.card, flaws) for action in legal]
        best = max(values) if view.phase == "pick" else min(values)
        return legal[values.index(best)]

    def attack(self, view: View, flaws: Sequence[Flaw]) -> Action:
        """The likeliest theft from the smallest hand; of two that small, from the better known."""
        sizes = view.sizes
        seat, cards = min(flaws, key=lambda flaw: (sizes[flaw[0]], flaw[1].bit_count()))
        share = 36 // (len(flaws) + 1)
        if len(view.hand) <= min(self.hoard, share) and sizes[seat] > self.setup.rules.cards_taken:
            return PASS
        card = max(view.hand, key=lambda card: (cards & MATCHING[card]).bit_count())
        return ATTACKS[card][seat]
