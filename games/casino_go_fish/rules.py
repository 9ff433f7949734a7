"""Casino Go Fish: the rules, in the rulebook's order. The page beside this file has them in prose.

Hands and the other sets of cards are masks; tuples of them are kept beside, for views.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations
from random import Random
from typing import Any, ClassVar

from games.cards import BIT, Card, mask
from games.casino_go_fish import view as see
from games.casino_go_fish.actions import (
    ACTIONS,
    ALL,
    ALLOWED,
    BLIND,
    DONE,
    DRAWS,
    FEW,
    FEW_POOLS,
    GIVE_OR_DISCARD,
    KEEPS,
    ONE_EACH,
    PACK,
    RANKS,
    SHOWN,
    Draw,
    Give,
    Keep,
    Pool,
    Show,
    Swap,
    TakeBlind,
    TakeShown,
    cards_of,
    from_pool,
    parse,
)
from games.casino_go_fish.view import View
from games.chance import Chance
from games.game import Action, Game, Result, State, Tactic, listening, no_counts, option
from games.game import Rules as BaseRules

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
    Tactic("draw_deck", "drew one card or more from the deck"),
    Tactic("draw_pool", "drew from the discard pool"),
    Tactic("take_blind", "took from a hand that lay face down"),
    Tactic("take_shown", "took from a hand that was shown"),
    Tactic("to_hand", "took cards known to the two alone"),
    Tactic("to_table", "took cards that all could see"),
    Tactic("show", "showed its hand"),
    Tactic("swap", "swapped a card"),
    Tactic("keep", "chose a drawn card to fill the hand with"),
    Tactic("give", "gave the cards left over to the Patron it took from"),
    Tactic("discard", "discarded them where it could have given them"),
    Tactic("sets", "laid a set"),
)
DREW, POOLED, BLINDLY, PICKED, TO_HAND, TO_TABLE, SHOWED, SWAPPED, KEPT, GAVE, DISCARDED, LAID = (
    range(len(TACTICS))
)

DRAW, KEEP, SWITCH, LEFT_OVER, OVER = "draw", "keep", "switch", "discard", "over"
"""The phases."""

UNSEEN: tuple[tuple[None, ...], ...] = tuple((None,) * number for number in range(8))
"""So many cards that can't be seen."""

new = tuple.__new__
"""Makes a NamedTuple from its values at half the cost of calling it."""


# --- Sets ---------------------------------------------------------------------------------------


def four_alike(hand: int) -> int:
    """The numbers (a mask of ranks) of which a hand holds four cards."""
    return hand & hand >> 13 & hand >> 26 & hand >> 39


def three_alike(hand: int) -> int:
    """The numbers (a mask of ranks) of which a hand holds three cards or more."""
    clubs, diamonds, hearts, spades = hand & 8191, hand >> 13 & 8191, hand >> 26 & 8191, hand >> 39
    return clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)


ALIKE: dict[int, Callable[[int], int]] = {3: three_alike, 4: four_alike}


# --- The match ----------------------------------------------------------------------------------


class CasinoGoFish(State):
    """A match: rounds of one turn each, the Dealer's last."""

    __slots__ = (
        "alike",
        "allowed",
        "cards_in",
        "dealer",
        "dealer_knows",
        "deck",
        "drawn",
        "finished",
        "hand_size",
        "hands",
        "known",
        "masked",
        "open",
        "open_cards",
        "phase",
        "pile",
        "pile_cards",
        "pool",
        "pool_cards",
        "private_dealer",
        "private_patron",
        "round",
        "sets",
        "shown",
        "sizes",
        "swapped_in",
        "swapped_out",
        "taken_from",
        "taken_to",
        "top",
        "turn",
    )

    rules: Rules
    cards_in: list[tuple[Card, ...]]
    """Of each hand, for views, its cards; the same for `open`, `pool` and `pile`."""
    open_cards: list[tuple[Card, ...]]
    pool_cards: tuple[Card, ...]
    pile_cards: tuple[Card, ...]
    known: tuple[tuple[Card, ...], ...] | None
    """What a view shows of `open`; None after a change, until it is looked at."""
    dealer_knows: list[tuple[Card, ...]]
    """Of each hand, for the Dealer's view, what the Dealer knows."""

    def __init__(
        self, rules: Rules, players: int, chance: Chance, listeners: Sequence[int] = ()
    ) -> None:
        """Five cards each, one at a time, from seat 0; the Dealer has the last seat."""
        self.players = players
        self.chance = chance
        self._set_up(rules)
        self.deck: Sequence[Card] = chance.shuffle("deck", PACK.cards)
        self.top = dealt = players * rules.hand_size
        """The deck's next card is `deck[top]`."""
        self.hands = [mask(self.deck[seat:dealt:players]) for seat in range(players)]
        self.pool = 0
        self.pile = 0
        self.sets: tuple[tuple[tuple[Card, ...], ...], ...] = ((),) * players
        self.round = 1
        self.finished = 0
        self.counts = no_counts(TACTICS, players)
        self.heard = listening(players, listeners)
        self.shown = (False,) * players
        self.open = [0] * players
        """Of each hand the cards that everybody knows."""
        self.private_dealer = [0] * players
        """The cards in the Dealer's hand that a Patron knows beyond those, by the Patron."""
        self.private_patron = [0] * players
        """The cards in a Patron's hand that the Dealer knows beyond those, by the Patron."""
        self._refresh()
        self._begin(0)
        for seat in range(players):
            # A set may come with the deal. Should that use up the deck, the match ends there.
            if self.alike(self.hands[seat]):
                self._lay_sets(seat)
        if self.top == len(self.deck):
            self._end()

    def _set_up(self, rules: Rules) -> None:
        """What follows from the options."""
        self.rules = rules
        self.hand_size = rules.hand_size
        self.alike = ALIKE[rules.set_size]
        self.dealer = self.players - 1
        self.allowed = (ALLOWED[rules.patron_swap],) * self.dealer + (ALLOWED[rules.dealer_swap],)
        """For each seat the swaps that it may do, by the drawn card and the hand's."""

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
            # A card swapped in this turn stays so.
            kept = self.swapped_in & self.hands[seat]
            hand = cards_of(self.hands[seat] ^ kept) if kept else self.cards_in[seat]
            allowed = self.allowed[seat]
            swaps: list[Action] = [
                swap
                for drawn in FEW[self.drawn]
                for row in (allowed[drawn],)
                for out in hand
                if (swap := row[out])
            ]
            swaps.append(DONE)
            return tuple(swaps)
        if phase == DRAW:
            return self._draws_of_dealer() if seat == self.dealer else self._draws_of_patron(seat)
        if phase == KEEP:
            return tuple([KEEPS[card] for card in FEW[self.drawn]])
        return GIVE_OR_DISCARD

    def _draws_of_patron(self, seat: int) -> tuple[Action, ...]:
        """From the deck no more than it has; showing is offered once."""
        rules = self.rules
        most = rules.draw_max
        draws = DRAWS[rules.showing and not self.shown[seat]][rules.draw_min][
            min(most, len(self.deck) - self.top)
        ]
        pool = self.pool_cards
        if len(pool) <= 3:
            return draws + FEW_POOLS[most][pool]
        return draws + from_pool(pool, most)

    def _draws_of_dealer(self) -> tuple[Action, ...]:
        """The Patron must hold at least that many cards; from a shown hand the Dealer must pick."""
        rules = self.rules
        draws = DRAWS[False][rules.draw_min][min(rules.draw_max, len(self.deck) - self.top)]
        most = rules.dealer_take_max
        sizes = self.sizes
        for patron in range(self.dealer):
            if not self.shown[patron]:
                draws += BLIND[patron][min(most, sizes[patron])]
            else:
                cards = self.cards_in[patron]
                choices = [combinations(cards, number) for number in range(1, most + 1)]
                takes = map(SHOWN[patron].__getitem__, chain(*choices))
                draws += tuple(chain.from_iterable(takes))
        return draws

    def apply(self, action: Any) -> None:
        """Does it, in the phase that it belongs to."""
        phase = self.phase
        if phase == SWITCH:
            if type(action) is Swap:
                self._swap(action)
            else:
                self._stop()
        elif phase == DRAW:
            self._draw(action)
        elif phase == KEEP:
            self._keep(action)
        else:
            self._give_or_discard(action)

    # --- A turn begins ---------------------------------------------------------------------------

    def _begin(self, seat: int) -> None:
        self.turn = self.to_act = seat
        self.phase = DRAW
        self.drawn = self.swapped_in = self.swapped_out = 0
        self.taken_from: int | None = None
        self.taken_to: str | None = None
        self.masked = False
        """Whether the cards of this turn are known to the Dealer and one Patron alone."""
        if seat == self.dealer:
            # Dealer only, first of all: the discard pool moves to the discard pile.
            if self.pool:
                if self.heard is not None:
                    self.tell(see.PoolMoved(self.pool_cards))
                self.pile |= self.pool
                self.pile_cards = cards_of(self.pile)
                self.pool = 0
                self.pool_cards = ()
        elif self.shown[seat]:
            # A hand lies face up until that Patron's next turn begins; it remains known.
            self.shown = (*self.shown[:seat], False, *self.shown[seat + 1 :])
            if self.heard is not None:
                self.tell(see.Hidden(seat))

    def _show(self, seat: int) -> None:
        """The hand lies face up, and cards that join it meanwhile do too."""
        self.counts[seat][SHOWED] += 1
        self.shown = (*self.shown[:seat], True, *self.shown[seat + 1 :])
        self._know(seat, self.hands[seat])
        if self.heard is not None:
            self.tell(see.Shown(seat, self.cards_in[seat]))

    # --- 1: Draw ---------------------------------------------------------------------------------

    def _draw(self, action: Show | Draw | Pool | TakeBlind | TakeShown) -> None:
        """Cards from the deck and the pool lie face up before the player."""
        seat = self.turn
        if type(action) is Draw:
            top = self.top
            self.top = end = top + action.number
            for card in self.deck[top:end]:
                self.drawn |= BIT[card]
            if action.number:
                self.counts[seat][DREW] += 1
            if self.heard is not None:
                self.tell(see.Drew(seat, FEW[self.drawn], "deck"))
        elif type(action) is Show:
            self._show(seat)
            return
        elif type(action) is Pool:
            self.drawn = mask(action.cards)
            self.pool ^= self.drawn
            self.pool_cards = cards_of(self.pool)
            self.counts[seat][POOLED] += 1
            if self.heard is not None:
                self.tell(see.Drew(seat, action.cards, "pool"))
        elif type(action) is TakeShown:
            self.counts[seat][PICKED] += 1
            self._take(action.cards, action.patron, action.where)
        else:
            assert type(action) is TakeBlind
            self.counts[seat][BLINDLY] += 1
            hand = self.cards_in[action.patron]
            taken = self.chance.take("take", hand, action.number)
            self._take(taken, action.patron, action.where)
        self._fill()

    def _take(self, cards: tuple[Card, ...], patron: int, where: str) -> None:
        """`to table`, face up, or `to hand`, where only the two know them."""
        seat = self.dealer
        self.drawn = taken = mask(cards)
        self.taken_from = patron
        self.taken_to = where
        self.masked = where == "hand" and self.players > 2
        self.counts[seat][TO_HAND if where == "hand" else TO_TABLE] += 1
        if self.masked and not self.shown[patron]:
            self.hands[patron] ^= taken
            self._count(patron)
            self._lost_unseen(patron, taken)
        else:
            self._lose(patron, taken)
        if self.heard is not None:
            self._tell_of(cards, lambda cards: see.Took(seat, cards, patron, where))

    def _fill(self) -> None:
        """If the hand has fewer than five cards, drawn cards first fill it up to five.

        Where there are more of them than places the player picks, one after the other. What fills
        without a choice joins together; then sets are laid, and the fill goes on if there is still
        room (the deck may have run out).
        """
        seat = self.turn
        while self.drawn and (room := self.hand_size - self.sizes[seat]) > 0:
            if self.drawn.bit_count() > room:
                self.phase = KEEP
                return
            self._join(self.drawn)
        # 2: Switch; there is none when no drawn card is left outside the hand.
        if self.drawn:
            self.phase = SWITCH
        else:
            self._leave_over()

    def _keep(self, action: Keep) -> None:
        self.counts[self.turn][KEPT] += 1
        self._join(BIT[action.card])
        self._fill()

    def _join(self, cards: int) -> None:
        """Drawn cards fill the hand: a card that others saw before is known there."""
        seat = self.turn
        self.drawn ^= cards
        if self.heard is not None:
            self._tell_of(FEW[cards], lambda cards: see.Joined(seat, cards))
        self._gain(seat, cards)

    # --- 2: Switch -------------------------------------------------------------------------------

    def _swap(self, action: Swap) -> None:
        """One card out of the hand, a drawn card in; what was swapped stays so this turn."""
        seat = self.turn
        out, into = BIT[action.out], BIT[action.drawn]
        self.counts[seat][SWAPPED] += 1
        self.hands[seat] = hand = self.hands[seat] ^ out ^ into
        self.cards_in[seat] = cards_of(hand)
        self.drawn ^= into
        self.swapped_in |= into
        self.swapped_out |= out
        if self.masked:
            self._lost_unseen(seat, out)
            self._know_of_two(seat, into)
        else:
            self._forget_private(seat, out)
            self._know(seat, self.open[seat] & ~out | into)
        if self.heard is not None:
            self._tell_of((action.out, action.drawn), lambda cards: see.Swapped(seat, *cards))
        if self.alike(hand):
            self._lay_sets(seat)
        if not self.drawn:
            self._leave_over()

    def _stop(self) -> None:
        if self.heard is not None:
            self.tell(see.Stopped(self.turn))
        self._leave_over()

    # --- 3: Discard ------------------------------------------------------------------------------

    def _leave_over(self) -> None:
        """The cards drawn and not taken in, and those swapped out, go to the discard pool.

        A Dealer who took from a Patron has the choice; where no card is left over there is none.
        """
        left = self.drawn | self.swapped_out
        if left and self.taken_from is not None:
            self.phase = LEFT_OVER
        else:
            if left:
                self._discard(left)
            self._end_turn()

    def _discard(self, cards: int) -> None:
        """Face up, also those that lay face down until now."""
        self.pool |= cards
        self.pool_cards = cards_of(self.pool)
        self.drawn = self.swapped_out = 0
        if self.heard is not None:
            self.tell(see.Discarded(self.turn, cards_of(cards)))

    def _give_or_discard(self, action: Action) -> None:
        """A Dealer may give them all to the Patron it took from; there they may make a set.

        A gift is known to the two, unless its cards lay face up (or the Patron's hand does).
        """
        seat = self.dealer
        left = self.drawn | self.swapped_out
        if type(action) is Give:
            patron = self.taken_from
            assert patron is not None
            self.counts[seat][GAVE] += 1
            self.drawn = self.swapped_out = 0
            if self.heard is not None:
                face_up = self.shown[patron]
                self._tell_of(cards_of(left), lambda cards: see.Gave(seat, cards, patron), face_up)
            self._gain(patron, left)
        else:
            self.counts[seat][DISCARDED] += 1
            self._discard(left)
        self._end_turn()

    def _end_turn(self) -> None:
        """When the deck is empty the match ends with the end of that turn."""
        self.finished += 1
        seat = self.turn
        if self.top == len(self.deck):
            self._end()
        elif seat < self.dealer:
            self._begin(seat + 1)
        elif self.round == self.rules.max_rounds:
            self._end()
        else:
            self.round += 1
            self._begin(0)

    # --- Making a set ----------------------------------------------------------------------------

    def _lay_sets(self, seat: int) -> None:
        """Whenever a hand holds four cards of one number, they are a set.

        Of two at once the lower number is laid first, and the hand filled up to five from the deck
        (fewer if that runs out) before the next is looked for.
        """
        while found := self.alike(self.hands[seat]):
            number = found & -found
            laid = self.hands[seat] & number * ONE_EACH
            if laid.bit_count() > self.rules.set_size:
                laid ^= number << 3 * RANKS  # of four alike the lowest suits
            self.counts[seat][LAID] += 1
            sets = (*self.sets[seat], cards_of(laid))
            self.sets = (*self.sets[:seat], sets, *self.sets[seat + 1 :])
            self._lose(seat, laid)
            if self.heard is not None:
                self.tell(see.Laid(seat, cards_of(laid)))
            room = self.hand_size - self.sizes[seat]
            fill = mask(self.deck[self.top : self.top + room])
            if fill:
                self.top += fill.bit_count()
                self._tell_fill(seat, fill)
                self.hands[seat] |= fill
                self._count(seat)
                if self.shown[seat]:
                    self._know(seat, self.hands[seat])

    # --- Cards join and leave a hand -------------------------------------------------------------

    def _gain(self, seat: int, cards: int) -> None:
        """Cards of this turn join a hand: it may hold a set now."""
        self.hands[seat] = hand = self.hands[seat] | cards
        self._count(seat)
        if self.masked and not self.shown[seat]:
            self._know_of_two(seat, cards)
        else:
            self._know(seat, self.open[seat] | cards)
        if self.alike(hand):
            self._lay_sets(seat)

    def _lose(self, seat: int, cards: int) -> None:
        """Cards leave a hand, seen by all."""
        self.hands[seat] ^= cards
        self._count(seat)
        self._forget_private(seat, cards)
        if self.open[seat] & cards:
            self._know(seat, self.open[seat] & ~cards)

    def _count(self, seat: int) -> None:
        """After a hand has changed its size."""
        self.cards_in[seat] = cards_of(self.hands[seat])
        self.sizes = tuple([hand.bit_count() for hand in self.hands])

    def _know(self, seat: int, cards: int) -> None:
        """From now on everybody knows these cards of a hand."""
        self.open[seat] = cards
        self.open_cards[seat] = self.dealer_knows[seat] = cards_of(cards)
        private = self.private_patron[seat]
        if private:
            self.dealer_knows[seat] = cards_of(cards | private)
        self.known = None

    def _know_of_two(self, seat: int, cards: int) -> None:
        """Only the two of this turn know that a hand of theirs has these cards."""
        patron = self.taken_from
        assert patron is not None
        if seat == self.dealer:
            self.private_dealer[patron] |= cards
        else:
            self.private_patron[patron] |= cards
            self._know(patron, self.open[patron])

    def _forget_private(self, seat: int, cards: int) -> None:
        """These cards were seen to leave a hand, also by one who knew of them alone."""
        if seat == self.dealer:
            for patron, known in enumerate(self.private_dealer):
                if known & cards:
                    self.private_dealer[patron] = known & ~cards
        elif self.private_patron[seat] & cards:
            self.private_patron[seat] &= ~cards
            self._know(seat, self.open[seat])

    def _lost_unseen(self, seat: int, cards: int) -> None:
        """These left a hand, which only the two of this turn saw.

        For the others any card of that hand may have gone; so they know of none there.
        """
        patron = self.taken_from
        assert patron is not None
        known = self.open[seat]
        if seat == self.dealer:
            known |= self.private_dealer[patron]
            self.private_dealer = [0] * self.players
            self.private_dealer[patron] = known & ~cards
        else:
            self.private_patron[patron] = (known | self.private_patron[patron]) & ~cards
        self._know(seat, 0)

    def _refresh(self) -> None:
        """Makes anew all that is kept for views beside the masks."""
        self.cards_in = [cards_of(hand) for hand in self.hands]
        self.sizes = tuple([hand.bit_count() for hand in self.hands])
        self.pool_cards = cards_of(self.pool)
        self.pile_cards = cards_of(self.pile)
        self.open_cards = [cards_of(known) for known in self.open]
        both = zip(self.open, self.private_patron, strict=True)
        self.dealer_knows = [cards_of(known | private) for known, private in both]
        self.known = None

    def _tell_fill(self, seat: int, cards: int) -> None:
        """The player alone sees these cards of the deck, unless the hand is shown."""
        if self.heard is None:
            return
        seen = see.Filled(seat, cards_of(cards))
        masked = seen if self.shown[seat] else see.Filled(seat, UNSEEN[len(seen.cards)])
        for other, heard in enumerate(self.heard):
            if heard is not None:
                heard.append(seen if other == seat else masked)

    def _tell_of(
        self, cards: see.Masked, event: Callable[[see.Masked], Any], face_up: bool = False
    ) -> None:
        """An event with cards of this turn, which only the two may see where they are masked."""
        assert self.heard is not None
        seen = event(cards)
        masked = event(UNSEEN[len(cards)]) if self.masked and not face_up else seen
        for seat, heard in enumerate(self.heard):
            if heard is not None:
                heard.append(seen if seat in (self.dealer, self.taken_from) else masked)

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
        end = "deck" if self.top == len(self.deck) else "max_rounds"
        return judged(self.scores(), self.rules.patron_sets, self.rules.ties, end)

    def standing(self, seat: int) -> int:
        """The sets of its team, less those of the other."""
        lead = patrons_lead(self.scores(), self.rules.patron_sets)
        return -lead if seat == self.dealer else lead

    # --- What can be seen ------------------------------------------------------------------------

    def view(self, seat: int) -> View:
        """What this seat can see; in a masked turn, the two of it see more than the others."""
        if self.phase == DRAW:
            drawn: see.Masked = ()
            swapped_in: see.Masked = ()
            swapped_out: see.Masked = ()
        elif self.masked and seat != self.dealer and seat != self.taken_from:
            drawn = UNSEEN[self.drawn.bit_count()]
            swapped_in = UNSEEN[self.swapped_in.bit_count()]
            swapped_out = UNSEEN[self.swapped_out.bit_count()]
        else:
            drawn = FEW[self.drawn]
            swapped_in = FEW[self.swapped_in]
            swapped_out = FEW[self.swapped_out]
        return new(
            View,
            (
                seat,
                self.cards_in[seat],
                self.phase,
                self.turn,
                self.round,
                self.sizes,
                len(self.deck) - self.top,
                self.pool_cards,
                self.pile_cards,
                self.sets,
                self.shown,
                self._known_by(seat),
                drawn,
                swapped_in,
                swapped_out,
                self.taken_from,
                self.taken_to,
            ),
        )

    def _known_by(self, seat: int) -> tuple[tuple[Card, ...], ...]:
        """What everybody knows of each hand, and what this seat alone knows besides."""
        if seat == self.dealer:
            return tuple(self.dealer_knows)
        known = self.known
        if known is None:
            known = self.known = tuple(self.open_cards)
        private = self.private_dealer[seat]
        return (*known[:-1], cards_of(self.open[-1] | private)) if private else known

    def copy(self) -> "CasinoGoFish":
        """An independent twin that nobody listens to."""
        twin = CasinoGoFish.__new__(CasinoGoFish)
        for name in CasinoGoFish.__slots__:
            setattr(twin, name, getattr(self, name))
        for name in ("hands", "cards_in", "open", "open_cards", "dealer_knows"):
            setattr(twin, name, getattr(self, name)[:])
        twin.private_dealer = self.private_dealer[:]
        twin.private_patron = self.private_patron[:]
        twin.rules = self.rules
        twin.players = self.players
        twin.chance = self.chance.copy()
        twin.to_act = self.to_act
        twin.counts = [counts[:] for counts in self.counts]
        twin.heard = None
        return twin

    def cards(self) -> dict[str, tuple[Card, ...]]:
        """Every zone and what is in it; `drawn` and `swapped out` are this turn's."""
        zones = {f"hand {seat}": cards for seat, cards in enumerate(self.cards_in)}
        for seat, sets in enumerate(self.sets):
            zones[f"sets {seat}"] = tuple(sorted(chain(*sets)))
        zones["deck"] = tuple(self.deck[self.top :])
        zones["drawn"] = cards_of(self.drawn)
        zones["swapped out"] = cards_of(self.swapped_out)
        zones["pool"] = self.pool_cards
        zones["pile"] = self.pile_cards
        return zones

    def hidden(self, seat: int) -> dict[str, tuple[Card, ...]]:
        """The deck, other hands but for what is known there, and the cards of a masked turn."""
        known = self._known_by(seat)
        zones = {
            f"hand {other}": cards_of(hand & ~mask(known[other]))
            for other, hand in enumerate(self.hands)
            if other != seat
        }
        zones["deck"] = tuple(self.deck[self.top :])
        if self.masked and seat not in (self.dealer, self.taken_from):
            zones["drawn"] = cards_of(self.drawn)
            zones["swapped out"] = cards_of(self.swapped_out)
        return {zone: cards for zone, cards in zones.items() if cards}

    def exchange(self, zone: str, card: Card, other_zone: str, other: Card) -> None:
        """For tests. What others know of a hand, and what was swapped in, follows the place."""
        deck = list(self.deck)
        for place, old, now in ((zone, card, other), (other_zone, other, card)):
            if place == "deck":
                deck[self.deck.index(old, self.top)] = now
            elif zone != other_zone:
                self._replace(place, BIT[old], BIT[now])
        self.deck = deck
        self._refresh()

    def _replace(self, zone: str, old: int, now: int) -> None:
        def replaced(cards: int) -> int:
            return cards ^ old ^ now if cards & old else cards

        if zone == "drawn":
            self.drawn = replaced(self.drawn)
        elif zone == "swapped out":
            self.swapped_out = replaced(self.swapped_out)
        else:
            seat = int(zone.removeprefix("hand "))
            self.hands[seat] = replaced(self.hands[seat])
            self.open[seat] = replaced(self.open[seat])
            if seat == self.dealer:
                self.private_dealer = [replaced(known) for known in self.private_dealer]
            else:
                self.private_patron[seat] = replaced(self.private_patron[seat])
            if seat == self.turn:
                self.swapped_in = replaced(self.swapped_in)


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


def imagine(view: View, rng: Random, rules: Rules) -> CasinoGoFish:
    """A state that a view may belong to: each placement of the unseen cards is equally likely.

    No hand holds a set, since that would have been laid: other placements are drawn again. What the
    view's seat knows of a hand everybody is taken to know, and tactics are counted afresh.
    """
    players = len(view.sizes)
    state = CasinoGoFish.__new__(CasinoGoFish)
    state.players = players
    state._set_up(rules)
    state.chance = Chance(PACK, rng.getrandbits(64))
    state.pool = mask(view.pool)
    state.pile = mask(view.pile)
    state.sets = view.sets
    state.shown = view.shown
    state.open = [mask(known) for known in view.known]
    state.private_dealer = [0] * players
    state.private_patron = [0] * players
    state.phase = view.phase
    state.turn = view.turn
    state.to_act = None if view.phase == OVER else view.turn
    state.round = view.round
    state.finished = (view.round - 1) * players + view.turn + (view.phase == OVER)
    state.taken_from = view.taken_from
    state.taken_to = view.taken_to
    state.masked = view.taken_to == "hand" and players > 2
    state.counts = no_counts(TACTICS, players)
    state.heard = None
    _place(state, view, rng)
    state._refresh()
    return state


def _place(state: CasinoGoFish, view: View, rng: Random) -> None:
    """Puts the cards that the view doesn't show where they may be."""
    start = state.open[:]
    start[view.seat] = mask(view.hand)
    state.drawn, state.swapped_out = _seen(view.drawn), _seen(view.swapped_out)
    seen = sum(start) | state.pool | state.pile | state.drawn | state.swapped_out
    for card in chain(*chain(*view.sets)):
        seen |= BIT[card]
    unseen = list(cards_of(ALL ^ seen))
    drawn, swapped_out = view.drawn.count(None), view.swapped_out.count(None)
    while True:
        rng.shuffle(unseen)
        deck = iter(unseen)
        hands = [
            cards | mask([next(deck) for _ in range(size - cards.bit_count())])
            for cards, size in zip(start, view.sizes, strict=True)
        ]
        if not any(map(state.alike, hands)):
            break
    state.hands = hands
    state.drawn |= mask([next(deck) for _ in range(drawn)])
    state.swapped_out |= mask([next(deck) for _ in range(swapped_out)])
    state.deck = list(deck)
    state.top = 0
    # Swapped in, where that is masked: any of the Dealer's cards; as many as fit, the others were
    # in a set.
    state.swapped_in = _seen(view.swapped_in)
    lacking = view.swapped_in.count(None)
    if lacking:
        others = [card for cards in view.sets[view.turn] for card in cards]
        hand = list(cards_of(hands[view.turn]))
        rng.shuffle(hand)
        state.swapped_in = mask((hand + others[::-1])[:lacking])


def _seen(cards: see.Masked) -> int:
    return mask([card for card in cards if card is not None])


# --- The game -----------------------------------------------------------------------------------


def _roles(players: int) -> tuple[str, ...]:
    return ("patron",) * (players - 1) + ("dealer",)


def _teams(players: int) -> tuple[int, ...]:
    """The Patrons are one team, the Dealer is the other."""
    return (0,) * (players - 1) + (1,)


def _decisions(players: int) -> int:
    return 95


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
    roles=_roles,
    teams=_teams,
)
