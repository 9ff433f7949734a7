"""De Boers: the cards, and which of them may be laid to steal. What a seat can do is made here."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple

from games.cards import STANDARD, Card, mask
from games.game import Action

# --- The cards: one pack of 52; A to 10 are numbers, J, Q and K are faces ----------------------

PACK = STANDARD
RANK = PACK.rank
SUIT = PACK.suit
NUMBER = tuple(rank + 1 if rank < 10 else 0 for rank in RANK)
"""What a card is worth: an ace 1, a ten 10, and a face card, which is no number, 0."""
DIAMOND = PACK.suits.index("D")
OF_DIAMONDS = PACK.of_suit[DIAMOND]
FACES = (10, 11, 12)
"""The ranks of J, Q and K."""

NUMBERS = sum(1 << card for card in PACK.cards if NUMBER[card])
LAYABLE = {False: ~OF_DIAMONDS, True: -1}
"""The cards that may be laid, as a mask, by whether stockpiling is switched on."""


def mates(card: Card) -> int:
    """The cards of which one at least is laid with this one, as a mask.

    A face goes with numbers; a number with faces and with its own rank. So a card that comes into a
    hand without any of these changes nothing in what may be laid.
    """
    if not NUMBER[card]:
        return NUMBERS
    return sum(1 << mate for mate in PACK.cards if not NUMBER[mate] or RANK[mate] == RANK[card])


MATES = {
    stockpiling: tuple(mates(card) & layable if layable >> card & 1 else 0 for card in PACK.cards)
    for stockpiling, layable in LAYABLE.items()
}
"""`mates` that may be laid, by whether stockpiling is switched on; none for a card that may not."""


# --- The combinations ---------------------------------------------------------------------------


class Combination(NamedTuple):
    """Cards that may be laid: so many faces of one rank and so many numbers of one rank."""

    name: str
    meaning: str
    faces: int
    numbers: int
    times: int
    """The diamonds taken, as a multiple of the number (of triples, as published)."""
    victims: int
    """From how many players, from each of them."""


COMBINATIONS = (
    Combination("doubles", "two numbers", 0, 2, 1, 1),
    Combination("face_number", "a face and a number", 1, 1, 1, 1),
    Combination("triples", "three numbers", 0, 3, 2, 1),
    Combination("double_face_number", "two faces and a number", 2, 1, 1, 2),
    Combination("triple_face_number", "three faces and a number", 3, 1, 1, 3),
    Combination("double_face_doubles", "two faces and two numbers", 2, 2, 2, 2),
)
TRIPLES = 2


def alike(suits: int, number: int) -> tuple[tuple[int, ...], ...]:
    """The choices of so many cards of one rank, as suits, from those held (a mask).

    Cards other than diamonds are interchangeable, so only those with the lowest suits are chosen;
    with and without the diamond are different choices, that without it first.
    """
    others = [suit for suit in range(4) if suits >> suit & 1 and suit != DIAMOND]
    chosen = []
    if len(others) >= number:
        chosen.append(tuple(others[:number]))
    if suits >> DIAMOND & 1 and len(others) >= number - 1:
        chosen.append(tuple(sorted([DIAMOND, *others[: number - 1]])))
    return tuple(chosen)


ALIKE = tuple(tuple(alike(suits, number) for suits in range(16)) for number in range(4))
"""`alike`, by the number of cards and the suits held; of no cards there is one choice, none."""


class Lay(NamedTuple):
    """What there is to know of cards that are a combination."""

    combination: int
    number: int
    mask: int


def _lays() -> Iterator[tuple[tuple[Card, ...], Lay]]:
    """Every choice of cards that is a combination: faces first, then numbers, each by suit."""
    for index, combination in enumerate(COMBINATIONS):
        for face in FACES if combination.faces else FACES[:1]:
            for face_suits in combinations(range(4), combination.faces):
                faces = tuple([PACK.cards[13 * suit + face] for suit in face_suits])
                for rank in range(10):
                    for suits in combinations(range(4), combination.numbers):
                        numbers = tuple([PACK.cards[13 * suit + rank] for suit in suits])
                        cards = faces + numbers
                        yield cards, Lay(index, rank + 1, mask(cards))


LAYS = dict(_lays())
"""By the cards laid, as an action has them."""


# --- The actions --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Draw(Action):
    """Take the top card of the mine."""

    def __str__(self) -> str:
        return "draw"


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """Do nothing: in a turn when the mine is empty, or when a call could be made."""

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class Call(Action):
    """Call "De Boers!" on a stockpile."""

    def __str__(self) -> str:
        return "de_boers"


@dataclass(frozen=True, slots=True)
class Steal(Action):
    """Lay these cards, faces first, and take diamonds from these victims, who ascend."""

    cards: tuple[Card, ...]
    victims: tuple[int, ...]

    def __str__(self) -> str:
        return f"steal {PACK.spell(self.cards)} from {' '.join(map(str, self.victims))}"


DRAW, PASS, CALL = Draw(), Pass(), Call()
SEATS = {str(seat): seat for seat in range(8)}

steal = cache(Steal)
"""`steal(cards, victims)`: the one action of that kind."""


def parse(text: str) -> Action:
    """The action that a record spells so."""
    for action in (DRAW, PASS, CALL):
        if text == str(action):
            return action
    verb, *words = text.split(" ")
    if verb == "steal" and "from" in words:
        middle = words.index("from")
        cards = PACK.read(words[:middle])
        victims = tuple([SEATS.get(word, -1) for word in words[middle + 1 :]])
        if cards in LAYS and victims in victim_choices(-1, 8, LAYS[cards].combination):
            return steal(cards, victims)
    raise ValueError(f"{text!r} is no action of this game")


# --- What may be stolen with --------------------------------------------------------------------


@cache
def victim_choices(thief: int, players: int, combination: int) -> tuple[tuple[int, ...], ...]:
    """Different players, other than the thief; none where there are too few opponents."""
    others = [seat for seat in range(players) if seat != thief]
    return tuple(combinations(others, COMBINATIONS[combination].victims))


class Steals(dict[int, tuple[Steal, ...]]):
    """All steals by one seat with numbers of one rank, given the faces that it holds.

    By the suits held of that rank; each entry is made when it is first asked for. In order by
    combination, faces, numbers, victims.
    """

    def __init__(self, seat: int, players: int, faces: bytes, rank: int) -> None:
        super().__init__()
        self.given = seat, players, faces, rank

    def __missing__(self, suits: int) -> tuple[Steal, ...]:
        seat, players, faces, rank = self.given
        self[suits] = found = tuple(
            [
                steal(face_cards + number_cards, victims)
                for index, combination in enumerate(COMBINATIONS)
                for face_cards in _face_cards(faces, combination.faces)
                for number_cards in _cards(rank, ALIKE[combination.numbers][suits])
                for victims in victim_choices(seat, players, index)
            ]
        )
        return found


def _cards(rank: int, choices: tuple[tuple[int, ...], ...]) -> list[tuple[Card, ...]]:
    return [tuple([PACK.cards[13 * suit + rank] for suit in suits]) for suits in choices]


def _face_cards(faces: bytes, number: int) -> list[tuple[Card, ...]]:
    if number == 0:
        return [()]
    return [
        cards
        for rank, suits in zip(FACES, faces, strict=True)
        for cards in _cards(rank, ALIKE[number][suits])
    ]


@lru_cache(maxsize=1 << 12)
def by_rank(seat: int, players: int, faces: bytes) -> tuple[Steals, ...]:
    """By number rank, ace first, the steals of a seat that holds these faces (suits by rank)."""
    return tuple([Steals(seat, players, faces, rank) for rank in range(10)])


SPREAD = tuple(
    sum(1 << 8 * rank for rank in range(13) if cards >> rank & 1) for cards in range(1 << 13)
)
"""From a mask of one suit to the same cards with a byte for each rank."""
SUIT_MASK = (1 << 13) - 1


def stealable(seat: int, players: int, hand: int) -> tuple[Steal, ...]:
    """The steals that a seat can make with these cards (a mask), in order by number first.

    No combination has numbers of two ranks, so they are found rank by rank: a few look-ups, however
    many combinations there are.
    """
    suits_by_rank = (
        SPREAD[hand & SUIT_MASK]
        | SPREAD[hand >> 13 & SUIT_MASK] << 1
        | SPREAD[hand >> 26 & SUIT_MASK] << 2
        | SPREAD[hand >> 39 & SUIT_MASK] << 3
    ).to_bytes(13, "little")
    found: tuple[Steal, ...] = ()
    for steals, suits in zip(by_rank(seat, players, suits_by_rank[10:]), suits_by_rank):  # noqa: B905
        if suits:
            found += steals[suits]
    return found
