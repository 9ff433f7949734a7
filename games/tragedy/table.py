"""The table: where the cards are, who knows of them, and what a seat can see."""

from typing import Any, Self

from games.cards import BIT, Card
from games.game import State
from games.tragedy.actions import cards_of
from games.tragedy.view import Inherited, Shown, Took, View

new = tuple.__new__
"""Makes a NamedTuple from its values at half the cost of calling it."""


def put(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    """These values, but for one."""
    changed = list(values)
    changed[index] = value
    return tuple(changed)


class Table(State):
    """Hands and heaps are masks; what everybody sees is kept as views show it.

    `known[seat]` is what a seat knows to be in other hands, each card in the hand that has it, and
    `known_deck[seat]` what it knows of the deck (None while nobody knows anything). `told` has at
    least all the cards that anybody knows in a hand, so that most changes need no look at it;
    `shown[seat]` is `known[seat]` as its view has it, or None where it has changed since.
    """

    __slots__ = (
        "answers",
        "attacks",
        "deck",
        "discards",
        "face_down",
        "flaws",
        "hands",
        "known",
        "known_deck",
        "left",
        "living",
        "out_as",
        "pending",
        "phase",
        "piles",
        "player",
        "public",
        "shown",
        "sizes",
        "told",
        "turn",
        "wrong",
    )

    answers: tuple[tuple[tuple[Card, str], ...], ...]
    attacks: tuple[int, ...] | None
    deck: list[Card]
    """The last card is the top."""
    discards: int
    face_down: int
    """Attack cards, with `hidden_attacks`."""
    flaws: list[Card]
    hands: list[int]
    known: list[int]
    known_deck: list[int] | None
    left: int
    living: int
    """The seats in the game, a mask."""
    out_as: tuple[int | None, ...]
    pending: int | None
    phase: str
    piles: tuple[tuple[tuple[int, Card], ...], ...]
    player: int
    public: tuple[Card | None, ...]
    shown: list[tuple[tuple[Card, ...], ...] | None]
    sizes: list[int]
    """Of the hands."""
    told: int
    turn: int
    wrong: tuple[tuple[Card, ...], ...]

    # --- Cards that change hands, and who knows of it ---------------------------------------------

    def _take(self, seat: int, target: int, card: Card) -> None:
        """A card goes from the target's hand to the attacker's; only these two see which.

        Any card that others knew in that hand may be the one; unless it was the only card there.
        """
        bit = BIT[card]
        hands = self.hands
        hand = hands[target]
        hands[target] = hand ^ bit
        hands[seat] |= bit
        self.sizes[target] -= 1
        self.sizes[seat] += 1
        if self.told & hand:
            known = self.known
            for knower, cards in enumerate(known):
                if cards & hand:
                    if knower == seat:
                        known[knower] = cards & ~bit
                    elif hand != bit:
                        known[knower] = cards & ~hand
                    self.shown[knower] = None
            self.told = self.told & ~hand | known[seat] | bit
        self._learn(target, bit)
        if self.heard is not None:
            self._tell(Took(seat, target, card), Took(seat, target, None), seat, target)

    def _hand_over(self, giver: int, seat: int) -> None:
        """A whole hand goes to another, and with it what anybody knew to be there."""
        cards = self.hands[giver]
        self.hands[seat] |= cards
        self.hands[giver] = 0
        self.sizes[seat] += self.sizes[giver]
        self.sizes[giver] = 0
        if self.told & cards:
            for knower, known in enumerate(self.known):
                if known & cards:
                    self.shown[knower] = None
            self.known[seat] &= ~cards
        self._learn(giver, cards)
        if self.heard is not None:
            seen = Inherited(seat, giver, cards_of(cards))
            self._tell(seen, Inherited(seat, giver, None), seat, giver)

    def _show(self, seat: int, target: int) -> None:
        """The attacker sees the hand, from which it will pick."""
        self._learn(seat, self.hands[target])
        if self.heard is not None:
            self._tell(Shown(target, cards_of(self.hands[target])), None, seat, seat)

    def _learn(self, knower: int, cards: int) -> None:
        """One seat gets to know of cards in another's hand."""
        self.known[knower] |= cards
        self.shown[knower] = None
        self.told |= cards

    def _lay_from(self, seat: int, bits: int) -> None:
        """These cards leave the hand, seen by all."""
        self.hands[seat] ^= bits
        self.sizes[seat] -= bits.bit_count()
        if self.told & bits:
            self.told &= ~bits
            for knower, known in enumerate(self.known):
                if known & bits:
                    self.known[knower] = known & ~bits
                    self.shown[knower] = None

    def _discard_from(self, seat: int, card: Card) -> None:
        """A card leaves the hand unseen: any that others knew there may be the one."""
        bit = BIT[card]
        hand = self.hands[seat]
        self.hands[seat] = hand ^ bit
        self.sizes[seat] -= 1
        self.discards |= bit
        if self.known_deck is None:
            self.known_deck = [0] * self.players
        self.known_deck[seat] |= bit
        if self.told & hand:
            self.told &= ~hand
            for knower, known in enumerate(self.known):
                if known & hand:
                    self.known[knower] = known & ~hand
                    self.shown[knower] = None

    def _drawn_from_known(self, seat: int, card: Card) -> None:
        """The player saw what left the deck; for others, it may be any card they knew there."""
        assert self.known_deck is not None
        left = self.known_deck[seat] & ~(1 << card)
        self.known_deck = None
        if left:
            self.known_deck = [left if other == seat else 0 for other in range(self.players)]

    def _tell(self, seen: Any, unseen: Any, one: int, other: int) -> None:
        """Two seats see this, the others that, or nothing (None)."""
        for seat, heard in enumerate(self.heard or ()):
            event = seen if seat in (one, other) else unseen
            if heard is not None and event is not None:
                heard.append(event)

    # --- What can be seen -------------------------------------------------------------------------

    def view(self, seat: int) -> View:
        """What this seat can see."""
        known = self.shown[seat]
        if known is None:
            mine = self.known[seat]
            known = tuple([cards_of(mine & hand) if mine & hand else () for hand in self.hands])
            self.shown[seat] = known
        known_deck = self.known_deck
        phase, pending = self.phase, self.pending
        if phase == "challenge" and seat != pending:
            # That a seat is asked tells that it has the cards for a defence.
            phase, pending = "turn", None
        return new(
            View,
            (
                seat,
                cards_of(self.hands[seat]),
                phase,
                self.turn,
                self.player,
                pending,
                self.left,
                self.flaws[seat],
                tuple(self.sizes),
                len(self.deck),
                self.piles,
                self.answers,
                self.wrong,
                self.public,
                self.out_as,
                known,
                cards_of(known_deck[seat]) if known_deck and known_deck[seat] else (),
                self.attacks,
            ),
        )

    def copy(self) -> Self:
        """An independent twin that nobody listens to."""
        twin = self.__new__(type(self))
        for name in Table.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.deck = self.deck[:]
        twin.hands = self.hands[:]
        twin.sizes = self.sizes[:]
        twin.flaws = self.flaws[:]
        twin.shown = self.shown[:]
        twin.known = self.known[:]
        twin.known_deck = None if self.known_deck is None else self.known_deck[:]
        twin.rules = self.rules
        twin.players = self.players
        twin.chance = self.chance.copy()
        twin.to_act = self.to_act
        twin.counts = [counts[:] for counts in self.counts]
        twin.heard = None
        return twin

    def cards(self) -> dict[str, tuple[Card, ...]]:
        """Every zone and what is in it."""
        zones: dict[str, tuple[Card, ...]] = {"deck": tuple(self.deck[::-1])}
        for seat in range(self.players):
            zones[f"hand {seat}"] = cards_of(self.hands[seat])
            zones[f"flaw {seat}"] = (self.flaws[seat],)
            # From the top: the last card laid first.
            zones[f"pile {seat}"] = tuple([card for _, card in self.piles[seat][::-1]])
        zones["discards"] = cards_of(self.discards)
        zones["attacks"] = cards_of(self.face_down)
        return zones

    def hidden(self, seat: int) -> dict[str, tuple[Card, ...]]:
        """The deck, other hands and flaws, others' discards and attack cards that lie face down."""
        zones = self.cards()
        known_deck = 0 if self.known_deck is None else self.known_deck[seat]
        hidden = {
            zone: tuple([card for card in zones[zone] if not known_deck >> card & 1])
            for zone in ("deck", "discards")
        }
        hidden["attacks"] = zones["attacks"]
        for other in range(self.players):
            if other != seat:
                hidden[f"hand {other}"] = cards_of(self.hands[other] & ~self.known[seat])
                if self.public[other] is None:
                    hidden[f"flaw {other}"] = zones[f"flaw {other}"]
        return {zone: cards for zone, cards in hidden.items() if cards}

    def exchange(self, zone: str, card: Card, other_zone: str, other: Card) -> None:
        """For tests: two hidden cards change places."""
        self._swap(zone, card, other)
        if other_zone != zone:
            self._swap(other_zone, other, card)

    def _swap(self, zone: str, card: Card, other: Card) -> None:
        word, _, number = zone.partition(" ")
        both = 1 << card ^ 1 << other
        if word == "deck":
            swapped = {card: other, other: card}
            self.deck = [swapped.get(c, c) for c in self.deck]
        elif word == "discards":
            self.discards = _swapped(self.discards, both)
        elif word == "attacks":
            self.face_down = _swapped(self.face_down, both)
        elif word == "hand":
            self.hands[int(number)] = _swapped(self.hands[int(number)], both)
        else:
            self.flaws[int(number)] = other


def _swapped(cards: int, both: int) -> int:
    """A heap in which one of two cards has taken the other's place, if it didn't have both."""
    return cards if cards & both == both else cards ^ both
