"""How the thirteen numbers stand for a seat of Casino Go Fish, and what is best by their worth."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from games.cards import Card
from games.casino_go_fish.actions import (
    ALLOWED,
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
from harness.bot import Setup

Worth = Callable[[int, int, int, int], float]
"""What a number is worth to a seat: the number; how many of it the seat holds; how many lie loose,
bound for the pool; how many the other side is known to hold."""


def counts(cards: Iterable[Card | None]) -> list[int]:
    """How many of each number there are."""
    found = [0] * 13
    for card in cards:
        if card is not None:
            found[RANK[card]] += 1
    return found


class Numbers:
    """The numbers as one view shows them; each list is by number."""

    def __init__(self, setup: Setup, view: View) -> None:
        dealer = setup.players - 1
        rules = setup.rules
        self.view = view
        self.short = len(view.hand) < rules.hand_size
        self.allowed = ALLOWED[rules.dealer_swap if view.seat == dealer else rules.patron_swap]
        self.held = counts(view.hand)
        self.loose = counts(chain(view.pool, view.drawn, view.swapped_out))
        """In the pool, or bound for it. What a masked turn hides is in no list."""
        spare = 4 - rules.set_size
        gone = counts(chain(view.pile, *chain(*view.sets)))
        self.spare: list[int] = [spare - lost for lost in gone]
        """How many more may go, so that there still can be a set; below 0 there can be none."""
        self.theirs = [0] * 13
        """The most that one hand of the other side is known to hold."""
        self.mates = [0] * 13
        """The most that a Patron who is still to draw from the same pool is known to hold."""
        if view.seat == dealer:
            for known in view.known[:-1]:
                self.theirs = [*map(max, self.theirs, counts(known))]
        else:
            self.theirs = counts(view.known[-1])
            for known in view.known[view.seat + 1 : -1]:
                self.mates = [*map(max, self.mates, counts(known))]

    def dead(self, number: int, loose: int) -> bool:
        """Whether no set of this number will be possible once the loose cards are out of play."""
        return loose > self.spare[number]

    def change(self, worth: Worth, number: int, held: int, loose: int, theirs: int = 0) -> float:
        """By how much a number's worth changes with so many more held, loose, and theirs."""
        h, o, t = self.held[number], self.loose[number], self.theirs[number]
        return worth(number, h + held, o + loose, t + theirs) - worth(number, h, o, t)

    def gain(self, worth: Worth, card: Card, *, stolen: bool = False) -> float:
        """What drawing this card is worth, after the best swap for it.

        It comes from the pool, or, stolen, from the other side's hand.
        """
        number, loose, theirs = RANK[card], -1, 0
        if stolen:
            loose, theirs = 0, -1
        taken_in = self.change(worth, number, 1, loose, theirs)
        if self.short:
            return taken_in
        best = self.change(worth, number, 0, loose + 1, theirs)
        row = self.allowed[card]
        for out in self.view.hand:
            if row[out] and RANK[out] != number:
                best = max(best, taken_in + self.change(worth, RANK[out], -1, 1))
        return best

    def best_draw(self, worth: Worth, legal: Sequence[Action], deck: float, hand: float) -> Action:
        """The best way to draw, if an unseen card is worth so much from the deck, so much from a
        hand. Showing isn't considered.
        """
        view = self.view
        gains: dict[Card, float] = {}
        for card in view.pool:
            gains[card] = self.gain(worth, card)
        if view.seat == len(view.known) - 1:
            for card in chain(*view.known[:-1]):
                gains[card] = self.gain(worth, card, stolen=True)

        def value(action: Action) -> float:
            if isinstance(action, Draw):
                return deck * action.number
            if isinstance(action, Pool | TakeShown):
                return sum([gains[card] for card in action.cards])
            if isinstance(action, TakeBlind):
                known, size = view.known[action.patron], view.sizes[action.patron]
                hope = sum([gains[card] for card in known]) + (size - len(known)) * hand
                return action.number * hope / size
            return -99.0

        # Of equals the last: as many cards as may be, and to the hand, where fewer see them.
        return max(reversed(legal), key=value)

    def best_swap(self, worth: Worth, legal: Sequence[Action]) -> Action:
        """The best swap, or card to keep; if none gains anything, none."""
        best, choice = 0.0, legal[-1]
        for action in legal:
            if isinstance(action, Keep):
                # One of them must be kept, whatever it is worth.
                value = 99 + self.change(worth, RANK[action.card], 1, -1)
            elif isinstance(action, Swap) and RANK[action.out] != RANK[action.drawn]:
                value = self.change(worth, RANK[action.drawn], 1, -1)
                value += self.change(worth, RANK[action.out], -1, 1)
            else:
                continue
            if value > best + 1e-9:
                best, choice = value, action
        return choice
