"""Collector, the baseline of Casino Go Fish."""

from collections.abc import Sequence
from itertools import chain

from games.cards import Card
from games.casino_go_fish.actions import (
    ALLOWED,
    DISCARD,
    RANK,
    Draw,
    Keep,
    Pool,
    Swap,
    TakeBlind,
    TakeShown,
)
from games.casino_go_fish.view import View
from games.game import Action
from harness.bot import Bot, Setup

WORTH = (0.0, 1.0, 4.0, 12.0, 40.0)
"""What so many cards of one number are worth to a hand."""
MORE = (*(WORTH[held + 1] - WORTH[held] for held in range(4)), 0.0)
"""What one more is worth, by those held."""
UNSEEN = 0.9
"""What a card that nobody has seen is worth, beside one of the deck, which all may see."""
HIDING = 0.1
"""What it is worth that other Patrons don't see which cards the Dealer took."""


class Collector(Bot):
    """Collects the numbers of which it holds most, gives up those that are gone, never shows."""

    games = ("casino_go_fish",)
    weight = 0.9

    def __init__(self, setup: Setup, *, draw: float = 1.0) -> None:
        """`draw` is what a card of the deck is thought to be worth."""
        super().__init__(setup)
        self.draw = draw
        rules = setup.rules
        self.dealer = setup.seat == setup.players - 1
        self.allowed = ALLOWED[rules.dealer_swap if self.dealer else rules.patron_swap]
        self.hand_size = rules.hand_size
        self.spare = 4 - rules.set_size
        """How many cards of a number may be gone, so that there still can be a set of it."""

    def act(self, view: View, legal: Sequence[Action]) -> Action:
        if view.phase == "discard":
            return DISCARD
        held = self.held(view)
        if view.phase == "draw":
            seen = chain(*view.known[:-1]) if self.dealer else view.pool
            gains = {card: self.gain(card, view, held) for card in seen}
            return max(legal, key=lambda action: self.of_draw(action, view, gains))
        return max(legal, key=lambda action: self.of_swap(action, held))

    def held(self, view: View) -> list[int]:
        """How many of each number the hand holds, and 4 where there can be no set of it."""
        held, gone = [0] * 13, [0] * 13
        for card in view.hand:
            held[RANK[card]] += 1
        for card in chain(view.pile, *chain(*view.sets)):
            gone[RANK[card]] += 1
        return [4 if lost > self.spare else n for n, lost in zip(held, gone, strict=True)]

    def gain(self, card: Card, view: View, held: list[int]) -> float:
        """What drawing this card is worth, after the best swap for it."""
        more = MORE[held[RANK[card]]]
        if len(view.hand) < self.hand_size:
            return more
        row = self.allowed[card]
        costs = [less(held[RANK[out]]) for out in view.hand if row[out]]
        return max(0.0, more - min(costs)) if costs else 0.0

    def of_draw(self, action: Action, view: View, gains: dict[Card, float]) -> float:
        """What a way of drawing is worth."""
        if isinstance(action, Draw):
            return self.draw * action.number
        if isinstance(action, Pool):
            return sum(gains[card] for card in action.cards)
        if isinstance(action, TakeShown):
            return sum(gains[card] for card in action.cards) + HIDING * (action.where == "hand")
        if isinstance(action, TakeBlind):
            known, size = view.known[action.patron], view.sizes[action.patron]
            hope = sum(gains[card] for card in known) + (size - len(known)) * self.draw * UNSEEN
            return action.number * hope / size + HIDING * (action.where == "hand")
        return -1.0

    def of_swap(self, action: Action, held: list[int]) -> float:
        """What it is worth to swap, or to keep a card, beside doing nothing."""
        if isinstance(action, Keep):
            return MORE[held[RANK[action.card]]]
        if isinstance(action, Swap) and RANK[action.out] != RANK[action.drawn]:
            return MORE[held[RANK[action.drawn]]] - less(held[RANK[action.out]]) - 0.01
        return 0.0 if not isinstance(action, Swap) else -1.0


def less(held: int) -> float:
    """What it costs to have one fewer than so many of a number (4: of a number that is gone)."""
    return 0.0 if held == 4 else MORE[held - 1]
