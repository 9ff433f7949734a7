"""Forest Fox: rehearses the whole rest of the match for each play, by four simple scripts."""

from collections.abc import Sequence
from itertools import product

from games.forest_fox.outcomes import replies
from games.forest_fox.rules import RANK, SUIT, ForestFox, Play, View, imagine
from harness.bot import Bot

FIGHT, DUCK = range(2)
"""The scripts: to take what can be taken, and to take nothing that can be avoided."""


class Rehearser(Bot):
    """Rehearses the rest of the match, each seat ducking or fighting throughout.

    It likes best a play after which one of its scripts does well against both of the other's.
    """

    games = ("forest_fox",)
    weight = 30

    def act(self, view: View, legal: Sequence[Play]) -> Play:
        state = imagine(view, self.rng, self.setup.rules)
        values = [self.value(state, play) for play in legal]
        return legal[values.index(max(values))]

    def value(self, state: ForestFox, play: Play) -> tuple[float, float]:
        """The points of its better script against the other's better one; then all four's sum."""
        seat = self.setup.seat
        points = {}
        for scripts in product((FIGHT, DUCK), repeat=2):
            after = state.copy()
            after.apply(play)
            points[scripts[seat], scripts[1 - seat]] = rehearsed(after, scripts)[seat]
        sure = max(min(points[mine, FIGHT], points[mine, DUCK]) for mine in (FIGHT, DUCK))
        return sure, sum(points.values())


def rehearsed(state: ForestFox, scripts: Sequence[int]) -> tuple[float, ...]:
    """The points if each seat keeps to its script; the state is played to its end."""
    while state.to_act is not None:
        state.apply(by_script(state, scripts[state.to_act]))
    return state.result().points


def by_script(state: ForestFox, script: int) -> Play:
    """Leads high to fight and low to duck; answers as cheaply as it can, or as dearly."""
    legal = state.legal()
    decree = SUIT[state.decree]

    def height(play: Play) -> tuple[bool, int]:
        return SUIT[play.card] == decree, RANK[play.card]

    if len(legal) == 1:
        return legal[0]
    if state.table is None:
        return max(legal, key=height) if script == FIGHT else min(legal, key=height)
    outcomes = replies(state.rules.fox, state.rules.triumph)[state.decree][state.table]
    taking = [play for play in legal if outcomes[play.card][0]]
    if script == FIGHT:
        return min(taking or legal, key=height)
    return max([play for play in legal if play not in taking] or legal, key=height)
