"""Casino Go Fish, naively: draw as much as one may, and keep what pairs."""

from collections.abc import Sequence

from games.casino_go_fish.actions import DISCARD, RANK, Draw, Keep, Swap
from games.casino_go_fish.view import View
from games.game import Action
from harness.bot import Bot


class Pairer(Bot):
    """Draws as many cards of the deck as it may, and swaps in what pairs for what doesn't.

    The naive reading of the rulebook: nothing is looked at but the own hand.
    """

    games = ("casino_go_fish",)
    weight = 0.3

    def act(self, view: View, legal: Sequence[Action]) -> Action:
        if view.phase == "discard":
            return DISCARD
        if view.phase == "draw":
            return max(legal, key=lambda action: action.number if isinstance(action, Draw) else -1)
        numbers = [RANK[card] for card in view.hand]

        def pairs(action: Action) -> int:
            if isinstance(action, Keep):
                return numbers.count(RANK[action.card])
            if isinstance(action, Swap):
                drawn, out = RANK[action.drawn], RANK[action.out]
                return numbers.count(drawn) + 1 - numbers.count(out) - (drawn == out)
            return 0

        return max(reversed(legal), key=pairs)
