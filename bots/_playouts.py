"""What `search` plays imagined matches on with: for each game a cheap policy, and where to stop.

A policy reads the imagined state, but only what all seats, or the seat to act, could know of it:
a playout in which everybody knows the hidden cards would tell that waiting is always best.
"""

from collections.abc import Callable, Sequence
from math import exp
from random import Random
from typing import Any, NamedTuple

from games.game import Action, Game, State
from harness.bot import Setup

Policy = Callable[[Any, Random], Action]
"""Chooses for the seat to act."""


class Playouts(NamedTuple):
    """How a game's imagined matches are played on."""

    choose: Policy
    informed: bool
    """Whether that isn't by lot."""
    decisions: int
    """After so many choices of more than one action a playout is cut off."""
    leads: Callable[[Any], Sequence[float]]
    """By seat, how it stands where a playout is cut off."""
    scale: float
    """A lead of so much makes a seat's part of the points e times as large."""
    believe: Callable[[Any, int, Random], None]
    """Makes an imagined state, in which all that is hidden was drawn evenly, a likelier one."""
    teams: Sequence[int]

    def points(self, state: State, rng: Random) -> Sequence[float]:
        """What each seat earns at the end, or may hope for where the playout is cut off."""
        choose = self.choose
        for _ in range(self.decisions):
            if state.to_act is None:
                return state.result().points
            state.apply(choose(state, rng))
        if state.to_act is None:
            return state.result().points
        return self.hopes(state)

    def hopes(self, state: State) -> Sequence[float]:
        """One point, shared by how the seats stand: each has its team's part."""
        leads = self.leads(state)
        best = max(leads)
        weights = {}
        for team, lead in zip(self.teams, leads, strict=True):
            weights[team] = exp((lead - best) / self.scale)
        whole = sum(weights.values())
        return [weights[team] / whole for team in self.teams]


def evenly(state: State, seat: int, rng: Random) -> None:
    """Leaves an imagined state as it is."""


def standings(state: State) -> Sequence[float]:
    """The game's own measure; in a game without one all are equal."""
    return [state.standing(seat) or 0 for seat in range(state.players)]


def any_game(setup: Setup) -> Policy:
    """By lot."""

    def choose(state: State, rng: Random) -> Action:
        legal = state.legal()
        return legal[int(rng.random() * len(legal))]

    return choose


class Known(NamedTuple):
    """What is known of a game; the fields are those of `Playouts`."""

    policy: Callable[[Setup], Policy] = any_game
    decisions: int = 200
    leads: Callable[[Any], Sequence[float]] = standings
    scale: float = 1.0
    believe: Callable[[Any, int, Random], None] = evenly


def known_of(game: str) -> Known:
    """By the game's name; imported only when it is played, since tables of actions take time."""
    if game == "casino_go_fish":
        from bots.casino_go_fish._playout import KNOWN
    elif game == "de_boers":
        from bots.de_boers._playout import KNOWN
    elif game == "fraser_island":
        from bots.fraser_island._playout import KNOWN
    elif game == "tragedy":
        from bots.tragedy._playout import KNOWN
    else:
        return Known()
    return KNOWN


def within(choose: Policy) -> Policy:
    """A policy that knows of no restriction, kept to what is legal: something else by lot."""

    def allowed(state: State, rng: Random) -> Action:
        action, legal = choose(state, rng), state.legal()
        return action if action in legal else legal[int(rng.random() * len(legal))]

    return allowed


def playouts_of(setup: Setup, game: Game) -> Playouts:
    """Those of the game at hand; random ones where none are known."""
    known = known_of(setup.game)
    choose = known.policy(setup)
    return Playouts(
        choose=within(choose) if setup.rules.restriction.forbidden else choose,
        informed=known.policy is not any_game,
        decisions=known.decisions,
        leads=known.leads,
        scale=known.scale,
        believe=known.believe,
        teams=game.teams(setup.players),
    )
