"""Casino Go Fish: the cards, and what a player may do, as records write it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from typing import TypeVar

from games.cards import STANDARD, Card
from games.game import Action

V = TypeVar("V")

# --- The cards: one pack of 52; a card's number is its rank, its colour red or black -------------

PACK = STANDARD
RANK = PACK.rank
RED = tuple(PACK.suits[suit] in "DH" for suit in PACK.suit)
ONE_OF = tuple(1 << 3 * rank for rank in PACK.rank)
"""By card, what it adds to counts of cards by number, three bits for each number."""

Cards = tuple[Card, ...]


class Made(dict[Cards, V]):
    """A table whose entries are made when they are first looked up, and kept until it is full."""

    FULL = 1 << 15
    """More than there are threes of cards (22,100), so that their actions are made but once."""

    def __init__(self, make: Callable[[Cards], V]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: Cards) -> V:
        if len(self) == self.FULL:
            self.clear()
        value = self[key] = self.make(key)
        return value


# --- Actions ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Show(Action):
    """A Patron lays the hand face up."""

    def __str__(self) -> str:
        return "show"


@dataclass(frozen=True, slots=True)
class Draw(Action):
    """Draw so many cards from the deck."""

    number: int

    def __str__(self) -> str:
        return f"draw {self.number}"


@dataclass(frozen=True, slots=True)
class Pool(Action):
    """A Patron draws these cards from the discard pool."""

    cards: Cards

    def __str__(self) -> str:
        return f"pool {PACK.spell(self.cards)}"


@dataclass(frozen=True, slots=True)
class TakeBlind(Action):
    """The Dealer takes cards at random from a hand that is face down."""

    number: int
    patron: int
    where: str
    """`table`, face up; or `hand`, known to the two alone."""

    def __str__(self) -> str:
        return f"take {self.number} from {self.patron} to {self.where}"


@dataclass(frozen=True, slots=True)
class TakeShown(Action):
    """The Dealer picks these cards from a hand that is shown."""

    cards: Cards
    patron: int
    where: str
    """`table`, face up; or `hand`, known to the two alone."""

    def __str__(self) -> str:
        return f"take {PACK.spell(self.cards)} from {self.patron} to {self.where}"


@dataclass(frozen=True, slots=True)
class Keep(Action):
    """Fill a place in the hand with this drawn card."""

    card: Card

    def __str__(self) -> str:
        return f"keep {PACK.faces[self.card]}"


@dataclass(frozen=True, slots=True)
class Swap(Action):
    """Swap a card of the hand, `out`, for a drawn one, `drawn`."""

    out: Card
    drawn: Card

    def __str__(self) -> str:
        return f"swap {PACK.faces[self.out]} for {PACK.faces[self.drawn]}"


@dataclass(frozen=True, slots=True)
class Done(Action):
    """Swap no more."""

    def __str__(self) -> str:
        return "done"


@dataclass(frozen=True, slots=True)
class Give(Action):
    """The Dealer gives what is left over to the Patron it took from."""

    def __str__(self) -> str:
        return "give"


@dataclass(frozen=True, slots=True)
class Discard(Action):
    """The Dealer, who could give them, puts the cards left over into the discard pool."""

    def __str__(self) -> str:
        return "discard"


ACTIONS = (Show, Draw, Pool, TakeBlind, TakeShown, Keep, Swap, Done, Give, Discard)

# --- Every action there can be, made once --------------------------------------------------------

SHOW = Show()
_DRAWS = tuple(Draw(number) for number in range(4))
DRAWS: tuple[tuple[tuple[Action, ...], ...], ...] = tuple(
    tuple(_DRAWS[least : most + 1] for most in range(4)) for least in range(2)
)
"""The draws from the deck, by the fewest cards and the most."""
SHOW_OR_DRAW = tuple(tuple((SHOW, *draws) for draws in by_most) for by_most in DRAWS)
"""The same where one may show first."""


class Picks:
    """The actions that name one to three cards; `make` gives those for such cards, ascending."""

    def __init__(self, make: Callable[[Cards], tuple[Action, ...]]) -> None:
        self.two = tuple(
            tuple(
                make(tuple(sorted({card, other}))) if card <= other else () for other in PACK.cards
            )
            for card in PACK.cards
        )
        """By two cards, the lower one first; twice the same: of that one alone."""
        self.three = Made(make)

    def of(self, cards: Cards) -> tuple[Action, ...]:
        """The actions that name just these cards."""
        return self.three[cards] if len(cards) == 3 else self.two[cards[0]][cards[-1]]

    def among(self, cards: Cards, most: int) -> tuple[Action, ...]:
        """Those that name up to so many of these cards: by their number, then by card."""
        two = self.two
        actions: list[Action] = []
        for card in cards:
            actions += two[card][card]
        if most > 1:
            for card, other in combinations(cards, 2):
                actions += two[card][other]
        if most > 2:
            for three in combinations(cards, 3):
                actions += self.three[three]
        return tuple(actions)


def _pool(cards: Cards) -> tuple[Action, ...]:
    return (Pool(cards),)


def _shown(cards: Cards, patron: int) -> tuple[Action, ...]:
    return tuple(TakeShown(cards, patron, where) for where in WHERE)


def _draws(most: int, pool: Cards) -> tuple[Action, ...]:
    return POOL.among(pool, most)


WHERE = ("table", "hand")
PATRONS = range(4)
POOL = Picks(_pool)
POOLS = tuple(Made(partial(_draws, most)) for most in range(4))
"""By the most cards and the pool's: the draws from it."""
SHOWN = tuple(Picks(partial(_shown, patron=patron)) for patron in PATRONS)
"""By the Patron; for some cards, taking them to the table and to the hand."""
BLIND = tuple(
    tuple(
        tuple(TakeBlind(number, patron, where) for number in range(1, most + 1) for where in WHERE)
        for most in range(4)
    )
    for patron in PATRONS
)
"""By the Patron and the most cards: the blind takes, fewest cards first."""
KEEPS = tuple(Keep(card) for card in PACK.cards)
SWAPS = tuple(tuple(Swap(out, drawn) for out in PACK.cards) for drawn in PACK.cards)
"""By the drawn card and the card swapped out for it."""
DONE, GIVE, DISCARD = Done(), Give(), Discard()
GIVE_OR_DISCARD = (GIVE, DISCARD)


def fit(kind: str, out: Card, drawn: Card) -> bool:
    """Whether a rule for swaps (`like`, `number`, `colour` or `free`) allows this swap."""
    same_number = RANK[out] == RANK[drawn]
    same_colour = RED[out] == RED[drawn]
    return {
        "like": same_number or same_colour,
        "number": same_number,
        "colour": same_colour,
        "free": True,
    }[kind]


ALLOWED = {
    kind: tuple(
        tuple(SWAPS[drawn][out] if fit(kind, out, drawn) else None for out in PACK.cards)
        for drawn in PACK.cards
    )
    for kind in ("like", "number", "colour", "free")
}
"""`SWAPS`, with None where the rule for swaps doesn't allow it."""


def parse(text: str) -> Action:
    """The action that a record spells so; ValueError for anything else."""
    action = _named().get(text)
    if action is not None:
        return action
    word, *rest = text.split(" ")
    if word == "pool" and _in_order(cards := PACK.read(rest)):
        return POOL.of(cards)[0]
    if word == "take" and len(rest) > 4 and rest[-4] == "from" and rest[-2] == "to":
        cards, patron, where = PACK.read(rest[:-4]), rest[-3], rest[-1]
        if _in_order(cards) and where in WHERE and patron in map(str, PATRONS):
            return SHOWN[int(patron)].of(cards)[WHERE.index(where)]
    raise ValueError(f"{text!r} is no action of this game")


def _in_order(cards: Cards) -> bool:
    """Whether these are one to three different cards, ascending: as an action names them."""
    return 1 <= len(cards) <= 3 and list(cards) == sorted(set(cards))


@cache
def _named() -> dict[str, Action]:
    """The actions that are few enough for a table, by their notation."""
    actions: list[Action] = [SHOW, DONE, GIVE, DISCARD, *_DRAWS, *KEEPS]
    actions += [swap for swaps in SWAPS for swap in swaps if swap.out != swap.drawn]
    actions += [take for takes in BLIND for take in takes[-1]]
    return {str(action): action for action in actions}
