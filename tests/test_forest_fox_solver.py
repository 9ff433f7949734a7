"""Forest Fox solved: against a plain search of endings, a full minimax of deals, and in play."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import games.forest_fox
from games.chance import Chance
from games.forest_fox.census import wins
from games.forest_fox.rules import GAME, PACK, ForestFox, Rules
from games.forest_fox.solver import Question, Solver, levels
from tests.campaigns import perfect
from tests.strategies import rules_of
from tests.test_forest_fox import best, plain_best


def minimax(state: ForestFox) -> float:
    """The points of seat 0 by the engine alone: every move of every position, nothing cut off."""
    known: dict[tuple[Any, ...], float] = {}

    def value(state: ForestFox) -> float:
        if state.to_act is None:
            return state.result().points[0]
        key = (*state.hands, state.decree, state.table, state.leader, state.tricks[0])
        if key not in known:
            values = []
            for play in state.legal():
                after = state.copy()
                after.apply(play)
                values.append(value(after))
            known[key] = max(values) if state.to_act == 0 else min(values)
        return known[key]

    return value(state)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_endings_are_worth_what_a_plain_search_finds(data: st.DataObject) -> None:
    rules = data.draw(rules_of(GAME))
    assert isinstance(rules, Rules)
    state = ForestFox(rules, 2, Chance(PACK, data.draw(st.integers(0, 2**64 - 1))))
    while state.turns < 8:
        state.apply(data.draw(st.sampled_from(state.legal())))
    cards = state.cards()
    hands = tuple([PACK.faces[card] for card in cards[f"hand {seat}"]] for seat in (0, 1))
    tricks = (state.tricks[0], state.tricks[1])
    plain = plain_best((hands[0], hands[1]), PACK.faces[state.decree], state.leader, tricks, rules)
    assert Solver(rules).points(state, 0) == plain
    assert Solver(rules).points(state, 1) == 1 - plain


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_each_move_is_worth_what_comes_of_it(data: st.DataObject) -> None:
    rules = data.draw(rules_of(GAME))
    assert isinstance(rules, Rules)
    state = ForestFox(rules, 2, Chance(PACK, data.draw(st.integers(0, 2**64 - 1))))
    turns = data.draw(st.integers(8, 13))
    while state.turns < turns:
        state.apply(data.draw(st.sampled_from(state.legal())))
    seat = state.to_act
    assert seat is not None
    solved = Solver(rules).solve(state)
    assert tuple(solved.moves) == state.legal()
    for play, points in solved.moves.items():
        after = state.copy()
        after.apply(play)
        assert points == (best(after) if seat == 0 else 1 - best(after))
    assert solved.points == max(solved.moves.values())


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"leader": "trick_winner"},
        {"leader": "trick_winner", "humble_max": 2, "greedy_min": 8},
        {"fox": False, "triumph": False, "monarch": False, "humble_max": 0, "greedy_min": 5},
    ],
)
def test_whole_deals_are_worth_what_a_full_minimax_finds(options: dict[str, Any]) -> None:
    rules = Rules(**options)
    for seed in range(4):
        state = ForestFox(rules, 2, Chance(PACK, seed))
        assert Solver(rules).points(state, 0) == minimax(state)


def test_where_nothing_is_shared_one_question_is_enough() -> None:
    half, whole = levels(Rules())
    assert half == whole == 0b00110011
    half, whole = levels(Rules(greedy_min=8))
    assert (half, whole) == (0b11110011, 0b00110000)


@pytest.mark.parametrize("leader", ["first_player", "trick_winner"])
def test_a_deal_is_solved_from_few_positions(leader: str) -> None:
    """What speed rests on, counted, since clocks vary: a position takes about 2 microseconds."""
    rules = Rules(leader=leader)
    met = 0
    for seed in range(60):
        solver = Solver(rules)
        solver.points(ForestFox(rules, 2, Chance(PACK, seed)), 0)
        met += len(solver.half.known)
    assert met / 60 < 550


def test_there_is_nothing_to_solve_at_the_end() -> None:
    state = ForestFox(Rules(), 2, Chance(PACK, 1))
    while state.to_act is not None:
        state.apply(state.legal()[0])
    assert Solver(Rules()).points(state, 1) == state.result().points[1]
    with pytest.raises(ValueError, match="the match is over"):
        Solver(Rules()).solve(state)


# --- All deals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("leader", ["first_player", "trick_winner"])
def test_renaming_suits_and_changing_seats_changes_nothing(leader: str) -> None:
    rules = Rules(leader=leader)
    _, good = levels(rules)
    turned = [(card + 5) % 15 for card in PACK.cards]
    chosen = Chance(PACK, 3).shuffle("deck", PACK.cards)
    for shift in range(8):
        deck = [*chosen[shift:], *chosen[:shift]]
        first, second = (sum(1 << card for card in deck[seat:14:2]) for seat in (0, 1))
        value = Question(rules, good).lead(first, second, deck[14], 0, 0)
        first, second = (sum(1 << turned[card] for card in deck[seat:14:2]) for seat in (0, 1))
        assert Question(rules, good).lead(first, second, turned[deck[14]], 0, 0) == value
        # What is good for seat 0 is bad for seat 1, so changing seats turns the answer round.
        if leader == "trick_winner":
            assert Question(rules, good).lead(second, first, turned[deck[14]], 1, 0) != value


def test_the_page_has_the_census() -> None:
    """One decree of the fifteen; a rank's three suits are alike, so its row is three times that."""
    page = (Path(games.forest_fox.__file__).parent / "README.md").read_text()
    counted = [wins(PACK.card("5B"), leader) for leader in ("first_player", "trick_winner")]
    shown = [f"{3 * won:,} ({won / 3432:.2%})" for won in counted]
    assert f"| 5 | 10,296 | {shown[0]} | {shown[1]} |" in page


# --- In play --------------------------------------------------------------------------------------


@pytest.mark.parametrize("leader", ["first_player", "trick_winner"])
def test_perfect_never_loses_a_won_position(leader: str) -> None:
    """The short form of `python -m tests.campaigns.perfect`."""
    for opponent in perfect.opponents():
        for line, counts in perfect.played(perfect.Job(leader, opponent, 0, 14)).items():
            assert counts["kept"] == counts["won"], line
            assert counts["won"] and counts["lost"] and not counts["faults"]
