"""What every game must do, whatever its rules: a game joins by being there, or by `--game PATH`.

Rules options, seats, deals and moves are drawn by hypothesis.
"""

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.game import Action, Game, Result, State
from games.restrictions import first_word, may_be_forbidden, restriction
from harness.records import RecordError, record, verify
from tests.strategies import GAMES, Walk, set_ups, walks

every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
usual = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)


def told(walk: Walk, seat: int) -> list[object]:
    """The events that a seat hasn't yet heard; it has now."""
    heard = walk.state.heard
    assert heard is not None
    events = heard[seat] or []
    heard[seat] = []
    return events


@every_game
@usual
@given(data=st.data())
def test_every_match_ends_with_a_result_as_the_records_page_says(
    game: Game, data: st.DataObject
) -> None:
    rules, players = data.draw(set_ups(game))
    walk = Walk(game, rules, players, data.draw(st.integers(0, 2**64 - 1))).finish()
    result = walk.state.result()
    check_result(game, players, result)
    assert result.scores == walk.state.scores()
    assert len(walk.state.counts) == players
    assert all(len(counts) == len(game.tactics) for counts in walk.state.counts)


def check_result(game: Game, players: int, result: Result) -> None:
    assert result.end in game.ends
    assert all(type(score) is int for score in result.scores)
    assert len(result.scores) == len(result.places) == len(result.points) == players
    for place in result.places:
        assert place == 1 + sum(other < place for other in result.places)
    teams = game.teams(players)
    if len(set(teams)) == players:
        assert sum(result.points) == pytest.approx(1)
    winners = result.places.count(1)
    for place, points in zip(result.places, result.points, strict=True):
        if place > 1:
            assert points == 0
        elif len(set(teams)) == players:
            assert points == pytest.approx(1 / winners)
        else:
            assert points == (0.5 if winners == players else 1.0)


@every_game
@usual
@given(data=st.data())
def test_cards_are_conserved(game: Game, data: st.DataObject) -> None:
    rules, players = data.draw(set_ups(game))
    walk = Walk(game, rules, players, data.draw(st.integers(0, 2**64 - 1)))
    whole = Counter(card for zone in walk.state.cards().values() for card in zone)
    assert Counter(game.pack.read(walk.moves[0].split()[1:])) == whole
    while walk.state.to_act is not None:
        walk.step()
        assert Counter(card for zone in walk.state.cards().values() for card in zone) == whole


@every_game
@usual
@given(data=st.data())
def test_actions_and_their_spelling_are_inverse(game: Game, data: st.DataObject) -> None:
    walk = data.draw(walks(game))
    if walk.state.to_act is None:
        return
    legal = walk.state.legal()
    assert len({str(action) for action in legal}) == len(legal)
    for action in legal:
        assert type(action) in game.actions
        assert game.parse(str(action)) == action
        assert hash(game.parse(str(action))) == hash(action)
    again = walk.state.legal()
    assert all(a is b for a, b in zip(legal, again, strict=True)), "actions are made once"


@every_game
@usual
@given(data=st.data())
def test_a_record_replays_to_itself(game: Game, data: st.DataObject) -> None:
    rules, players = data.draw(set_ups(game))
    walk = Walk(game, rules, players, data.draw(st.integers(0, 2**64 - 1))).finish()
    line = record(game, rules, players, [""] * players, None, walk.moves, walk.state.result())
    state = verify(line, game)
    assert state.counts == walk.state.counts
    assert state.cards() == walk.state.cards()
    assert state.turns == walk.state.turns


@every_game
@usual
@given(data=st.data())
def test_a_spoiled_record_is_refused_at_the_right_entry(game: Game, data: st.DataObject) -> None:
    rules, players = data.draw(set_ups(game))
    walk = Walk(game, rules, players, data.draw(st.integers(0, 2**64 - 1))).finish()
    line = record(game, rules, players, [""] * players, None, walk.moves, walk.state.result())
    fields = json.loads(line)
    at = data.draw(st.integers(0, len(walk.moves) - 1))
    kind = data.draw(st.sampled_from(["garbage", "seat", "space", "stop", "more", "score"]))
    moves = fields["moves"]
    if kind == "garbage":
        moves[at] = moves[at] + "x"
    elif kind == "seat":
        moves[at] = "9 " + moves[at].split(" ", 1)[-1]
    elif kind == "space":
        moves[at] = moves[at].replace(" ", "  ", 1) if " " in moves[at] else moves[at] + " "
    elif kind == "stop":
        del moves[at:]
    elif kind == "more":
        moves.append(moves[-1])
        at = len(moves) - 1
    else:
        fields["result"]["scores"][0] += 1
    with pytest.raises(RecordError) as error:
        verify(json.dumps(fields), game)
    assert error.value.entry == (None if kind == "score" else at)


@every_game
@usual
@given(data=st.data())
def test_a_copy_is_independent(game: Game, data: st.DataObject) -> None:
    walk = data.draw(walks(game))
    state = walk.state
    twin = state.copy()
    if state.to_act is None:
        return
    before = (state.cards(), [state.view(seat) for seat in range(walk.players)], state.legal())
    counts = [list(counts) for counts in state.counts]
    rng = Random(7)
    while twin.to_act is not None:
        twin.apply(rng.choice(twin.legal()))
    after = (state.cards(), [state.view(seat) for seat in range(walk.players)], state.legal())
    assert after == before
    assert state.counts == counts
    # And the same luck waits for both: the same choices lead to the same end.
    other = state.copy()
    rng = Random(7)
    while other.to_act is not None:
        other.apply(rng.choice(other.legal()))
    assert other.cards() == twin.cards()
    assert other.result() == twin.result()


@every_game
@usual
@given(data=st.data())
def test_the_same_seed_is_the_same_match(game: Game, data: st.DataObject) -> None:
    rules, players = data.draw(set_ups(game))
    seed = data.draw(st.integers(0, 2**64 - 1))
    one = Walk(game, rules, players, seed).finish()
    two = Walk(game, rules, players, seed).finish()
    assert one.moves == two.moves


@every_game
@usual
@given(data=st.data())
def test_a_view_is_plain_data_and_begins_with_seat_and_hand(
    game: Game, data: st.DataObject
) -> None:
    walk = data.draw(walks(game))
    for seat in range(walk.players):
        view = walk.state.view(seat)
        assert view._fields[:2] == ("seat", "hand")
        assert view.seat == seat
        assert isinstance(view.phase, str)
        assert list(view.hand) == sorted(view.hand)
        check_plain(view)
        assert walk.state.view(seat) is not view
        assert walk.state.view(seat) == view
        if walk.state.to_act is not None:
            hash(view)


def check_plain(value: object) -> None:
    assert value is None or isinstance(value, bool | int | str | tuple), value
    if isinstance(value, tuple):
        for part in value:
            check_plain(part)


@every_game
@usual
@given(data=st.data())
def test_what_a_seat_is_told_is_the_same_when_hidden_cards_change_places(
    game: Game, data: st.DataObject
) -> None:
    walk = data.draw(walks(game))
    state = walk.state
    seat = data.draw(st.integers(0, walk.players - 1))
    view, legal = state.view(seat), state.legal() if state.to_act == seat else ()
    places = [(zone, card) for zone, cards in sorted(state.hidden(seat).items()) for card in cards]
    for zone, cards in state.hidden(seat).items():
        assert not Counter(cards) - Counter(state.cards()[zone])
    for _ in range(10):
        if len(places) < 2:
            return
        zone, card = data.draw(st.sampled_from(places))
        other_zone, other = data.draw(st.sampled_from(places))
        state.exchange(zone, card, other_zone, other)
        assert state.view(seat) == view
        if state.to_act == seat:
            assert state.legal() == legal
        places = [
            (zone, card) for zone, cards in sorted(state.hidden(seat).items()) for card in cards
        ]


@every_game
@usual
@given(data=st.data())
def test_what_a_seat_does_not_see_changes_nothing_for_it(game: Game, data: st.DataObject) -> None:
    """Whether another was asked, and passed, shows neither in events nor in views."""
    rules, players = data.draw(set_ups(game))
    walk = Walk(game, rules, players, data.draw(st.integers(0, 2**64 - 1)), listeners=True)
    for seat in range(players):
        told(walk, seat)
    views = [walk.state.view(seat) for seat in range(players)]
    while walk.state.to_act is not None:
        actor = walk.state.to_act
        walk.step()
        for seat in range(players):
            events = told(walk, seat)
            view = walk.state.view(seat)
            if not events and walk.state.to_act is not None:
                assert seat != actor, "a seat is told what it did itself"
                assert view == views[seat]
            views[seat] = view
            for event in events:
                check_plain(event)


@every_game
@usual
@given(data=st.data())
def test_an_imagined_state_has_the_same_view_and_can_be_played(
    game: Game, data: st.DataObject
) -> None:
    walk = data.draw(walks(game))
    if walk.state.to_act is None:
        return
    seat = walk.state.to_act
    view = walk.state.view(seat)
    rng = Random(data.draw(st.integers(0, 2**32)))
    imagined = game.imagine(view, rng, walk.rules)
    assert imagined.view(seat) == view
    assert imagined.to_act == seat
    assert imagined.legal() == walk.state.legal()
    sizes = {zone: len(cards) for zone, cards in walk.state.cards().items()}
    assert {zone: len(cards) for zone, cards in imagined.cards().items()} == sizes
    whole = Counter(card for zone in walk.state.cards().values() for card in zone)
    assert Counter(card for zone in imagined.cards().values() for card in zone) == whole
    while imagined.to_act is not None:
        imagined.apply(rng.choice(imagined.legal()))
    check_result(game, walk.players, imagined.result())
    assert game.imagine(view, Random(3), walk.rules).cards() == (
        game.imagine(view, Random(3), walk.rules).cards()
    )


@every_game
@usual
@given(data=st.data())
def test_what_is_forbidden_is_never_offered_beside_something_else(
    game: Game, data: st.DataObject
) -> None:
    """In the match, in its copies, and in what is imagined, from what the seat sees alone."""
    rules, players = data.draw(set_ups(game))
    names = st.lists(st.sampled_from(may_be_forbidden(game)), max_size=3)
    by_seat = data.draw(st.lists(names, min_size=players, max_size=players))
    rules = rules.restricted(restriction(game, by_seat))
    walk = Walk(game, rules, players, data.draw(st.integers(0, 2**64 - 1)))
    walk.steps(data.draw(st.integers(0, 150)))
    if walk.state.to_act is not None:
        seat, state = walk.state.to_act, walk.state
        legal, free = state.legal(), game.state.legal(state)
        assert legal and set(legal) <= set(free)
        words = set(by_seat[seat]) & set(game.words)
        tactics = [i for i, t in enumerate(game.tactics) if t.name in {*by_seat[seat]} - words]
        done = {action: _counted(state, action, tactics) for action in free}
        clean = [a for a in free if first_word(a) not in words and not done[a]]
        assert list(legal) == (clean or list(free))
        assert state.copy().legal() == legal
        imagined = game.imagine(state.view(seat), Random(1), rules)
        assert imagined.legal() == legal
        assert imagined.copy().legal() == legal
    walk.finish()
    line = record(game, rules, players, [""] * players, None, walk.moves, walk.state.result())
    assert verify(line, game).cards() == walk.state.cards()


def _counted(state: State, action: Action, tactics: list[int]) -> bool:
    seat = state.to_act
    assert seat is not None
    twin = state.copy()
    twin.apply(action)
    return any(twin.counts[seat][i] > state.counts[seat][i] for i in tactics)


@every_game
@usual
@given(data=st.data())
def test_every_action_begins_with_one_of_the_games_words(game: Game, data: st.DataObject) -> None:
    walk = data.draw(walks(game))
    if walk.state.to_act is not None:
        assert {first_word(action) for action in walk.state.legal()} <= set(game.words)
    assert set(game.stalls) <= set(game.ends)
