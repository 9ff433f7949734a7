"""What a player may do, and how the choices are listed for a hand in no time."""

from collections.abc import Sequence
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
        CLUBS[hand & LOW13]
        + DIAMONDS[hand >> 13 & LOW13]
        + HEARTS[hand >> 26 & LOW13]
        + SPADES[hand >> 39]
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


class Aimed(dict[int, tuple[Action, ...]]):
    """By the mask of cards of one suit, the attacks with them on some players, or the challenges.

    Made when first asked for: most hands have few cards of a suit, so few of the 8192 masks come
    up often. Emptied when it has grown large, so that no run of matches can fill the memory.
    """

    def __init__(self, actions: Sequence[Sequence[Action]], suit: int, targets: int) -> None:
        super().__init__()
        seats = [seat for seat in range(SEATS) if targets >> seat & 1]
        self.of_rank = [
            tuple([actions[card][seat] for seat in seats])
            for card in range(13 * suit, 13 * suit + 13)
        ]

    def __missing__(self, ranks: int) -> tuple[Action, ...]:
        if len(self) >= 1024:
            self.clear()
        self[ranks] = made = tuple(
            [action for rank in range(13) if ranks >> rank & 1 for action in self.of_rank[rank]]
        )
        return made


SEVERAL = tuple(ranks if ranks & (ranks - 1) else 0 for ranks in range(1 << 13))
"""The cards of one suit, by their mask, if they are two or more."""


@cache
def _aimed(targets: int) -> tuple[Aimed, ...]:
    """The attacks on these players (a mask) with cards of each suit, then the challenges."""
    return tuple(
        Aimed(actions, suit, targets) for actions in (ATTACKS, CHALLENGES) for suit in range(4)
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
    c, d, h, s = hand & LOW13, hand >> 13 & LOW13, hand >> 26 & LOW13, hand >> 39
    black, red = c | s, d | h
    ranks = black | red
    twice = c & s | d & h | black & red
    attack_c, attack_d, attack_h, attack_s, name_c, name_d, name_h, name_s = _aimed(targets)
    return (
        PASS,
        *attack_c[c],
        *attack_d[d],
        *attack_h[h],
        *attack_s[s],
        *name_c[c and ranks ^ c | SEVERAL[c] & twice],
        *name_d[d and ranks ^ d | SEVERAL[d] & twice],
        *name_h[h and ranks ^ h | SEVERAL[h] & twice],
        *name_s[s and ranks ^ s | SEVERAL[s] & twice],
    )
