"""What the bots of De Boers reckon with: who may hold how much, and what a steal would bring."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from games.de_boers.options import Owed
from games.de_boers.steals import DIAMOND, LAYS, OF_DIAMONDS, SUIT, Steal
from games.de_boers.view import View


class Prospect(NamedTuple):
    """A steal, and what it is thought to bring."""

    steal: Steal
    gain: float
    """Diamonds."""
    left: float
    """The most that any other seat is thought to hold afterwards."""


def expected(view: View) -> list[float]:
    """The diamonds that each other seat may have: those known, and its share of the rest.

    The rest are the diamonds that this seat hasn't seen, over all places where they may be.
    """
    sure = [max(least, len(known)) for least, known in zip(view.diamonds, view.known, strict=True)]
    sure[view.seat] = 0
    seen = [*view.hand, *[card for cards in view.laid for card in cards]]
    diamonds = 13 - sum(SUIT[card] == DIAMOND for card in seen) - sum(sure)
    share = diamonds / max(1, 52 - len(seen) - sum(sure))
    found = [least + share * (size - least) for least, size in zip(sure, view.sizes, strict=True)]
    found[view.seat] = 0.0
    return found


def prospects(legal: Sequence[Any], owed: Owed, holds: Sequence[float]) -> Iterator[Prospect]:
    """Every steal without a diamond (somebody may call on that), where seats hold so much."""
    for action in legal:
        if type(action) is not Steal:
            continue
        combination, number, laid = LAYS[action.cards]
        if laid & OF_DIAMONDS:
            continue
        after = [*holds]
        for victim, most in zip(action.victims, owed[combination][number], strict=True):
            after[victim] -= most if most < after[victim] else after[victim]
        yield Prospect(action, sum(holds) - sum(after), max(after))
