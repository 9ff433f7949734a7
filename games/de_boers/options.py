"""De Boers: what may vary in its rules, and what a victim owes by them."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from games.cards import Card
from games.de_boers.steals import ALL, COMBINATIONS, LAYS, OTHERS, TRIPLES
from games.game import Rules as BaseRules
from games.game import option


@dataclass(frozen=True, kw_only=True)
class Rules(BaseRules):
    """The options of De Boers."""

    game: ClassVar[str] = "de_boers"

    hand_size: int = option(5, range(1, 7))
    """The cards dealt to each player."""
    triple_factor: int = option(2, range(1, 5))
    """Three numbers take so many times the number; the other combinations aren't touched."""
    each_victim: bool = option(True, True, False)
    """Each victim owes the number; without, it is the total, split as evenly as can be."""
    steal_cap: int = option(20, range(1, 21))
    """The most diamonds that one victim owes in one steal; 20 is no limit."""
    stockpiling: bool = option(False, True, False)
    """Diamonds may be laid too, at the risk of a call. The rulebook has it as an accident; here it
    is a choice."""
    stockpiled_score: bool = option(False, True, False)
    """Laid diamonds count for the one who laid them."""
    notice_percent: int = option(100, range(0, 101))
    """The chance that a player notices a stockpile, and so can call."""
    last_turns: int = option(1, range(0, 4))
    """The turns that each player has once the mine is empty."""


Owed = tuple[tuple[tuple[int, ...], ...], ...]
"""What each victim owes, lower seat first: by combination, then by number (0 to 10)."""


def owed(rules: Rules) -> Owed:
    """What is owed by these rules."""
    return _owed(rules.triple_factor, rules.each_victim, rules.steal_cap)


Laying = tuple[int, int, int, tuple[int, ...]]
"""What it means to lay certain cards: the tactic that counts it, the cards other than diamonds as a
mask, the diamonds (13 bits), and what each victim owes, lower seat first."""


@cache
def lays(triple_factor: int, each_victim: bool, cap: int) -> dict[tuple[Card, ...], Laying]:
    """By the cards laid. The options are given one by one: to hash all takes longer than a turn."""
    shares = _owed(triple_factor, each_victim, cap)
    return {
        cards: (2 + combination, laid & OTHERS, laid >> 13 & ALL, shares[combination][number])
        for cards, (combination, number, laid) in LAYS.items()
    }


@cache
def _owed(triple_factor: int, each_victim: bool, cap: int) -> Owed:
    times = [combination.times for combination in COMBINATIONS]
    times[TRIPLES] = triple_factor
    return tuple(
        tuple(
            _shares(times[index] * number, combination.victims, each_victim, cap)
            for number in range(11)
        )
        for index, combination in enumerate(COMBINATIONS)
    )


def _shares(number: int, victims: int, each_victim: bool, cap: int) -> tuple[int, ...]:
    """Each owes the number.

    Where that is only the total, it is split as evenly as can be, and the lower seats give one more
    if need be; a share may be 0, and what one victim lacks another doesn't make up.
    """
    each, more = (number, 0) if each_victim else divmod(number, victims)
    return tuple([min(each + (place < more), cap) for place in range(victims)])
