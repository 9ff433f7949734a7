"""Casino Go Fish: rulings as stories at the table, what a seat must not learn, and imagining."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.casino_go_fish.collector import Collector
from bots.random_legal import RandomLegal
from games.casino_go_fish.actions import ALLOWED, PACK, Swap
from games.casino_go_fish.rules import GAME, CasinoGoFish, Rules, imagine
from games.casino_go_fish.view import View
from games.chance import Chance
from games.game import State
from harness.play.faults import faulted
from harness.play.inprocess import play
from harness.records import RecordError, Replay, verify
from tests.strategies import Walk, set_ups

RECORDS = (Path(__file__).parent / "data" / "examples_casino_go_fish.jsonl").read_text()


def cards(faces: str) -> tuple[Any, ...]:
    return PACK.read(faces.split())


def deck(hands: list[str], draws: str) -> str:
    """The first entry of a record in which these hands are dealt and these cards drawn."""
    dealt = [face for row in zip(*map(str.split, hands), strict=True) for face in row]
    first = dealt + draws.split()
    return "!deck " + " ".join(first + [face for face in PACK.faces if face not in first])


def at_table(
    hands: list[str], draws: str, moves: list[str], listeners: Any = (), **options: Any
) -> State:
    """The state after these moves."""
    entries = [deck(hands, draws), *moves]
    replay = Replay(GAME, Rules(**options), len(hands), entries, listeners)
    while replay.chance.position < len(entries):
        replay.step()
    return replay.state


def known(state: State, seat: int) -> list[str]:
    return [PACK.spell(hand) for hand in state.view(seat).known]


def legal(state: State) -> list[str]:
    return [str(action) for action in state.legal()]


HANDS = ["2C 5D 9H JS KC", "3C 6D 8H TS QC", "4C 7D 7H 9S KD"]
PASSED = ["0 draw 1", "0 done", "1 draw 1", "1 done"]


# --- Records ------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", RECORDS.splitlines())
def test_a_recorded_match_replays(line: str) -> None:
    verify(line)


def test_an_entry_where_there_is_no_choice_is_refused() -> None:
    fields = json.loads(RECORDS.splitlines()[0])
    swapped = fields["moves"].index("2 swap 7S for QD")
    fields["moves"].insert(swapped + 1, "2 done")
    with pytest.raises(RecordError) as error:
        verify(json.dumps(fields))
    assert error.value.entry == swapped + 1


def test_only_the_spelling_of_records_is_read() -> None:
    for text in (
        "pool 9H 5H",
        "pool 5H 5H",
        "pool",
        "pool AC 2C 3C 4C",
        "draw 02",
        "draw 4",
        "take 0 from 0 to hand",
        "take 2 from 4 to hand",
        "take 2 from 0 to pool",
        "take 5H 9C from 0 to hand",
        "take from 0 to hand",
        "swap 5C for 5C",
        "keep",
        "show 9C",
        "",
    ):
        with pytest.raises(ValueError):
            GAME.parse(text)
    for text in ("take AC 2C 3C from 3 to hand", "pool AC 2C 3C", "draw 0", "swap AC for KS"):
        assert str(GAME.parse(text)) == text


def test_options_say_what_they_may_be() -> None:
    for options, message in (
        ({"hand_size": 8}, "casino_go_fish: hand_size must be 4 to 7, not 8"),
        ({"set_size": 2}, "casino_go_fish: set_size must be 3 or 4, not 2"),
        ({"draw_max": 7}, "casino_go_fish: draw_max must be 1 to 3, not 7"),
        ({"draw_min": True}, "casino_go_fish: draw_min must be 0 or 1, not true"),
        ({"showing": 1}, "casino_go_fish: showing must be true or false, not 1"),
        (
            {"patron_swap": "suit"},
            'casino_go_fish: patron_swap must be "like", "number", "colour" or "free", not "suit"',
        ),
        ({"ties": "none"}, 'ties must be "draw", "dealer" or "patrons", not "none"'),
        ({"max_rounds": 0}, "max_rounds must be 1 to 1000, not 0"),
    ):
        with pytest.raises(ValueError, match=message):
            Rules.read(options)
    with pytest.raises(ValueError, match="there is no rules option 'discount'"):
        Rules.read({"discount": 1})
    with pytest.raises(ValueError, match="players must be 2 to 5, not 6"):
        GAME.check_players(6, Rules())


# --- Stories ------------------------------------------------------------------------------------


def test_like_for_like() -> None:
    """The rulebook's two examples, and what is neither of a colour nor of a number."""

    def allowed(kind: str, out: str, drawn: str) -> Swap | None:
        return ALLOWED[kind][cards(drawn)[0]][cards(out)[0]]

    assert allowed("like", "QS", "5C") and allowed("like", "4D", "4S")
    assert not allowed("like", "QS", "5H")
    assert allowed("number", "4D", "4S") and not allowed("number", "QS", "5C")
    assert allowed("colour", "QS", "5C") and not allowed("colour", "4D", "4S")
    assert allowed("free", "QS", "5H")


def test_the_dealer_may_be_held_to_like_for_like() -> None:
    state = at_table(HANDS, "AC AD KS", [*PASSED, "2 draw 1"], dealer_swap="like")
    assert legal(state) == ["swap 4C for KS", "swap KD for KS", "swap 9S for KS", "done"]


def test_a_card_swapped_in_or_out_stays_so() -> None:
    state = at_table(HANDS, "AC AD KS QS", [*PASSED, "2 draw 2", "2 swap 4C for KS"])
    assert legal(state) == [f"swap {out} for QS" for out in ("7D", "KD", "7H", "9S")] + ["done"]


def test_a_patron_holds_what_is_taken() -> None:
    """Of four cards three are taken: then only one can be."""
    state = at_table(
        ["2C 5D 9H JS", "3C 6D 8H TS"],
        "AC AD",
        [
            *PASSED[:2],
            "1 take 3 from 0 to table",
            "!take 2C 5D JS",
            "1 done",
            "1 discard",
            "0 draw 0",
        ],
        hand_size=4,
        dealer_take_max=3,
        draw_min=0,
    )
    assert legal(state) == ["draw 0", "draw 1", "draw 2"] + [
        f"take 1 from 0 to {where}" for where in ("table", "hand")
    ]


def test_the_dealer_has_no_choice_where_nothing_is_left_over() -> None:
    """Its hand is never short of its own accord, so all is swapped out, and that is left over."""
    state = at_table(HANDS, "AC AD", [*PASSED, "2 take 1 from 0 to hand", "!take 9H"])
    state.apply(GAME.parse("swap KD for 9H"))
    assert legal(state) == ["give", "discard"]


def test_the_fill_goes_on_when_the_deck_runs_out() -> None:
    """One place, two cards from the pool; the seven kept makes a set, the deck's last card fills
    up, and there is still room: the other joins without a choice, and the match is over."""
    hand, pool = cards("7C 7D 2C 3H"), cards("7H KS")
    other, last = cards("AC 4D 8H JS QS"), cards("QD")
    pile = tuple(c for c in PACK.cards if c not in (*hand, *pool, *other, *last))
    view = View(
        seat=0,
        hand=tuple(sorted(hand)),
        phase="draw",
        turn=0,
        round=9,
        sizes=(4, 5),
        deck=1,
        pool=pool,
        pile=pile,
        sets=((), ()),
        shown=(False, False),
        known=((), other),
        drawn=(),
        swapped_in=(),
        swapped_out=(),
        taken_from=None,
        taken_to=None,
    )
    state = imagine(view, Random(1), Rules(set_size=3))
    state.apply(GAME.parse("pool 7H KS"))
    assert legal(state) == ["keep 7H", "keep KS"]
    twin = state.copy()
    state.apply(GAME.parse("keep 7H"))
    assert PACK.spell(state.view(0).hand) == "2C QD 3H KS"
    assert state.to_act is None
    assert state.result() == ((1, 0), (1, 2), (1.0, 0.0), "deck")
    # The other one fills the place and makes no set; the seven is then swapped in.
    twin.apply(GAME.parse("keep KS"))
    assert legal(twin) == ["swap 7C for 7H", "swap 7D for 7H", "swap 3H for 7H", "done"]


def test_a_fault_loses_for_the_team() -> None:
    state = at_table(HANDS, "", [])
    assert faulted(GAME, state, 1) == ((0, 0, 0), (2, 2, 1), (0.0, 0.0, 1.0), "fault")
    assert faulted(GAME, state, 2) == ((0, 0, 0), (1, 1, 3), (1.0, 1.0, 0.0), "fault")


# --- Who knows what -------------------------------------------------------------------------------


def test_between_two_nothing_is_masked() -> None:
    state = at_table(
        [HANDS[0], HANDS[2]],
        "AC",
        ["0 draw 1", "0 done", "1 take 2 from 0 to hand", "!take 2C JS", "1 swap 4C for JS"],
    )
    view = state.view(0)
    assert [PACK.spell(view.drawn), PACK.spell(view.swapped_out)] == ["2C", "4C"]
    assert known(state, 0) == ["", "JS"] and known(state, 1) == ["", "JS"]


def test_known_cards_go_when_another_sees_the_dealer_swap_unseen() -> None:
    """Patron 0 knows of a king in the Dealer's hand; then the Dealer deals with Patron 1 alone."""
    moves = [*PASSED, "2 take 1 from 0 to hand", "!take KC", "2 swap 4C for KC", "2 give"]
    state = at_table(HANDS, "AC AD AH AS", moves)
    assert known(state, 0)[2] == "KC" and known(state, 1)[2] == ""
    assert known(state, 2)[0] == "4C" and known(state, 1)[0] == ""
    moves += [*PASSED, "2 take 1 from 1 to hand", "!take QC"]
    state = at_table(HANDS, "AC AD AH AS", moves)
    assert known(state, 0)[2] == "KC"
    state.apply(GAME.parse("swap 9S for QC"))
    assert [known(state, seat)[2] for seat in range(3)] == ["", "QC", ""]


def test_a_card_seen_to_leave_is_known_there_no_longer_to_the_one_who_alone_knew() -> None:
    moves = [*PASSED, "2 take 1 from 0 to hand", "!take KC", "2 swap 4C for KC", "2 give"]
    moves += [*PASSED, "2 draw 1", "2 swap KC for 2D"]
    state = at_table(HANDS, "AC AD AH AS 2D", moves)
    assert known(state, 0) == ["", "", "2D"] == known(state, 1)
    # And the gift, when its Patron swaps it out again.
    moves += ["0 draw 1", "0 swap 4C for 2S"]
    state = at_table(HANDS, "AC AD AH AS 2D 2S", moves)
    assert known(state, 2)[0] == "2S" == known(state, 1)[0]


def test_a_hand_filled_up_while_it_is_shown_lies_face_up() -> None:
    hands = ["7C 7D 7H 2S KC", HANDS[1], "4C 5D 6H 9S KD"]
    moves = ["0 show", "0 draw 1", "0 swap 2S for 7S"]
    state = at_table(hands, "7S AD AH AS 2D", moves, listeners=(1,))
    assert known(state, 1)[0] == "KC AD 2D AH AS" == PACK.spell(state.view(0).hand)
    assert state.heard is not None and state.heard[1] is not None
    filled = next(event for event in state.heard[1] if type(event).__name__ == "Filled")
    assert PACK.spell(filled.cards) == "AD 2D AH AS"


def test_what_the_dealer_takes_to_its_hand_tells_the_third_seat_nothing() -> None:
    """Two deals that differ in what the two hold alone: the same views and events for the third,
    until the cards are discarded face up."""
    moves = [*PASSED, "2 take 2 from 0 to hand"]
    one = at_table(
        HANDS,
        "AC AD",
        [*moves, "!take KC 5D", "2 swap 4C for KC", "2 swap KD for 5D", "2 give"],
        listeners=(1,),
    )
    other = at_table(
        ["2C 5D 9H KD KC", HANDS[1], "4C 7D 7H 9S JS"],
        "AC AD",
        [*moves, "!take 5D 9H", "2 swap 7H for 9H", "2 swap 7D for 5D", "2 give"],
        listeners=(1,),
    )
    assert one.view(1) == other.view(1)
    assert one.heard is not None and other.heard is not None
    assert one.heard[1] == other.heard[1]
    assert one.view(0) != other.view(0)


def test_what_a_hand_is_filled_up_with_tells_others_nothing() -> None:
    """The same set, another card from the deck."""
    hands = ["7C 7D 7H 2S KC", HANDS[1], "4C 5D 6H 9S KD"]
    moves = ["0 draw 1", "0 swap 2S for 7S"]
    one = at_table(hands, "7S AD AH AS 2D", moves, listeners=(1, 2))
    other = at_table(hands, "7S 2H AH AS 3D", moves, listeners=(1, 2))
    for seat in (1, 2):
        assert one.view(seat) == other.view(seat)
    assert one.heard == other.heard
    assert one.view(0).hand != other.view(0).hand


# --- Imagining ------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_an_imagined_state_has_the_same_view_for_every_seat(data: st.DataObject) -> None:
    """Also for those who aren't to act, and see cards masked."""
    rules, players = data.draw(set_ups(GAME))
    walk = Walk(GAME, rules, players, data.draw(st.integers(0, 2**64 - 1)))
    rng = Random(1)
    while walk.state.to_act is not None:
        walk.step()
        seat = rng.randrange(players)
        view = walk.state.view(seat)
        imagined = imagine(view, rng, rules)
        assert imagined.view(seat) == view
        assert imagined.to_act == walk.state.to_act
        assert imagined.turns == walk.state.turns
        assert sum(map(len, imagined.cards().values())) == 52


def end_view(unseen: str, seen: str, size: int, **changes: Any) -> View:
    """Seat 0's view late in a match for two: all but `unseen` and what the other is known to have
    is in the pile; the other has so many cards."""
    hand, other = cards("2C 5D 9H JS KC"), cards(seen)
    hidden = cards(unseen)
    pile = tuple(c for c in PACK.cards if c not in (*hand, *hidden, *other))
    return View(
        seat=0,
        hand=tuple(sorted(hand)),
        phase="draw",
        turn=0,
        round=9,
        sizes=(5, size),
        deck=len(hidden) + len(other) - size,
        pool=(),
        pile=pile,
        sets=((), ()),
        shown=(False, False),
        known=((), other),
        drawn=(),
        swapped_in=(),
        swapped_out=(),
        taken_from=None,
        taken_to=None,
    )._replace(**changes)


def test_imagined_placements_are_equally_likely() -> None:
    """Four unseen cards, one in the hand beside a known one and three in the deck, in any order."""
    view = end_view("AC AD AH AS", "QD", 2)
    rng = Random(5)
    number = 6000
    seen = Counter(
        (tuple(imagined.cards()["hand 1"]), imagined.cards()["deck"])
        for imagined in (imagine(view, rng, Rules()) for _ in range(number))
    )
    assert len(seen) == 24
    chi = sum((count - number / 24) ** 2 / (number / 24) for count in seen.values())
    assert chi < 52  # of 23 degrees of freedom: one in two thousand


def test_a_set_is_never_imagined_in_a_hand() -> None:
    """The third seven would have been laid, so it is in the deck."""
    view = end_view("7H QH KH", "7C 7D", 3)
    for seed in range(50):
        imagined: CasinoGoFish = imagine(view, Random(seed), Rules(set_size=3))
        assert cards("7H")[0] in imagined.cards()["deck"]


# --- The bot --------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["patron", "dealer"])
def test_the_collector_is_better_than_chance_in_either_role(role: str) -> None:
    points = {RandomLegal: 0.0, Collector: 0.0}
    for deal in range(80):
        for bot in points:
            makers: list[Any] = [RandomLegal] * 3
            for seat in (0, 1) if role == "patron" else (2,):
                makers[seat] = bot
            state = CasinoGoFish(Rules(), 3, Chance(PACK, deal))
            ended, _ = play(GAME, state, makers, [deal, deal + 1, deal + 2])
            assert ended.fault is None
            points[bot] += ended.result.points[0 if role == "patron" else 2]
    assert points[Collector] > points[RandomLegal] + 80 * (0.08 if role == "patron" else 0.35)
