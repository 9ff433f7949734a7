"""Forest Fox: plays by the solution, and where that is lost, for the other's mistakes."""

from collections.abc import Sequence

from games.forest_fox.rules import ForestFox, Play, View, imagine
from games.forest_fox.solver import Solver
from harness.bot import Bot, Setup


class Perfect(Bot):
    """Never gives away a won position, and sets the most traps in a lost one.

    A trap is a choice at which the other can go wrong. What counts is the points to be expected if
    the other made its next choice by lot, and both played perfectly from there.
    """

    games = ("forest_fox",)
    weight = 20

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.solver = Solver(setup.rules)

    def act(self, view: View, legal: Sequence[Play]) -> Play:
        state = imagine(view, self.rng, self.setup.rules)
        for play in legal:
            if self.points(after(state, play)) == 1:
                return play
        best = self.best(state)
        hopes = [self.hope(after(state, play)) for play in best]
        return best[hopes.index(max(hopes))]

    def points(self, state: ForestFox) -> float:
        """What a position is worth."""
        return self.solver.points(state, self.setup.seat)

    def best(self, state: ForestFox) -> list[Play]:
        """The plays of greatest exact value."""
        points, moves = self.solver.solve(state)
        return [play for play, value in moves.items() if value == points]

    def hope(self, state: ForestFox) -> float:
        """The points to be expected if the other's next choice is made by lot."""
        points = self.points(state)
        if points == 1 or state.to_act is None:
            return points
        if state.to_act == self.setup.seat:
            plays: Sequence[Play] = self.best(state) if points else state.legal()
            return max(self.hope(after(state, play)) for play in plays)
        legal = state.legal()
        if len(legal) == 1:  # no choice
            return self.hope(after(state, legal[0]))
        return sum(self.points(after(state, play)) for play in legal) / len(legal)


def after(state: ForestFox, play: Play) -> ForestFox:
    """The position that a play leads to."""
    twin = state.copy()
    twin.apply(play)
    return twin
