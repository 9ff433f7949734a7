"""Forest Fox: plays by the solution, and where that is lost, for the other's mistakes."""

from collections.abc import Sequence

from games.forest_fox.rules import ForestFox, Play, View, imagine
from games.forest_fox.solver import Solver
from harness.bot import Bot, Setup

HORIZON = 2
"""How many of the other's choices are looked at for mistakes."""


class Perfect(Bot):
    """Never gives away a won position, and sets the most traps in a lost one.

    A trap is a choice at which the other can go wrong. What counts is the points to be expected if
    the other chose at random, twice, and played perfectly from there.
    """

    games = ("forest_fox",)
    weight = 100

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.solver = Solver(setup.rules)

    def act(self, view: View, legal: Sequence[Play]) -> Play:
        state = imagine(view, self.rng, self.setup.rules)
        for play in legal:
            if self.solver.points(after(state, play), view.seat) == 1:
                return play
        best = self.best(state)
        hopes = [self.hope(after(state, play), HORIZON) for play in best]
        return best[hopes.index(max(hopes))]

    def best(self, state: ForestFox) -> list[Play]:
        """The plays of greatest exact value."""
        points, moves = self.solver.solve(state)
        return [play for play, value in moves.items() if value == points]

    def hope(self, state: ForestFox, horizon: int) -> float:
        """The points to be expected if the other's next choices are random."""
        seat = self.setup.seat
        points = self.solver.points(state, seat)
        if points == 1 or horizon == 0 or state.to_act is None:
            return points
        legal = state.legal()
        if state.to_act == seat:
            return max(self.hope(after(state, play), horizon) for play in self.best(state))
        choices = horizon - (len(legal) > 1)
        return sum(self.hope(after(state, play), choices) for play in legal) / len(legal)


def after(state: ForestFox, play: Play) -> ForestFox:
    """The position that a play leads to."""
    twin = state.copy()
    twin.apply(play)
    return twin
