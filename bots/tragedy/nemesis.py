"""Tragedy: all that helps; it asks what its own hand can name, and guards its flaw."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from bots.tragedy._flaws import Flaw, Flaws, challenge, first_legal, worth
from games.cards import Card, mask
from games.game import Action
from games.tragedy.actions import ATTACKS, OF_RANK, OF_SUIT, OTHERS_OF_RANK, PASS, RANK, SUIT
from games.tragedy.answers import MATCHING
from games.tragedy.view import View
from harness.bot import Bot, Setup

FEW = 2
"""So few candidates are close to being named."""
CLOSE = 0.5
"""What it costs to bring a flaw that close, for all to hear; and what it brings if the own hand can
name it."""
SPENDING = 0.6
"""What it costs to lay a card that is sure to name some flaw by its rank."""
GUARD = 0.5
"""What it is worth to keep a card of the own flaw's rank: without one nobody can name it."""
DUEL = 4
"""With more cards it attacks its last opponent: there is nobody else to hear the answer."""


class Nemesis(Bot):
    """Attacks where its own hand could name what the answer leaves, and keeps cards that name flaws
    or guard its own.

    It listens, so that it remembers attacks that were turned over.
    """

    games = ("tragedy",)
    ranges: ClassVar = {"hoard": (3, 12)}
    weight = 2.5

    def __init__(self, setup: Setup, *, hoard: int = 9) -> None:
        """Passes with at most `hoard` cards, but with no more than its share of 36."""
        super().__init__(setup)
        self.hoard = hoard
        self.flaws = Flaws(setup)

    def observe(self, event: object) -> None:
        self.flaws.hear(event)

    def act(self, view: View, legal: Sequence[Any]) -> Any:
        if view.phase == "challenge":
            return legal[0]  # defend
        flaws = self.flaws.candidates(view)
        guards = OTHERS_OF_RANK[view.flaw]
        if view.phase == "turn":
            named = challenge(mask(view.hand), flaws)
            other = partial(self.attack, view.hand, flaws, guards)
            return first_legal(self.setup, legal, named, other)
        values = [
            worth(action.card, flaws) + GUARD * (guards >> action.card & 1) for action in legal
        ]
        best = max(values) if view.phase == "pick" else min(values)
        return legal[values.index(best)]

    def attack(self, hand: Sequence[Card], flaws: Sequence[Flaw], guards: int) -> Action:
        """The attack that tells the most for its card, to itself rather than to others; or none."""
        duel = len(flaws) == 1
        if len(hand) <= (DUEL if duel else min(self.hoard, 36 // (len(flaws) + 1))):
            return PASS
        ranks = rank_twice = suits = suit_twice = 0
        for card in hand:
            rank_twice |= ranks & OF_RANK[RANK[card]]
            ranks |= OF_RANK[RANK[card]]
            suit_twice |= suits & OF_SUIT[SUIT[card]]
            suits |= OF_SUIT[SUIT[card]]
        high = self.flaws.answering["high"]
        best: float = 0
        choice: Action = PASS
        for card in hand:
            spent = SPENDING * worth(card, flaws) + GUARD * (guards >> card & 1)
            # What can be named without this card; those of the hand itself are no candidates.
            rank, suit = OF_RANK[RANK[card]], OF_SUIT[SUIT[card]]
            nameable = (ranks & ~rank | rank_twice) & (suits & ~suit | suit_twice)
            for seat, cards in flaws:
                n = cards.bit_count()
                match = cards & MATCHING[card]
                above = cards & high[card]
                gain = match.bit_count() / 2
                for left in (match, above, cards & ~match & ~above):
                    m = left.bit_count()
                    gain += m * (1 - m / n)
                    if 0 < m <= FEW:
                        gain += CLOSE * ((left & nameable).bit_count() - (0 if duel else m))
                gain = gain / n - spent
                if gain > best:
                    best, choice = gain, ATTACKS[card][seat]
        return choice
