"""A baseline for Tragedy: deduction, and no risk beyond it."""

from collections.abc import Sequence
from typing import Any, ClassVar

from games.cards import Card, mask
from games.game import Action
from games.tragedy.actions import (
    ALL,
    ATTACKS,
    CHALLENGES,
    OF_RANK,
    OF_SUIT,
    PASS,
    RANK,
    SUIT,
    cards_of,
)
from games.tragedy.answers import ANSWERING, MATCHING
from games.tragedy.view import View
from harness.bot import Bot, Setup


class Sleuth(Bot):
    """Works out what each flaw can be, attacks to halve that, and challenges when it is sure.

    Its candidates are exact: the cards that fit every answer, were never wrongly named, and that it
    has seen nowhere else, in its own hand, on the table or among the answers, also long ago. It
    listens to no events, so with hidden attacks it is as forgetful as the table.
    """

    games = ("tragedy",)
    ranges: ClassVar = {"doubt": (1, 3), "hoard": (3, 12)}
    weight = 1

    def __init__(self, setup: Setup, *, doubt: int = 1, hoard: int = 8) -> None:
        """Challenges with at most `doubt` candidates left; passes with at most `hoard` cards.

        At a full table there aren't so many cards for each, and all would pass for ever: there it
        passes with at most its share of 36.
        """
        super().__init__(setup)
        self.doubt = doubt
        self.hoard = hoard
        self.answering = ANSWERING[setup.rules.ace_high]
        self.seen = 0
        self.fits = [ALL] * setup.players
        self.read = [0] * setup.players

    def act(self, view: View, legal: Sequence[Any]) -> Any:
        if view.phase == "challenge":
            return legal[0]  # defend
        flaws = self.candidates(view)
        if view.phase == "turn":
            hand = mask(view.hand)
            return self.challenge(hand, flaws) or self.attack(view.hand, flaws)
        worth = [self.worth(action.card, flaws) for action in legal]
        best = max(worth) if view.phase == "pick" else min(worth)
        return legal[worth.index(best)]

    def candidates(self, view: View) -> list[tuple[int, int]]:
        """Each opponent in the game, with the mask of the cards that can be its flaw."""
        seen = self.seen | mask(view.hand) | 1 << view.flaw
        for pile in view.piles:
            for _, card in pile:
                seen |= 1 << card
        for seat, answers in enumerate(view.answers):
            for card, answer in answers[self.read[seat] :]:
                seen |= 1 << card
                self.fits[seat] &= self.answering[answer][card]
            self.read[seat] = len(answers)
            public = view.flaws[seat]
            if public is not None:
                seen |= 1 << public
                self.fits[seat] = 1 << public
        self.seen = seen
        found = []
        for seat, out in enumerate(view.out):
            if out is None and seat != view.seat:
                cards = self.fits[seat]
                if view.flaws[seat] is None:
                    cards &= ~seen
                    for card in view.wrong[seat]:
                        cards &= ~(1 << card)
                found.append((seat, cards))
        return found

    def challenge(self, hand: int, flaws: Sequence[tuple[int, int]]) -> Action | None:
        """The challenge of a flaw that is found, if the hand can name it."""
        for seat, cards in flaws:
            if cards.bit_count() <= self.doubt:
                for card in cards_of(cards):
                    others = hand & ~(1 << card)
                    if others & OF_RANK[RANK[card]] and others & OF_SUIT[SUIT[card]]:
                        return CHALLENGES[card][seat]
        return None

    def attack(self, hand: Sequence[Card], flaws: Sequence[tuple[int, int]]) -> Action:
        """The attack that leaves the fewest candidates, with something added for a match."""
        if len(hand) <= min(self.hoard, 36 // (len(flaws) + 1)):
            return PASS
        high = self.answering["high"]
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

    def worth(self, card: Card, flaws: Sequence[tuple[int, int]]) -> float:
        """How many flaws this card is likely to name by its rank, or, half as much, by its suit."""
        rank, suit = OF_RANK[RANK[card]], OF_SUIT[SUIT[card]]
        return sum(
            ((cards & rank).bit_count() + (cards & suit).bit_count() / 2) / cards.bit_count()
            for _, cards in flaws
        )
