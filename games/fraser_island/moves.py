"""Fraser Island's cards, and what a player may do with them: actions and their notation."""

from dataclasses import dataclass
from functools import cache

from games.cards import STANDARD, Card
from games.game import Action

PACK = STANDARD
SUIT = PACK.suit
ROCK, GEM, DIAMOND = "rock", "gem", "diamond"
CLAIMS = (ROCK, GEM, DIAMOND)
TRUTH = tuple({"S": ROCK, "C": ROCK, "H": GEM, "D": DIAMOND}[face[1]] for face in PACK.faces)
"""What each card is: spades and clubs are rock, hearts are gems."""
ACE, *_, JACK, QUEEN, KING = PACK.cards[PACK.card("AD") : PACK.card("KD") + 1]
BIG = (JACK, QUEEN, KING)
FIRST_GEM, LAST_GEM = PACK.card("AH"), PACK.card("KH")
"""In a sorted hand the gems stand together, the lowest-ranked first."""

ONE_PACK = PACK.cards
TWO_PACKS = tuple(sorted([*PACK.cards, *(card for card in PACK.cards if card != ACE)]))
"""103 cards: the second ace of diamonds stays in its box."""


@dataclass(frozen=True, slots=True)
class Play(Action):
    """Play a card face up to the public pile, or face down to one's own with a claim."""

    card: Card
    where: str
    """`public` or `private`."""
    claim: str | None = None
    """`rock`, `gem` or `diamond`; None for a public card, which speaks for itself."""

    def __str__(self) -> str:
        words = f"play {PACK.faces[self.card]} {self.where}"
        return words if self.claim is None else f"{words} {self.claim}"


@dataclass(frozen=True, slots=True)
class Challenge(Action):
    """Challenge everybody's honesty, or, where a challenge names one player, that one's."""

    target: int | None = None

    def __str__(self) -> str:
        return "challenge" if self.target is None else f"challenge {self.target}"


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """Let it be."""

    def __str__(self) -> str:
        return "pass"


PLAYS = tuple(
    (Play(card, "public"), *(Play(card, "private", claim) for claim in CLAIMS))
    for card in PACK.cards
)
"""For each card the four plays of it, in the order of `legal()`."""

CHALLENGE = Challenge()
NAMED = tuple(Challenge(seat) for seat in range(8))
PASS = Pass()
DOUBT = (CHALLENGE, PASS)
"""All that there is to choose in a window where a challenge names nobody."""


@cache
def naming(targets: tuple[int, ...]) -> tuple[Challenge | Pass, ...]:
    """The choices of a player who may challenge each of these."""
    return (*(NAMED[seat] for seat in targets), PASS)


_NAMED_SO = {str(action): action for plays in PLAYS for action in plays} | {
    str(action): action for action in (CHALLENGE, *NAMED, PASS)
}


def parse(text: str) -> Action:
    """The action that a record spells so."""
    action = _NAMED_SO.get(text)
    if action is None:
        raise ValueError(f"{text!r} is no action of fraser_island")
    return action
