"""Forest Fox: plays out the present trick in its head, and looks no further."""

from collections.abc import Sequence
from functools import cache
from math import comb

from games.forest_fox.rules import ForestFox, Play, View, class_of, imagine
from harness.bot import Bot


class OneAhead(Bot):
    """Looks one trick ahead, and counts on half of the tricks after it."""

    games = ("forest_fox",)
    weight = 3

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
        """The chance to end well if each trick still to come is a coin's toss."""
        rules = self.setup.rules
        tricks = state.tricks[self.setup.seat]
        left = 7 - sum(state.tricks)
        return outlook(tricks, left, rules.humble_max, rules.greedy_min)


@cache
def outlook(tricks: int, left: int, humble_max: int, greedy_min: int) -> float:
    """The share of all ways that the tricks left can fall with which a player ends well."""
    ways = sum(
        comb(left, more)
        for more in range(left + 1)
        if class_of(tricks + more, humble_max, greedy_min) in (0, 2)
    )
    return float(ways / 2**left)
