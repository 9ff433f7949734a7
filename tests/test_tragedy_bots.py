"""Tragedy's bots, each one's idea as a position at the table."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.tragedy._flaws import Flaws, all_different, challenge
from bots.tragedy.hothead import Hothead
from bots.tragedy.jackal import Jackal
from bots.tragedy.nemesis import Nemesis
from bots.tragedy.sleuth import Sleuth
from bots.tragedy.tortoise import Tortoise
from games.cards import mask
from games.chance import Chance
from games.tragedy.actions import PACK, cards_of, discards_of
from games.tragedy.rules import GAME, Rules, Tragedy
from games.tragedy.tactics import WRONG
from games.tragedy.view import View
from harness.bot import Bot, Setup
from harness.play.inprocess import play

HAND_WRITTEN: list[Any] = [Hothead, Jackal, Nemesis, Sleuth, Tortoise]


def cards(faces: str) -> tuple[Any, ...]:
    return tuple(sorted(PACK.read(faces.split())))


def view_of(hand: str, **fields: Any) -> View:
    """What seat 0 of four sees in its turn, with this hand; its flaw is the 2S."""
    empty: tuple[Any, ...] = ((),) * 4
    view = View(
        seat=0,
        hand=cards(hand),
        phase="turn",
        turn=9,
        player=0,
        pending=None,
        left=0,
        flaw=PACK.card("2S"),
        sizes=(len(hand.split()), 5, 5, 5),
        deck_size=20,
        piles=empty,
        answers=empty,
        wrong=empty,
        flaws=(None,) * 4,
        out=(None,) * 4,
        known=empty,
        known_deck=(),
        attacks=None,
    )
    return view._replace(**fields)


def answered(*of_seat: str) -> dict[str, Any]:
    """The answers of each seat, `9H high, 3C match`; their cards lie in front of it."""
    answers, piles = [], []
    for told in of_seat:
        pairs = [word.split() for word in told.split(", ") if word]
        answers.append(tuple((PACK.card(face), answer) for face, answer in pairs))
        piles.append(tuple((3, PACK.card(face)) for face, _ in pairs))
    return {"answers": tuple(answers), "piles": tuple(piles)}


def setup(**options: Any) -> Setup:
    return Setup("tragedy", Rules(**options), 4, 0, 7)


def chosen(bot: type[Bot], view: View, legal: Sequence[Any] = (), **parameters: Any) -> str:
    made = bot(setup(), **parameters)
    return str(made.act(view, legal))


FOUND = answered("", "KH match, 9D high, 8S low", "", "")
"""Of seat 1's flaw, KH matched: a heart, or a king; 9D is no match and above it; 8S is below it."""


# --- Deduction ------------------------------------------------------------------------------------


def test_answers_and_the_own_cards_leave_one_candidate() -> None:
    """A heart between the eight and the nine there isn't; a king isn't below a nine."""
    told = answered("", "KH match, 9D high, 6S low", "", "")
    (seat, left), *_ = Flaws(setup()).candidates(view_of("7C 8H", **told))
    assert (seat, PACK.spell(cards_of(left))) == (1, "7H")


def test_a_card_seen_long_ago_is_still_excluded() -> None:
    told = answered("", "KH match, 9D high, 6S low", "", "")
    flaws = Flaws(setup())
    flaws.candidates(view_of("7C 8H"))
    (_, left), *_ = flaws.candidates(view_of("7C", **told))
    assert PACK.spell(cards_of(left)) == "7H"


def test_a_wrong_name_is_no_candidate() -> None:
    told = answered("", "KH match, 9D high, 6S low", "", "")
    view = view_of("7C", **told, wrong=((), cards("8H"), (), ()))
    (_, left), *_ = Flaws(setup()).candidates(view)
    assert PACK.spell(cards_of(left)) == "7H"


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sets(st.integers(0, 6), min_size=1), min_size=1, max_size=5))
def test_what_is_left_is_what_different_flaws_allow(sets: list[set[Any]]) -> None:
    """Compared with all ways to give each a card of its own."""
    ways = [flaws for flaws in product(*sets) if len(set(flaws)) == len(flaws)]
    if ways:
        found = all_different([(seat, mask(able)) for seat, able in enumerate(sets)])
        for seat, left in found:
            assert set(cards_of(left)) == {way[seat] for way in ways}


def test_who_listens_remembers_attacks_that_were_turned_over() -> None:
    """With hidden attacks, matches have no answers in any view; the truth stays a candidate."""
    state = Tragedy(Rules(hidden_attacks=True), 4, Chance(PACK, 5), listeners=[0])
    bots = [Nemesis(Setup("tragedy", state.rules, 4, seat, seat)) for seat in range(4)]
    fewest = 52
    while state.to_act is not None and state.out_as[0] is None:
        assert state.heard is not None
        for event in state.heard[0] or []:
            bots[0].observe(event)
        state.heard[0] = []
        for seat, left in bots[0].flaws.candidates(state.view(0)):
            assert left >> state.flaws[seat] & 1
            fewest = min(fewest, left.bit_count())
        state.apply(bots[state.to_act].act(state.view(state.to_act), state.legal()))
    assert fewest < 5


# --- Challenges -----------------------------------------------------------------------------------


@pytest.mark.parametrize("bot", HAND_WRITTEN)
def test_a_flaw_that_is_sure_is_named(bot: type[Bot]) -> None:
    told = answered("", "KH match, 9D high, 6S low", "", "")
    assert chosen(bot, view_of("7C 8H 3H", **told)) == "challenge 7H 1"


def test_the_sleuth_challenges_at_its_confidence() -> None:
    """7H or 8H, and cards for both."""
    view = view_of("7C 8D 3H", **answered("", "KH match, 9D high, 6S low", "", ""))
    assert chosen(Sleuth, view) == "pass"
    assert chosen(Sleuth, view, confidence=0.6) == "pass"
    assert chosen(Sleuth, view, confidence=0.5) == "challenge 7H 1"


def test_the_surest_challenge_comes_first() -> None:
    flaws = [(1, mask(cards("7H 8H"))), (2, mask(cards("7D")))]
    hand = mask(cards("7C 8D 3H"))
    assert str(challenge(hand, flaws, 0.5)) == "challenge 7D 2"
    assert challenge(mask(cards("8D 3H")), flaws[:1], 0.9) is None


def test_a_flaw_that_the_hand_cannot_name_is_left() -> None:
    """There is no second seven."""
    told = answered("", "KH match, 9D high, 6S low", "", "")
    assert chosen(Sleuth, view_of("8H 3H", **told)) == "pass"


# --- Attacks --------------------------------------------------------------------------------------


def test_the_hothead_attacks_its_left_neighbour_with_what_it_has() -> None:
    assert chosen(Hothead, view_of("2C 3D KS")) == "attack KS 1"
    view = view_of("2C 3D KS", out=(None, 0, None, None))
    assert chosen(Hothead, view) == "attack KS 2"


def test_the_jackal_goes_for_the_smallest_hand() -> None:
    """Seat 2 has one card left: it is robbed of it, with a card of the suit that its flaw has."""
    told = answered("", "", "KH match, AC high", "")
    view = view_of("2C 3H 9S", sizes=(3, 7, 1, 7), **told)
    assert chosen(Jackal, view) == "attack 3H 2"
    assert chosen(Sleuth, view) == "pass"


def test_the_jackal_hoards_where_nobody_is_weak() -> None:
    assert chosen(Jackal, view_of("2C 3H 9S")) == "pass"
    assert chosen(Jackal, view_of("2C 3H 9S"), hoard=2).startswith("attack")


def test_the_tortoise_does_not_tell_others_where_a_flaw_is() -> None:
    """Seat 1's is one of 7H, 8H and 9H. The sleuth asks; the next player would know."""
    told = answered("", "KH match, TD high, 6S low", "", "")
    view = view_of("2C 4C 5D 6D 8C JC JD QC QS AS", **told)
    assert chosen(Sleuth, view) == "attack 8C 1"
    assert not chosen(Tortoise, view).endswith(" 1")


def test_the_nemesis_keeps_what_guards_its_flaw() -> None:
    """Its flaw is the 2S: nobody can name it without another two."""
    view = view_of("2C 2D 2H 7C", phase="discard", pending=0, left=1)
    legal = discards_of(mask(view.hand))
    assert str(Nemesis(setup()).act(view, legal)) == "discard 7C"


def test_the_nemesis_asks_what_it_can_then_name() -> None:
    """Two flaws are a seven, a nine or a ten: of diamonds, of hearts. It has no diamond."""
    diamond, heart = "KD match, JS high, 6S low", "KH match, JD high, 6C low"
    view = view_of(
        "7C 8C TC 9S 3H 2C 3C 4C JC QC",
        **answered("", diamond, heart, ""),
        wrong=((), cards("8D"), cards("8H"), ()),
        out=(None, None, None, 0),
        flaws=(None, None, None, PACK.card("5S")),
    )
    assert chosen(Sleuth, view).endswith(" 1")
    assert chosen(Nemesis, view) == "attack 8C 2"


def test_in_a_duel_the_nemesis_does_not_wait() -> None:
    view = view_of("3C 5D 9H JS KC", out=(None, 0, 1, None), flaws=(None, *cards("4C 5C"), None))
    assert chosen(Nemesis, view).startswith("attack")
    with_three = view._replace(out=(None, 0, None, None), flaws=(None, PACK.card("4C"), None, None))
    assert chosen(Nemesis, with_three) == "pass"


# --- Whole matches --------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 6])
@pytest.mark.parametrize("bot", [Jackal, Nemesis, Sleuth, Tortoise])
def test_who_waits_until_it_is_sure_never_errs(bot: Any, players: int) -> None:
    varied: list[dict[str, Any]] = [{}, {"defence": True, "take": "attacker"}, {"take": "owner"}]
    for seed, options in enumerate(varied):
        state = Tragedy(Rules(**options, max_turns=120), players, Chance(PACK, seed))
        ended, _ = play(GAME, state, [bot] * players, list(range(players)))
        assert ended.fault is None
        assert not any(counts[WRONG] for counts in state.counts)
