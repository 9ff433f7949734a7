"""What a card of Fraser Island is worth to its owner, and what it brings when it is revealed."""

from functools import cache

from games.fraser_island.moves import ACE, BIG, DIAMOND, GEM, PACK, ROCK, TRUTH
from games.fraser_island.tactics import CAUGHT, EXECUTED, RUINED

HARMLESS = 0
PUNISHMENT = {
    execution: tuple(
        HARMLESS
        if TRUTH[card] != DIAMOND
        else EXECUTED
        if card == ACE and execution
        else RUINED
        if card in (ACE, *BIG)
        else CAUGHT
        for card in PACK.cards
    )
    for execution in (False, True)
}
"""By `execution` and card, what befalls its owner when it is revealed; the gravest is highest."""


@cache
def worths(big: int, legendary: int, gem: int) -> tuple[int, ...]:
    """What each card in a private pile is worth, in dollars; a small diamond its number."""
    return tuple(
        gem
        if TRUTH[card] == GEM
        else 0
        if TRUTH[card] == ROCK
        else legendary
        if card == ACE
        else big
        if card in BIG
        else PACK.rank[card] + 1
        for card in PACK.cards
    )
