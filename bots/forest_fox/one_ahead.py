"""Forest Fox: plays out the present trick in its head, and weighs the hands that are left."""

from collections.abc import Sequence
from functools import cache
from math import comb

from games.forest_fox.rules import (
    HANDS,
    SUIT,
    TAKES,
    ForestFox,
    Play,
    View,
    answers,
    class_of,
    imagine,
)
from harness.bot import Bot


class OneAhead(Bot):
    """Looks one trick ahead, and counts on its hand's share of the tricks after it."""

    games = ("forest_fox",)
    weight = 6

    def act(self, view: View, legal: Sequence[Play]) -> Play:
        state = imagine(view, self.rng, self.setup.rules)
        values = [self.value(state, play) for play in legal]
        return legal[values.index(max(values))]

    def value(self, state: ForestFox, play: Play) -> float:
        """What this play is worth if the other answers as well as one can who looks as far."""
        after = state.copy()
        after.apply(play)
        if after.table is None:
            return self.outlook(after)
        return min(self.value(after, answer) for answer in after.legal())

    def outlook(self, state: ForestFox) -> float:
        """The chance to end well if each trick to come is won by lot, by the hands' strength."""
        rules = self.setup.rules
        seat = self.setup.seat
        left = len(HANDS[state.hands[seat]])
        chances = ends_well(state.tricks[seat], left, rules.humble_max, rules.greedy_min)
        share = leads_kept(state)
        if seat != state.leader:
            share = 1 - share
        return sum(
            ways * share**more * (1 - share) ** (left - more) for more, ways in chances.items()
        )


def leads_kept(state: ForestFox) -> float:
    """The mean over the leader's cards of how many of the legal answers wouldn't take the trick."""
    leads = HANDS[state.hands[state.leader]]
    other = state.hands[1 - state.leader]
    takes = TAKES[state.rules.triumph][SUIT[state.decree]]
    kept = 0.0
    for lead in leads:
        legal = HANDS[answers(other, lead, state.rules.monarch)]
        kept += sum(not takes[lead][answer] for answer in legal) / len(legal)
    return kept / max(1, len(leads))


@cache
def ends_well(tricks: int, left: int, humble_max: int, greedy_min: int) -> dict[int, int]:
    """The numbers of tricks to win, of those left, that end well, and in how many ways each."""
    return {
        more: comb(left, more)
        for more in range(left + 1)
        if class_of(tricks + more, humble_max, greedy_min) in (0, 2)
    }
