"""What a seat can see, and what it is told as it happens."""

from typing import NamedTuple

from games.cards import Card


class View(NamedTuple):
    """All that a seat may look at. Tuples with an entry a seat are by seat."""

    seat: int
    hand: tuple[Card, ...]
    phase: str
    """`turn`, `pick`, `give`, `challenge`, `discard`, `over`.

    Only the seat that may defend itself against a challenge sees the phase `challenge`.
    """
    turn: int
    """The number of this turn, from 1."""
    player: int
    """Whose turn it is, or was last."""
    pending: int | None
    """The seat attacked (`pick`, `give`), challenged (`challenge`), or that discards; or None."""
    left: int
    """The cards it has yet to lose, or to discard."""
    flaw: Card
    """The own fatal flaw."""
    sizes: tuple[int, ...]
    """Of the hands."""
    deck_size: int
    piles: tuple[tuple[tuple[int, Card], ...], ...]
    """The cards in front of each seat, in the order in which they were laid, with who laid them."""
    answers: tuple[tuple[tuple[Card, str], ...], ...]
    """For each seat, every attack card so far and its answer: `match`, `high` or `low`."""
    wrong: tuple[tuple[Card, ...], ...]
    """For each seat, the cards that were wrongly said to be its flaw."""
    flaws: tuple[Card | None, ...]
    """The flaws that have been made public."""
    out: tuple[int | None, ...]
    """The order in which seats went out, from 0; None for those in the game."""
    known: tuple[tuple[Card, ...], ...]
    """The cards that this seat knows to be in each other hand."""
    known_deck: tuple[Card, ...]
    """The cards that it knows to be in the draw deck, or among the discards to come there."""
    attacks: tuple[int, ...] | None
    """With `hidden_attacks`, the attacks on each seat since the deck was made; else None."""


class Drew(NamedTuple):
    """A seat drew a card, at the beginning of its turn. Only the seat sees which."""

    seat: int
    card: Card | None


class Passed(NamedTuple):
    """A seat passed."""

    seat: int


class Attacked(NamedTuple):
    """A seat attacked another: `match`, `high` or `low` is the answer."""

    seat: int
    target: int
    card: Card
    answer: str


class Shown(NamedTuple):
    """The seat attacked shows its hand to the attacker, who will pick; nobody else is told."""

    seat: int
    cards: tuple[Card, ...]


class Took(NamedTuple):
    """A seat took a card from another's hand. Only these two see which."""

    seat: int
    target: int
    card: Card | None


class Challenged(NamedTuple):
    """A seat named a card as another's flaw, laying two of its own."""

    seat: int
    target: int
    card: Card
    right: bool
    laid: tuple[Card, Card]
    """The card of the named card's rank, and the one of its suit."""


class Yielded(NamedTuple):
    """A seat chose not to defend itself. Nobody else is told that it could have."""

    seat: int


class Defended(NamedTuple):
    """A seat defended itself against a challenge."""

    seat: int
    laid: tuple[Card, Card]
    """The card of its flaw's rank, and the one of its suit."""


class Inherited(NamedTuple):
    """A whole hand went from `giver` to `seat`. Only these two see it."""

    seat: int
    giver: int
    cards: tuple[Card, ...] | None


class Out(NamedTuple):
    """A seat is out of the game, and turned its flaw face up."""

    seat: int
    flaw: Card


class Discarded(NamedTuple):
    """A seat discarded a card. Only the seat sees which."""

    seat: int
    card: Card | None


class Reshuffled(NamedTuple):
    """The discards, and the cards laid, have become a new draw deck of so many cards."""

    size: int
