"""Forest Fox against a second implementation, plain and slow; whole endings searched by both."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.chance import Chance
from games.forest_fox.rules import GAME, PACK, ForestFox, Rules, imagine
from harness.records import verify
from tests.strategies import rules_of

EXAMPLES = Path(__file__).parent / "data" / "examples_forest_fox.jsonl"


@pytest.mark.parametrize("line", EXAMPLES.read_text().splitlines())
def test_published_records_replay(line: str) -> None:
    verify(line)


# --- The rules a second time: words and lists, straight from the rulebook ------------------------


def plain_answers(hand: list[str], table: str, rules: Rules) -> list[str]:
    follow = [card for card in hand if card[1] == table[1]]
    if not follow:
        return hand
    if table[0] == "5" and rules.monarch:
        return [card for card in follow if card[0] == "1" or card == max(follow)]
    return follow


def plain_play(card: str, decree: str, rules: Rules) -> tuple[str, str]:
    """The card as it counts, and the decree after it."""
    return (decree, card) if card[0] == "1" and rules.fox else (card, decree)


def plain_leader_takes(lead: str, answer: str, decree: str, rules: Rules) -> bool:
    threes = [card for card in (lead, answer) if card[0] == "3"]
    if rules.triumph and len(threes) == 1:
        lead, answer = (card[0] + decree[1] if card in threes else card for card in (lead, answer))
    rank = {lead[1]: 1}
    rank[decree[1]] = 2
    return (rank[lead[1]], lead[0]) > (rank.get(answer[1], 0), answer[0])


def plain_best(
    hands: tuple[list[str], list[str]],
    decree: str,
    leader: int,
    tricks: tuple[int, int],
    rules: Rules,
) -> float:
    """The points of seat 0 if both play perfectly."""
    if not hands[0]:
        good = [taken <= rules.humble_max or 4 <= taken < rules.greedy_min for taken in tricks]
        return 0.5 if good[0] == good[1] else float(good[0])
    values = []
    for card in hands[leader]:
        lead, between = plain_play(card, decree, rules)
        replies = []
        for reply in plain_answers(hands[1 - leader], lead, rules):
            answer, after = plain_play(reply, between, rules)
            taker = leader if plain_leader_takes(lead, answer, after, rules) else 1 - leader
            left = [[c for c in hand if c not in (card, reply)] for hand in hands]
            taken = [tricks[0], tricks[1]]
            taken[taker] += 1
            first = taker if rules.leader == "trick_winner" else leader
            replies.append(
                plain_best((left[0], left[1]), after, first, (taken[0], taken[1]), rules)
            )
        values.append(min(replies) if leader == 0 else max(replies))
    return max(values) if leader == 0 else min(values)


def best(state: ForestFox) -> float:
    """The same by the engine."""
    if state.to_act is None:
        return state.result().points[0]
    values = []
    for play in state.legal():
        after = state.copy()
        after.apply(play)
        values.append(best(after))
    return max(values) if state.to_act == 0 else min(values)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_whole_endings_are_worth_what_a_plain_search_finds(data: st.DataObject) -> None:
    rules = data.draw(rules_of(GAME))
    assert isinstance(rules, Rules)
    state = ForestFox(rules, 2, Chance(PACK, data.draw(st.integers(0, 2**64 - 1))))
    while state.gone.bit_count() < 8:
        state.apply(data.draw(st.sampled_from(state.legal())))
        if state.table is not None:
            state.apply(data.draw(st.sampled_from(state.legal())))
    cards = state.cards()
    hands = tuple([PACK.faces[card] for card in cards[f"hand {seat}"]] for seat in (0, 1))
    assert len(hands[0]) == 3
    plain = plain_best(
        (hands[0], hands[1]),
        PACK.faces[state.decree],
        state.leader,
        (state.tricks[0], state.tricks[1]),
        rules,
    )
    assert best(state) == plain


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_every_trick_goes_as_the_plain_rules_say(data: st.DataObject) -> None:
    rules = data.draw(rules_of(GAME))
    assert isinstance(rules, Rules)
    state = ForestFox(rules, 2, Chance(PACK, data.draw(st.integers(0, 2**64 - 1))))
    while state.to_act is not None:
        leader = state.leader
        lead = data.draw(st.sampled_from(state.legal()))
        table, decree = plain_play(str(lead), PACK.faces[state.decree], rules)
        state.apply(lead)
        hand = [PACK.faces[card] for card in state.cards()[f"hand {1 - leader}"]]
        assert [str(play) for play in state.legal()] == plain_answers(hand, table, rules)
        answer = data.draw(st.sampled_from(state.legal()))
        counted, decree = plain_play(str(answer), decree, rules)
        before = list(state.tricks)
        state.apply(answer)
        taker = leader if plain_leader_takes(table, counted, decree, rules) else 1 - leader
        before[taker] += 1
        assert state.tricks == before
        assert PACK.faces[state.decree] == decree


# --- Options ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"humble_max": 4}, "forest_fox: humble_max must be 0 to 3, not 4"),
        ({"humble_max": True}, "forest_fox: humble_max must be 0 to 3, not true"),
        ({"greedy_min": 5.0}, "forest_fox: greedy_min must be 5 to 8, not 5.0"),
        ({"fox": 1}, "forest_fox: fox must be true or false, not 1"),
        (
            {"leader": "loser"},
            'forest_fox: leader must be "first_player" or "trick_winner", not "loser"',
        ),
    ],
)
def test_an_option_out_of_range_is_one_clear_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        Rules.read(options)
    assert str(error.value) == message


def test_an_unknown_option_names_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="there is no rules option 'foxes'; there are: leader,"):
        Rules.read({"foxes": True})


@pytest.mark.parametrize(
    ("humble_max", "greedy_min", "tricks", "points"),
    [
        (1, 6, 1, (1.0, 0.0)),  # Humble against Greedy
        (1, 6, 2, (0.0, 1.0)),  # Defeated against Victorious
        (1, 6, 4, (1.0, 0.0)),  # Victorious against Defeated
        (1, 6, 6, (0.0, 1.0)),  # Greedy against Humble
        (1, 8, 7, (0.5, 0.5)),  # never greedy: Victorious against Humble, both win
        (0, 6, 1, (0.5, 0.5)),  # Defeated against Greedy, both lose
        (3, 6, 4, (0.5, 0.5)),  # Victorious against Humble, both win
    ],
)
def test_what_the_tricks_are_worth(
    humble_max: int, greedy_min: int, tricks: int, points: tuple[float, float]
) -> None:
    state = ForestFox(Rules(humble_max=humble_max, greedy_min=greedy_min), 2, Chance(PACK, 1))
    state.tricks = [tricks, 7 - tricks]
    assert state.result().points == points
    assert state.result().places == (
        (1, 1) if points[0] == 0.5 else (2 - int(points[0]), 1 + int(points[0]))
    )


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**64 - 1), plays=st.integers(0, 13))
def test_imagining_finds_the_hidden_hand_since_all_cards_are_in_play(seed: int, plays: int) -> None:
    from random import Random

    rules = Rules(open_hands=False)
    state = ForestFox(rules, 2, Chance(PACK, seed))
    rng = Random(seed)
    for _ in range(plays):
        state.apply(rng.choice(state.legal()))
    assert state.to_act is not None
    found = imagine(state.view(state.to_act), rng, rules)
    assert found.cards() == state.cards()
    assert found.turns == state.turns


def test_records_name_only_options_that_differ() -> None:
    line = json.loads(EXAMPLES.read_text().splitlines()[4])
    assert Rules.read(line["rules"]).changed() == {"leader": "trick_winner"}
    verify(json.dumps({**line, "rules": {"leader": "trick_winner", "fox": True}}))
