"""What a player may do, and how the choices are listed for a hand in no time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from games.cards import STANDARD, Card, subsets
from games.game import Action

PACK = STANDARD
SUIT = PACK.suit
OF_SUIT = PACK.of_suit
OF_RANK = tuple(sum(1 << card for card in PACK.cards[rank::13]) for rank in range(13))
"""By the index of a rank in `PACK.ranks` (the ace is 0), the mask of its four cards."""
RANK = PACK.rank
ALL = (1 << 52) - 1
SEATS = 6

CLUBS, DIAMONDS, HEARTS, SPADES = (subsets(PACK.cards[13 * s : 13 * s + 13]) for s in range(4))
LOW13 = (1 << 13) - 1


def cards_of(hand: int) -> tuple[Card, ...]:
    """The cards of a mask, ascending."""
    return (
        *CLUBS[hand & LOW13],
        *DIAMONDS[hand >> 13 & LOW13],
        *HEARTS[hand >> 26 & LOW13],
        *SPADES[hand >> 39],
    )


# --- The actions ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """Keep the card drawn, and do nothing."""

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class Attack(Action):
    """Lay a card from the hand in front of another player."""

    card: Card
    target: int

    def __str__(self) -> str:
        return f"attack {PACK.faces[self.card]} {self.target}"


@dataclass(frozen=True, slots=True)
class Challenge(Action):
    """Say that this card is that player's flaw."""

    card: Card
    target: int

    def __str__(self) -> str:
        return f"challenge {PACK.faces[self.card]} {self.target}"


@dataclass(frozen=True, slots=True)
class Pick(Action):
    """Take this card from the hand of the player attacked."""

    card: Card

    def __str__(self) -> str:
        return f"pick {PACK.faces[self.card]}"


@dataclass(frozen=True, slots=True)
class Give(Action):
    """Give the attacker this card from the own hand."""

    card: Card

    def __str__(self) -> str:
        return f"give {PACK.faces[self.card]}"


@dataclass(frozen=True, slots=True)
class Discard(Action):
    """Put this card from the hand towards the new deck."""

    card: Card

    def __str__(self) -> str:
        return f"discard {PACK.faces[self.card]}"


@dataclass(frozen=True, slots=True)
class Defend(Action):
    """Lay two cards against a challenge that is right."""

    def __str__(self) -> str:
        return "defend"


@dataclass(frozen=True, slots=True)
class Yield(Action):
    """Let a challenge that is right stand."""

    def __str__(self) -> str:
        return "yield"


PASS = Pass()
ATTACKS = tuple(tuple(Attack(card, seat) for seat in range(SEATS)) for card in PACK.cards)
"""By the card and the player attacked."""
CHALLENGES = tuple(tuple(Challenge(card, seat) for seat in range(SEATS)) for card in PACK.cards)
"""By the card named and the player challenged."""
PICKS = tuple(Pick(card) for card in PACK.cards)
GIVES = tuple(Give(card) for card in PACK.cards)
DISCARDS = tuple(Discard(card) for card in PACK.cards)
DEFENCE = (Defend(), Yield())

SPELLED: dict[str, Action] = {
    str(action): action
    for action in (
        PASS,
        *(attack for attacks in ATTACKS for attack in attacks),
        *(challenge for challenges in CHALLENGES for challenge in challenges),
        *PICKS,
        *GIVES,
        *DISCARDS,
        *DEFENCE,
    )
}


def parse(text: str) -> Action:
    """The action that a record spells so."""
    try:
        return SPELLED[text]
    except KeyError:
        raise ValueError(f"{text!r} is no action of Tragedy") from None


# --- The choices of a turn ------------------------------------------------------------------------

LOW6 = (1 << 6) - 1

Piece = list[tuple[Action, ...]]


@cache
def _pieces(targets: int) -> tuple[list[Piece], list[Piece]]:
    """Attacks and challenges on these players (a mask), by eighths of the pack.

    An eighth is the lower six or the upper seven cards of a suit; a mask of those gives its
    actions. So any of the 2^52 hands is listed by eight look-ups, from tables that stay small.
    """

    def table(action: Callable[[Card, int], Action], cards: Sequence[Card]) -> Piece:
        aimed = [
            [action(card, seat) for seat in range(SEATS) if targets >> seat & 1] for card in cards
        ]
        return [
            tuple(action for index in chosen for action in aimed[index])
            for chosen in subsets(range(len(cards)))
        ]

    eighths = [
        PACK.cards[start:stop]
        for s in range(0, 52, 13)
        for start, stop in ((s, s + 6), (s + 6, s + 13))
    ]
    return (
        [table(lambda card, seat: ATTACKS[card][seat], cards) for cards in eighths],
        [table(lambda card, seat: CHALLENGES[card][seat], cards) for cards in eighths],
    )


def choices(hand: int, targets: int) -> tuple[Action, ...]:
    """What may be done in a turn: pass; attack; challenge.

    Attacks by card (suits C, D, H, S, then ranks from the ace), then by player; challenges by card
    named, in the same order, then by player.

    A card may be named if the hand has a card of its rank and a different card of its suit,
    neither being that card itself. So of a suit that is in the hand these ranks can be named:
    those of the hand that the suit lacks there; and those that the suit has there, if the hand has
    another of the rank, and another of the suit.
    """
    clubs, diamonds = hand & LOW13, hand >> 13 & LOW13
    hearts, spades = hand >> 26 & LOW13, hand >> 39
    black, red = clubs | spades, diamonds | hearts
    ranks = black | red
    twice = clubs & spades | diamonds & hearts | black & red
    name_c = ranks & ~clubs | (clubs & twice if clubs & (clubs - 1) else 0) if clubs else 0
    name_d = (
        ranks & ~diamonds | (diamonds & twice if diamonds & (diamonds - 1) else 0)
        if diamonds
        else 0
    )
    name_h = ranks & ~hearts | (hearts & twice if hearts & (hearts - 1) else 0) if hearts else 0
    name_s = ranks & ~spades | (spades & twice if spades & (spades - 1) else 0) if spades else 0
    attack, challenge = _pieces(targets)
    return (
        PASS,
        *attack[0][clubs & LOW6],
        *attack[1][clubs >> 6],
        *attack[2][diamonds & LOW6],
        *attack[3][diamonds >> 6],
        *attack[4][hearts & LOW6],
        *attack[5][hearts >> 6],
        *attack[6][spades & LOW6],
        *attack[7][spades >> 6],
        *challenge[0][name_c & LOW6],
        *challenge[1][name_c >> 6],
        *challenge[2][name_d & LOW6],
        *challenge[3][name_d >> 6],
        *challenge[4][name_h & LOW6],
        *challenge[5][name_h >> 6],
        *challenge[6][name_s & LOW6],
        *challenge[7][name_s >> 6],
    )
