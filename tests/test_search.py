"""The search bot: it plays every game, by what its seat sees, and better the longer it searches."""

import csv
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import games.forest_fox
from bots._playouts import playouts_of
from bots.search import Edge, Node, Search, settled
from games.chance import Chance
from games.forest_fox.rules import PACK, PLAYS, ForestFox, Rules
from games.forest_fox.solver import Solver
from games.game import Action, Game, State
from harness.bot import Setup
from harness.games import builtin_names, find_game
from tests.command import fairdeal
from tests.strategies import rules_of

GAMES = builtin_names()


def positions(game: Game, rules: Any, players: int, seed: int, most: int) -> Iterator[State]:
    """A match by lot: it stops at every choice, the first `most` of them."""
    state = game.state(rules, players, Chance(game.pack, seed))
    luck = Random(seed)
    while state.to_act is not None and most:
        legal = state.legal()
        if len(legal) > 1:
            yield state
            most -= 1
        state.apply(luck.choice(legal))


def setup_of(game: Game, state: State, seed: int = 1) -> Setup:
    assert state.to_act is not None
    return Setup(game.name, state.rules, state.players, state.to_act, seed)


def answer(game: Game, state: State, legal: tuple[Action, ...], iterations: int) -> Action:
    """What a bot that is made there and then answers."""
    assert state.to_act is not None
    bot = Search(setup_of(game, state), iterations=iterations)
    return bot.act(state.view(state.to_act), legal)


# --- It plays every game -------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_its_answers_are_legal_and_depend_on_the_seed_alone(name: str, data: st.DataObject) -> None:
    game = find_game(name)
    rules = data.draw(rules_of(game))
    players = data.draw(st.sampled_from(game.players))
    try:
        game.check_players(players, rules)
    except ValueError:
        return
    for state in positions(game, rules, players, data.draw(st.integers(0, 10_000)), 12):
        first = answer(game, state, state.legal(), 6)
        assert first in state.legal()
        assert answer(game, state, state.legal(), 6) == first


@pytest.mark.parametrize("name", GAMES)
def test_it_chooses_only_among_the_actions_that_it_was_given(name: str) -> None:
    game = find_game(name)
    for state in positions(game, game.rules(), game.usual, 3, 10):
        some = state.legal()[-2:]
        assert answer(game, state, some, 20) in some


@pytest.mark.parametrize(
    ("name", "players", "options"),
    [
        *((name, find_game(name).usual, {}) for name in GAMES),
        ("casino_go_fish", 5, {"set_size": 3, "dealer_take_max": 3}),
        ("casino_go_fish", 2, {"draw_min": 0, "patron_sets": "best"}),
        ("de_boers", 2, {"stockpiling": True, "last_turns": 0}),
        ("de_boers", 8, {"stockpiling": True, "notice_percent": 50}),
        ("fraser_island", 2, {"fee": 0, "reveal_depth": 1, "packs": 2}),
        ("fraser_island", 8, {"challenge_scope": "target", "execution": False}),
        ("tragedy", 6, {"hidden_attacks": True, "take": "attacker"}),
    ],
)
def test_playouts_know_no_more_than_the_seat_to_act(
    name: str, players: int, options: dict[str, Any]
) -> None:
    """Other placements of the hidden cards, the same luck: the policy chooses the same.

    And beliefs change nothing that it sees.
    """
    game = find_game(name)
    for state in positions(game, game.rules(**options), players, 4, 60):
        seat = state.to_act
        assert seat is not None
        playouts = playouts_of(setup_of(game, state), game)
        choose, view = playouts.choose, state.view(seat)
        others = [game.imagine(view, Random(number), state.rules) for number in range(4)]
        for other in others:
            playouts.believe(other, seat, Random(2))
            assert other.view(seat) == view
        chosen = {choose(other, Random(9)) for other in others if other.to_act == seat}
        assert len(chosen) == 1, str(view)


@pytest.mark.parametrize("name", GAMES)
def test_hopes_are_shares_of_a_match(name: str) -> None:
    game = find_game(name)
    teams = game.teams(game.usual)
    for state in positions(game, game.rules(), game.usual, 5, 30):
        hopes = playouts_of(setup_of(game, state), game).hopes(state)
        by_team = dict(zip(teams, hopes, strict=True))
        assert sum(by_team.values()) == pytest.approx(1)
        assert [by_team[team] for team in teams] == list(hopes)


def test_a_game_outside_the_package_is_searched(tmp_path: Path) -> None:
    folder = tmp_path / "open_fox"
    folder.mkdir()
    shutil.copy(Path(games.forest_fox.__path__[0]) / "rules.py", folder)
    text = (folder / "rules.py").read_text().replace('"forest_fox"', '"open_fox"')
    (folder / "rules.py").write_text(text)
    for isolation in ("inprocess", "process"):
        played = fairdeal(
            *("match", folder, "search(iterations=5)", "random_legal"),
            *("--isolation", isolation, "--output", "csv"),
        )
        rows = list(csv.DictReader(io.StringIO(played.stdout)))
        assert {row["faults"] for row in rows} == {"0"}
        assert any(row["bot"].startswith("search(iterations=5)@") for row in rows)


def test_a_game_that_is_not_loaded_is_named() -> None:
    with pytest.raises(ValueError, match="no module that is loaded here has a GAME called 'chess'"):
        Search(Setup("chess", Rules(), 2, 0, 1))
    with pytest.raises(ValueError, match="iterations must be 1 or more, not 0"):
        Search(Setup("forest_fox", Rules(), 2, 0, 1), iterations=0)


@pytest.mark.parametrize("size", [3, 4])
def test_at_casino_go_fish_the_last_card_of_a_set_is_kept(size: int) -> None:
    game = find_game("casino_go_fish")
    state: Any = game.state(game.rules(set_size=size), 3, Chance(game.pack, 1))
    alike = [game.pack.card(face) for face in ("5C", "5D", "5H", "5S")]
    others = [game.pack.card(face) for face in ("KC", "2H", "9S")]
    fifth = alike[size - 1]
    state.hands[0] = sorted(alike[: size - 1] + others[: 5 - size])
    state.drawn = sorted([fifth, others[2]])
    state.phase = "keep"
    state.refresh()
    playouts = playouts_of(setup_of(game, state), game)
    assert str(playouts.choose(state, Random(1))) == f"keep {game.pack.faces[fifth]}"
    before = playouts.leads(state)[0]
    state.apply(playouts.choose(state, Random(1)))
    assert playouts.leads(state)[0] > before


# --- It stops where nothing can change its choice ------------------------------------------------


def test_settled_is_where_the_second_can_no_more_catch_up() -> None:
    def root(*chosen: int) -> Node:
        node = Node()
        for card, number in enumerate(chosen):
            node.edges[PLAYS[card]] = edge = Edge(PLAYS[card])
            edge.chosen = number
        return node

    assert not settled(root(), 10)
    assert settled(root(11), 10)
    assert not settled(root(10), 10)  # one that was never tried may still draw level
    assert settled(root(3, 40, 29), 10)
    assert not settled(root(3, 40, 30), 10)


def test_all_iterations_would_have_chosen_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = [0]
    iterate = Search.iterate

    def counted(bot: Search, *given: Any) -> None:
        looked[0] += 1
        iterate(bot, *given)

    monkeypatch.setattr(Search, "iterate", counted)
    decisions = sooner = 0
    for game in map(find_game, GAMES):
        for state in positions(game, game.rules(), game.usual, 6, 12):
            looked[0] = 0
            chosen = answer(game, state, state.legal(), 60)
            decisions, sooner = decisions + 1, sooner + (looked[0] < 60)
            looked[0] = 0
            with monkeypatch.context() as patch:
                patch.setattr("bots.search.LOOK", 1000)  # never
                assert answer(game, state, state.legal(), 60) == chosen
            assert looked[0] == 60
    assert 0 < sooner < decisions


# --- It plays well -------------------------------------------------------------------------------


@pytest.mark.parametrize("leader", ["first_player", "trick_winner"])
def test_endings_of_forest_fox_are_played_perfectly(leader: str) -> None:
    """Two tricks before the end; where some plays keep a won position and others don't."""
    game = find_game("forest_fox")
    rules = Rules(leader=leader)
    solver = Solver(rules)
    tried = 0
    for seed in range(150):
        state = ForestFox(rules, 2, Chance(PACK, seed))
        luck = Random(seed)
        while state.turns < 10:
            state.apply(luck.choice(state.legal()))
        value, plays = solver.solve(state)
        if len(set(plays.values())) > 1 and state.to_act == 0:
            tried += 1
            assert plays[answer(game, state, state.legal(), 200)] == value  # type: ignore[index]
    assert tried > 10


def campaign(file: Path, *arguments: str) -> Any:
    """Runs the campaign as a command; its table."""
    command = [sys.executable, "-m", "tests.campaigns.search", "--results", str(file)]
    done = subprocess.run(
        [*command, *arguments, "--output", "json"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_strength_grows_with_iterations_and_a_campaign_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "search.jsonl"
    [row] = campaign(file, "--game", "forest_fox", "--tenfold", "--blocks", "6")
    first = file.read_text()
    assert row["blocks"] == 6
    [row] = campaign(file, "--game", "forest_fox", "--tenfold", "--blocks", "24")
    assert file.read_text().startswith(first)
    assert len(file.read_text().splitlines()) == row["blocks"] == 24
    assert float(row["points"].removesuffix(" %")) > 60
    assert row["faults"] == 0
    # A line a block, in which the score is the mean of both seatings.
    assert {json.loads(line)["points"] for line in first.splitlines()} <= {
        0.0,
        0.25,
        0.5,
        0.75,
        1.0,
    }


def test_it_beats_random_choices(tmp_path: Path) -> None:
    options = ("--against", "random_legal", "--iterations", "20", "--blocks", "8")
    for name in ("fraser_island", "tragedy"):
        [row] = campaign(tmp_path / "search.jsonl", "--game", name, *options)
        assert float(row["points"].removesuffix(" %")) > 1.5 * float(row["par"].removesuffix(" %"))
