"""Cards: what a card is, and how it is written."""

from collections.abc import Iterable, Sequence
from typing import NewType, TypeVar

T = TypeVar("T")

Card = NewType("Card", int)
"""A card is its index in its game's pack, so that tables and bit masks work on it."""


class Pack:
    """The faces of one game's cards: suit by suit, and each suit in rank order.

    `rank` and `suit` are tables from a card to its index in `ranks` and `suits`; `of_suit` has a
    mask (bit c for card c) for each suit.
    """

    def __init__(self, ranks: str, suits: str) -> None:
        self.ranks = ranks
        self.suits = suits
        self.faces = tuple(rank + suit for suit in suits for rank in ranks)
        self.cards = tuple(Card(card) for card in range(len(self.faces)))
        self.rank = tuple(card % len(ranks) for card in self.cards)
        self.suit = tuple(card // len(ranks) for card in self.cards)
        self.of_suit = tuple(
            sum(1 << card for card in self.cards if self.suit[card] == suit)
            for suit in range(len(suits))
        )
        self._named = dict(zip(self.faces, self.cards, strict=True))

    def card(self, face: str) -> Card:
        """The card with this face; ValueError names the face if there is none."""
        try:
            return self._named[face]
        except KeyError:
            raise ValueError(f"{face!r} is no card of this game") from None

    def spell(self, cards: Iterable[Card]) -> str:
        """The faces of these cards, in their order, with single spaces."""
        return " ".join(self.faces[card] for card in cards)

    def read(self, faces: Sequence[str]) -> tuple[Card, ...]:
        """The cards with these faces; ValueError names the first that is none."""
        return tuple(self.card(face) for face in faces)


BIT = tuple(1 << card for card in range(52))


def mask(cards: Iterable[Card]) -> int:
    """The mask with a bit for each of these different cards."""
    return sum(map(BIT.__getitem__, cards))


def subsets(things: Sequence[T]) -> list[tuple[T, ...]]:
    """All choices among these things, by mask: entry 0b101 has the first and the third."""
    chosen: list[tuple[T, ...]] = [()]
    for thing in things:
        chosen += [(*others, thing) for others in chosen]
    return chosen


STANDARD = Pack("A23456789TJQK", "CDHS")
"""The pack of 52: ace lowest, suits in the order in which records list several cards."""
