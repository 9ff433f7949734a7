"""Plays any game by search: Monte Carlo trees over what a seat can see."""

import sys
from collections.abc import Sequence
from functools import cache
from math import log, sqrt
from typing import Any

from bots._playouts import playouts_of
from games.game import Action, Game, State
from harness.bot import Bot, Setup

EXPLORE = 0.7
"""The weight of UCB's second term, for rewards between 0 and 1 (Cowling and others, 2012)."""
WIDEN = 1.5
"""A node visited n times tries all that is legal, where that is at most so many times √n."""
FOLLOW = 1.5
"""It follows the playouts' policy in a visit with the chance of so many to √n, if that policy isn't
by lot or there is more to try. So what the policy never proposes costs little, and as long as
nothing speaks against it, its favourite leads."""
ASIDE = 0.1
"""How often an action is proposed by lot instead."""

LOOK = 10
"""Before every so many iterations it looks whether the others could still change anything."""


class Edge:
    """An action at a node: how often it could be chosen, was chosen, and what that earned."""

    __slots__ = ("action", "available", "chosen", "earned")

    def __init__(self, action: Action) -> None:
        self.action = action
        self.available = 0
        self.chosen = 0
        self.earned = 0.0


class Node:
    """An information set of the searching seat, in which one seat is to act."""

    __slots__ = ("edges", "visits")

    def __init__(self) -> None:
        self.edges: dict[Action, Edge] = {}
        self.visits = 0


class Search(Bot):
    """Imagines where the cards may be, plays on from there, and looks again where that went well.

    Single-observer information-set Monte Carlo tree search: each iteration plays an imagined state
    to its end. All states in which this seat sees the same, and the same seat acts, share a node;
    there every seat chooses for its own points, by upper confidence bounds that count how often an
    action was available (Cowling, Powley and Whitehouse 2012). Nodes are widened as they are
    visited, and playouts follow a cheap policy of the game's. The most chosen action is played, as
    soon as that is settled.
    """

    games = "*"
    weight = 500

    def __init__(self, setup: Setup, *, iterations: int = 50) -> None:
        """`iterations` are imagined states a decision; fewer where they could change nothing."""
        if iterations < 1:
            raise ValueError(f"search: iterations must be 1 or more, not {iterations}")
        super().__init__(setup)
        self.iterations = iterations
        game = game_of(setup.game, setup.rules.__class__)
        self.imagine = game.imagine
        self.playouts = playouts_of(setup, game)

    def act(self, view: Any, legal: Sequence[Action]) -> Action:
        root = Node()
        nodes: dict[tuple[int, Any], Node] = {}
        for left in range(self.iterations, 0, -1):
            if left % LOOK == 0 and settled(root, left):
                break
            state = self.imagine(view, self.rng, self.setup.rules)
            self.playouts.believe(state, self.setup.seat, self.rng)
            self.iterate(state, root, legal, nodes)
        best = max(root.edges.values(), key=lambda edge: (edge.chosen, edge.earned))
        return best.action

    def iterate(
        self,
        state: State,
        node: Node,
        legal: Sequence[Action],
        nodes: dict[tuple[int, Any], Node],
    ) -> None:
        """One descent from the root, where only `legal` is chosen from, and one playout."""
        own, seat = self.setup.seat, state.to_act
        path: list[tuple[int, Edge]] = []
        while seat is not None:
            edge = self.choose(node, legal, state)
            path.append((seat, edge))
            state.apply(edge.action)
            seat, legal = next_choice(state)
            if not edge.chosen or seat is None:
                break
            key = seat, state.view(own)
            found = nodes.get(key)
            if found is None:
                found = nodes[key] = Node()
            node = found
        points = self.playouts.points(state, self.rng)
        for seat, edge in path:
            edge.chosen += 1
            edge.earned += points[seat]

    def choose(self, node: Node, legal: Sequence[Action], state: State) -> Edge:
        """Now and then what the policy proposes, or something new; else the highest bound."""
        node.visits += 1
        edges, rng = node.edges, self.rng
        tried = [edge for edge in map(edges.get, legal) if edge is not None]
        for edge in tried:
            edge.available += 1
        root = sqrt(node.visits)
        if len(tried) < len(legal) <= WIDEN * root:
            new = [action for action in legal if action not in edges]
            action = new[int(rng.random() * len(new))]
        elif not tried or (
            (self.playouts.informed or len(tried) < len(legal)) and rng.random() * root < FOLLOW
        ):
            action = self.playouts.choose(state, rng)
            if action not in legal or rng.random() < ASIDE:
                action = legal[int(rng.random() * len(legal))]
        else:
            return max(tried, key=bound)
        found = edges.get(action)
        if found is None:
            found = edges[action] = Edge(action)
            found.available = 1
        return found


def settled(root: Node, left: int) -> bool:
    """Whether so many more iterations can't change which action was chosen most."""
    chosen = sorted([edge.chosen for edge in root.edges.values()])
    return len(chosen) > 0 and chosen[-1] - sum(chosen[-2:-1]) > left


def bound(edge: Edge) -> float:
    """The upper confidence bound of what an action earns; counts availability, not visits."""
    if not edge.chosen:
        return 9.0
    return edge.earned / edge.chosen + EXPLORE * sqrt(log(edge.available) / edge.chosen)


def next_choice(state: State) -> tuple[int | None, Sequence[Action]]:
    """The next seat with a choice and what it may do; what is forced is done on the way."""
    while (seat := state.to_act) is not None:
        legal = state.legal()
        if len(legal) > 1:
            return seat, legal
        state.apply(legal[0])
    return None, ()


@cache
def game_of(name: str, rules: Any) -> Game:
    """The game of this name with this class of rules, among the modules that are loaded.

    Whoever runs a match has imported its game, also one from outside the package. ValueError where
    it can't be found.
    """
    for module in [*sys.modules.values()]:
        game = getattr(module, "__dict__", {}).get("GAME")
        if isinstance(game, Game) and (game.name, game.rules) == (name, rules):
            return game
    raise ValueError(f"search: no module that is loaded here has a GAME called {name!r}")
