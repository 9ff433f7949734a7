"""Forest Fox: the rules, in the rulebook's order. The page beside this file has them in prose."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import ClassVar, NamedTuple

from games.cards import Card, Pack, mask, subsets
from games.chance import Chance
from games.game import (
    Action,
    Game,
    Result,
    State,
    Tactic,
    listening,
    no_counts,
    option,
    places,
    shared,
)
from games.game import Rules as BaseRules
from games.restrictions import restrictable

# --- The cards: fifteen, three suits (bells, keys, moons), ranks 1 to 5 ---------------------------

PACK = Pack("12345", "BKM")
RANK = tuple(rank + 1 for rank in PACK.rank)
SUIT = PACK.suit
OF_SUIT = PACK.of_suit
FOX, TRIUMPH, MONARCH = 1, 3, 5
ALL = (1 << 15) - 1
HANDS = subsets(PACK.cards)
"""From a mask to its cards, ascending."""


# --- What may vary ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Rules(BaseRules):
    """The options of Forest Fox."""

    game: ClassVar[str] = "forest_fox"

    leader: str = option("first_player", "first_player", "trick_winner")
    """Who leads the next trick: seat 0 always, or, as in the printed game, who took the last."""
    open_hands: bool = option(True, True, False)
    """Both hands lie open; without, a view has only the number of the other's cards."""
    fox: bool = option(True, True, False)
    """A 1 changes places with the decree as it is played."""
    triumph: bool = option(True, True, False)
    """The only 3 of a trick counts as being of the decree's suit."""
    monarch: bool = option(True, True, False)
    """A leader's 5 leaves the answerer only the suit's 1 and its own highest of the suit."""
    humble_max: int = option(1, range(0, 4))
    """The most tricks with which one is Humble, and wins."""
    greedy_min: int = option(6, range(5, 9))
    """The fewest tricks with which one is Greedy, and loses; with 8 nobody is."""


# --- What a player may do, and sees -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Play(Action):
    """Play a card from the hand."""

    card: Card

    def __str__(self) -> str:
        return PACK.faces[self.card]


PLAYS = tuple(Play(card) for card in PACK.cards)


PLAYS_OF = subsets(PLAYS)
"""From a mask of cards to the plays of them, ascending."""


def parse(text: str) -> Play:
    """The play that a record spells so."""
    return PLAYS[PACK.card(text)]


new = tuple.__new__
"""Makes a NamedTuple from its values at half the cost of calling it."""


class View(NamedTuple):
    """What a seat can see."""

    seat: int
    hand: tuple[Card, ...]
    phase: str
    """`lead`, `answer`, or `over`."""
    leader: int
    """The seat that leads, or led, this trick."""
    table: Card | None
    """The leader's card as it counts: after an exchange, the old decree."""
    decree: Card
    other_hand: tuple[Card, ...] | None
    """None where hands are hidden."""
    other_size: int
    tricks: tuple[int, int]
    """Tricks taken by seat 0 and by seat 1."""
    gone: tuple[Card, ...]
    """The cards of earlier tricks, as they counted."""


class Played(NamedTuple):
    """A seat played `card` from its hand; `decree` is the decree after it."""

    seat: int
    card: Card
    decree: Card


class Taken(NamedTuple):
    """A seat took the trick."""

    seat: int


TACTICS = (
    Tactic("lead", "led a trick", known=True),
    Tactic("follow", "answered in the suit led", known=True),
    Tactic(
        "ruff", "could not follow, and played the decree's suit", ("ruff", "slough"), known=True
    ),
    Tactic("slough", "could not follow, and played another suit", known=True),
    Tactic("fox", "exchanged a 1 for the decree", known=True),
    Tactic("triumph", "played the only 3 of a trick"),
    Tactic("monarch", "led a 5 that left the answerer fewer cards of its suit than it had"),
    Tactic("humble", "ended Humble"),
    Tactic("defeated", "ended Defeated"),
    Tactic("victorious", "ended Victorious"),
    Tactic("greedy", "ended Greedy"),
)
LEAD, FOLLOW, RUFF, SLOUGH, FOXED, TRIUMPHED, MONARCHED, *CLASSES = range(len(TACTICS))


# --- A trick --------------------------------------------------------------------------------------


def answers(hand: int, table: Card, monarch: bool) -> int:
    """The cards of a hand (masks) that may answer the card on the table.

    The answerer must follow the suit of the card that lies there if it can. A Monarch leaves it,
    of that suit, only the 1 and its highest.
    """
    suit = hand & OF_SUIT[SUIT[table]]
    if not suit:
        return hand
    if monarch and RANK[table] == MONARCH:
        one = OF_SUIT[SUIT[table]] & -OF_SUIT[SUIT[table]]
        highest = 1 << (suit.bit_length() - 1)
        return suit & (one | highest)
    return suit


def answer_takes(decree_suit: int, lead: Card, answer: Card, triumph: bool) -> bool:
    """Whether the answer takes the trick.

    The decree's suit is highest, then the suit of the leader's card; within a suit, the rank. With
    the Triumph, the only 3 of the trick counts as being of the decree's suit.
    """
    lead_suit, answer_suit = SUIT[lead], SUIT[answer]
    if triumph and RANK[lead] != RANK[answer]:
        if RANK[lead] == TRIUMPH:
            lead_suit = decree_suit
        if RANK[answer] == TRIUMPH:
            answer_suit = decree_suit
    if answer_suit == lead_suit:
        return RANK[answer] > RANK[lead]
    return answer_suit == decree_suit


ANSWERED = tuple(
    tuple(
        tuple(
            FOLLOW if SUIT[card] == SUIT[lead] else RUFF if SUIT[card] == suit else SLOUGH
            for card in PACK.cards
        )
        for lead in PACK.cards
    )
    for suit in range(3)
)
"""The tactic of an answer: by the decree's suit, the lead and the answer."""

TAKES = {
    triumph: tuple(
        tuple(
            tuple(answer_takes(suit, lead, answer, triumph) for answer in PACK.cards)
            for lead in PACK.cards
        )
        for suit in range(3)
    )
    for triumph in (False, True)
}
"""`answer_takes` as a table: by triumph, the decree's suit, the lead and the answer."""


class ForestFox(State):
    """A match: seven tricks. Hands, and the cards gone, are masks."""

    __slots__ = ("decree", "gone", "hands", "leader", "table", "tricks")

    rules: Rules

    def __init__(
        self, rules: Rules, players: int, chance: Chance, listeners: Sequence[int] = ()
    ) -> None:
        """Seven cards each, dealt alternately from seat 0; the fifteenth is the decree."""
        deck = chance.shuffle("deck", PACK.cards)
        self.hands = [mask(deck[0:14:2]), mask(deck[1:14:2])]
        self.decree = deck[14]
        self.rules = rules
        self.players = players
        self.chance = chance
        self.table: Card | None = None
        self.leader = 0
        self.tricks = [0, 0]
        self.gone = 0
        self.to_act: int | None = 0
        self.counts = no_counts(TACTICS, 2)
        self.heard = listening(players, listeners)

    def legal(self) -> tuple[Play, ...]:
        """By suit (bells, keys, moons), then rank."""
        assert self.to_act is not None
        hand = self.hands[self.to_act]
        if self.table is not None:
            hand = answers(hand, self.table, self.rules.monarch)
        return PLAYS_OF[hand]

    def apply(self, action: Play) -> None:
        """The leader plays a card, then the answerer."""
        if self.table is None:
            self._lead(action.card)
        else:
            self._answer(action.card, self.table)

    def _lead(self, card: Card) -> None:
        seat = self.leader
        self.counts[seat][LEAD] += 1
        self.table = table = self._play(seat, card)
        if RANK[table] == MONARCH and self.rules.monarch:
            other = self.hands[1 - seat]
            if answers(other, table, True) != answers(other, table, False):
                self.counts[seat][MONARCHED] += 1
        self.to_act = 1 - seat

    def _answer(self, card: Card, lead: Card) -> None:
        leader = self.leader
        seat = 1 - leader
        self.counts[seat][ANSWERED[SUIT[self.decree]][lead][card]] += 1
        answer = self._play(seat, card)
        triumph = self.rules.triumph
        if triumph and RANK[lead] != RANK[answer]:
            if RANK[lead] == TRIUMPH:
                self.counts[leader][TRIUMPHED] += 1
            elif RANK[answer] == TRIUMPH:
                self.counts[seat][TRIUMPHED] += 1
        # The decree is the one after both cards are down.
        taker = seat if TAKES[triumph][SUIT[self.decree]][lead][answer] else leader
        self.tricks[taker] += 1
        self.gone |= 1 << lead | 1 << answer
        self.table = None
        if self.rules.leader == "trick_winner":
            self.leader = taker
        if self.heard is not None:
            self.tell(Taken(taker))
        if self.hands[0]:
            self.to_act = self.leader
        else:
            self._end()

    def _play(self, seat: int, card: Card) -> Card:
        """The card as it counts. A Fox becomes the decree, and the old decree the card played."""
        self.hands[seat] ^= 1 << card
        counted = card
        if RANK[card] == FOX and self.rules.fox:
            self.counts[seat][FOXED] += 1
            counted = self.decree
            self.decree = card
        if self.heard is not None:
            self.tell(Played(seat, card, self.decree))
        return counted

    # --- The score --------------------------------------------------------------------------------

    def _end(self) -> None:
        self.to_act = None
        rules = self.rules
        for counts, tricks in zip(self.counts, self.tricks, strict=True):
            counts[CLASSES[class_of(tricks, rules.humble_max, rules.greedy_min)]] += 1

    @property
    def turns(self) -> int:
        """Cards played."""
        return self.gone.bit_count() + (self.table is not None)

    def scores(self) -> tuple[int, ...]:
        """Tricks taken."""
        return tuple(self.tricks)

    def result(self) -> Result:
        """Humble and Victorious win, Defeated and Greedy lose."""
        mine, theirs = self.tricks
        return judged(mine, theirs, self.rules.humble_max, self.rules.greedy_min)

    # --- What can be seen -------------------------------------------------------------------------

    def view(self, seat: int) -> View:
        """What this seat can see."""
        other = self.hands[1 - seat]
        return new(
            View,
            (
                seat,
                HANDS[self.hands[seat]],
                "over" if self.to_act is None else "lead" if self.table is None else "answer",
                self.leader,
                self.table,
                self.decree,
                HANDS[other] if self.rules.open_hands else None,
                other.bit_count(),
                tuple(self.tricks),
                HANDS[self.gone],
            ),
        )

    def copy(self) -> "ForestFox":
        """An independent twin that nobody listens to."""
        twin = ForestFox.__new__(ForestFox)
        twin.rules = self.rules
        twin.players = self.players
        twin.chance = self.chance.copy()
        twin.hands = self.hands[:]
        twin.decree = self.decree
        twin.table = self.table
        twin.leader = self.leader
        twin.tricks = self.tricks[:]
        twin.gone = self.gone
        twin.to_act = self.to_act
        twin.counts = [counts[:] for counts in self.counts]
        twin.heard = None
        return twin

    def cards(self) -> dict[str, tuple[Card, ...]]:
        """Every zone and what is in it."""
        return {
            "hand 0": HANDS[self.hands[0]],
            "hand 1": HANDS[self.hands[1]],
            "table": () if self.table is None else (self.table,),
            "decree": (self.decree,),
            "gone": HANDS[self.gone],
        }

    def hidden(self, seat: int) -> dict[str, tuple[Card, ...]]:
        """Nothing; or, where hands are hidden, the other's."""
        other = 1 - seat
        return {} if self.rules.open_hands else {f"hand {other}": HANDS[self.hands[other]]}

    def exchange(self, zone: str, card: Card, other_zone: str, other: Card) -> None:
        """For tests; only a hand is ever hidden, so only cards of one hand can change places."""
        assert zone == other_zone


@cache
def judged(mine: int, theirs: int, humble_max: int, greedy_min: int) -> Result:
    """The result for the tricks of seat 0 and of seat 1."""
    tricks = (mine, theirs)
    lost = [class_of(taken, humble_max, greedy_min) in (1, 3) for taken in tricks]
    order = places([not loser for loser in lost])
    return Result(tricks, order, shared(order), "tricks")


def class_of(tricks: int, humble_max: int, greedy_min: int) -> int:
    """0 Humble, and wins; 1 Defeated, and loses; 2 Victorious, and wins; 3 Greedy, and loses."""
    if tricks <= humble_max:
        return 0
    if tricks < 4:
        return 1
    return 2 if tricks < greedy_min else 3


@restrictable
def imagine(view: View, rng: Random, rules: Rules) -> ForestFox:
    """The state that a view belongs to.

    All fifteen cards are in play, so even a hidden hand is what is seen nowhere else: there is
    exactly one such state, but for the tactics counted so far, which start afresh.
    """
    own = mask(view.hand)
    gone = mask(view.gone)
    seen = own | gone | 1 << view.decree
    if view.table is not None:
        seen |= 1 << view.table
    state = ForestFox.__new__(ForestFox)
    state.rules = rules
    state.players = 2
    state.chance = Chance(PACK, rng.getrandbits(64))
    state.hands = [own, ALL ^ seen] if view.seat == 0 else [ALL ^ seen, own]
    state.decree = view.decree
    state.table = view.table
    state.leader = view.leader
    state.tricks = list(view.tricks)
    state.gone = gone
    state.to_act = {"lead": view.leader, "answer": 1 - view.leader}.get(view.phase)
    state.counts = no_counts(TACTICS, 2)
    state.heard = None
    return state


def _decisions(players: int) -> int:
    return 9


GAME = Game(
    name="forest_fox",
    title="Forest Fox",
    summary="an open trick game for two",
    number=2,
    players=(2,),
    usual=2,
    decisions=_decisions,
    pack=PACK,
    rules=Rules,
    state=ForestFox,
    actions=(Play,),
    parse=parse,
    imagine=imagine,
    tactics=TACTICS,
    ends=("tricks",),
    words=PACK.faces,
)
