"""Casino Go Fish: the table, where every card lies and who knows of it."""

from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, Self

from games.cards import Card
from games.casino_go_fish import view as see
from games.casino_go_fish.actions import ONE_OF, PACK, Swap
from games.casino_go_fish.view import View
from games.game import Action, State

DRAW, KEEP, SWITCH, LEFT_OVER, OVER = "draw", "keep", "switch", "discard", "over"
"""The phases."""

UNSEEN: tuple[tuple[None, ...], ...] = tuple((None,) * number for number in range(8))
"""So many cards that can't be seen."""
ENOUGH = 0o4444444444444
"""The counts of `held` that show a set: four, of any number."""
NONE_HELD = {4: 0, 3: 0o1111111111111}
"""What `held` is for no cards, by how many are a set: with 3 counts begin at one."""
END = len(PACK.cards)

new = tuple.__new__
"""Makes a NamedTuple from its values at half the cost of calling it."""


class Table(State):
    """The cards of a match, and what each seat knows of them; all lists of cards ascend.

    That a card lies in a hand is known to everybody, or besides to the Dealer and one Patron.
    """

    __slots__ = (
        "allowed",
        "blind",
        "dealer",
        "deck",
        "drawn",
        "finished",
        "hand_size",
        "hands",
        "held",
        "masked",
        "of_dealer",
        "phase",
        "pile",
        "pool",
        "public",
        "round",
        "set_size",
        "sets",
        "shown",
        "sizes",
        "swapped_in",
        "swapped_out",
        "taken_from",
        "taken_to",
        "to_dealer",
        "top",
        "turn",
    )

    allowed: tuple[tuple[tuple[Swap | None, ...], ...], ...]
    """For each seat the swaps that it may do, by the drawn card and the hand's."""
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
    hands: list[list[Card]]
    sizes: tuple[int, ...]
    pool: tuple[Card, ...]
    pile: tuple[Card, ...]
    sets: tuple[tuple[tuple[Card, ...], ...], ...]
    shown: tuple[bool, ...]
    drawn: list[Card]
    """This turn's drawn cards that are outside the hand."""
    swapped_in: list[Card]
    swapped_out: list[Card]
    taken_from: int | None
    taken_to: str | None
    masked: bool
    """Whether the cards of this turn are known to the Dealer and one Patron alone."""
    held: list[int]
    """Of each hand how many cards it has of each number, counted with `ONE_OF`: see `ENOUGH`."""
    public: list[tuple[Card, ...]]
    """Of each Patron's hand the cards that everybody knows to be there."""
    to_dealer: list[tuple[Card, ...]]
    """Of each hand those that the Dealer knows; of its own, those that everybody knows."""
    of_dealer: list[tuple[Card, ...]]
    """Of the Dealer's hand those that a Patron knows, by the Patron."""

    # --- Cards join and leave a hand -------------------------------------------------------------

    def join(self, seat: int, cards: Sequence[Card]) -> None:
        """Cards join a hand."""
        hand = self.hands[seat]
        for card in cards:
            insort(hand, card)
            self.held[seat] += ONE_OF[card]
        self.sizes = tuple(map(len, self.hands))

    def lose(self, seat: int, cards: Sequence[Card]) -> None:
        """Cards leave a hand."""
        hand = self.hands[seat]
        for card in cards:
            hand.remove(card)
            self.held[seat] -= ONE_OF[card]
        self.sizes = tuple(map(len, self.hands))

    # --- Who knows of them -----------------------------------------------------------------------

    def change_known(self, seat: int, out: Sequence[Card], into: Sequence[Card]) -> None:
        """All see these cards leave a hand, and these join it or lie in it."""
        known = self.to_dealer[seat]
        self.to_dealer[seat] = now = changed(known, out, into)
        # Nearly always the others know the same.
        if seat != self.dealer:
            other = self.public[seat]
            self.public[seat] = now if other == known else changed(other, out, into)
            return
        for patron, other in enumerate(self.of_dealer):
            self.of_dealer[patron] = now if other == known else changed(other, out, into)

    def see_swap(self, seat: int, out: Card, into: Card) -> None:
        """All see a card leave a hand and another join it."""
        known = self.to_dealer[seat]
        self.to_dealer[seat] = now = exchanged(known, out, into)
        if seat != self.dealer:
            other = self.public[seat]
            self.public[seat] = now if other == known else exchanged(other, out, into)
            return
        for patron, other in enumerate(self.of_dealer):
            self.of_dealer[patron] = now if other == known else exchanged(other, out, into)

    def change_known_to_two(self, seat: int, out: Sequence[Card], into: Sequence[Card]) -> None:
        """Only the two of this turn see them leave and join a hand of theirs.

        For the others any card of that hand may have left; so they know of none there.
        """
        patron = self.taken_from
        assert patron is not None
        if seat == self.dealer:
            known = changed(self.of_dealer[patron], out, into)
            if out:
                self.of_dealer = [()] * self.dealer
                self.to_dealer[seat] = ()
            self.of_dealer[patron] = known
        else:
            if out:
                self.public[patron] = ()
            self.to_dealer[patron] = changed(self.to_dealer[patron], out, into)

    def refresh(self) -> None:
        """Makes anew what is kept beside the hands."""
        self.sizes = tuple(map(len, self.hands))
        self.held = [self.numbers(hand) for hand in self.hands]

    def numbers(self, hand: Iterable[Card]) -> int:
        """What `held` is for such a hand."""
        return NONE_HELD[self.set_size] + sum([ONE_OF[card] for card in hand])

    def tell_fill(self, seat: int, cards: tuple[Card, ...]) -> None:
        """The player alone sees these cards of the deck, unless the hand is shown."""
        if self.heard is None:
            return
        seen = see.Filled(seat, cards)
        masked = seen if self.shown[seat] else see.Filled(seat, UNSEEN[len(cards)])
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
        if seat == self.dealer:
            known = tuple(self.to_dealer)
        else:
            known = (*self.public, self.of_dealer[seat])
        view = new(
            View,
            (
                seat,
                tuple(self.hands[seat]),
                self.phase,
                self.turn,
                self.round,
                self.sizes,
                END - self.top,
                self.pool,
                self.pile,
                self.sets,
                self.shown,
                known,
                tuple(self.drawn),
                tuple(self.swapped_in),
                tuple(self.swapped_out),
                self.taken_from,
                self.taken_to,
            ),
        )
        if self.masked and seat != self.dealer and seat != self.taken_from:
            return view._replace(
                drawn=UNSEEN[len(view.drawn)],
                swapped_in=UNSEEN[len(view.swapped_in)],
                swapped_out=UNSEEN[len(view.swapped_out)],
            )
        return view

    def copy(self) -> Self:
        """An independent twin that nobody listens to."""
        twin = self.__new__(type(self))
        for name in Table.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.hands = [hand[:] for hand in self.hands]
        twin.held = self.held[:]
        twin.public = self.public[:]
        twin.to_dealer = self.to_dealer[:]
        twin.of_dealer = self.of_dealer[:]
        twin.drawn = self.drawn[:]
        twin.swapped_in = self.swapped_in[:]
        twin.swapped_out = self.swapped_out[:]
        twin.rules = self.rules
        twin.players = self.players
        twin.chance = self.chance.copy()
        twin.to_act = self.to_act
        twin.counts = [counts[:] for counts in self.counts]
        twin.heard = None
        return twin

    def cards(self) -> dict[str, tuple[Card, ...]]:
        """Every zone and what is in it; `drawn` and `swapped out` are this turn's."""
        zones = {f"hand {seat}": tuple(hand) for seat, hand in enumerate(self.hands)}
        for seat, sets in enumerate(self.sets):
            zones[f"sets {seat}"] = tuple(sorted(chain(*sets)))
        zones["deck"] = tuple(self.deck[self.top :])
        zones["drawn"] = tuple(self.drawn)
        zones["swapped out"] = tuple(self.swapped_out)
        zones["pool"] = self.pool
        zones["pile"] = self.pile
        return zones

    def hidden(self, seat: int) -> dict[str, tuple[Card, ...]]:
        """The deck, other hands but for what is known there, and the cards of a masked turn."""
        known = self.view(seat).known
        zones = {
            f"hand {other}": tuple([card for card in hand if card not in known[other]])
            for other, hand in enumerate(self.hands)
            if other != seat
        }
        zones["deck"] = tuple(self.deck[self.top :])
        if self.masked and seat not in (self.dealer, self.taken_from):
            zones["drawn"] = tuple(self.drawn)
            zones["swapped out"] = tuple(self.swapped_out)
        return {zone: cards for zone, cards in zones.items() if cards}

    def exchange(self, zone: str, card: Card, other_zone: str, other: Card) -> None:
        """For tests. What others know of a hand, and what was swapped in, follows the place."""
        deck = list(self.deck)
        for place, old, now in ((zone, card, other), (other_zone, other, card)):
            if place == "deck":
                deck[self.deck.index(old, self.top)] = now
            elif zone != other_zone:
                self._replace(place, old, now)
        self.deck = deck
        self.refresh()

    def _replace(self, zone: str, old: Card, now: Card) -> None:
        def replaced(cards: Iterable[Card]) -> list[Card]:
            return sorted([now if card == old else card for card in cards])

        if zone == "drawn":
            self.drawn = replaced(self.drawn)
        elif zone == "swapped out":
            self.swapped_out = replaced(self.swapped_out)
        else:
            seat = int(zone.removeprefix("hand "))
            self.hands[seat] = replaced(self.hands[seat])
            self.to_dealer[seat] = tuple(replaced(self.to_dealer[seat]))
            if seat == self.dealer:
                self.of_dealer = [tuple(replaced(known)) for known in self.of_dealer]
            else:
                self.public[seat] = tuple(replaced(self.public[seat]))
            if seat == self.turn:
                self.swapped_in = replaced(self.swapped_in)


def changed(cards: tuple[Card, ...], out: Sequence[Card], into: Sequence[Card]) -> tuple[Card, ...]:
    """These cards without those, as far as they are there, and with these."""
    now = [*cards]
    for card in out:
        if card in now:
            now.remove(card)
    for card in into:
        if card not in now:
            insort(now, card)
    return tuple(now)


def exchanged(cards: tuple[Card, ...], out: Card, into: Card) -> tuple[Card, ...]:
    """These cards with one for another, if that is there, or else besides."""
    now = [*cards]
    if out in now:
        now.remove(out)
    insort(now, into)
    return tuple(now)
