"""Fraser Island's table: what lies where, and who can see it. How it changes is in `rules.py`."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Self

from games.cards import Card
from games.chance import Chance
from games.fraser_island.moves import FIRST_GEM, LAST_GEM, PACK
from games.fraser_island.tactics import TACTICS
from games.fraser_island.view import SEEN, Kept, View
from games.game import State, no_counts

PLAY, WINDOW, LAST, OVER = "play", "window", "last", "over"
NEVER = 99
"""More gems than a hand can hold: the price of a challenge for one who can't challenge."""

ROUND = {
    players: [
        tuple([(seat + step) % players for step in range(1, players + 1)])
        for seat in range(players)
    ]
    for players in range(2, 9)
}
"""By players and seat: everybody, from the next seat round to that one."""
REST = {
    players: [[seats[seats.index(other) + 1 :] for other in range(players)] for seats in rounds]
    for players, rounds in ROUND.items()
}
"""By players, seat and other: of that round the seats after the other."""

new = tuple.__new__


class Table(State):
    """A match's table. With two packs the copies of a card are equal, so zones are sequences."""

    __slots__ = (
        "claimed",
        "deck",
        "end",
        "executed",
        "failures",
        "free",
        "gems",
        "hands",
        "known",
        "phase",
        "piles",
        "prices",
        "public",
        "seen",
        "still",
        "turn",
    )

    def _set_up(
        self,
        rules: Any,
        players: int,
        chance: Chance,
        hands: list[list[Card]],
        deck: list[Card],
    ) -> None:
        """The table with these hands and this deck, and nothing else on it."""
        self.rules = rules
        self.players = players
        self.chance = chance
        self.hands = hands
        """Ascending."""
        self.gems = [gems_in(hand) for hand in hands]
        self.deck = deck
        """The next card to be drawn is the last."""
        self.piles: list[tuple[Card, ...]] = [()] * players
        """From the bottom."""
        self.claimed: list[tuple[Kept, ...]] = [()] * players
        """Each private pile as its owner sees it: every card beside its claim."""
        self.seen: list[tuple[Kept, ...]] = [()] * players
        """Each private pile as the others see it."""
        self.public = [0] * len(PACK.cards)
        self.known: list[tuple[Card, ...]] = [()] * players
        self.failures = [0] * players
        self.executed: int | None = None
        """The seat that was; there is one ace of diamonds, so there can't be a second."""
        self.prices = [rules.fee] * players
        """The gems that a challenge costs each seat: the fee, or NEVER."""
        self.free = False
        self.turn = 0
        self.phase = PLAY
        self.end = ""
        self.to_act: int | None = 0
        self.counts = no_counts(TACTICS, players)
        self.heard = None
        self.still: tuple[object, ...] | None = None
        """The end of every view; None when it must be gathered anew."""

    # --- What can be seen -------------------------------------------------------------------------

    def view(self, seat: int) -> View:
        """What this seat can see."""
        still = self.still
        if still is None:
            still = self.still = self._still()
        return new(
            View,
            (
                seat,
                tuple(self.hands[seat]),
                self.piles[seat],
                self.phase,
                self.turn,
                self.free,
                len(self.deck),
                tuple(self.seen),
                *still,
            ),
        )

    def _still(self) -> tuple[object, ...]:
        """The end of every view: what stays as it is in most turns."""
        return (
            tuple(map(len, self.hands)),
            tuple(self.public),
            tuple(self.known),
            tuple(self.failures),
            who_is_out(self.players, self.executed),
        )

    def _tell(self, seat: int, own: object, others: object) -> None:
        """A seat sees one event, the others another."""
        assert self.heard is not None
        for other, heard in enumerate(self.heard):
            if heard is not None:
                heard.append(own if other == seat else others)

    def copy(self) -> Self:
        """An independent twin that nobody listens to."""
        twin = type(self).__new__(type(self))
        twin.rules = self.rules
        twin.players = self.players
        twin.chance = self.chance.copy()
        twin.deck = self.deck[:]
        twin.hands = [hand[:] for hand in self.hands]
        twin.gems = self.gems[:]
        twin.piles = self.piles[:]
        twin.claimed = self.claimed[:]
        twin.seen = self.seen[:]
        twin.public = self.public[:]
        twin.known = self.known[:]
        twin.failures = self.failures[:]
        twin.executed = self.executed
        twin.prices = self.prices[:]
        twin.free = self.free
        twin.turn = self.turn
        twin.phase = self.phase
        twin.end = self.end
        twin.to_act = self.to_act
        twin.still = self.still
        twin.counts = [counts[:] for counts in self.counts]
        twin.heard = None
        return twin

    def cards(self) -> dict[str, tuple[Card, ...]]:
        """Every zone and what is in it."""
        zones = {"deck": tuple(self.deck[::-1])}
        for seat in range(self.players):
            zones[f"hand {seat}"] = tuple(self.hands[seat])
            zones[f"pile {seat}"] = self.piles[seat][::-1]
        zones["public"] = tuple([card for card in PACK.cards for _ in range(self.public[card])])
        return zones

    def hidden(self, seat: int) -> dict[str, tuple[Card, ...]]:
        """The deck; of others, their hands and what was never revealed of their piles."""
        zones = {"deck": tuple(self.deck[::-1])}
        for other in ROUND[self.players][seat][:-1]:
            zones[f"hand {other}"] = without(tuple(self.hands[other]), self.known[other])
            zones[f"pile {other}"] = tuple(
                [
                    card
                    for card, kept in zip(self.piles[other], self.seen[other], strict=True)
                    if kept.card is None
                ][::-1]
            )
        return zones

    def exchange(self, zone: str, card: Card, other_zone: str, other: Card) -> None:
        """For tests, and bots that imagine: of a pile's copies of a card, one that was never
        revealed changes places.
        """
        zones: dict[str, list[Card]] = {"deck": self.deck}
        for seat in range(self.players):
            zones[f"hand {seat}"] = self.hands[seat]
            zones[f"pile {seat}"] = list(self.piles[seat])
        here, there = self._hidden_at(zone, card), self._hidden_at(other_zone, other)
        zones[zone][here], zones[other_zone][there] = other, card
        for seat in range(self.players):
            self.hands[seat].sort()
            self.gems[seat] = gems_in(self.hands[seat])
            self._restore(seat, tuple(zones[f"pile {seat}"]))

    def _restore(self, seat: int, pile: tuple[Card, ...]) -> None:
        """The seat's private pile holds these cards, under the claims that all have heard."""
        self.piles[seat] = pile
        seen = zip(self.seen[seat], pile, strict=True)
        self.claimed[seat] = tuple([SEEN[kept.claim][card] for kept, card in seen])

    def _hidden_at(self, zone: str, card: Card) -> int:
        word, _, seat = zone.partition(" ")
        if word == "deck":
            return self.deck.index(card)
        if word == "hand":
            return self.hands[int(seat)].index(card)
        pairs = enumerate(zip(self.piles[int(seat)], self.seen[int(seat)], strict=True))
        return next(at for at, (kept, seen) in pairs if kept == card and seen.card is None)


@cache
def who_is_out(players: int, executed: int | None) -> tuple[bool, ...]:
    """What a view says of it."""
    return tuple([seat == executed for seat in range(players)])


def gems_in(hand: Sequence[Card]) -> int:
    """How many gems are among these cards."""
    return sum([FIRST_GEM <= card <= LAST_GEM for card in hand])


def without(cards: tuple[Card, ...], gone: tuple[Card, ...]) -> tuple[Card, ...]:
    """These ascending cards less those gone, as far as they are among them."""
    left = list(cards)
    for card in gone:
        if card in left:
            left.remove(card)
    return tuple(left)
