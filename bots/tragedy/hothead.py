"""Tragedy, naively: attack whenever one may, and challenge as soon as one might be right."""

from collections.abc import Sequence
from typing import Any

from bots.tragedy._flaws import challenge, first_legal
from games.cards import mask
from games.tragedy.actions import ATTACKS
from games.tragedy.imagine import candidates
from games.tragedy.view import View
from harness.bot import Bot


class Hothead(Bot):
    """Attacks its left neighbour every turn, and challenges when half sure.

    The naive reading of the rulebook: a card in the hand is there to be played, and nothing is
    remembered that doesn't lie on the table.
    """

    games = ("tragedy",)
    weight = 1.2

    def act(self, view: View, legal: Sequence[Any]) -> Any:
        if view.phase != "turn":
            return legal[0]
        able = candidates(view, self.setup.rules.ace_high)
        seats = len(able)
        left = [(view.seat + step) % seats for step in range(1, seats)]
        flaws = [(seat, able[seat]) for seat in left if view.out[seat] is None]
        named = challenge(mask(view.hand), flaws, 0.5)
        return first_legal(self.setup, legal, named, lambda: ATTACKS[view.hand[-1]][flaws[0][0]])
