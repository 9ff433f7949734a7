"""Fraser Island: its rulings as stories at the table, what must not leak, and what is imagined."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bots.fraser_island.burrower import Burrower
from bots.random_legal import RandomLegal
from games.chance import Chance
from games.fraser_island.moves import PACK
from games.fraser_island.rules import GAME, FraserIsland, Rules, imagine, pack_for
from games.fraser_island.view import Passed
from harness.bot import Setup
from harness.play.faults import faulted
from harness.play.match import match
from harness.records import Scripted, verify

RECORDS = Path(__file__).parent / "data" / "examples_fraser_island.jsonl"


def deal(
    hands: Sequence[str], draws: str = "", listen: bool = False, **options: Any
) -> FraserIsland:
    """A table with these hands, where these cards are drawn next and the rest of the pack after."""
    held = [hand.split() for hand in hands]
    rules = Rules(**{"hand_size": len(held[0]), **options})
    order = [hand[place] for place in range(len(held[0])) for hand in held] + draws.split()
    rest = Counter(PACK.spell(pack_for(rules, len(hands))).split())
    rest.subtract(order)
    assert min(rest.values()) >= 0
    deck = ["!deck", *order, *rest.elements()]
    chance = Scripted(PACK, [" ".join(deck)])
    return FraserIsland(rules, len(hands), chance, range(len(hands)) if listen else ())


def play(state: FraserIsland, *entries: str) -> None:
    """Each entry is a seat and what it does, which must be legal there."""
    for entry in entries:
        seat, said = entry.split(" ", 1)
        assert state.to_act == int(seat), f"{entry}: seat {state.to_act} is to act"
        legal = {str(action): action for action in state.legal()}
        assert said in legal, f"{entry}: {list(legal)}"
        state.apply(legal[said])


def choices(state: FraserIsland) -> list[str]:
    return [str(action) for action in state.legal()]


def counted(state: FraserIsland, seat: int) -> dict[str, int]:
    names = [tactic.name for tactic in GAME.tactics]
    return {name: n for name, n in zip(names, state.counts[seat], strict=True) if n}


def finish(state: FraserIsland) -> None:
    """Everybody shares the lowest card and passes, to the end."""
    while state.to_act is not None:
        legal = state.legal()
        state.apply(legal[-1] if str(legal[-1]) == "pass" else legal[0])


# --- Records ------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", RECORDS.read_text().splitlines())
def test_a_recorded_match_replays(line: str) -> None:
    verify(line)


# --- Who may challenge --------------------------------------------------------------------------

NO_GEMS = ("2S 3S 4S", "5S 6S 7S", "8S 9S TS")


def test_without_a_private_card_there_is_nothing_to_challenge() -> None:
    state = deal(["2H 3H 4H", "5H 6H 7H"])
    play(state, "0 play 2H public", "1 play 5H public", "0 play 3H private gem", "1 pass")


def test_ones_own_pile_is_enough_where_everybody_reveals() -> None:
    state = deal(["2S 3H 4H", "5S 6S 7S"], "JS QS")
    play(state, "0 play 2S private rock", "0 challenge")
    assert counted(state, 0) == {"keep_rock": 1, "challenge_miss": 1}


def test_where_one_is_named_nobody_can_name_itself() -> None:
    state = deal(["2S 3H 4H", "5S 6S 7S"], "JS QS", challenge_scope="target")
    play(state, "0 play 2S private rock", "1 play 5S public")


def test_a_person_of_disrespect_is_not_asked_even_where_challenges_are_free() -> None:
    state = deal(["2S 3S 4S", "5H 6H 7H", "8S 9S TS"], "JS QS KS", failures_allowed=1)
    play(state, "0 play 2S private rock", "1 challenge", "1 play 7H private gem")
    play(state, "2 play 8S private diamond", "0 challenge")
    assert state.failures == [0, 1, 0]
    assert state.to_act == 0  # seat 1 has two gems and was free to challenge, but has no credence


def test_three_failures_may_be_allowed() -> None:
    state = deal(["2S 3S 4S", "5H 6H 7H"], "JS QS", failures_allowed=3)
    play(state, "0 play 2S private rock", "1 challenge", "1 challenge", "1 challenge")
    assert state.view(0).failures == (0, 3)
    # Without a card seat 1 only drew; it is seat 0's turn again.
    assert state.view(0).phase == "play"
    assert state.view(1).hand == (PACK.card("QS"),)
    assert state.turns == 2


def test_a_dearer_fee_is_the_lowest_gems_and_who_has_fewer_is_not_asked() -> None:
    state = deal(["2S 3S 4S", "KH AH 7H", "9H 9S TS"], "JS QS", fee=2)
    play(state, "0 play 2S private rock", "1 challenge")
    assert state.view(1).hand == (PACK.card("KH"),)
    assert state.view(2).public[PACK.card("AH")] == state.view(2).public[PACK.card("7H")] == 1
    play(state, "1 play KH public")


def test_a_failure_costs_credence_also_where_challenges_cost_nothing() -> None:
    state = deal(NO_GEMS, "JS QS KS", fee=0)
    play(state, "0 play 2S private rock", "1 challenge", "1 challenge", "2 pass", "0 pass")
    assert state.failures == [0, 2, 0]


# --- The free challenge -------------------------------------------------------------------------


def test_the_first_challenge_is_free_also_for_one_who_could_pay() -> None:
    state = deal(["2S 3S 4S", "5H 6H 7H"], "JS QS")
    play(state, "0 play 2S private diamond", "1 challenge", "1 challenge")
    assert counted(state, 1) == {"free_miss": 1, "challenge_miss": 1}
    assert state.failures == [0, 1]
    assert state.view(0).sizes == (3, 2)


def test_the_free_challenge_stays_open_when_the_claimer_is_executed() -> None:
    state = deal(["AD 3S 4H", "5S 6S 7S", "8S 9S TS"], "JS QS", listen=True)
    play(state, "0 play 3S private rock", "0 pass", "1 play 5S private rock", "0 pass")
    play(state, "2 play 8S private rock", "0 pass", "0 play AD private diamond")
    play(state, "1 pass", "2 pass", "0 challenge")
    assert state.view(1).out == (True, False, False)
    assert state.view(1).free
    play(state, "1 challenge", "1 play 6S public")
    assert counted(state, 1) == {"keep_rock": 1, "pass": 1, "free_miss": 1, "share_rock": 1}


# --- What is revealed, and lost -----------------------------------------------------------------


def test_what_was_revealed_and_stays_is_known_until_it_leaves() -> None:
    state = deal(["2S 3S 4S", "5H 6H 7H", "8S 9S TS"], "JS QS KS", reveal_depth=1)
    play(state, "0 play 2S private gem", "1 challenge", "1 pass")
    play(state, "1 play 7H public", "1 pass", "2 play 8S public", "1 pass")
    play(state, "0 play 3S private rock", "1 pass")
    kept = state.view(2).piles[0]
    assert [(one.claim, one.card) for one in kept] == [("gem", PACK.card("2S")), ("rock", None)]
    assert state.view(0).pile == PACK.read(["2S", "3S"])
    assert state.hidden(2)["pile 0"] == (PACK.card("3S"),)


def test_depth_one_finds_only_the_top_card() -> None:
    state = deal(["2D 3S 4S", "5H 6H 7H"], "JS QS KS", reveal_depth=1)
    play(state, "0 play 2D private rock", "1 pass", "1 play 7H public", "1 pass")
    play(state, "0 play 3S private rock", "1 challenge")
    assert counted(state, 1)["challenge_miss"] == 1
    assert state.scores() == (2, 0)


def test_an_executed_challenger_loses_the_fee_that_came_back_too() -> None:
    state = deal(["AD 3H 4S", "5S 6S 7S", "8S 9S TS"], "JS QS KS")
    play(state, "0 play AD private rock", "0 challenge")
    assert state.view(1).sizes == (0, 3, 3)
    assert state.view(1).public[PACK.card("3H")] == 1
    assert state.view(1).known == ((), (), ())
    assert counted(state, 0) == {"smuggle": 1, "challenge_hit": 1, "caught": 1, "executed": 1}
    assert state.to_act == 1
    finish(state)
    assert state.result().places == (3, 1, 1)
    assert state.result().end == "deck"


def test_an_execution_after_the_last_card_ends_as_last_player() -> None:
    state = deal(["AD 2S 3S", "5H 6S 7S"])
    while state.view(0).deck > 2:
        state.apply(next(a for a in state.legal() if str(a)[5:7] not in ("AD", "5H")))
    play(state, "0 play AD private rock", "1 pass", "1 play 9S public")
    assert state.view(1).phase == "last"
    play(state, "1 challenge")
    assert state.result() == ((-1, 0), (2, 1), (0.0, 1.0), "last_player")


# --- Wealth -------------------------------------------------------------------------------------


def test_wealth_counts_the_private_pile_and_nothing_in_hand() -> None:
    state = deal(["2H TD JD QD 8D", "AD 2S 3S 4S 5S"], "JS QS KS 2C 3C 4C 5C 6C")
    play(state, "0 play 2H private rock", "1 play AD private rock")
    play(state, "0 play TD private rock", "1 play 2S private gem")
    play(state, "0 play JD private rock", "1 play 3S private rock")
    play(state, "0 play QD private rock", "1 play 4S public")
    assert state.scores() == (1 + 10 + 50 + 50, 100)
    assert [state.standing(seat) for seat in (0, 1)] == [111, 100]


def test_dollars_are_options_and_the_ace_keeps_its_worth_without_executions() -> None:
    options = {"gem": 7, "big_diamond": 20, "legendary_diamond": 1000, "execution": False}
    state = deal(["2H KD 9D", "AD 2S 3S"], "JS QS KS 2C 3C 4C", **options)
    play(state, "0 play 2H private gem", "1 play AD private rock")
    play(state, "0 play KD private rock", "1 play 2S public", "0 play 9D private rock")
    assert state.scores() == (7 + 20 + 9, 1000)


# --- What shows, and what doesn't ---------------------------------------------------------------


def test_that_another_could_pay_and_passed_shows_in_nothing() -> None:
    """Seat 1 has a gem at one table and none at the other; seats 0 and 2 can't tell which."""
    asked = deal(["2S 3S 4S", "5H 6S 7S", "8S 9S TH"], "JS QS KS", listen=True)
    unasked = deal(["2S 3S 4S", "5S 6S 7S", "8S 9S TH"], "JS QS KS", listen=True)
    play(asked, "0 play 2S private rock", "1 pass")
    play(unasked, "0 play 2S private rock")
    assert asked.to_act == unasked.to_act == 2
    for seat in (0, 2):
        assert asked.view(seat) == unasked.view(seat)
        assert heard(asked, seat) == heard(unasked, seat)
    assert heard(asked, 1)[-1] == Passed(1)
    play(asked, "2 pass")
    play(unasked, "2 pass")
    for seat in (0, 2):
        assert asked.view(seat) == unasked.view(seat)
        assert heard(asked, seat) == heard(unasked, seat)


def heard(state: FraserIsland, seat: int) -> list[Any]:
    assert state.heard is not None
    return list(state.heard[seat] or [])


def test_while_one_is_asked_the_others_see_a_window_and_no_more() -> None:
    state = deal(["2S 3S 4H", "5H 6S 7S", "8S 9S TH"], "JS QS KS")
    play(state, "0 play 2S private rock")
    before = [state.view(seat) for seat in range(3)]
    play(state, "1 pass")
    assert [state.view(seat) for seat in range(3)] == before
    play(state, "2 pass")
    assert [state.view(seat) for seat in range(3)] == before
    assert state.to_act == 0


def test_with_two_packs_both_copies_of_a_fee_are_known() -> None:
    state = deal(["2D 3S 4S", "5H 5H 7S"], "JS QS", packs=2, fee=2)
    play(state, "0 play 2D private rock", "1 challenge")
    assert state.view(0).known == ((), PACK.read(["5H", "5H"]))
    assert choices(state)[:4] == [
        "play 5H public",
        "play 5H private rock",
        "play 5H private gem",
        "play 5H private diamond",
    ]
    assert len(choices(state)) == 8
    play(state, "1 play 5H public")
    assert state.view(0).known == ((), PACK.read(["5H"]))


# --- Imagining ----------------------------------------------------------------------------------


def test_each_placement_of_the_unseen_cards_is_equally_likely() -> None:
    """The deck is empty; of the five cards that seat 0 can't see one lies in a private pile."""
    state = deal(["2S 3S 4S 5S", "6H 7S 8S 9S"], "")
    while state.view(0).deck > 1:
        legal = state.legal()
        state.apply(legal[-1] if str(legal[-1]) == "pass" else legal[0])
    seat = state.to_act
    assert seat == 1 and state.view(1).phase == "play"
    hand = state.view(1).hand
    state.apply(next(a for a in state.legal() if str(a).endswith("private diamond")))
    view = state.view(0)
    assert (view.phase, view.deck, state.to_act) == ("last", 0, 0)
    unseen = {*hand, *state.view(1).hand}
    assert len(unseen) == 5
    rng = Random(5)
    found = Counter(imagine(view, rng, state.rules).piles[1][0] for _ in range(5000))
    assert set(found) == unseen
    # 1000 expected, with a standard deviation of 28.
    assert all(abs(times - 1000) < 5 * 28 for times in found.values())


def test_a_known_gem_stays_in_the_imagined_hand() -> None:
    state = deal(["2D 3S 4S", "5H 8S 7S"], "JS QS")
    play(state, "0 play 2D private rock", "1 challenge", "1 play 7S public")
    rng = Random(5)
    for _ in range(50):
        assert PACK.card("5H") in imagine(state.view(0), rng, state.rules).hands[1]


# --- Options ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hand_size": 8}, "fraser_island: hand_size must be 1 to 7, not 8"),
        ({"reveal_depth": 0}, "fraser_island: reveal_depth must be 1 to 10, not 0"),
        ({"fee": 4}, "fraser_island: fee must be 0 to 3, not 4"),
        ({"failures_allowed": 0}, "fraser_island: failures_allowed must be 1 to 5, not 0"),
        ({"packs": 3}, 'fraser_island: packs must be "auto", 1 or 2, not 3'),
        ({"packs": True}, 'fraser_island: packs must be "auto", 1 or 2, not true'),
        ({"execution": 1}, "fraser_island: execution must be true or false, not 1"),
        (
            {"challenge_scope": "left"},
            'fraser_island: challenge_scope must be "all" or "target", not "left"',
        ),
    ],
)
def test_an_option_out_of_range_is_an_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:
        Rules.read(options)
    assert str(error.value) == message


def test_the_deal_must_leave_a_card_to_draw() -> None:
    GAME.check_players(7, Rules(hand_size=7, packs=1))
    GAME.check_players(8, Rules(hand_size=7))
    with pytest.raises(ValueError) as error:
        GAME.check_players(8, Rules(hand_size=7, packs=1))
    assert str(error.value) == (
        "fraser_island: hand_size 7 for 8 players leaves no card of 52 to draw"
    )


@pytest.mark.parametrize(("players", "packs", "cards"), [(4, "auto", 52), (5, "auto", 103)])
def test_more_than_four_players_have_two_packs(players: int, packs: str, cards: int) -> None:
    assert len(pack_for(Rules(packs=packs), players)) == cards
    assert len(pack_for(Rules(packs=2), players)) == 103
    assert pack_for(Rules(packs=2), players).count(PACK.card("AD")) == 1


def test_a_fault_leaves_the_executed_above_the_one_at_fault() -> None:
    state = deal(["AD 3H 4S", "5S 6S 7S", "8S 9S TS"], "JS QS KS")
    play(state, "0 play AD private rock", "0 challenge")
    assert state.out() == (0, None, None)
    assert faulted(GAME, state, 1).places == (2, 3, 1)


# --- The baseline -------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", ["all", "target"])
@pytest.mark.parametrize("players", [2, 3, 8])
def test_burrower_beats_chance(players: int, scope: str) -> None:
    rules = Rules(challenge_scope=scope)
    points = 0.0
    deals = 20 * players
    for number in range(deals):
        state = FraserIsland(rules, players, Chance(PACK, number))
        own = number % players
        seats = [
            (Burrower if seat == own else RandomLegal)(
                Setup(GAME.name, rules, players, seat, 31 * number + seat)
            )
            for seat in range(players)
        ]
        points += matched(state, seats)[own]
    assert points / deals > 1.5 / players


def matched(state: FraserIsland, bots: Sequence[Any]) -> tuple[float, ...]:
    moves = match(GAME, state)
    answer = None
    while True:
        try:
            seat, view, legal, _ = moves.send(answer)
        except StopIteration as stop:
            return tuple(stop.value.result.points)
        answer = bots[seat].act(view, legal)
