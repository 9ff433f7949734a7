"""De Boers: what a seat sees, as views and as events."""

from typing import NamedTuple

from games.cards import Card


class Stockpile(NamedTuple):
    """A steal with diamonds among its cards, on which a call may be made."""

    thief: int
    cards: tuple[Card, ...]
    victims: tuple[int, ...]


class View(NamedTuple):
    """What a seat can see."""

    seat: int
    hand: tuple[Card, ...]
    phase: str
    """`turn`, `call` (on the stockpile), or `over`."""
    turn: int
    """The seat whose turn it is; in a call, the stockpiler's."""
    sizes: tuple[int, ...]
    """Each seat's number of cards in hand."""
    mine: int
    """The number of cards in the mine."""
    turns_left: int | None
    """Turns to come, this one included, once the mine is empty; None before."""
    laid: tuple[tuple[Card, ...], ...]
    """The cards that each seat has laid, in the order in which it did."""
    diamonds: tuple[int, ...]
    """How many diamonds each seat is known to hold, at least, by what all have seen."""
    known: tuple[tuple[Card, ...], ...]
    """The cards that this seat has seen go into each other hand, and that must still be there."""
    stockpile: Stockpile | None
    """What was announced, in a call."""


class Drew(NamedTuple):
    """A seat drew from the mine; the card is None but for itself."""

    seat: int
    card: Card | None


class Passed(NamedTuple):
    """A seat passed its turn; or a call, which only that seat is told."""

    seat: int


class Laid(NamedTuple):
    """A seat laid these cards to steal from these victims."""

    seat: int
    cards: tuple[Card, ...]
    victims: tuple[int, ...]


class Handed(NamedTuple):
    """A victim handed diamonds over; which, only the two concerned are told, others None."""

    seat: int
    thief: int
    number: int
    cards: tuple[Card, ...] | None


class Noticed(NamedTuple):
    """A seat noticed a stockpile that not everybody notices: told to that seat alone."""

    seat: int


class Called(NamedTuple):
    """A seat called, and collects: the diamonds just laid, and so many from the stockpiler's hand.

    Which those are, only the two concerned are told, others None.
    """

    seat: int
    thief: int
    laid: tuple[Card, ...]
    number: int
    cards: tuple[Card, ...] | None
