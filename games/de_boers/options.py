"""De Boers: what may vary in its rules, and what a victim owes by them."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from games.de_boers.steals import COMBINATIONS, TRIPLES
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


@cache
def owed(rules: Rules) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """What each victim owes, lower seat first: by combination, then by number (0 to 10)."""
    return tuple(
        tuple(_shares(rules, combination, number) for number in range(11))
        for combination in range(len(COMBINATIONS))
    )


def _shares(rules: Rules, combination: int, number: int) -> tuple[int, ...]:
    """Each owes the number, or a multiple of it.

    Where that is only the total, it is split as evenly as can be, and the lower seats give one more
    if need be; a share may be 0, and what one victim lacks another doesn't make up.
    """
    victims = COMBINATIONS[combination].victims
    times = rules.triple_factor if combination == TRIPLES else COMBINATIONS[combination].times
    each, more = times * number, 0
    if not rules.each_victim:
        each, more = divmod(each, victims)
    return tuple([min(each + (place < more), rules.steal_cap) for place in range(victims)])
