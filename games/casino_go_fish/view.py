"""Casino Go Fish: what a seat sees, and what it is told."""

from typing import NamedTuple

from games.cards import Card

Masked = tuple[Card | None, ...]
"""Cards, ascending; each is None where the seat can't see them."""


class View(NamedTuple):
    """What a seat can see."""

    seat: int
    hand: tuple[Card, ...]
    phase: str
    """`draw`, `keep` (which drawn card fills the hand), `switch`, `discard` or `over`."""
    turn: int
    """The seat whose turn it is."""
    round: int
    """From 1."""
    sizes: tuple[int, ...]
    """The number of cards in each hand."""
    deck: int
    """The number of cards in the deck."""
    pool: tuple[Card, ...]
    pile: tuple[Card, ...]
    """The discard pile, out of play."""
    sets: tuple[tuple[tuple[Card, ...], ...], ...]
    """The sets before each seat, in the order in which they were laid."""
    shown: tuple[bool, ...]
    """Whose hand lies face up."""
    known: tuple[tuple[Card, ...], ...]
    """Of each hand the cards that this seat knows to be there, all of them where it is shown; of
    its own hand those that everybody knows."""
    drawn: Masked
    """The drawn cards that are, as yet, outside the hand."""
    swapped_in: Masked
    """The cards swapped in this turn."""
    swapped_out: Masked
    """The cards swapped out this turn."""
    taken_from: int | None
    """The Patron from whom the Dealer took this turn."""
    taken_to: str | None
    """`table`, or `hand`, where other Patrons can't see the cards."""


class PoolMoved(NamedTuple):
    """The discard pool went to the discard pile."""

    cards: tuple[Card, ...]


class Hidden(NamedTuple):
    """A shown hand was turned face down."""

    seat: int


class Shown(NamedTuple):
    """A Patron laid the hand face up."""

    seat: int
    cards: tuple[Card, ...]


class Drew(NamedTuple):
    """A seat drew these cards, from the deck or the pool."""

    seat: int
    cards: tuple[Card, ...]
    source: str
    """`deck` or `pool`."""


class Took(NamedTuple):
    """The Dealer took these cards from a Patron, to the table or to the hand."""

    seat: int
    cards: Masked
    patron: int
    where: str


class Joined(NamedTuple):
    """Drawn cards filled the hand, kept or without a choice."""

    seat: int
    cards: Masked


class Laid(NamedTuple):
    """A seat laid a set."""

    seat: int
    cards: tuple[Card, ...]


class Filled(NamedTuple):
    """After a set, the hand was filled up with these cards of the deck."""

    seat: int
    cards: Masked


class Swapped(NamedTuple):
    """A seat swapped `out` for `drawn`."""

    seat: int
    out: Card | None
    drawn: Card | None


def swapped(seat: int, cards: Masked) -> Swapped:
    """The event of this swap; two cards, out and in, or masked."""
    out, drawn = cards
    return Swapped(seat, out, drawn)


class Stopped(NamedTuple):
    """A seat swaps no more."""

    seat: int


class Discarded(NamedTuple):
    """The cards left over went to the discard pool."""

    seat: int
    cards: tuple[Card, ...]


class Gave(NamedTuple):
    """The Dealer gave the cards left over to a Patron."""

    seat: int
    cards: Masked
    patron: int
