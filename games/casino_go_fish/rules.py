"""Casino Go Fish: the rules, in the rulebook's order. The page beside this file has them in prose.

Cards lie in short lists and tuples, always ascending: for so few that is faster than masks, since
a view shows them so.
"""

from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, ClassVar

from games.cards import Card
from games.casino_go_fish import view as see
from games.casino_go_fish.actions import (
    ACTIONS,
    ALLOWED,
    BLIND,
    DONE,
    DRAWS,
    GIVE_OR_DISCARD,
    KEEPS,
    ONE_OF,
    PACK,
    POOLS,
    SHOW_OR_DRAW,
    SHOWN,
    Discard,
    Done,
    Draw,
    Give,
    Keep,
    Pool,
    Show,
    Swap,
    TakeBlind,
    TakeShown,
    parse,
)
from games.casino_go_fish.imagine import lay_out, place
from games.casino_go_fish.table import DRAW, END, ENOUGH, KEEP, LEFT_OVER, OVER, SWITCH, Table
from games.casino_go_fish.view import View
from games.chance import Chance
from games.game import Action, Game, Result, Tactic, listening, no_counts, option
from games.game import Rules as BaseRules
from games.restrictions import restrictable

# --- What may vary -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Rules(BaseRules):
    """The options of Casino Go Fish."""

    game: ClassVar[str] = "casino_go_fish"

    hand_size: int = option(5, range(4, 8))
    """The cards that a hand is dealt, and is filled up to."""
    set_size: int = option(4, 3, 4)
    """The cards of one number that are a set; with 3, of four alike the lowest suits are laid."""
    draw_max: int = option(2, range(1, 4))
    """The most cards that are drawn from the deck, or by a Patron from the pool."""
    draw_min: int = option(1, 0, 1)
    """The fewest cards that are drawn from the deck; with 0 one may draw none."""
    dealer_take_max: int = option(2, range(0, 4))
    """The most cards that the Dealer takes from a Patron; with 0 it can't take."""
    patron_swap: str = option("like", "like", "number", "colour", "free")
    """What a Patron's two cards must have in common; `like` is colour or number."""
    dealer_swap: str = option("free", "free", "like", "number", "colour")
    """The same for the Dealer."""
    patron_sets: str = option("pooled", "pooled", "best")
    """Whether the sets of all Patrons together count, or those of the best alone."""
    ties: str = option("draw", "draw", "dealer", "patrons")
    """Who wins with equally many sets."""
    showing: bool = option(True, True, False)
    """A Patron may show its hand."""
    max_rounds: int = option(60, range(1, 1001))
    """The match ends after so many rounds, even if there is a deck left."""


TACTICS = (
    Tactic("draw_deck", "drew one card or more from the deck", known=True),
    Tactic("draw_pool", "drew from the discard pool", known=True),
    Tactic("take_blind", "took from a hand that lay face down", known=True),
    Tactic("take_shown", "took from a hand that was shown", known=True),
    Tactic("to_hand", "took cards known to the two alone", known=True),
    Tactic("to_table", "took cards that all could see", known=True),
    Tactic("show", "showed its hand", known=True),
    Tactic("swap", "swapped a card", known=True),
    Tactic("keep", "chose a drawn card to fill the hand with", known=True),
    Tactic("give", "gave the cards left over to the Patron it took from", known=True),
    Tactic("discard", "discarded them where it could have given them", known=True),
    Tactic("sets", "laid a set"),
)
DREW, POOLED, BLINDLY, PICKED, TO_HAND, TO_TABLE, SHOWED, SWAPPED, KEPT, GAVE, DISCARDED, LAID = (
    range(len(TACTICS))
)


# --- The match ----------------------------------------------------------------------------------


class CasinoGoFish(Table):
    """A match: rounds of one turn each, the Dealer's last."""

    __slots__ = ()

    rules: Rules

    def __init__(
        self, rules: Rules, players: int, chance: Chance, listeners: Sequence[int] = ()
    ) -> None:
        """Five cards each, one at a time, from seat 0; the Dealer has the last seat."""
        self.players = players
        self.chance = chance
        self._set_up(rules)
        self.deck = chance.shuffle("deck", PACK.cards)
        self.top = dealt = players * rules.hand_size
        self.hands = [sorted(self.deck[seat:dealt:players]) for seat in range(players)]
        self.pool = self.pile = ()
        self.sets = ((),) * players
        self.round = 1
        self.finished = 0
        self.counts = no_counts(TACTICS, players)
        self.heard = listening(players, listeners)
        self.shown = (False,) * players
        self.drawn = []
        self.swapped_out = []
        self.public = [()] * self.dealer
        self.to_dealer = [()] * players
        self.of_dealer = [()] * self.dealer
        self.taken_from = self.taken_to = None
        self.masked = False
        self.refresh()
        self._begin(0)
        for seat in range(players):
            # A set may come with the deal. Should that use up the deck, the match ends there.
            if self.held[seat] & ENOUGH:
                self._lay_sets(seat)
        if self.top == END:
            self._end()

    def _set_up(self, rules: Rules) -> None:
        """What follows from the options."""
        self.rules = rules
        self.hand_size = rules.hand_size
        self.set_size = rules.set_size
        self.dealer = self.players - 1
        self.allowed = (ALLOWED[rules.patron_swap],) * self.dealer + (ALLOWED[rules.dealer_swap],)
        self.blind = BLIND[: self.dealer]

    def legal(self) -> tuple[Action, ...]:
        """By phase.

        To draw: `show`, from the deck by number, from the pool by number and then by cards, from
        Patrons by seat, number, cards, each first to the table and then to the hand. To keep: by
        card. To swap: by the drawn card, then by the card of the hand, and `done` last. To discard:
        `give`, `discard`. Cards go by suit (clubs, diamonds, hearts, spades), then rank.
        """
        phase = self.phase
        seat = self.turn
        if phase == SWITCH:
            hand = self.hands[seat]
            if kept := self.swapped_in:
                # A card swapped in this turn stays so, unless it was laid in a set.
                hand = hand[:]
                for card in kept:
                    if card in hand:
                        hand.remove(card)
            allowed = self.allowed[seat]
            swaps: list[Action] = []
            for drawn in self.drawn:
                row = allowed[drawn]
                for out in hand:
                    if (swap := row[out]) is not None:
                        swaps.append(swap)
            swaps.append(DONE)
            return tuple(swaps)
        if phase == DRAW:
            if seat == self.dealer:
                return self._draws_of_dealer()
            # From the deck no more than it has; showing is offered once.
            rules = self.rules
            most = rules.draw_max
            left = END - self.top
            first = SHOW_OR_DRAW if rules.showing and not self.shown[seat] else DRAWS
            draws = first[rules.draw_min][most if most < left else left]
            return draws + POOLS[most][self.pool] if self.pool else draws
        if phase == KEEP:
            return tuple([KEEPS[card] for card in self.drawn])
        return GIVE_OR_DISCARD

    def _draws_of_dealer(self) -> tuple[Action, ...]:
        """The Patron must hold at least that many cards; from a shown hand the Dealer must pick."""
        rules = self.rules
        most = rules.draw_max
        left = END - self.top
        draws = DRAWS[rules.draw_min][most if most < left else left]
        most = rules.dealer_take_max
        for patron, blind in enumerate(self.blind):
            if not self.shown[patron]:
                size = self.sizes[patron]
                draws += blind[most if most < size else size]
            elif most:
                draws += SHOWN[patron].among(tuple(self.hands[patron]), most)
        return draws

    def apply(self, action: Any) -> None:
        """Does it: each kind of action has its method."""
        DO[type(action)](self, action)

    # --- A turn begins ---------------------------------------------------------------------------

    def _begin(self, seat: int) -> None:
        self.turn = self.to_act = seat
        self.phase = DRAW
        self.swapped_in = []
        if seat == self.dealer:
            # Dealer only, first of all: the discard pool moves to the discard pile.
            if self.pool:
                if self.heard is not None:
                    self.tell(see.PoolMoved(self.pool))
                pile = [*self.pile]
                for card in self.pool:
                    insort(pile, card)
                self.pile = tuple(pile)
                self.pool = ()
        elif self.shown[seat]:
            # A hand lies face up until that Patron's next turn begins; it remains known.
            self.shown = (*self.shown[:seat], False, *self.shown[seat + 1 :])
            if self.heard is not None:
                self.tell(see.Hidden(seat))

    def _show(self, _: Show) -> None:
        """The hand lies face up, and cards that join it meanwhile do too."""
        seat = self.turn
        self.counts[seat][SHOWED] += 1
        self.shown = (*self.shown[:seat], True, *self.shown[seat + 1 :])
        self.change_known(seat, (), self.hands[seat])
        if self.heard is not None:
            self.tell(see.Shown(seat, tuple(self.hands[seat])))

    # --- 1: Draw ---------------------------------------------------------------------------------

    def _draw(self, action: Draw) -> None:
        """Cards from the deck and the pool lie face up before the player."""
        seat = self.turn
        if number := action.number:
            top = self.top
            self.top = end = top + number
            self.drawn = sorted(self.deck[top:end])
            self.counts[seat][DREW] += 1
        if self.heard is not None:
            self.tell(see.Drew(seat, tuple(self.drawn), "deck"))
        self._fill()

    def _draw_from_pool(self, action: Pool) -> None:
        seat = self.turn
        self.drawn = drawn = [*action.cards]
        self.pool = tuple([card for card in self.pool if card not in drawn])
        self.counts[seat][POOLED] += 1
        if self.heard is not None:
            self.tell(see.Drew(seat, action.cards, "pool"))
        self._fill()

    def _take_shown(self, action: TakeShown) -> None:
        self.counts[self.dealer][PICKED] += 1
        self._take(action.cards, action.patron, action.where)

    def _take_blind(self, action: TakeBlind) -> None:
        self.counts[self.dealer][BLINDLY] += 1
        patron = action.patron
        taken = self.chance.take("take", self.hands[patron], action.number)
        self._take(taken, patron, action.where)

    def _take(self, cards: tuple[Card, ...], patron: int, where: str) -> None:
        """`to table`, face up, or `to hand`, where only the two know them."""
        seat = self.dealer
        self.drawn = [*cards]
        self.taken_from = patron
        self.taken_to = where
        self.masked = where == "hand" and self.players > 2
        self.counts[seat][TO_HAND if where == "hand" else TO_TABLE] += 1
        self.lose(patron, cards)
        if self.masked and not self.shown[patron]:
            self.change_known_to_two(patron, cards, ())
        else:
            self.change_known(patron, cards, ())
        if self.heard is not None:
            self.tell_of(see.Took, seat, cards, patron, where)
        self._fill()

    def _fill(self) -> None:
        """If the hand has fewer than five cards, drawn cards first fill it up to five.

        Where there are more of them than places the player picks, one after the other. What fills
        without a choice joins together; then sets are laid, and the fill goes on if there is still
        room (the deck may have run out).
        """
        while self.drawn and (room := self.hand_size - self.sizes[self.turn]) > 0:
            if len(self.drawn) > room:
                self.phase = KEEP
                return
            cards, self.drawn = self.drawn, []
            self._join(cards)
        # 2: Switch; there is none when no drawn card is left outside the hand.
        if self.drawn:
            self.phase = SWITCH
        else:
            self._leave_over()

    def _keep(self, action: Keep) -> None:
        self.counts[self.turn][KEPT] += 1
        self.drawn.remove(action.card)
        self._join([action.card])
        self._fill()

    def _join(self, cards: list[Card]) -> None:
        """Drawn cards fill the hand: a card that others saw before is known there."""
        seat = self.turn
        if self.heard is not None:
            self.tell_of(see.Joined, seat, tuple(cards))
        self._gain(seat, cards)

    # --- 2: Switch -------------------------------------------------------------------------------

    def _swap(self, action: Swap) -> None:
        """One card out of the hand, a drawn card in; what was swapped stays so this turn."""
        seat = self.turn
        out, into = action.out, action.drawn
        self.counts[seat][SWAPPED] += 1
        hand = self.hands[seat]
        hand.remove(out)
        insort(hand, into)
        self.drawn.remove(into)
        insort(self.swapped_in, into)
        insort(self.swapped_out, out)
        if self.masked:
            self.change_known_to_two(seat, (out,), (into,))
        else:
            self.see_swap(seat, out, into)
        if self.heard is not None:
            self.tell_of(see.swapped, seat, (out, into))
        self.held[seat] = held = self.held[seat] - ONE_OF[out] + ONE_OF[into]
        if held & ENOUGH:
            self._lay_sets(seat)
        if not self.drawn:
            self._leave_over()

    def _stop(self, _: Done) -> None:
        if self.heard is not None:
            self.tell(see.Stopped(self.turn))
        self._leave_over()

    # --- 3: Discard ------------------------------------------------------------------------------

    def _leave_over(self) -> None:
        """The cards drawn and not taken in, and those swapped out, go to the discard pool.

        A Dealer who took from a Patron has the choice; where no card is left over there is none.
        """
        if left := self.drawn + self.swapped_out:
            if self.taken_from is not None:
                self.phase = LEFT_OVER
                return
            self._discard(left)
        self._end_turn()

    def _discard(self, cards: list[Card]) -> None:
        """Face up, also those that lay face down until now."""
        self.pool = tuple(sorted([*self.pool, *cards]))
        self.drawn = []
        self.swapped_out = []
        if self.heard is not None:
            self.tell(see.Discarded(self.turn, tuple(sorted(cards))))

    def _give(self, _: Give) -> None:
        """A Dealer may give them all to the Patron it took from; there they may make a set.

        A gift is known to the two, unless its cards lay face up (or the Patron's hand does).
        """
        seat, patron = self.dealer, self.taken_from
        assert patron is not None
        left = sorted(self.drawn + self.swapped_out)
        self.counts[seat][GAVE] += 1
        self.drawn = []
        self.swapped_out = []
        if self.heard is not None:
            face_up = self.shown[patron]
            self.tell_of(see.Gave, seat, tuple(left), patron, face_up=face_up)
        self._gain(patron, left)
        self._end_turn()

    def _rather_discard(self, _: Discard) -> None:
        """Or else it discards them."""
        self.counts[self.dealer][DISCARDED] += 1
        self._discard(self.drawn + self.swapped_out)
        self._end_turn()

    def _end_turn(self) -> None:
        """When the deck is empty the match ends with the end of that turn."""
        self.finished += 1
        seat = self.turn
        if self.top == END:
            self._end()
        elif seat < self.dealer:
            self._begin(seat + 1)
        elif self.round == self.rules.max_rounds:
            self._end()
        else:
            self.round += 1
            self.taken_from = self.taken_to = None
            self.masked = False
            self._begin(0)

    # --- Making a set ----------------------------------------------------------------------------

    def _gain(self, seat: int, cards: list[Card]) -> None:
        """Cards of this turn join a hand: it may hold a set now."""
        self.join(seat, cards)
        if self.masked and not self.shown[seat]:
            self.change_known_to_two(seat, (), cards)
        else:
            self.change_known(seat, (), cards)
        if self.held[seat] & ENOUGH:
            self._lay_sets(seat)

    def _lay_sets(self, seat: int) -> None:
        """Whenever a hand holds four cards of one number, they are a set.

        Of two at once the lower number is laid first, and the hand filled up to five from the deck
        (fewer if that runs out) before the next is looked for.
        """
        hand = self.hands[seat]
        while enough := self.held[seat] & ENOUGH:
            number = enough & -enough
            alike = [card for card in hand if ONE_OF[card] << 2 == number]
            # Of four alike, where three are enough, the lowest suits.
            laid = tuple(alike[: self.set_size])
            self.counts[seat][LAID] += 1
            sets = (*self.sets[seat], laid)
            self.sets = (*self.sets[:seat], sets, *self.sets[seat + 1 :])
            self.lose(seat, laid)
            self.change_known(seat, laid, ())
            if self.heard is not None:
                self.tell(see.Laid(seat, laid))
            room = self.hand_size - len(hand)
            fill = sorted(self.deck[self.top : self.top + room])
            if fill:
                self.top += len(fill)
                self.tell_fill(seat, tuple(fill))
                self.join(seat, fill)
                if self.shown[seat]:
                    self.change_known(seat, (), fill)

    # --- The score -------------------------------------------------------------------------------

    def _end(self) -> None:
        self.to_act = None
        self.phase = OVER

    @property
    def turns(self) -> int:
        """Turns that have ended."""
        return self.finished

    def scores(self) -> tuple[int, ...]:
        """The sets of each seat."""
        return tuple(map(len, self.sets))

    def result(self) -> Result:
        """The Dealer wins with more sets than the Patrons, they win with more; equal is a draw."""
        # If the deck is empty after the last round, the word is `deck`.
        end = "deck" if self.top == END else "max_rounds"
        return judged(self.scores(), self.rules.patron_sets, self.rules.ties, end)

    def standing(self, seat: int) -> int:
        """The sets of its team, less those of the other."""
        lead = patrons_lead(self.scores(), self.rules.patron_sets)
        return -lead if seat == self.dealer else lead


DO: dict[type[Action], Callable[[CasinoGoFish, Any], None]] = {
    Show: CasinoGoFish._show,
    Draw: CasinoGoFish._draw,
    Pool: CasinoGoFish._draw_from_pool,
    TakeBlind: CasinoGoFish._take_blind,
    TakeShown: CasinoGoFish._take_shown,
    Keep: CasinoGoFish._keep,
    Swap: CasinoGoFish._swap,
    Done: CasinoGoFish._stop,
    Give: CasinoGoFish._give,
    Discard: CasinoGoFish._rather_discard,
}
"""How each kind of action is done."""


def patrons_lead(sets: Sequence[int], patron_sets: str) -> int:
    """The Patrons' sets, together or of the best of them, less the Dealer's."""
    *patrons, dealer = sets
    return (sum(patrons) if patron_sets == "pooled" else max(patrons)) - dealer


@cache
def judged(sets: tuple[int, ...], patron_sets: str, ties: str, end: str) -> Result:
    """The result for the sets of each seat; seats of one team are equal."""
    players = len(sets)
    lead = patrons_lead(sets, patron_sets)
    if lead == 0:
        lead = {"draw": 0, "dealer": -1, "patrons": 1}[ties]
    patrons, dealer = (1, 1) if lead == 0 else (1, players) if lead > 0 else (2, 1)
    order = (patrons,) * (players - 1) + (dealer,)
    return Result(sets, order, GAME.points(order), end)


# --- Imagining ----------------------------------------------------------------------------------


@restrictable
def imagine(view: View, rng: Random, rules: Rules) -> CasinoGoFish:
    """A state that a view may belong to: each placement of the unseen cards is equally likely.

    No hand holds a set, since that would have been laid: such placements don't count. What the
    view's seat knows of a hand everybody is taken to know, and tactics are counted afresh.
    """
    state = CasinoGoFish.__new__(CasinoGoFish)
    state.players = len(view.sizes)
    state._set_up(rules)
    state.chance = Chance(PACK, rng.getrandbits(64))
    state.counts = no_counts(TACTICS, state.players)
    lay_out(state, view)
    place(state, view, rng)
    return state


# --- The game -----------------------------------------------------------------------------------


def _roles(players: int) -> tuple[str, ...]:
    return ("patron",) * (players - 1) + ("dealer",)


def _teams(players: int) -> tuple[int, ...]:
    """The Patrons are one team, the Dealer is the other."""
    return (0,) * (players - 1) + (1,)


def _decisions(players: int) -> int:
    return 180 - 27 * players // 2


GAME = Game(
    name="casino_go_fish",
    title="Casino Go Fish",
    summary="sets of four, Patrons against a Dealer with easier rules",
    number=1,
    players=(2, 3, 4, 5),
    usual=3,
    decisions=_decisions,
    pack=PACK,
    rules=Rules,
    state=CasinoGoFish,
    actions=ACTIONS,
    parse=parse,
    imagine=imagine,
    tactics=TACTICS,
    ends=("deck", "max_rounds"),
    words=("show", "draw", "pool", "take", "keep", "swap", "done", "give", "discard"),
    stalls=("max_rounds",),
    roles=_roles,
    teams=_teams,
)
