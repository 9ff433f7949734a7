"""De Boers: how the cards that a seat can't see may lie, each way equally likely."""

from functools import lru_cache
from math import comb
from random import Random

from games.cards import Card
from games.de_boers.steals import DIAMOND, PACK, SUIT
from games.de_boers.view import View


def placed(view: View, rng: Random) -> tuple[list[list[Card]], list[Card]]:
    """Hands and mine as they may be for all that the view lists.

    A hand has the cards known to be there, and as many diamonds as it is known to hold. A deal of
    the unseen cards to places in hands and mine is drawn in two steps: which places have diamonds,
    from the number of ways there are, then which card each has.
    """
    seen = {*view.hand, *(card for cards in (*view.laid, *view.known) for card in cards)}
    unseen = [card for card in PACK.cards if card not in seen]
    rng.shuffle(unseen)
    diamonds = [card for card in unseen if SUIT[card] == DIAMOND]
    others = [card for card in unseen if SUIT[card] != DIAMOND]
    zones = tuple(
        (0, 0) if seat == view.seat else (size - len(known), max(0, least - len(known)))
        for seat, (size, known, least) in enumerate(
            zip(view.sizes, view.known, view.diamonds, strict=True)
        )
    )
    hands = [list(known) for known in view.known]
    hands[view.seat] = list(view.hand)
    for seat, (places, least) in enumerate(zones):
        number = _drawn(zones[seat:], view.mine, len(diamonds), rng) if places else 0
        assert number >= least
        hands[seat] += [diamonds.pop() for _ in range(number)]
        hands[seat] += [others.pop() for _ in range(places - number)]
    mine = diamonds + others
    rng.shuffle(mine)
    return hands, mine


Zones = tuple[tuple[int, int], ...]
"""Of each hand the places for unseen cards, and how many at least have diamonds."""


def _drawn(zones: Zones, mine: int, diamonds: int, rng: Random) -> int:
    """How many of the unseen diamonds go to the first of these hands."""
    (places, least), *_ = zones
    luck = rng.randrange(ways(zones, mine, diamonds))
    number = least
    while True:
        luck -= comb(places, number) * ways(zones[1:], mine, diamonds - number)
        if luck < 0:
            return number
        number += 1


@lru_cache(maxsize=1 << 14)
def ways(zones: Zones, mine: int, diamonds: int) -> int:
    """In how many ways so many of the places, in these hands and the mine, can have diamonds."""
    if not zones:
        return comb(mine, diamonds)
    places, least = zones[0]
    return sum(
        comb(places, number) * ways(zones[1:], mine, diamonds - number)
        for number in range(least, min(places, diamonds) + 1)
    )
