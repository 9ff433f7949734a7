"""What hypothesis draws for every game: rules, seats, seeds and matches at any point."""

import dataclasses
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st

from games.chance import Chance
from games.game import Action, Game, Rules, State
from games.restrictions import state_type
from harness.games import builtin_names, find_game

OUTSIDE = Path(__file__).parent / "games"
"""Games of a folder of their own, for tests."""

GAMES = [
    *(find_game(name) for name in builtin_names()),
    *(find_game(str(OUTSIDE / name)) for name in ("lot", "war")),
]


@st.composite
def rules_of(draw: st.DrawFn, game: Game) -> Rules:
    """Rules with a few options changed, each to anything that is allowed."""
    changed: dict[str, Any] = {}
    fields = dataclasses.fields(game.rules)
    for field in draw(st.lists(st.sampled_from(fields), max_size=5, unique_by=lambda f: f.name)):
        choices = [
            st.integers(choice.start, choice.stop - 1)
            if isinstance(choice, range)
            else st.just(choice)
            for choice in field.metadata["allowed"]
        ]
        changed[field.name] = draw(st.one_of(choices))
    return game.rules(**changed)


@st.composite
def set_ups(draw: st.DrawFn, game: Game) -> tuple[Rules, int]:
    """Rules and a number of seats that go together."""
    rules = draw(rules_of(game))
    allowed = [n for n in game.players if playable(game, n, rules)]
    if not allowed:
        rules, allowed = game.rules(), list(game.players)
    return rules, draw(st.sampled_from(allowed))


def playable(game: Game, players: int, rules: Rules) -> bool:
    try:
        game.check_players(players, rules)
    except ValueError:
        return False
    return True


class Walk:
    """A match played at random from a seed, step by step; it keeps its record's entries."""

    def __init__(
        self, game: Game, rules: Rules, players: int, seed: int, listeners: bool = False
    ) -> None:
        self.game = game
        self.rules = rules
        self.players = players
        self.moves: list[str] = []
        self.chance = Chance(game.pack, seed, log=self.moves)
        everybody = range(players) if listeners else ()
        begin = state_type(game, rules)
        self.state: State = begin(rules, players, self.chance, everybody)
        self.rng = Random(seed)

    def step(self) -> Action:
        """One decision, chosen so that rare words come up as often as common ones."""
        legal = self.state.legal()
        assert legal, "no legal action before the end"
        by_word: dict[str, list[Action]] = {}
        for action in legal:
            by_word.setdefault(str(action).split()[0], []).append(action)
        whole = self.rng.random() < 0.5
        action = self.rng.choice(legal if whole else self.rng.choice(list(by_word.values())))
        self.moves.append(f"{self.state.to_act} {action}")
        self.state.apply(action)
        return action

    def steps(self, number: int) -> "Walk":
        """At most so many decisions."""
        while number > 0 and self.state.to_act is not None:
            self.step()
            number -= 1
        return self

    def finish(self) -> "Walk":
        """To the end."""
        while self.state.to_act is not None:
            self.step()
        return self


@st.composite
def walks(draw: st.DrawFn, game: Game, listeners: bool = False, most: int = 150) -> Walk:
    """A match at any point before its end, or at it."""
    rules, players = draw(set_ups(game))
    walk = Walk(game, rules, players, draw(st.integers(0, 2**64 - 1)), listeners)
    return walk.steps(draw(st.integers(0, most)))
