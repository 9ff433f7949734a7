"""Chance: the one object that a state asks for everything that is left to luck."""

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import TypeVar

from games.cards import Card, Pack

T = TypeVar("T")


class Chance:
    """Outcomes drawn from a seed, each from a keyed hash of its own number.

    The deck is outcome 0, so the deal is the same however much luck is needed later; `deck` keeps
    it, to be handed to the next match with that deal. Nothing else but the count of outcomes so far
    is state, so a copy costs nothing and is independent of its original.

    `log`, if given, receives each outcome as a record spells it.
    """

    __slots__ = ("deck", "drawn", "log", "pack", "seed")

    def __init__(
        self,
        pack: Pack,
        seed: int,
        *,
        deck: Sequence[Card] | None = None,
        log: list[str] | None = None,
    ) -> None:
        self.pack = pack
        self.seed = seed
        self.deck = deck
        self.log = log
        self.drawn = 0

    def copy(self) -> "Chance":
        """The same luck from here on, drawn independently and recorded nowhere."""
        twin = Chance(self.pack, self.seed, deck=self.deck)
        twin.drawn = self.drawn
        return twin

    def shuffle(self, word: str, cards: Sequence[Card]) -> Sequence[Card]:
        """These cards in random order."""
        if word != "deck":
            order: Sequence[Card] = permuted(cards, self._next(len(cards)))
        else:
            if self.deck is None:
                self.deck = tuple(permuted(cards, uniform(self.seed, 0, len(cards))))
            order = self.deck
        if self.log is not None:
            self.log.append(f"!{word} {self.pack.spell(order)}")
        return order

    def take(self, word: str, cards: Sequence[Card], number: int) -> tuple[Card, ...]:
        """So many of these cards, each choice equally likely, ascending."""
        luck = self._next(len(cards))
        if number == 1:
            taken: tuple[Card, ...] = (cards[luck % len(cards)],)
        else:
            taken = tuple(sorted(drawn(cards, luck, number)))
        if self.log is not None:
            self.log.append(f"!{word} {self.pack.spell(taken)}")
        return taken

    def some(self, word: str, seats: Sequence[int], percent: int) -> tuple[int, ...]:
        """Those of these seats whom a chance of so many percent each hits, in their order."""
        chosen = []
        luck = self._next(len(seats))
        for seat in seats:
            luck, roll = divmod(luck, 100)
            if roll < percent:
                chosen.append(seat)
        if self.log is not None:
            self.log.append(" ".join([f"!{word}", *map(str, chosen)]))
        return tuple(chosen)

    def _next(self, size: int) -> int:
        self.drawn += 1
        return uniform(self.seed, self.drawn, size)


def uniform(seed: int, number: int, size: int) -> int:
    """Outcome `number` of a seed (64 bits) for putting `size` things in order: a uniform integer.

    It has at least 64 bits more than so many things need, so the bias is below 2^-64.
    """
    key = seed.to_bytes(8, "big")
    length = 9 + size * size.bit_length() // 8
    if length <= 64:
        digest = blake2b(b"%d" % number, digest_size=length, key=key).digest()
    else:
        digest = b"".join(
            blake2b(b"%d/%d" % (number, part), key=key).digest() for part in range(-(-length // 64))
        )
    return int.from_bytes(digest, "big")


def permuted(things: Sequence[T], luck: int) -> list[T]:
    """The permutation of these things that the integer `luck` stands for: the shuffle of Fisher and
    Yates, its choices the integer's digits in mixed radix.
    """
    order = list(things)
    for product, places in _digits(len(order)):
        luck, some = divmod(luck, product)
        for last, radix in places:
            other = some % radix
            some //= radix
            order[last], order[other] = order[other], order[last]
    return order


@cache
def _digits(size: int) -> tuple[tuple[int, tuple[tuple[int, int], ...]], ...]:
    """The places to fill, from the last, each with the radix of its digit, in groups.

    A group has as many as can be split off at once, by the product of its radices, so that what is
    left to do with them is done with small integers, which is much faster.
    """
    groups = []
    last = size - 1
    while last > 0:
        product, places = 1, []
        while last > 0 and product * (last + 1) < 1 << 30:
            product *= last + 1
            places.append((last, last + 1))
            last -= 1
        groups.append((product, tuple(places)))
    return tuple(groups)


def drawn(things: Sequence[T], luck: int, number: int) -> list[T]:
    """The first so many of a permutation that the integer `luck` stands for, one after another."""
    left = list(things)
    first = []
    for size in range(len(left), len(left) - number, -1):
        luck, other = divmod(luck, size)
        first.append(left.pop(other))
    return first
