"""Casino Go Fish: the table, where every card lies and who knows of it."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Self

from games.cards import BIT, Card, mask
from games.casino_go_fish import view as see
from games.casino_go_fish.actions import FEW, PACK, Made, Swap, cards_of
from games.casino_go_fish.view import View
from games.game import Action, State

DRAW, KEEP, SWITCH, LEFT_OVER, OVER = "draw", "keep", "switch", "discard", "over"
"""The phases."""

UNSEEN: tuple[tuple[None, ...], ...] = tuple((None,) * number for number in range(8))
"""So many cards that can't be seen."""
END = len(PACK.cards)

new = tuple.__new__
"""Makes a NamedTuple from its values at half the cost of calling it."""


class Table(State):
    """The cards of a match, as masks, and what each seat knows of them.

    Beside the masks stand the tuples that views show, made anew only when something changes. That a
    card lies in a hand is known to everybody (`open`), or besides to the Dealer and one Patron.
    """

    __slots__ = (
        "alike",
        "allowed",
        "blind",
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
        "set_size",
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

    alike: Callable[[int], int]
    """The numbers (a mask of ranks) of which a hand holds a set."""
    allowed: tuple[Made[tuple[tuple[Swap | None, ...], ...]], ...]
    """For each seat, by the drawn cards: for each of them the swaps for it, by the hand's card."""
    blind: tuple[tuple[tuple[Action, ...], ...], ...]
    """For each Patron, by the most cards: the blind takes from it."""
    dealer: int
    hand_size: int
    set_size: int
    phase: str
    turn: int
    round: int
    finished: int
    """The turns that have ended."""
    deck: Sequence[Card]
    top: int
    """The deck's next card is `deck[top]`; its last is the one before `deck[END]`."""
    hands: list[int]
    pool: int
    pile: int
    sets: tuple[tuple[tuple[Card, ...], ...], ...]
    shown: tuple[bool, ...]
    drawn: int
    """This turn's drawn cards that are outside the hand."""
    swapped_in: int
    swapped_out: int
    taken_from: int | None
    taken_to: str | None
    masked: bool
    """Whether the cards of this turn are known to the Dealer and one Patron alone."""
    open: list[int]
    """Of each hand the cards that everybody knows."""
    private_dealer: list[int]
    """The cards in the Dealer's hand that a Patron knows beyond those, by the Patron."""
    private_patron: list[int]
    """The cards in a Patron's hand that the Dealer knows beyond those, by the Patron."""
    cards_in: list[tuple[Card, ...]]
    """Of each hand, for views, its cards; the same for `open`, `pool` and `pile`."""
    open_cards: list[tuple[Card, ...]]
    pool_cards: tuple[Card, ...]
    pile_cards: tuple[Card, ...]
    known: tuple[tuple[Card, ...], ...] | None
    """What a view shows of `open`; None after a change, until it is looked at."""
    dealer_knows: list[tuple[Card, ...]]
    """Of each hand, for the Dealer's view, what the Dealer knows."""

    # --- Cards join and leave a hand -------------------------------------------------------------

    def lose(self, seat: int, cards: int) -> None:
        """Cards leave a hand, seen by all."""
        self.hands[seat] ^= cards
        self.count(seat)
        known = self.open[seat]
        if seat == self.dealer or (known | self.private_patron[seat]) & cards:
            self.forget_private(seat, cards)
            self.know(seat, known & ~cards)

    def count(self, seat: int) -> None:
        """After a hand has changed its size."""
        self.cards_in[seat] = cards_of(self.hands[seat])
        self.sizes = tuple(map(int.bit_count, self.hands))

    def know(self, seat: int, cards: int) -> None:
        """From now on everybody knows these cards of a hand."""
        self.open[seat] = cards
        hand = self.hands[seat]
        known = self.cards_in[seat] if cards == hand else cards_of(cards)
        self.open_cards[seat] = known
        self.known = None
        if private := self.private_patron[seat]:
            cards |= private
            known = self.cards_in[seat] if cards == hand else cards_of(cards)
        self.dealer_knows[seat] = known

    def know_of_two(self, seat: int, cards: int) -> None:
        """Only the two of this turn know that a hand of theirs has these cards."""
        patron = self.taken_from
        assert patron is not None
        if seat == self.dealer:
            self.private_dealer[patron] |= cards
        else:
            self.private_patron[patron] |= cards
            self.know(patron, self.open[patron])

    def forget_private(self, seat: int, cards: int) -> None:
        """These cards were seen to leave a hand, also by one who knew of them alone.

        It is for the caller to say what everybody knows (`know`) from then on.
        """
        if seat != self.dealer:
            if self.private_patron[seat]:
                self.private_patron[seat] &= ~cards
            return
        for patron, known in enumerate(self.private_dealer):
            if known:
                self.private_dealer[patron] = known & ~cards

    def lost_unseen(self, seat: int, cards: int) -> None:
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
        self.know(seat, 0)

    def refresh(self) -> None:
        """Makes anew all that is kept for views beside the masks."""
        self.cards_in = [cards_of(hand) for hand in self.hands]
        self.sizes = tuple([hand.bit_count() for hand in self.hands])
        self.pool_cards = cards_of(self.pool)
        self.pile_cards = cards_of(self.pile)
        self.open_cards = [cards_of(known) for known in self.open]
        both = zip(self.open, self.private_patron, strict=True)
        self.dealer_knows = [cards_of(known | private) for known, private in both]
        self.known = None

    def tell_fill(self, seat: int, cards: int) -> None:
        """The player alone sees these cards of the deck, unless the hand is shown."""
        if self.heard is None:
            return
        seen = see.Filled(seat, cards_of(cards))
        masked = seen if self.shown[seat] else see.Filled(seat, UNSEEN[len(seen.cards)])
        for other, heard in enumerate(self.heard):
            if heard is not None:
                heard.append(seen if other == seat else masked)

    def tell_of(
        self,
        kind: Callable[..., Any],
        seat: int,
        cards: see.Masked,
        *more: Any,
        face_up: bool = False,
    ) -> None:
        """An event with cards of this turn, which only the two may see where they are masked."""
        assert self.heard is not None
        seen = masked = kind(seat, cards, *more)
        if self.masked and not face_up:
            masked = kind(seat, UNSEEN[len(cards)], *more)
        for other, heard in enumerate(self.heard):
            if heard is not None:
                heard.append(seen if other in (self.dealer, self.taken_from) else masked)

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
        if seat == self.dealer:
            known = tuple(self.dealer_knows)
        else:
            if self.known is None:
                self.known = tuple(self.open_cards)
            known = self.known
            if private := self.private_dealer[seat]:
                known = (*known[:-1], cards_of(self.open[-1] | private))
        return new(
            View,
            (
                seat,
                self.cards_in[seat],
                self.phase,
                self.turn,
                self.round,
                self.sizes,
                END - self.top,
                self.pool_cards,
                self.pile_cards,
                self.sets,
                self.shown,
                known,
                drawn,
                swapped_in,
                swapped_out,
                self.taken_from,
                self.taken_to,
            ),
        )

    def copy(self) -> Self:
        """An independent twin that nobody listens to."""
        twin = self.__new__(type(self))
        for name in Table.__slots__:
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
        known = self.view(seat).known
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
        self.refresh()

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
