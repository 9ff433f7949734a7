"""What a player may do, and how the choices are listed for a hand in no time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

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
OTHERS_OF_RANK = tuple(OF_RANK[RANK[card]] & ~(1 << card) for card in PACK.cards)
OTHERS_OF_SUIT = tuple(OF_SUIT[SUIT[card]] & ~(1 << card) for card in PACK.cards)
"""By a card, the mask of the others of its rank, and of its suit."""

# --- Listing what belongs to the cards of a hand --------------------------------------------------

LOW6, LOW7, LOW13 = (1 << 6) - 1, (1 << 7) - 1, (1 << 13) - 1
CLUBS, DIAMONDS, HEARTS, SPADES = (subsets(PACK.cards[s : s + 13]) for s in range(0, 52, 13))


def cards_of(hand: int) -> tuple[Card, ...]:
    """The cards of a mask, ascending."""
    return (
        CLUBS[hand & LOW13]
        + DIAMONDS[hand >> 13 & LOW13]
        + HEARTS[hand >> 26 & LOW13]
        + SPADES[hand >> 39]
    )


T = TypeVar("T")


def by_eighths(belongs: Sequence[tuple[T, ...]]) -> list[list[tuple[T, ...]]]:
    """For each eighth of the pack what belongs to its cards, by a mask of them.

    An eighth is the lower six or the upper seven cards of a suit: eight look-ups list what any of
    the 2^52 hands has, and the tables stay small.
    """
    eighths = []
    for start in range(0, 52, 13):
        for eighth in (belongs[start : start + 6], belongs[start + 6 : start + 13]):
            listed: list[tuple[T, ...]] = [()]
            for things in eighth:
                listed += [others + things for others in listed]
            eighths.append(listed)
    return eighths


def lister(actions: Sequence[Action]) -> Callable[[int], tuple[Action, ...]]:
    """A function from a mask of cards to their actions, by ascending card."""
    a, b, c, d, e, f, g, h = by_eighths([(action,) for action in actions])

    def listed(hand: int) -> tuple[Action, ...]:
        return (
            a[hand & LOW6]
            + b[hand >> 6 & LOW7]
            + c[hand >> 13 & LOW6]
            + d[hand >> 19 & LOW7]
            + e[hand >> 26 & LOW6]
            + f[hand >> 32 & LOW7]
            + g[hand >> 39 & LOW6]
            + h[hand >> 45]
        )

    return listed


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

picks_of, gives_of, discards_of = lister(PICKS), lister(GIVES), lister(DISCARDS)
"""The actions with the cards of a hand."""

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

SEVERAL = [ranks if ranks & (ranks - 1) else 0 for ranks in range(1 << 13)]
"""By a hand's ranks in a suit (a mask), the same ranks if they are at least two, else none."""


@cache
def _aimed(targets: int) -> list[list[tuple[Action, ...]]]:
    """The attacks on these players (a mask) with the cards of each eighth, then the challenges."""
    seats = [seat for seat in range(SEATS) if targets >> seat & 1]
    aimed: list[list[tuple[Action, ...]]] = []
    for actions in (ATTACKS, CHALLENGES):
        aimed += by_eighths([tuple([actions[card][seat] for seat in seats]) for card in PACK.cards])
    return aimed


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
    name_c = c and ranks - c + (SEVERAL[c] & twice)
    name_d = d and ranks - d + (SEVERAL[d] & twice)
    name_h = h and ranks - h + (SEVERAL[h] & twice)
    name_s = s and ranks - s + (SEVERAL[s] & twice)
    c6, c7, d6, d7, h6, h7, s6, s7, nc6, nc7, nd6, nd7, nh6, nh7, ns6, ns7 = _aimed(targets)
    return (
        PASS,
        *c6[c & LOW6],
        *c7[c >> 6],
        *d6[d & LOW6],
        *d7[d >> 6],
        *h6[h & LOW6],
        *h7[h >> 6],
        *s6[s & LOW6],
        *s7[s >> 6],
        *nc6[name_c & LOW6],
        *nc7[name_c >> 6],
        *nd6[name_d & LOW6],
        *nd7[name_d >> 6],
        *nh6[name_h & LOW6],
        *nh7[name_h >> 6],
        *ns6[name_s & LOW6],
        *ns7[name_s >> 6],
    )


# --- The cards that name another ------------------------------------------------------------------


def lowest(cards: int, ace_high: bool) -> int:
    """Of a mask of cards of one suit, the bit of the lowest, in the order of the rules in force."""
    others = cards & ~OF_RANK[0] if ace_high else cards
    return others & -others or cards


def laid_for(hand: int, card: Card, ace_high: bool) -> int:
    """The two cards of a hand that name `card`, as a mask; 0 if it has no such two.

    A card of its rank, in the lowest suit (C, D, H, S), and a card of its suit, of the lowest
    rank; neither is that card itself, so they are two.
    """
    of_rank = hand & OTHERS_OF_RANK[card]
    of_suit = hand & OTHERS_OF_SUIT[card]
    if not of_rank or not of_suit:
        return 0
    return of_rank & -of_rank | lowest(of_suit, ace_high)
