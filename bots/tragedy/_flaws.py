"""What each flaw can still be, exactly: the deduction that the bots of Tragedy share."""

from collections.abc import Callable, Sequence
from itertools import combinations

from games.cards import Card
from games.game import Action
from games.tragedy.actions import ALL, CHALLENGES, OF_RANK, OF_SUIT, RANK, SUIT, cards_of
from games.tragedy.answers import ANSWERING
from games.tragedy.imagine import in_sight
from games.tragedy.view import Attacked, View
from harness.bot import Setup

Flaw = tuple[int, int]
"""An opponent in the game, and the mask of the cards that its flaw can be."""


class Flaws:
    """Keeps what one seat has found out, also from cards that it saw long ago."""

    def __init__(self, setup: Setup) -> None:
        self.answering = ANSWERING[setup.rules.ace_high]
        self.seen = 0
        """The cards that were seen anywhere: in the own hand, on the table, in another's hand."""
        self.fits = [ALL] * setup.players
        """By seat, the flaws that would have been answered as it was."""
        self.read = [0] * setup.players
        """The answers of each seat that were looked at."""

    def hear(self, event: object) -> None:
        """For those who listen: with hidden attacks no view tells what was answered."""
        if type(event) is Attacked:
            self._answered(event.target, event.card, event.answer)

    def candidates(self, view: View) -> list[Flaw]:
        """For each opponent in the game: the cards that fit all answers, were never wrongly named,
        lie nowhere else, and leave the others' flaws a card each.
        """
        for seat, answers in enumerate(view.answers):
            if len(answers) > self.read[seat]:
                for card, answer in answers[self.read[seat] :]:
                    self._answered(seat, card, answer)
                self.read[seat] = len(answers)
        self.seen = seen = self.seen | in_sight(view)
        found = []
        for seat, out in enumerate(view.out):
            if out is None and seat != view.seat:
                public = view.flaws[seat]
                cards = self.fits[seat] & ~seen if public is None else 1 << public
                for card in view.wrong[seat]:
                    cards &= ~(1 << card)
                found.append((seat, cards))
        return all_different(found)

    def _answered(self, seat: int, card: Card, answer: str) -> None:
        self.seen |= 1 << card
        self.fits[seat] &= self.answering[answer][card]


def all_different(flaws: list[Flaw]) -> list[Flaw]:
    """Without the cards that must be another's flaw: where some players have among them only as
    many candidates as they are (Hall's theorem: nothing else can be excluded).
    """
    others = flaws
    for size in range(1, len(flaws)):
        if sum(cards.bit_count() <= size for _, cards in flaws) < size:
            continue
        for some in combinations(flaws, size):
            union = 0
            for _, cards in some:
                union |= cards
            if union.bit_count() == size:
                others = [
                    flaw if flaw[0] in dict(some) else (flaw[0], flaw[1] & ~union)
                    for flaw in others
                ]
    return others


def can_name(hand: int, card: Card) -> bool:
    """Whether a hand (a mask) has another card of this rank, and another of this suit."""
    others = hand & ~(1 << card)
    return bool(others & OF_RANK[RANK[card]] and others & OF_SUIT[SUIT[card]])


def challenge(hand: int, flaws: Sequence[Flaw], confidence: float = 1) -> Action | None:
    """The surest challenge that the hand (a mask) can name; None below this probability.

    All candidates of a flaw are taken to be equally likely.
    """
    fewest = int(1 / confidence + 1e-9)
    choice = None
    for seat, cards in flaws:
        if cards.bit_count() <= fewest:
            for card in cards_of(cards):
                if can_name(hand, card):
                    fewest = cards.bit_count() - 1
                    choice = CHALLENGES[card][seat]
                    break
    return choice


def first_legal(
    setup: Setup, legal: Sequence[Action], named: Action | None, other: Callable[[], Action]
) -> Action:
    """The challenge, if there is one, else the other action; where both are forbidden, any."""
    if not setup.forbidden:
        return named or other()
    if named is not None and named in legal:
        return named
    action = other()
    return action if action in legal else legal[0]


def worth(card: Card, flaws: Sequence[Flaw]) -> float:
    """How many flaws this card is likely to name by its rank, or, half as much, by its suit."""
    rank, suit = OF_RANK[RANK[card]], OF_SUIT[SUIT[card]]
    return sum(
        [
            ((cards & rank).bit_count() + (cards & suit).bit_count() / 2) / cards.bit_count()
            for _, cards in flaws
        ]
    )
