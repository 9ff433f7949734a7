"""Tragedy: weighs each attack by the challenges that it makes possible, for itself and others."""

from collections.abc import Sequence
from typing import Any, ClassVar

from bots.tragedy._flaws import Flaw, Flaws, challenge, worth
from games.cards import Card, mask
from games.game import Action
from games.tragedy.actions import ATTACKS, OF_RANK, OF_SUIT, OTHERS_OF_RANK, PASS, RANK, SUIT
from games.tragedy.answers import MATCHING
from games.tragedy.view import View
from harness.bot import Bot, Setup

NEAR = (0.0, *(0.7 ** (n - 1) for n in range(1, 53)))
"""How near to being named a flaw with so many candidates is."""
THEIRS = 0.4
"""What it costs that others may name that flaw, beside the gain if the own hand can."""
THEFT = 0.1
"""What a card stolen is worth."""
DUEL = 4
"""With so many cards it attacks its last opponent: there is nobody else to hear the answer."""
GUARD = 0.5
"""What it is worth to keep a card of the own flaw's rank: without one nobody can name it."""


class Nemesis(Bot):
    """Keeps the cards that name what flaws can be and those that guard its own, and attacks where
    the answer makes it likeliest that its hand can name the flaw.

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
            return named or self.attack(view.hand, flaws, guards)
        values = [
            worth(action.card, flaws) + GUARD * (guards >> action.card & 1) for action in legal
        ]
        best = max(values) if view.phase == "pick" else min(values)
        return legal[values.index(best)]

    def attack(self, hand: Sequence[Card], flaws: Sequence[Flaw], guards: int) -> Action:
        """The attack after which the hand is likeliest to name a flaw soon; a pass is none."""
        enough = min(self.hoard, 36 // (len(flaws) + 1) if len(flaws) > 1 else DUEL)
        if len(hand) <= enough:
            return PASS
        ranks = rank_twice = suits = suit_twice = 0
        for card in hand:
            rank_twice |= ranks & OF_RANK[RANK[card]]
            ranks |= OF_RANK[RANK[card]]
            suit_twice |= suits & OF_SUIT[SUIT[card]]
            suits |= OF_SUIT[SUIT[card]]
        high = self.flaws.answering["high"]
        theirs = THEIRS if len(flaws) > 1 else 0
        best = hope(flaws, ranks & suits, theirs)
        choice: Action = PASS
        for card in hand:
            # What can be named without this card; those of the hand itself are no candidates.
            rank, suit = OF_RANK[RANK[card]], OF_SUIT[SUIT[card]]
            named = (ranks & ~rank | rank_twice) & (suits & ~suit | suit_twice)
            rest = hope(flaws, named, theirs) - GUARD * (guards >> card & 1)
            for seat, cards in flaws:
                match = cards & MATCHING[card]
                above = cards & high[card]
                below = cards & ~match & ~above
                value = THEFT * match.bit_count()
                for left in (match, above, below):
                    n = left.bit_count()
                    value += NEAR[n] * ((left & named).bit_count() - theirs * n)
                value = rest + value / cards.bit_count() - hope([(seat, cards)], named, theirs)
                if value > best:
                    best, choice = value, ATTACKS[card][seat]
        return choice


def hope(flaws: Sequence[Flaw], named: int, theirs: float) -> float:
    """How near these flaws are to being named, less what the others have of it."""
    value = 0.0
    for _, cards in flaws:
        n = cards.bit_count()
        value += NEAR[n] * ((cards & named).bit_count() / n - theirs)
    return value
