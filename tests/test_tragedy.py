"""Tragedy's rulings, as stories at the table, and recorded matches of other programs.

More hands, step by step, are in `games/tragedy/examples/`.
"""

from collections import Counter
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bots.random_legal import RandomLegal
from bots.tragedy.sleuth import Sleuth
from games.cards import mask
from games.chance import Chance
from games.tragedy.actions import PACK, cards_of, choices, laid_for, lowest
from games.tragedy.answers import ANSWER, ANSWERING
from games.tragedy.imagine import candidates, draw_flaws
from games.tragedy.rules import GAME, Rules, Tragedy
from games.tragedy.tactics import OVERREACHED, WRONG
from harness.bot import Setup
from harness.play.inprocess import play
from harness.records import RecordError, Replay, verify
from tests.strategies import Walk, set_ups, walks

RECORDS = (Path(__file__).parent / "data" / "examples_tragedy.jsonl").read_text().splitlines()
usual = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def cards(faces: str) -> int:
    return mask(PACK.read(faces.split()))


def faces(hand: int) -> str:
    return PACK.spell(cards_of(hand))


def deck(hands: list[str], flaws: str, draws: str) -> str:
    """A deck that deals these hands, then these flaws; the rest of the pack is in order."""
    dealt = [hand.split() for hand in hands]
    first = [card for turn in zip(*dealt, strict=True) for card in turn]
    first += flaws.split() + draws.split()
    return " ".join(["!deck", *first, *(face for face in PACK.faces if face not in first)])


def table(hands: list[str], flaws: str, draws: str, moves: str = "", **rules: Any) -> Replay:
    """A match after these moves, given with commas between; every seat listens."""
    players = len(hands)
    entries = [deck(hands, flaws, draws), *filter(None, moves.split(", "))]
    options = {"hand_size": len(hands[0].split()), **rules}
    replay = Replay(GAME, Rules(**options), players, entries, listeners=range(players))
    while replay.chance.position < len(entries):
        replay.step()
    return replay


def can(replay: Replay) -> list[str]:
    return [str(action) for action in replay.state.legal()]


@pytest.mark.parametrize("line", RECORDS)
def test_a_recorded_match_replays(line: str) -> None:
    verify(line)


# --- Challenges: what may be named, and what is laid ----------------------------------------------


def test_a_card_is_named_by_another_of_its_rank_and_another_of_its_suit() -> None:
    replay = table(["3H 7C", "2D 4D"], "KS QS", "9C")
    named = [words.split()[1] for words in can(replay) if words.startswith("challenge")]
    assert named == ["3C", "7H", "9H"]


@given(st.sets(st.sampled_from(PACK.cards), max_size=30))
def test_what_may_be_named_is_what_the_rule_says(held: set[Any]) -> None:
    hand = mask(held)
    named = [
        card
        for card in PACK.cards
        if any(PACK.rank[other] == PACK.rank[card] for other in held - {card})
        and any(PACK.suit[other] == PACK.suit[card] for other in held - {card})
    ]
    targets = 0b101010
    wanted = ["pass"]
    wanted += [f"attack {PACK.faces[c]} {seat}" for c in sorted(held) for seat in (1, 3, 5)]
    wanted += [f"challenge {PACK.faces[c]} {seat}" for c in named for seat in (1, 3, 5)]
    assert [str(action) for action in choices(hand, targets)] == wanted
    for ace_high in (True, False):
        assert [c for c in PACK.cards if laid_for(hand, c, ace_high)] == named


def test_the_lowest_cards_are_laid() -> None:
    hand = cards("QC QS AD 5D KD 2H")
    assert faces(laid_for(hand, PACK.card("QD"), True)) == "QC 5D"
    assert faces(laid_for(hand, PACK.card("QD"), False)) == "QC AD"
    assert faces(laid_for(hand, PACK.card("QC"), True)) == ""  # no other club
    assert faces(laid_for(cards("QC QS AD"), PACK.card("QD"), True)) == "QC AD"
    assert faces(lowest(cards("AD"), True)) == "AD"


def test_a_challenge_that_can_not_be_laid_for_is_not_legal() -> None:
    with pytest.raises(RecordError, match=r"entry 1: '0 challenge 7C 1' is not legal here"):
        table(["3H 7C", "2D 4D"], "KS QS", "9C", "0 challenge 7C 1")


# --- Answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ace_high", "order"), [(True, "23456789TJQKA"), (False, PACK.ranks)])
def test_the_answer_is_the_truth(ace_high: bool, order: str) -> None:
    for card, flaw in product(PACK.cards, repeat=2):
        face, other = PACK.faces[card], PACK.faces[flaw]
        if face[0] == other[0] or face[1] == other[1]:
            truth = "match"
        else:
            truth = "high" if order.index(face[0]) > order.index(other[0]) else "low"
        assert ANSWER[ace_high][card][flaw] == truth
        assert ANSWERING[ace_high][truth][card] >> flaw & 1


# --- Who is out -----------------------------------------------------------------------------------


def test_laying_the_last_cards_puts_nobody_out() -> None:
    """Seat 0 defends with its last two cards, and stays; the next match finds nothing to take."""
    hands, flaws, draws = ["4H 6S", "4D 9S", "TC JC"], "4S KC QC", "2D 3C 5S 7H"
    moves = "0 attack 2D 2, 1 challenge 4S 0, 0 defend"
    replay = table(hands, flaws, draws, moves, defence=True)
    assert replay.state.out() == (None, None, None)
    assert replay.state.view(2).sizes == (0, 1, 3)
    replay = table(hands, flaws, draws, f"{moves}, 2 attack 5S 0", defence=True)
    assert replay.state.out() == (0, None, None)


def test_without_both_cards_there_is_no_defence() -> None:
    hands, flaws, draws = ["4H 6S", "4D 9S", "TC JC"], "4S KC QC", "2D 3C 5S 7H"
    moves = "0 attack 4H 2, 1 challenge 4S 0"
    replay = table(hands, flaws, draws, moves, defence=True)
    assert replay.state.out() == (0, None, None)


def test_a_faulter_is_below_those_who_went_out_before() -> None:
    hands, flaws = ["2C 5D 7H", "8C 9D TD", "4S QC KC"], "AH JS 6H"
    replay = table(hands, flaws, "2H 3S", "0 challenge 5C 1, 1 fault crash")
    assert replay.result() == ((0, 2, 2), (2, 3, 1), (0.0, 0.0, 1.0), "fault")


# --- What nobody else may notice ------------------------------------------------------------------


def test_that_another_could_have_defended_shows_in_nothing() -> None:
    """Two tables differ only in cards that seats 0 and 2 can't see; at one, seat 1 yields."""
    able = ["4D 9S 2H", "4H AS 6S", "TC JC QC"], "KC 4S QH", "3C 5D AD"
    unable = ["4D 9S 2H", "8H AS 6S", "TC JC QC"], "KC 4S QH", "3C 5D AD"
    one = table(*able, "0 challenge 4S 1, 1 yield", defence=True)
    other = table(*unable, "0 challenge 4S 1", defence=True)
    assert one.state.heard is not None
    assert other.state.heard is not None
    assert one.state.heard[2] == other.state.heard[2]
    assert one.state.view(2) == other.state.view(2)
    assert one.state.legal() == other.state.legal()
    assert one.state.heard[1] != other.state.heard[1]


def test_a_challenge_is_heard_before_it_is_known_whether_there_is_a_defence() -> None:
    hands = ["4D 9S 2H", "4H AS 6S", "TC JC QC"]
    replay = table(hands, "KC 4S QH", "3C 5D", "0 challenge 4S 1", defence=True)
    assert replay.state.heard is not None
    before = [list(heard or ()) for heard in replay.state.heard]
    assert [type(event).__name__ for event in before[2]] == ["Drew", "Challenged"]
    view = replay.state.view(2)
    assert (view.phase, view.pending, view.player) == ("turn", None, 0)
    assert replay.state.view(1).phase == "challenge"


@usual
@given(data=st.data())
def test_what_a_seat_is_said_to_know_is_true(data: st.DataObject) -> None:
    rules, players = data.draw(set_ups(GAME))
    walk = Walk(GAME, rules, players, data.draw(st.integers(0, 2**64 - 1)))
    while walk.state.to_act is not None:
        walk.step()
        zones = walk.state.cards()
        for seat in range(players):
            view = walk.state.view(seat)
            assert view.known[seat] == ()
            for other in range(players):
                assert set(view.known[other]) <= set(zones[f"hand {other}"])
            assert set(view.known_deck) <= set(zones["deck"]) | set(zones["discards"])


def test_hidden_attacks_are_in_no_view() -> None:
    hands, flaws = ["9C 4H", "5D 6C", "TS JS"], "2D 8H QS"
    open_table = table(hands, flaws, "AH 6D KS", "0 attack 9C 1")
    hidden = table(hands, flaws, "AH 6D KS", "0 attack 9C 1", hidden_attacks=True)
    seen, unseen = open_table.state.view(2), hidden.state.view(2)
    assert seen.piles[1] == ((0, PACK.card("9C")),)
    assert seen.answers[1] == ((PACK.card("9C"), "high"),)
    assert seen.attacks is None
    assert (unseen.piles[1], unseen.answers[1], unseen.attacks) == ((), (), (0, 1, 0))
    assert candidates(unseen, True)[1].bit_count() == 52 - 1 - 2  # all but flaw and hand of seat 2
    # Below a nine, and no club; seat 2 holds none of these.
    assert candidates(seen, True)[1] == mask(
        PACK.card(rank + suit) for rank in "2345678" for suit in "DHS"
    )


# --- Imagined states ------------------------------------------------------------------------------


@usual
@given(data=st.data())
def test_an_imagined_state_fits_all_that_was_answered(data: st.DataObject) -> None:
    walk = data.draw(walks(GAME))
    seat = data.draw(st.integers(0, walk.players - 1))
    view = walk.state.view(seat)
    state = GAME.imagine(view, Random(data.draw(st.integers(0, 99))), walk.rules)
    assert isinstance(state, Tragedy)
    assert state.view(seat) == view
    for other, flaw in enumerate(state.flaws):
        for card, answer in view.answers[other]:
            assert ANSWER[walk.rules.ace_high][card][flaw] == answer
        assert flaw not in view.wrong[other]
    # The truth is among what can be imagined.
    assert isinstance(walk.state, Tragedy)
    for able, flaw in zip(candidates(view, walk.rules.ace_high), walk.state.flaws, strict=True):
        assert able >> flaw & 1


def test_flaws_are_drawn_uniformly_from_the_choices_that_differ() -> None:
    able = [cards("2C 3C"), cards("2C 3C 4C"), cards("3C 4C"), cards("KS")]
    possible = [flaws for flaws in product(*map(cards_of, able)) if len(set(flaws)) == len(flaws)]
    assert len(possible) == 3
    rng = Random(1)
    drawn = Counter(tuple(draw_flaws(able, rng)) for _ in range(9000))
    assert sorted(drawn) == sorted(possible)
    assert all(abs(number - 3000) < 200 for number in drawn.values())  # 4.5 deviations


def test_every_placement_is_equally_likely() -> None:
    """Seat 0 has left two flaws for seat 1 to have; the other cards may be anywhere."""
    hands, flaws = ["8C 5H", "KD KH", "AC AD"], "2S 7S JC"
    moves = "0 attack 8C 1, 1 pass, 2 pass, 0 attack 6D 1, 1 pass, 2 pass"
    replay = table(hands, flaws, "6D QC QD 9D QH TD", moves)
    view = replay.state.view(0)
    # High at 8C, low at 6D: a seven, of hearts or spades.
    assert faces(candidates(view, True)[1]) == "7H 7S"
    rng = Random(3)
    drawn, held = Counter[str](), Counter[str]()
    for _ in range(4000):
        state = GAME.imagine(view, rng, replay.state.rules)
        zones = state.cards()
        drawn[PACK.spell(zones["flaw 1"])] += 1
        held.update(PACK.spell(zones["hand 1"]).split())
    assert sorted(drawn) == ["7H", "7S"]
    assert abs(drawn["7H"] - 2000) < 150
    # Seat 0 sees two cards on the table, its hand and its own flaw. Of the others one is the flaw
    # of seat 1, a seven; the rest are equally likely to be any of four cards in the hand of seat 1.
    unseen = 52 - 2 - len(view.hand) - 1
    sure = [number for face, number in held.items() if face not in ("7H", "7S")]
    assert len(sure) == unseen - 2
    assert all(abs(number - 4000 * 4 / (unseen - 1)) < 90 for number in sure)  # 5 deviations


def test_a_card_that_attacked_is_no_flaw_wherever_it_is_now() -> None:
    """The piles have gone into a new deck, but the answers are still listed."""
    walk = next(
        walk
        for seed in range(200)
        if (walk := Walk(GAME, Rules(hand_size=7), 6, seed).steps(40)).state.to_act is not None
        and any(move.startswith("!shuffle") for move in walk.moves)
        and any(walk.state.view(0).answers)
    )
    view = walk.state.view(walk.state.to_act or 0)
    laid = mask({card for answers in view.answers for card, _ in answers})
    for seat, able in enumerate(candidates(view, True)):
        if view.flaws[seat] is None and seat != view.seat:
            assert not able & laid


# --- Options, notation, speed ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hand_size": 8}, "tragedy: hand_size must be 2 to 7, not 8"),
        ({"hand_size": True}, "tragedy: hand_size must be 2 to 7, not true"),
        ({"ace_high": 1}, "tragedy: ace_high must be true or false, not 1"),
        ({"cards_taken": 0}, "tragedy: cards_taken must be 1 to 3, not 0"),
        ({"take": "thief"}, 'tragedy: take must be "random", "attacker" or "owner", not "thief"'),
        (
            {"wrong_challenge": "deck"},
            'tragedy: wrong_challenge must be "out" or "hand", not "deck"',
        ),
        ({"max_turns": 0}, "tragedy: max_turns must be 1 to 10000, not 0"),
    ],
)
def test_options_that_are_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:
        Rules(**options)
    assert str(error.value) == message


def test_an_unknown_option() -> None:
    with pytest.raises(ValueError, match="tragedy: there is no rules option 'jokers'"):
        Rules.read({"jokers": 2})


@pytest.mark.parametrize("players", [1, 7])
def test_two_to_six_play(players: int) -> None:
    with pytest.raises(ValueError, match=f"tragedy: players must be 2 to 6, not {players}"):
        GAME.check_players(players, Rules())
    for number in GAME.players:
        GAME.check_players(number, Rules(hand_size=7))


@pytest.mark.parametrize(
    "text", ["", "attack", "attack 5H", "attack 5H 6", "challenge 5h 1", "Pass"]
)
def test_what_is_no_action(text: str) -> None:
    with pytest.raises(ValueError, match="is no action of Tragedy"):
        GAME.parse(text)


def test_the_largest_hand_can_be_listed() -> None:
    """Six players, and one has all cards but the flaws: 46 attack cards, 52 names, five others."""
    hand = (1 << 52) - 1 & ~cards("AC 3D 5H 7S 9C JD")
    listed = choices(hand, 0b111110)
    assert len(listed) == 1 + 46 * 5 + 52 * 5
    assert choices(hand, 0b111110)[77] is listed[77]


# --- The bot --------------------------------------------------------------------------------------


def played(bots: list[Any], seed: int, **options: Any) -> tuple[Any, Tragedy]:
    state = Tragedy(Rules(**options), len(bots), Chance(PACK, seed))
    ended, _ = play(GAME, state, bots, list(range(len(bots))))
    assert ended.fault is None
    return ended.result, state


@pytest.mark.parametrize(
    "options",
    [{}, {"defence": True}, {"take": "owner"}, {"take": "attacker", "ace_high": False}],
)
def test_the_sleuth_never_names_a_wrong_flaw(options: dict[str, Any]) -> None:
    for seed in range(15):
        _, state = played([Sleuth] * 4, seed, **options)
        assert all(not counts[WRONG] and not counts[OVERREACHED] for counts in state.counts)


def test_the_sleuth_beats_chance() -> None:
    points = sum(
        played([Sleuth, RandomLegal, RandomLegal, RandomLegal], seed)[0].points[0]
        for seed in range(60)
    )
    assert points > 50


def test_the_sleuths_candidates_hold_the_flaw() -> None:
    class Checked(Sleuth):
        def candidates(self, view: Any) -> list[tuple[int, int]]:
            found = super().candidates(view)
            for seat, able in found:
                assert able >> state.flaws[seat] & 1
            return found

    for seed in range(10):
        state = Tragedy(Rules(wrong_challenge="hand"), 4, Chance(PACK, seed))
        bots = [Checked(Setup("tragedy", state.rules, 4, seat, seat)) for seat in range(4)]
        while state.to_act is not None:
            legal = state.legal()
            state.apply(bots[state.to_act].act(state.view(state.to_act), legal))
