"""De Boers: the cards, which of them may be laid to steal, and the actions."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

from games.cards import STANDARD, Card, mask, subsets
from games.game import Action

# --- The cards: one pack of 52; A to 10 are numbers, J, Q and K are faces ----------------------

PACK = STANDARD
RANK = PACK.rank
SUIT = PACK.suit
NUMBER = tuple(rank + 1 if rank < 10 else 0 for rank in RANK)
"""What a card is worth: an ace 1, a ten 10, and a face card, which is no number, 0."""
DIAMOND = PACK.suits.index("D")
OF_DIAMONDS = PACK.of_suit[DIAMOND]
FACE_RANKS = (10, 11, 12)
"""The ranks of J, Q and K."""

RANKS = tuple(PACK.cards[rank::13] for rank in range(13))
OF_RANK = tuple(map(mask, RANKS))
"""By rank its four cards, and as a mask."""
NUMBERS = mask(card for card in PACK.cards if NUMBER[card])
FACES = mask(card for card in PACK.cards if not NUMBER[card])
OTHERS = mask(card for card in PACK.cards if SUIT[card] != DIAMOND)


def mates(card: Card) -> int:
    """The cards of which one at least is laid with this one, as a mask.

    A face goes with numbers; a number with faces and with its own rank. So a card that comes into a
    hand without any of these changes nothing in what may be laid.
    """
    return NUMBERS if not NUMBER[card] else FACES | OF_RANK[RANK[card]]


MATES = tuple(map(mates, PACK.cards))


ALL = (1 << 13) - 1
"""All cards of a suit."""
HANDS = tuple(subsets(PACK.cards[first : first + 13]) for first in (0, 13, 26, 39))
"""From a suit and a mask of 13 bits to the cards, ascending."""
CLUBS, DIAMONDS, HEARTS, SPADES = HANDS


def hand_of(cards: int) -> tuple[Card, ...]:
    """The cards of a mask, ascending."""
    return (
        CLUBS[cards & ALL]
        + DIAMONDS[cards >> 13 & ALL]
        + HEARTS[cards >> 26 & ALL]
        + SPADES[cards >> 39]
    )


def without(diamonds: int, lost: int) -> int:
    """These diamonds (13 bits) without so many of the lowest."""
    while lost and diamonds:
        diamonds &= diamonds - 1
        lost -= 1
    return diamonds


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
    Combination("doubles", "two numbers of one rank", 0, 2, 1, 1),
    Combination("face_number", "a face and a number", 1, 1, 1, 1),
    Combination("triples", "three numbers of one rank", 0, 3, 2, 1),
    Combination("double_face_number", "two faces of one rank and a number", 2, 1, 1, 2),
    Combination("triple_face_number", "three faces of one rank and a number", 3, 1, 1, 3),
    Combination(
        "double_face_doubles", "two faces of one rank and two numbers of one rank", 2, 2, 2, 2
    ),
)
TRIPLES = 2


def alike(held: int, number: int) -> list[tuple[Card, ...]]:
    """The choices of so many of these cards of one rank (a mask).

    Cards other than diamonds are interchangeable, so only those with the lowest suits are chosen;
    with and without the diamond are different choices, that without it first.
    """
    if not number:
        return [()]
    cards = [card for card in PACK.cards if held >> card & 1]
    others = [card for card in cards if SUIT[card] != DIAMOND]
    chosen = []
    if len(others) >= number:
        chosen.append(tuple(others[:number]))
    if len(others) < len(cards) and len(others) >= number - 1:
        diamond = PACK.cards[13 * DIAMOND + RANK[cards[0]]]
        chosen.append(tuple(sorted([diamond, *others[: number - 1]])))
    return chosen


class Lay(NamedTuple):
    """What there is to know of cards that are a combination."""

    combination: int
    number: int
    mask: int


def _lays() -> Iterator[tuple[tuple[Card, ...], Lay]]:
    """Every choice of cards that is a combination: faces first, then numbers, each by suit."""
    for index, combination in enumerate(COMBINATIONS):
        for face in FACE_RANKS if combination.faces else FACE_RANKS[:1]:
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
DRAWS, PASSES, CALLS = (DRAW,), (PASS,), (CALL, PASS)
WORDS: dict[str, Action] = {str(action): action for action in (DRAW, PASS, CALL)}
SEATS = {str(seat): seat for seat in range(8)}

steal = cache(Steal)
"""`steal(cards, victims)`: the one action of that kind."""


def parse(text: str) -> Action:
    """The action that a record spells so."""
    if text in WORDS:
        return WORDS[text]
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


RANK_MASK = (1 << 10) - 1
OF_RANKS = subsets(OF_RANK[:10])
"""From a mask of number ranks to the cards of each (masks), ascending."""
FACES_OF = {
    jacks | queens | kings: tuple([held for held in (jacks, queens, kings) if held])
    for jacks, queens, kings in product(*[map(mask, subsets(RANKS[rank])) for rank in FACE_RANKS])
}
"""From the faces held (a mask) to the jacks, the queens and the kings of them, if there are any."""


@cache
def of_one_rank(thief: int, players: int, faces: int, numbers: int) -> tuple[Steal, ...]:
    """The steals with numbers of one rank, and faces of one rank or none.

    In order by combination, faces, numbers, victims.
    """
    return tuple(
        [
            steal(face_cards + number_cards, victims)
            for index, combination in enumerate(COMBINATIONS)
            if bool(combination.faces) is bool(faces)
            for face_cards in alike(faces, combination.faces)
            for number_cards in alike(numbers, combination.numbers)
            for victims in victim_choices(thief, players, index)
        ]
    )


class Steals(dict[int, tuple[Steal, ...]]):
    """A seat's steals with numbers of one rank, by these and all faces held (a mask)."""

    def __init__(self, thief: int, players: int) -> None:
        super().__init__()
        self.thief = thief
        self.players = players

    def __missing__(self, held: int) -> tuple[Steal, ...]:
        """First without faces, then with J, Q, K."""
        numbers, faces = held & NUMBERS, held & FACES
        found = of_one_rank(self.thief, self.players, 0, numbers)
        for one_rank in FACES_OF[faces]:
            found += of_one_rank(self.thief, self.players, one_rank, numbers)
        if held.bit_count() <= 5:  # there are too many others to keep
            self[held] = found
        return found


class Turns(dict[int, tuple[Action, ...]]):
    """What a seat may do while the mine lasts, by the cards that it may lay (a mask).

    `draw`, then the steals by number: no combination has numbers of two ranks.
    """

    def __init__(self, seat: int, players: int) -> None:
        super().__init__()
        self.steals = Steals(seat, players)

    def __missing__(self, hand: int) -> tuple[Action, ...]:
        steals = self.steals
        faces = hand & FACES
        once = hand | hand >> 26  # clubs or hearts, then diamonds or spades
        if faces:
            ranks = once | once >> 13
        else:  # it takes two of a rank
            twice = hand & hand >> 26
            ranks = twice | twice >> 13 | once & once >> 13
        found: tuple[Action, ...] = DRAWS
        for of_rank in OF_RANKS[ranks & RANK_MASK]:
            found += steals[hand & of_rank | faces]
        if hand.bit_count() <= 3:  # as above
            self[hand] = found
        return found


@cache
def turns_of(players: int) -> tuple[Turns, ...]:
    """The tables of all seats."""
    return tuple([Turns(seat, players) for seat in range(players)])
