"""Casino Go Fish, for `search`: what a hand promises, and a player who goes by that."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, pairwise
from random import Random
from typing import Any

from bots._playouts import Known, Policy
from games.casino_go_fish.actions import (
    RANK,
    Draw,
    Keep,
    Pool,
    Show,
    Swap,
    TakeBlind,
    TakeShown,
)
from games.game import Action
from harness.bot import Setup

SETS = {4: (0.0, 0.025, 0.1, 0.3, 1.0, 1.0), 3: (0.0, 0.0, 0.1, 0.3, 1.0, 1.0)}
"""What so many cards of one number are worth, in sets, by the size of a set, and by how a state's
`held` counts them: where three are a set, from one."""
BLOCKED = 0.3, 0.7
"""What a Patron's cards of a number still promise where the Dealer holds some, and reversed."""
HURRY = 0.1, 0.03
"""What a card of the deck is worth, in sets, to Patrons and to the Dealer,"""
ROBBING = 0.05
"""and to take one blindly from a Patron."""


def policy(setup: Setup) -> Policy:
    """Takes in what it has most of, of numbers that may still make a set: the best of a few draws,
    and of all swaps. The Dealer robs, Patrons hurry through the deck, nobody shows.
    """
    gains = [few[1] - few[0] for few in pairwise(SETS[setup.rules.set_size])]
    spare = 4 - setup.rules.set_size

    def gain(number: int, live: int, held: int) -> float:
        """What one more of a number is worth, in sets."""
        return gains[held >> 3 * number & 7] if live >> 3 * number & 1 else 0.0

    def worth(action: Any, live: int, held: int, unseen: float) -> float:
        """In sets, to a hand that holds so many of each number, three bits each."""
        kind = type(action)
        if kind is Swap:
            into, out = RANK[action.drawn], RANK[action.out]
            if into == out:
                return -0.001
            return gain(into, live, held) - gain(out, live, held - (1 << 3 * out))
        if kind is Keep:
            return gain(RANK[action.card], live, held)
        if kind is Pool or kind is TakeShown:
            return sum([gain(RANK[card], live, held) for card in action.cards])
        if kind is Draw:
            return unseen * float(action.number)
        if kind is TakeBlind:
            return ROBBING * float(action.number)
        return -1.0 if kind is Show else 0.0

    def choose(state: Any, rng: Random) -> Action:
        legal: Sequence[Action] = state.legal()
        seat = state.turn
        held, live = state.held[seat], possible(state.pile, state.sets, spare)
        if state.phase == "draw":
            legal = [legal[int(rng.random() * len(legal))] for _ in range(4)]
        unseen = HURRY[seat == state.dealer]
        best = -1.0
        for action in legal:
            value = worth(action, live, held, unseen)
            if value >= best:
                best, choice = value, action
        return choice

    return choose


@lru_cache(maxsize=1 << 12)
def possible(pile: Sequence[int], sets: Sequence[Sequence[Sequence[int]]], spare: int) -> int:
    """The numbers of which there may be another set, three bits each.

    So many cards of a number can be spared.
    """
    gone = Counter(map(RANK.__getitem__, chain(pile, *chain(*sets))))
    return sum([7 << 3 * number for number in range(13) if gone[number] <= spare])


def leads(state: Any) -> Sequence[float]:
    """Sets, and what the cards held alike promise as long as there is a deck.

    Less where the other side holds some of that number.
    """
    *patrons, dealer = state.held
    none = 4 - state.set_size
    live, worth = possible(state.pile, state.sets, 4 - state.set_size), SETS[state.set_size]
    either = 0
    for held in patrons:
        either |= held
    hope = 0.0
    for number in range(0, 39, 3):
        if live >> number & 1:
            house = dealer >> number & 7
            for held in patrons:
                promise = worth[held >> number & 7]
                hope += promise * BLOCKED[0] if house > none else promise
            promise = worth[house]
            hope -= promise * BLOCKED[1] if either >> number & 7 > none else promise
    lead = state.standing(0) + hope * min(1.0, (52 - state.top) / 16)
    return [lead] * state.dealer + [-lead]


KNOWN = Known(policy, decisions=0, leads=leads, scale=0.5)
