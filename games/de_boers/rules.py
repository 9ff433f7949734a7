"""De Boers: the rules, in the rulebook's order. The page beside this file has them in prose.

What may vary is in options.py, which cards may be laid in steals.py, what a seat sees in view.py,
how the cards that it can't see may lie in imagine.py.
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from games.cards import BIT, Card, mask
from games.chance import Chance
from games.de_boers.imagine import placed
from games.de_boers.options import Rules, lays
from games.de_boers.steals import (
    ALL,
    CALL,
    CALLS,
    CLUBS,
    COMBINATIONS,
    DIAMOND,
    DIAMONDS,
    DRAW,
    HEARTS,
    MATES,
    OTHERS,
    PACK,
    PASSES,
    RANK,
    SPADES,
    SUIT,
    Call,
    Draw,
    Pass,
    Steal,
    hand_of,
    parse,
    steal,
    turns_of,
    without,
)
from games.de_boers.view import Called, Drew, Handed, Laid, Noticed, Passed, Stockpile, View
from games.game import (
    Action,
    Game,
    Result,
    State,
    Tactic,
    listening,
    no_counts,
    places,
    shared,
)
from games.restrictions import restrictable

# --- The tactics ----------------------------------------------------------------------------------

TACTICS = (
    Tactic("draw", "drew from the mine", known=True),
    Tactic("pass", "passed a turn, the mine being empty", known=True),
    *(Tactic(name, f"laid {meaning}", known=True) for name, meaning, *_ in COMBINATIONS),
    Tactic("stockpile", "laid a diamond, also when it was called", known=True),
    Tactic("de_boers", "called on a stockpile", known=True),
    Tactic("robbed", "handed over at least one diamond to a thief"),
    Tactic("diamonds_stolen", "diamonds received by stealing"),
    Tactic("diamonds_lost", "diamonds handed over to thieves"),
)
DREW, PASSED = 0, 1
STOCKPILED, CALLED, ROBBED, STOLEN, LOST = range(2 + len(COMBINATIONS), len(TACTICS))

new = tuple.__new__
"""Makes a NamedTuple from its values at half the cost of calling it."""
COUNT = int.bit_count
"""The number of cards in a hand."""


class Deal(NamedTuple):
    """Hands, as a match has them, and the mine, its top at the end."""

    hands: tuple[int, ...]
    diamonds: tuple[int, ...]
    sizes: tuple[int, ...]
    mine: tuple[Card, ...]


def deal_of(hands: Sequence[int], mine: Sequence[Card]) -> Deal:
    """Of hands as masks of all their cards, and of a mine with its top first."""
    return Deal(
        tuple([hand & OTHERS for hand in hands]),
        tuple([hand >> 13 & ALL for hand in hands]),
        tuple(map(COUNT, hands)),
        tuple(mine[::-1]),
    )


@lru_cache(maxsize=1)
def deal(deck: tuple[Card, ...], players: int, hand_size: int) -> Deal:
    """To each seat in turn. The last is kept, for the other seatings of the same deck."""
    dealt = players * hand_size
    return deal_of([mask(deck[seat:dealt:players]) for seat in range(players)], deck[dealt:])


class DeBoers(State):
    """A match. Hands are masks of cards other than diamonds, and those, 13 bits, are apart.

    `choices[seat]` are the seat's legal actions, None when they have to be found anew.
    `known[holder][seat]` are diamonds (13 bits) that a seat knows to be in the holder's hand, where
    there are any; `shown[seat][holder]` has them as views do; `least[holder]` is how many everybody
    knows of.
    """

    __slots__ = (
        "callers",
        "choices",
        "diamonds",
        "end",
        "hands",
        "known",
        "laid",
        "lays",
        "least",
        "left",
        "mine",
        "shown",
        "sizes",
        "stockpile",
        "stockpiling",
        "tables",
        "taken",
        "turn",
    )

    rules: Rules

    def __init__(
        self, rules: Rules, players: int, chance: Chance, listeners: Sequence[int] = ()
    ) -> None:
        """Five cards each; the rest is the mine, face down. Seat 0 begins."""
        deck = tuple(chance.shuffle("deck", PACK.cards))
        self._begin(rules, players, chance, deal(deck, players, rules.hand_size))
        self.heard = listening(players, listeners)

    def _begin(self, rules: Rules, players: int, chance: Chance, dealt: Deal) -> None:
        self.rules = rules
        self.players = players
        self.chance = chance
        self.hands = [*dealt.hands]
        self.diamonds = [*dealt.diamonds]
        self.sizes = [*dealt.sizes]
        self.mine = [*dealt.mine]  # its top is at the end
        self.stockpiling = rules.stockpiling
        self.tables = turns_of(players)
        self.lays = lays(rules.triple_factor, rules.each_victim, rules.steal_cap)
        self.choices: list[tuple[Action, ...] | None] = [None] * players
        self.laid: list[tuple[Card, ...]] = [()] * players
        self.least = [0] * players
        self.known: list[dict[int, int]] = [{} for _ in range(players)]
        self.shown: list[list[tuple[Card, ...]]] = [[()] * players for _ in range(players)]
        self.stockpile: Steal | None = None
        self.callers: tuple[int, ...] = ()
        self.turn = 0
        self.left: int | None = None
        self.taken = 0
        self.end = ""
        self.to_act: int | None = 0
        self.counts = no_counts(TACTICS, players)
        self.heard = None

    # --- A turn: draw, or steal, or pass when the mine is empty ---------------------------------

    def legal(self) -> tuple[Action, ...]:
        """`draw` or `pass`, then steals: by number, faces, combination, cards, victims.

        In a call, `de_boers` and `pass`.
        """
        seat = self.turn
        choices = self.choices[seat]
        if choices is None:
            hand = self.hands[seat]
            if self.stockpiling:
                hand |= self.diamonds[seat] << 13
            choices = self.tables[seat][hand]
            if not self.mine:
                choices = PASSES + choices[1:]
            self.choices[seat] = choices
        return choices

    def apply(self, action: Action) -> None:
        """One turn, or one answer to a stockpile.

        A player holding all 13 diamonds wins at once; only one can have gained any. Else, once the
        mine is empty, the last turns are counted.
        """
        seat = self.turn
        gainer: int | None = seat
        if action is DRAW:
            card = self.mine.pop()
            self.sizes[seat] += 1
            self.counts[seat][DREW] += 1
            if SUIT[card] == DIAMOND:
                self.diamonds[seat] |= BIT[RANK[card]]
                if self.stockpiling:
                    self.choices[seat] = None
            else:
                hand = self.hands[seat]
                self.hands[seat] = hand | BIT[card]
                if hand & MATES[card] or self.stockpiling:
                    self.choices[seat] = None
            if self.heard is not None:
                self._tell_apart(Drew(seat, None), Drew(seat, card), seat)
            if not self.mine:
                self._empty()
        elif type(action) is Steal:
            gainer = self._steal(seat, action)
        elif self.stockpile is None:
            self.counts[seat][PASSED] += 1
            if self.heard is not None:
                self.tell(Passed(seat))
        else:
            gainer = self._answer(action, self.stockpile)
        if gainer is None:
            return  # somebody is asked: the turn is not over
        self.taken += 1
        if self.diamonds[gainer] == ALL:
            self._over("thirteen")
            return
        if self.left is not None:
            self.left -= 1
            if not self.left:
                self._over("mine")
                return
        seat += 1
        self.turn = self.to_act = seat if seat < self.players else 0

    def _empty(self) -> None:
        """Every player has one more turn, the one who drew the last card last.

        And that draw's own turn is not over yet. Nobody can draw any more.
        """
        self.left = 1 + self.players * self.rules.last_turns
        self.choices = [None] * self.players

    def _steal(self, seat: int, action: Steal) -> int | None:
        """Lays the cards, face up, where they stay; names the victims."""
        cards = action.cards
        tactic, laid, diamonds, shares = self.lays[cards]
        self.hands[seat] ^= laid
        self.sizes[seat] -= len(cards)
        self.choices[seat] = None
        self.laid[seat] += cards
        self.counts[seat][tactic] += 1
        if self.heard is not None:
            self.tell(Laid(seat, cards, action.victims))
        if diamonds:
            return self._announce(seat, action, diamonds)
        return self._rob(seat, action.victims, shares)

    def _rob(self, seat: int, victims: tuple[int, ...], shares: tuple[int, ...]) -> int:
        """A victim hands over what it owes, or all it has if fewer; lowest ranks first."""
        for victim, share in zip(victims, shares):  # noqa: B905 (strict takes longer)
            given = self.diamonds[victim]
            if given.bit_count() > share:
                given ^= without(given, share)
            if given:
                gained = self._hand_over(victim, seat, given)
                lost = self.counts[victim]
                lost[ROBBED] += 1
                lost[LOST] += gained
                self.counts[seat][STOLEN] += gained
            if self.heard is not None:
                cards = DIAMONDS[given]
                public = Handed(victim, seat, len(cards), None)
                self._tell_apart(public, Handed(victim, seat, len(cards), cards), victim, seat)
        return seat

    def _hand_over(self, giver: int, taker: int, given: int) -> int:
        """Diamonds (13 bits) change hands; returns their number.

        How many is public; which ones, only the two know. What others knew to be there and may have
        gone, the lowest, they don't know any more.
        """
        number = given.bit_count()
        self.diamonds[giver] ^= given
        self.diamonds[taker] |= given
        self.sizes[giver] -= number
        self.sizes[taker] += number
        if self.stockpiling:
            self.choices[giver] = self.choices[taker] = None
        least, known = self.least, self.known[giver]
        least[taker] += number
        if not self.diamonds[giver]:  # a giver that gave all it had is known to hold none
            least[giver] = 0
            for seat in known:
                self.shown[seat][giver] = ()
            known.clear()
        else:
            least[giver] = least[giver] - number if least[giver] > number else 0
            for seat, there in [*known.items()]:
                left = there & ~given if seat == taker else without(there, number)
                self._know(seat, giver, left)
        there = self.known[taker].get(giver, 0) | given
        self.known[taker][giver] = there
        self.shown[giver][taker] = DIAMONDS[there]
        return number

    def _know(self, seat: int, holder: int, diamonds: int) -> None:
        """What a seat knows to be in another's hand."""
        self.shown[seat][holder] = DIAMONDS[diamonds]
        if diamonds:
            self.known[holder][seat] = diamonds
        else:
            self.known[holder].pop(seat, None)

    # --- Stockpiling ------------------------------------------------------------------------------

    def _announce(self, thief: int, action: Steal, diamonds: int) -> int | None:
        """Before anything changes hands the others are asked, from the next seat round.

        Where people overlook things, only those who noticed are.
        """
        self.diamonds[thief] ^= diamonds
        self.counts[thief][STOCKPILED] += 1
        self.least[thief] = max(0, self.least[thief] - diamonds.bit_count())
        for seat, there in [*self.known[thief].items()]:
            self._know(seat, thief, there & ~diamonds)
        players, percent = self.players, self.rules.notice_percent
        callers = tuple([(thief + step) % players for step in range(1, players)])
        if percent < 100:
            noticed = self.chance.some("notice", sorted(callers), percent)
            callers = tuple([seat for seat in callers if seat in noticed])
            for seat in callers:
                self._tell_alone(Noticed(seat), seat)
        return self._ask(action, callers)

    def _ask(self, action: Steal, callers: tuple[int, ...]) -> int | None:
        """Asks the first of these; if there is none the steal goes through."""
        self.callers = callers
        if callers:
            self.stockpile = action
            self.choices[self.turn] = CALLS
            self.to_act = callers[0]
            return None
        self.stockpile = None
        self.choices[self.turn] = None
        *_, shares = self.lays[action.cards]
        return self._rob(self.turn, action.victims, shares)

    def _answer(self, action: Action, stockpile: Steal) -> int | None:
        seat, *others = self.callers
        if action is CALL:
            return self._call(seat, stockpile)
        self._tell_alone(Passed(seat), seat)
        return self._ask(stockpile, tuple(others))

    def _call(self, seat: int, stockpile: Steal) -> int:
        """The caller collects the diamonds just laid and every diamond in the stockpiler's hand.

        The steal is void, the other cards laid stay out of play and the turn is over.
        """
        thief = self.turn
        self.counts[seat][CALLED] += 1
        self.stockpile = None
        self.callers = ()
        held = self.diamonds[thief]
        if held:
            self._hand_over(thief, seat, held)
        cards = stockpile.cards
        _, _, laid, _ = self.lays[cards]
        staying = tuple([card for card in cards if SUIT[card] != DIAMOND])
        self.laid[thief] = self.laid[thief][: -len(cards)] + staying
        self.diamonds[seat] |= laid
        self.sizes[seat] += laid.bit_count()
        self.choices[thief] = self.choices[seat] = None
        # All have seen these go into the caller's hand.
        self.least[seat] += laid.bit_count()
        for other in range(self.players):
            if other != seat:
                self._know(other, seat, self.known[seat].get(other, 0) | laid)
        if self.heard is not None:
            public = Called(seat, thief, DIAMONDS[laid], held.bit_count(), None)
            private = public._replace(cards=DIAMONDS[held])
            self._tell_apart(public, private, seat, thief)
        return seat

    # --- Ending the game --------------------------------------------------------------------------

    def _over(self, end: str) -> None:
        self.to_act = None
        self.end = end

    @property
    def turns(self) -> int:
        """Turns taken: draws, steals (void ones too) and passes."""
        return self.taken

    def standing(self, seat: int) -> int:
        """Diamonds in hand, and laid ones where they count."""
        diamonds = self.diamonds[seat].bit_count()
        if self.rules.stockpiled_score:
            diamonds += sum(SUIT[card] == DIAMOND for card in self.laid[seat])
        return diamonds

    def scores(self) -> tuple[int, ...]:
        """Diamonds, as in `standing`."""
        if self.rules.stockpiled_score:
            return tuple([self.standing(seat) for seat in range(self.players)])
        return tuple(map(COUNT, self.diamonds))

    def result(self) -> Result:
        """The most diamonds win."""
        return judged(self.scores(), self.end)

    # --- What can be seen -------------------------------------------------------------------------

    def view(self, seat: int) -> View:
        """What this seat can see."""
        cards = self.hands[seat]
        stockpile = self.stockpile
        return new(
            View,
            (
                seat,
                CLUBS[cards & ALL]
                + DIAMONDS[self.diamonds[seat]]
                + HEARTS[cards >> 26 & ALL]
                + SPADES[cards >> 39],
                "over" if self.to_act is None else "turn" if stockpile is None else "call",
                self.turn,
                tuple(self.sizes),
                len(self.mine),
                self.left,
                tuple(self.laid),
                tuple(self.least),
                tuple(self.shown[seat]),
                None
                if stockpile is None
                else Stockpile(self.turn, stockpile.cards, stockpile.victims),
            ),
        )

    def _tell_apart(self, public: object, private: object, *concerned: int) -> None:
        """These seats see the second event, all others the first."""
        for seat, heard in enumerate(self.heard or ()):
            if heard is not None:
                heard.append(private if seat in concerned else public)

    def _tell_alone(self, event: object, seat: int) -> None:
        """Only this seat sees the event."""
        if self.heard is not None:
            heard = self.heard[seat]
            if heard is not None:
                heard.append(event)

    def copy(self) -> "DeBoers":
        """An independent twin that nobody listens to."""
        twin = DeBoers.__new__(DeBoers)
        twin.rules = self.rules
        twin.players = self.players
        twin.chance = self.chance.copy()
        twin.mine = self.mine[:]
        twin.lays = self.lays
        twin.stockpiling = self.stockpiling
        twin.tables = self.tables
        twin.hands = self.hands[:]
        twin.diamonds = self.diamonds[:]
        twin.sizes = self.sizes[:]
        twin.choices = self.choices[:]
        twin.laid = self.laid[:]
        twin.least = self.least[:]
        twin.known = [known.copy() for known in self.known]
        twin.shown = [shown[:] for shown in self.shown]
        twin.stockpile = self.stockpile
        twin.callers = self.callers
        twin.turn = self.turn
        twin.left = self.left
        twin.taken = self.taken
        twin.end = self.end
        twin.to_act = self.to_act
        twin.counts = [counts[:] for counts in self.counts]
        twin.heard = None
        return twin

    def cards(self) -> dict[str, tuple[Card, ...]]:
        """Every zone and what is in it; the mine from the top."""
        seats = range(self.players)
        return {
            **{
                f"hand {seat}": hand_of(self.hands[seat] | self.diamonds[seat] << 13)
                for seat in seats
            },
            "mine": tuple(reversed(self.mine)),
            **{f"laid {seat}": tuple(sorted(self.laid[seat])) for seat in seats},
        }

    def hidden(self, seat: int) -> dict[str, tuple[Card, ...]]:
        """The mine, and the other hands but for what is known to be there."""
        return {
            **{
                f"hand {other}": hand_of(
                    self.hands[other]
                    | (self.diamonds[other] & ~self.known[other].get(seat, 0)) << 13
                )
                for other in range(self.players)
                if other != seat
            },
            "mine": tuple(reversed(self.mine)),
        }

    def exchange(self, zone: str, card: Card, other_zone: str, other: Card) -> None:
        """For tests."""
        ends = (zone, card, other), (other_zone, other, card)
        found = [self.mine.index(out) if name == "mine" else None for name, out, _ in ends]
        for (name, out, into), position in zip(ends, found, strict=True):
            if position is not None:
                self.mine[position] = into
            elif zone != other_zone:
                seat = int(name.removeprefix("hand "))
                self.hands[seat] ^= (BIT[out] | BIT[into]) & OTHERS
                self.diamonds[seat] ^= (BIT[out] | BIT[into]) >> 13 & ALL
                if self.choices[seat] is not CALLS:
                    self.choices[seat] = None


@lru_cache(maxsize=1 << 12)
def judged(scores: tuple[int, ...], end: str) -> Result:
    """The most diamonds win."""
    order = places(scores)
    return Result(scores, order, shared(order), end)


@restrictable
def imagine(view: View, rng: Random, rules: Rules) -> DeBoers:
    """A full state that this view may belong to, each placement of the unseen cards equally likely.

    In a call the seat itself is the one that is asked (the view doesn't say), and the others after
    it noticed with their chance. Tactics and turns start afresh, and what other seats were told
    apart isn't in a view: their `known` cards are none.
    """
    players = len(view.sizes)
    hands, mine = placed(view, rng)
    state = DeBoers.__new__(DeBoers)
    chance = Chance(PACK, rng.getrandbits(64))
    state._begin(rules, players, chance, deal_of([mask(hand) for hand in hands], mine))
    state.laid = list(view.laid)
    state.least = list(view.diamonds)
    for holder, cards in enumerate(view.known):
        state._know(view.seat, holder, sum(1 << RANK[card] for card in cards))
    state.turn = view.turn
    state.left = view.turns_left
    state.to_act = None if view.phase == "over" else view.turn
    if view.stockpile is not None:
        thief, cards, victims = view.stockpile
        state.stockpile = steal(cards, victims)
        state.callers = _may_call(view.seat, thief, players, rng, rules.notice_percent)
        state.choices[thief] = CALLS
        state.to_act = state.callers[0]
    return state


def _may_call(seat: int, thief: int, players: int, rng: Random, percent: int) -> tuple[int, ...]:
    """The seat and whoever after it noticed; for the thief itself, some who noticed."""
    others = [(thief + step) % players for step in range(1, players)]
    later = others if seat == thief else others[others.index(seat) + 1 :]
    while True:
        noticed = [other for other in later if rng.randrange(100) < percent]
        if seat != thief:
            return (seat, *noticed)
        if noticed:
            return tuple(noticed)


def _decisions(players: int) -> int:
    return 10 + 60 // players


GAME = Game(
    name="de_boers",
    title="De Boers",
    summary="hidden hands, stealing diamonds",
    number=1,
    players=(2, 3, 4, 5, 6, 7, 8),
    usual=4,
    decisions=_decisions,
    pack=PACK,
    rules=Rules,
    state=DeBoers,
    actions=(Draw, Pass, Steal, Call),
    parse=parse,
    imagine=imagine,
    tactics=TACTICS,
    ends=("mine", "thirteen"),
    words=("draw", "pass", "de_boers", "steal"),
)
