"""What a seat of Fraser Island can see, and what it is told."""

from typing import NamedTuple

from games.cards import Card
from games.fraser_island.moves import CLAIMS, PACK


class Kept(NamedTuple):
    """A card of a private pile as everybody sees it."""

    claim: str
    """What its owner said it was: `rock`, `gem` or `diamond`."""
    card: Card | None
    """Which card it is, if a challenge has revealed it where it lies."""


class View(NamedTuple):
    """What a seat can see: three fields of its own, then what everybody can see."""

    seat: int
    hand: tuple[Card, ...]
    pile: tuple[Card, ...]
    """The seat's own private pile, from the bottom."""
    phase: str
    """`play`, `window` (of challenges), `last` (those before wealth is counted), or `over`."""
    turn: int
    """The seat whose turn it is; in a window the one who just moved."""
    free: bool
    """A diamond was claimed in this turn, and one challenge of it is free of fee and risk."""
    deck: int
    """How many cards are left to draw."""
    piles: tuple[tuple[Kept, ...], ...]
    """Each seat's private pile as the others see it, from the bottom; one's own too."""
    sizes: tuple[int, ...]
    """How many cards each seat has in hand."""
    public: tuple[int, ...]
    """How many of each of the 52 faces lie in the public pile: `public[card]`."""
    known: tuple[tuple[Card, ...], ...]
    """For each seat, cards that everybody knows to be in its hand: fees that came back."""
    failures: tuple[int, ...]
    """How many challenges each seat has failed with."""
    out: tuple[bool, ...]
    """Which seats were executed."""


UNSEEN = {claim: Kept(claim, None) for claim in CLAIMS}
SEEN = {claim: tuple(Kept(claim, card) for card in PACK.cards) for claim in CLAIMS}
"""Every `Kept` there can be, made once."""


# --- Events -------------------------------------------------------------------------------------


class Turn(NamedTuple):
    """A seat's turn begins: no challenge, or none any more, to the turn before."""

    seat: int


class Played(NamedTuple):
    """A seat played a card; the others see only a public one."""

    seat: int
    card: Card | None
    claim: str | None
    """None for a public card."""


class Drew(NamedTuple):
    """A seat drew a card, which only that seat sees."""

    seat: int
    card: Card | None


class Passed(NamedTuple):
    """A seat did not challenge. It alone is told."""

    seat: int


class Challenged(NamedTuple):
    """A seat challenged, and put down these gems as its fee."""

    seat: int
    target: int | None
    """The player it named, where a challenge names one."""
    fee: tuple[Card, ...]
    free: bool


class Revealed(NamedTuple):
    """A seat showed the top of its private pile: these cards, from the bottom."""

    seat: int
    cards: tuple[Card, ...]


class Settled(NamedTuple):
    """The challenge succeeded and the fee came back, or it failed and the fee became public."""

    seat: int
    hit: bool


class Caught(NamedTuple):
    """An offender was punished; the cards are in the public pile now."""

    seat: int
    fate: str
    """`caught`, `ruined` (lost the whole pile) or `executed`."""
    cards: tuple[Card, ...]
    """From the private pile, from the bottom."""
    hand: tuple[Card, ...]
    """The hand of one who was executed; otherwise empty."""
