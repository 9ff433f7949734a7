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

SUIT_BIT = tuple(1 << suit for suit in SUIT)
"""The suits held of one rank are a mask of four bits, clubs lowest."""
FACE_BIT = tuple(
    1 << 4 * (rank - 10) + suit if rank in FACES else 0
    for rank, suit in zip(RANK, SUIT, strict=True)
)
"""The face cards held are a mask of twelve bits: four for the jacks, the queens, the kings."""


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
    faces: int
    """Its face cards, as a mask of twelve bits."""
    suits: int
    """The suits of its numbers, as a mask of four bits."""
    diamonds: int
    """How many of the cards are diamonds."""


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
                        yield (
                            cards,
                            Lay(
                                index,
                                rank + 1,
                                mask(cards),
                                sum(FACE_BIT[card] for card in cards),
                                sum(SUIT_BIT[card] for card in numbers),
                                sum(SUIT[card] == DIAMOND for card in cards),
                            ),
                        )


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
    """All steals by one seat with numbers of one rank, given its face cards: by the suits that it
    holds of that rank, found when first asked for. In order by combination, face, number card,
    victims.
    """

    def __init__(self, seat: int, players: int, faces: int, rank: int) -> None:
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


def _face_cards(faces: int, number: int) -> list[tuple[Card, ...]]:
    if number == 0:
        return [()]
    return [
        cards
        for place, rank in enumerate(FACES)
        for cards in _cards(rank, ALIKE[number][faces >> 4 * place & 15])
    ]


@lru_cache(maxsize=1 << 12)
def steals(seat: int, players: int, faces: int) -> tuple[Steals, ...]:
    """By number rank, ace first, the steals of a seat that holds these face cards (a mask).

    A hand has no use for two number ranks at once, so what it can do is found rank by rank: a few
    look-ups, however many combinations there are.
    """
    return tuple([Steals(seat, players, faces, rank) for rank in range(10)])
