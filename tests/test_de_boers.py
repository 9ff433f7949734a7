"""De Boers: rulings as stories at the table, leaks, imagined deals, and the baseline bot."""

import dataclasses
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.de_boers.highwayman import Highwayman
from games.cards import Card
from games.chance import Chance
from games.de_boers.imagine import placed
from games.de_boers.options import Rules, owed
from games.de_boers.rules import GAME, TACTICS, DeBoers, imagine
from games.de_boers.steals import COMBINATIONS, DIAMOND, LAYS, PACK, RANK, SUIT, parse
from games.de_boers.view import Called, Drew, Handed, Laid, Noticed, Passed, View
from harness.bot import Setup
from harness.play.inprocess import play
from harness.records import Scripted, verify
from tests.strategies import Walk, set_ups, walks

RECORDED = (Path(__file__).parent / "data" / "examples_de_boers.jsonl").read_text().splitlines()


def faces(text: str) -> tuple[Card, ...]:
    return PACK.read(text.split())


def table(
    *hands: str, mine: str = "", chance: tuple[str, ...] = (), rules: Rules | None = None
) -> DeBoers:
    """A match with these hands, and these cards on top of the mine; everybody listens."""
    dealt = [hand.split() for hand in hands]
    size = len(dealt[0])
    front = [dealt[seat][place] for place in range(size) for seat in range(len(dealt))]
    front += mine.split()
    deck = front + [face for face in PACK.faces if face not in front]
    rules = dataclasses.replace(rules or Rules(), hand_size=size)
    script = Scripted(PACK, [" ".join(["!deck", *deck]), *chance])
    return DeBoers(rules, len(dealt), script, range(len(dealt)))


def act(state: DeBoers, *entries: str) -> None:
    """Plays these entries, each `SEAT ACTION`."""
    for entry in entries:
        seat, action = entry.split(" ", 1)
        assert state.to_act == int(seat), entry
        choices = {str(choice): choice for choice in state.legal()}
        assert action in choices, f"{action} is not among {', '.join(choices)}"
        state.apply(choices[action])


def hand(state: DeBoers, seat: int) -> str:
    return PACK.spell(state.view(seat).hand)


def told(state: DeBoers, seat: int) -> list[object]:
    """What this seat has heard since the last time."""
    assert state.heard is not None
    events = state.heard[seat] or []
    state.heard[seat] = []
    return events


# --- Records ----------------------------------------------------------------------------------


@pytest.mark.parametrize("line", RECORDED)
def test_a_recorded_match_replays_to_its_result(line: str) -> None:
    verify(line)


# --- Stealing -----------------------------------------------------------------------------------


def test_a_victim_hands_over_its_lowest_diamonds() -> None:
    state = table("2C 2H 3C 4C 5C", "KD AD TD 2D 9D", "6C 7C 8C 9C TC")
    act(state, "0 steal 2C 2H from 1")
    assert hand(state, 0) == "3C 4C 5C AD 2D"
    assert hand(state, 1) == "9D TD KD"


def test_a_victim_that_has_fewer_hands_over_all() -> None:
    state = table("9C 9H 3C 4C 5C", "KD AD 2C 3H 4H", "6C 7C 8C TC JC")
    act(state, "0 steal 9C 9H from 1")
    assert hand(state, 0) == "3C 4C 5C AD KD"
    assert hand(state, 1) == "2C 3H 4H"
    assert state.counts[0][names().index("diamonds_stolen")] == 2
    assert state.counts[1][names().index("diamonds_lost")] == 2


def names() -> list[str]:
    return [tactic.name for tactic in TACTICS]


def test_a_victim_without_diamonds_may_be_named_and_is_not_robbed() -> None:
    state = table("9C 9H 3C 4C 5C", "2C 2H 3H 4H 5H")
    act(state, "0 steal 9C 9H from 1")
    assert state.counts[1][names().index("robbed")] == 0
    assert state.scores() == (0, 0)


def test_what_is_laid_stays_out_of_play() -> None:
    state = table("9C 9H 3C 4C 5C", "2C 2H 3H 4H 5H")
    act(state, "0 steal 9C 9H from 1", "1 steal 2C 2H from 0")
    assert state.cards()["laid 0"] == faces("9C 9H")
    assert state.view(0).laid == (faces("9C 9H"), faces("2C 2H"))


def test_only_the_lowest_suits_of_equal_choices_are_legal() -> None:
    state = table("KS KH 4S 4H 9C", "2C 2H 3H 4C 5H")
    assert [str(action) for action in state.legal()] == [
        "draw",
        "steal 4H 4S from 1",
        "steal KH 4H from 1",
        "steal KH 9C from 1",
    ]


def naive_steals(hand: tuple[Card, ...], seat: int, players: int, diamonds: bool) -> set[str]:
    """All legal steals from the rulebook's table, by trying every few cards of the hand."""
    found: dict[tuple[object, ...], tuple[tuple[int, ...], str]] = {}
    usable = [card for card in hand if diamonds or SUIT[card] != DIAMOND]
    others = [other for other in range(players) if other != seat]
    for size in (2, 3, 4):
        for cards in combinations(usable, size):
            face = [card for card in cards if RANK[card] >= 10]
            number = [card for card in cards if RANK[card] < 10]
            if len({RANK[c] for c in face}) > 1 or len({RANK[c] for c in number}) > 1:
                continue
            victims = {(0, 2): 1, (0, 3): 1, (1, 1): 1, (2, 1): 2, (3, 1): 3, (2, 2): 2}
            if (len(face), len(number)) not in victims:
                continue
            laid = PACK.spell([*face, *number])
            suits = tuple(SUIT[card] for card in [*face, *number])
            for chosen in combinations(others, victims[len(face), len(number)]):
                alike = (
                    tuple(RANK[card] for card in face),
                    tuple(RANK[card] for card in number),
                    any(SUIT[card] == DIAMOND for card in face),
                    any(SUIT[card] == DIAMOND for card in number),
                    chosen,
                )
                spelled = f"steal {laid} from {' '.join(map(str, chosen))}"
                found[alike] = min((suits, spelled), found.get(alike, (suits, spelled)))
    return {spelled for _, spelled in found.values()}


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_legal_steals_are_those_of_the_rulebooks_table(data: st.DataObject) -> None:
    """Tried at every decision, so that nothing which was found before is still used wrongly."""
    rules, players = data.draw(set_ups(GAME))
    walk = Walk(GAME, rules, players, data.draw(st.integers(0, 2**64 - 1)))
    state = walk.state
    assert isinstance(state, DeBoers)
    for _ in range(60):
        if state.to_act is None:
            return
        view = state.view(state.to_act)
        if view.phase == "turn":
            wanted = naive_steals(view.hand, view.seat, players, rules.stockpiling)
            first, *steals = [str(action) for action in state.legal()]
            assert first == ("draw" if view.mine else "pass")
            assert set(steals) == wanted
            assert len(steals) == len(wanted)
        walk.step()


# --- What is owed -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "cards", "shares"),
    [
        ({}, "7C 7H", (7,)),
        ({}, "KC AS", (1,)),
        ({}, "TC TH TS", (20,)),
        ({}, "KC KH 4S", (4, 4)),
        ({}, "KC KH KS 9C", (9, 9, 9)),
        ({}, "KC KH 4C 4H", (8, 8)),
        ({"triple_factor": 1}, "TC TH TS", (10,)),
        ({"triple_factor": 4}, "2C 2H 2S", (8,)),
        ({"triple_factor": 4}, "2C 2H", (2,)),
        ({"triple_factor": 4}, "KC KH 2C 2H", (4, 4)),
        ({"each_victim": False}, "7C 7H", (7,)),
        ({"each_victim": False}, "TC TH TS", (20,)),
        ({"each_victim": False}, "KC KH 5S", (3, 2)),
        ({"each_victim": False}, "KC KH KS TC", (4, 3, 3)),
        ({"each_victim": False}, "KC KH KS AC", (1, 0, 0)),
        ({"each_victim": False}, "KC KH KS 2C", (1, 1, 0)),
        ({"each_victim": False}, "KC KH 3C 3H", (3, 3)),
        ({"steal_cap": 3}, "KC KH 4C 4H", (3, 3)),
        ({"steal_cap": 3}, "KC KH KS 2C", (2, 2, 2)),
        ({"steal_cap": 3, "each_victim": False}, "KC KH KS TC", (3, 3, 3)),
        ({"steal_cap": 2, "each_victim": False}, "KC KH 3S", (2, 1)),
    ],
)
def test_what_each_victim_owes(
    options: dict[str, int], cards: str, shares: tuple[int, ...]
) -> None:
    lay = LAYS[faces(cards)]
    assert owed(Rules.read(options))[lay.combination][lay.number] == shares


# --- The end --------------------------------------------------------------------------------------


@pytest.mark.parametrize("last_turns", [0, 1, 2, 3])
def test_every_player_has_its_last_turns(last_turns: int) -> None:
    state = DeBoers(Rules(last_turns=last_turns), 3, Chance(PACK, 5))
    drawers = []
    while state.to_act is not None and state.legal()[0] != parse("pass"):
        drawers.append(state.to_act)
        state.apply(state.legal()[0])
    assert len(drawers) == 52 - 15
    passers = []
    while state.to_act is not None:
        assert state.view(0).turns_left == 3 * last_turns - len(passers)
        passers.append(state.to_act)
        state.apply(parse("pass"))
    assert Counter(passers) == {seat: last_turns for seat in range(3) if last_turns}
    assert not passers or passers[-1] == drawers[-1]
    assert state.result().end == "mine"
    assert state.turns == 37 + 3 * last_turns


def test_thirteen_in_the_hand_end_the_match_before_the_last_turns() -> None:
    state = table(
        *("JC JH JS TC JD QD", "6C 6H AD 2D 3D 4D", "7C 7H 5D 6D 7D AC", "8C 8H 8D 9D TD AH"),
        *("2C 2H AS 2S 3S 4S", "3C 3H 5S 6S 7S 8S", "4C 4H 9S TS QC QH", "5C 5H QS KC KH KS"),
        mine="KD 9C 9H TH",
    )
    act(state, "0 steal JC JH JS TC from 1 2 3")
    assert state.scores() == (12, 0, 0, 0, 0, 0, 0, 0)
    act(state, "1 steal 6C 6H from 4", "2 steal 7C 7H from 4", "3 steal 8C 8H from 4")
    act(state, "4 steal 2C 2H from 5", "5 steal 3C 3H from 6", "6 steal 4C 4H from 7")
    act(state, "7 steal 5C 5H from 1", "0 draw")
    assert state.result().end == "thirteen"
    assert state.result().places == (1, 2, 2, 2, 2, 2, 2, 2)
    assert len(state.cards()["mine"]) == 3


def test_most_diamonds_win_and_a_tie_is_shared() -> None:
    state = table(
        *("AD 2D 2C 3C 4C 5C", "3D 4D 6C 7C 8C 9C", "5D TC JC QC KC AC", "6D AH 2H 3H 4H 5H"),
        *("7D 6H 7H 8H 9H TH", "8D JH QH KH AS 2S", "9D 3S 4S 5S 6S 7S", "TD 8S 9S TS JS QS"),
        mine="JD KS QD KD",
    )
    act(state, "0 draw", "1 draw", "2 draw", "3 draw")
    act(state, *[f"{seat} pass" for seat in (4, 5, 6, 7, 0, 1, 2, 3)])
    assert state.result().scores == (3, 2, 2, 2, 1, 1, 1, 1)
    assert state.result().places == (1, 2, 2, 2, 5, 5, 5, 5)


# --- Stockpiling ----------------------------------------------------------------------------------

STOCKPILING = Rules(stockpiling=True)
SEATS = ("4C 4D KD 7D QC", "3D 2C 6S AH AC", "5D 5C 8S 2H 3H", "9D TD JH JC 6H")


def test_without_the_option_diamonds_are_not_laid() -> None:
    state = table(*SEATS)
    assert [str(action) for action in state.legal()] == [
        "draw",
        "steal QC 4C from 1",
        "steal QC 4C from 2",
        "steal QC 4C from 3",
    ]


def test_the_first_to_call_collects_and_nobody_else_is_asked() -> None:
    state = table(*SEATS, rules=STOCKPILING)
    act(state, "0 steal 4C 4D from 3", "1 pass", "2 de_boers")
    assert state.to_act == 1, "the turn is over"
    assert hand(state, 0) == "QC"
    assert hand(state, 2) == "5C 4D 5D 7D KD 2H 3H 8S"
    assert hand(state, 3) == "JC 9D TD 6H JH", "the steal is void"
    assert state.cards()["laid 0"] == faces("4C")
    counts = [dict(zip(names(), counts, strict=True)) for counts in state.counts]
    assert counts[0]["doubles"] == counts[0]["stockpile"] == 1
    assert counts[0]["diamonds_lost"] == counts[0]["robbed"] == 0, "not by a call"
    assert counts[2]["de_boers"] == 1
    assert counts[1]["pass"] == 0, "a pass on a call isn't a turn passed"
    assert state.turns == 1


def test_nothing_changes_hands_before_the_last_has_passed() -> None:
    state = table(*SEATS, rules=STOCKPILING)
    act(state, "0 steal 4C 4D from 3", "1 pass", "2 pass")
    assert hand(state, 3) == "JC 9D TD 6H JH"
    assert state.turns == 0
    act(state, "3 pass")
    assert hand(state, 3) == "JC 6H JH"
    assert state.to_act == 1


def test_received_diamonds_may_be_laid_and_lost_ones_may_not() -> None:
    state = table("AC AH 9C KC QC", "2D 9D 3H JC QH", rules=STOCKPILING)
    act(state, "0 steal AC AH from 1", "1 draw")
    assert "steal KC 2D from 1" in [str(action) for action in state.legal()]
    act(state, "0 draw")
    assert not any("2D" in str(action) for action in state.legal())
    assert any("9D" in str(action) for action in state.legal())


def test_only_those_who_noticed_are_asked_from_the_next_seat_round() -> None:
    rules = Rules(stockpiling=True, notice_percent=50)
    state = table(*SEATS, rules=rules, chance=("!notice 1 3",))
    act(state, "0 steal 4C 4D from 3", "1 pass", "3 de_boers")
    state = table("KC 4H 5H 6H 7H", *SEATS[:3], rules=rules, chance=("!notice 0 3",))
    act(state, "0 draw", "1 steal 4C 4D from 3", "3 pass", "0 pass")


def test_where_nobody_ever_notices_there_is_still_an_entry_and_no_question() -> None:
    moves: list[str] = []
    state = DeBoers(Rules(stockpiling=True, notice_percent=0), 2, Chance(PACK, 3, log=moves))
    rng = Random(1)
    laid = 0
    while state.to_act is not None:
        action = rng.choice(state.legal())
        laid += " from " in str(action) and "D" in str(action)
        state.apply(action)
        assert state.stockpile is None
    assert laid
    assert moves[1:] == ["!notice"] * laid


def test_with_everybody_noticing_there_is_no_entry() -> None:
    moves: list[str] = []
    state = DeBoers(STOCKPILING, 2, Chance(PACK, 3, log=moves))
    while state.to_act is not None:
        state.apply(state.legal()[-1])
    assert len(moves) == 1
    assert sum(counts[names().index("stockpile")] for counts in state.counts)


# --- What is seen, and what isn't -----------------------------------------------------------------


def test_a_third_player_learns_how_many_but_not_which() -> None:
    """Two deals that differ only in which diamonds seat 1 hands over look alike to seat 2."""
    seen = []
    for victim in ("AD 2D 3D 4S 5S", "5D 8D KD 4S 5S"):
        state = table("2C 2H 3C 4C 5C", victim, "6C 7C 8C 9C TC", mine="JC")
        act(state, "0 steal 2C 2H from 1", "1 draw")
        assert state.view(0).known[1] == ()
        seen.append((state.view(2), told(state, 2), state.legal()))
        assert state.view(1).known[0] == faces(victim)[:2]
    assert seen[0] == seen[1]
    assert seen[0][1] == [
        Laid(0, faces("2C 2H"), (1,)),
        Handed(1, 0, 2, None),
        Drew(1, None),
    ]


def test_that_others_noticed_or_passed_shows_nowhere() -> None:
    """To seat 3, which didn't notice, all is the same whoever else did, and passed."""
    rules = Rules(stockpiling=True, notice_percent=50)
    seen = []
    for notice, passes in (
        ("!notice", ()),
        ("!notice 1", ("1 pass",)),
        ("!notice 2", ("2 pass",)),
        ("!notice 1 2", ("1 pass", "2 pass")),
    ):
        state = table(*SEATS, rules=rules, chance=(notice,))
        told(state, 3)
        act(state, "0 steal 4C 4D from 1")
        views = []
        for entry in passes:
            views.append(state.view(3))
            act(state, entry)
        assert all(view == views[0] for view in views)
        seen.append((state.view(3), told(state, 3)))
    assert all(what == seen[0] for what in seen)


def test_what_is_told_to_one_seat_alone() -> None:
    rules = Rules(stockpiling=True, notice_percent=50)
    state = table(*SEATS, rules=rules, chance=("!notice 1 2",))
    act(state, "0 steal 4C 4D from 3")
    announced = Laid(0, faces("4C 4D"), (3,))
    assert [told(state, seat) for seat in range(4)] == [
        [announced],
        [announced, Noticed(1)],
        [announced, Noticed(2)],
        [announced],
    ]
    act(state, "1 pass")
    assert [told(state, seat) for seat in range(4)] == [[], [Passed(1)], [], []]
    act(state, "2 de_boers")
    public = Called(2, 0, faces("4D"), 2, None)
    private = Called(2, 0, faces("4D"), 2, faces("7D KD"))
    assert [told(state, seat) for seat in range(4)] == [[private], [public], [private], [public]]


def test_diamonds_known_are_counted_from_none() -> None:
    """Seat 1 was dealt three. It gives one: nothing is known. Asked for nine it gives two, and is
    seen to have none. Then it takes one back."""
    state = table("AC AH 9C 9H KC", "2D 5D 8D AS KH", "3C 4C 5C 6C 7C", mine="2C 2S 2H 8C")
    act(state, "0 steal AC AH from 1")
    assert state.view(2).diamonds == (1, 0, 0)
    act(state, "1 draw", "2 draw", "0 steal 9C 9H from 1")
    assert state.view(2).diamonds == (3, 0, 0)
    act(state, "1 steal KH AS from 0")
    assert state.view(2).diamonds == (2, 1, 0)
    assert state.view(0).known == ((), faces("2D"), ())
    assert state.view(1).known == (faces("5D 8D"), (), ())


def test_counts_of_unknown_diamonds_handed_over_are_not_owed_later() -> None:
    """Seat 1 gives two of the three it was dealt, then takes two: it is known to hold two."""
    state = table("2C 2H 9C KC QC", "2D 5D 8D 2S KH", "3C 4C 5C 6C 7C", mine="AC AH")
    act(state, "0 steal 2C 2H from 1", "1 steal KH 2S from 0")
    assert state.view(2).diamonds == (0, 2, 0)


def test_a_laid_diamond_is_known_no_longer() -> None:
    state = table("9C AH 9D KC QC", "3C 3H 8D 2S KH", "4C 5C 6C 7C 8C", rules=STOCKPILING)
    act(state, "0 draw", "1 steal 3C 3H from 0", "2 draw", "0 draw")
    assert state.view(0).known[1] == faces("9D")
    assert state.view(2).diamonds == (0, 1, 0)
    act(state, "1 steal KH 9D from 2")
    assert state.view(0).known[1] == ()
    assert state.view(2).diamonds == (0, 0, 0)


@settings(max_examples=60, deadline=None)
@given(walk=walks(GAME))
def test_what_is_known_is_true(walk: Walk) -> None:
    state = walk.state
    assert isinstance(state, DeBoers)
    hands = [set(state.cards()[f"hand {seat}"]) for seat in range(walk.players)]
    for seat in range(walk.players):
        view = state.view(seat)
        assert view.sizes == tuple(len(cards) for cards in hands)
        for held, known, least in zip(hands, view.known, view.diamonds, strict=True):
            assert held >= set(known)
            assert sum(SUIT[card] == DIAMOND for card in held) >= least


def test_twelve_in_hand_and_one_laid_do_not_end_the_match() -> None:
    """Nor does the call phase: only what is in one hand counts."""
    rules = Rules(stockpiling=True, stockpiled_score=True)
    state = table("TC TH AD 2D AC", "4D 5D 6D 7D 8D", mine="9D TD JD QD KD 3D 2C", rules=rules)
    act(state, *("0 draw", "1 draw") * 3, "0 steal AC AD from 1", "1 pass", "1 draw")
    act(state, "0 steal TC TH from 1")
    assert state.scores() == (13, 0)
    assert state.standing(0) == 13
    assert state.to_act == 1


# --- Imagined states ------------------------------------------------------------------------------


def placements(view: View) -> set[tuple[tuple[Card, ...], ...]]:
    """Every way the unseen cards may lie, by trying all."""
    seen = {*view.hand, *[card for cards in (*view.laid, *view.known) for card in cards]}
    unseen = [card for card in PACK.cards if card not in seen]
    found = set()
    for order in permutations(unseen):
        rest = list(order)
        zones = []
        for seat, known in enumerate(view.known):
            missing = 0 if seat == view.seat else view.sizes[seat] - len(known)
            zones.append(tuple(sorted([*known, *rest[:missing]])))
            del rest[:missing]
        enough = [
            sum(SUIT[card] == DIAMOND for card in zone) >= least
            for seat, (zone, least) in enumerate(zip(zones, view.diamonds, strict=True))
            if seat != view.seat
        ]
        if all(enough):
            found.add((*zones, tuple(rest)))
    return found


@pytest.mark.parametrize(("least", "ways", "most"), [(1, 21, 50), (2, 12, 36)])
def test_each_placement_of_the_unseen_cards_is_equally_likely(
    least: int, ways: int, most: float
) -> None:
    """Unseen are two diamonds and three others. Seat 1 has the 9D, known, and two more cards; seat
    2 has two, one at least a diamond; one card is in the mine. That is 30 deals without those 9 in
    which seat 2 has no diamond. If seat 1 is known to have two, each has one more: 2 times 6 deals.

    The limits of chi-square are exceeded about twice in 10,000.
    """
    unseen = faces("3D 5D AC 2C 3C")
    known = faces("9D")
    laid = tuple(card for card in PACK.cards if card not in (*unseen, *known))
    view = View(
        seat=0,
        hand=(),
        phase="turn",
        turn=0,
        sizes=(0, 3, 2),
        mine=1,
        turns_left=None,
        laid=(laid, (), ()),
        diamonds=(0, least, 1),
        known=((), known, ()),
        stockpile=None,
    )
    possible = placements(view)
    rng = Random(4)
    drawn: Counter[tuple[tuple[Card, ...], ...]] = Counter()
    each = 200
    for _ in range(each * len(possible)):
        hands, mine = placed(view, rng)
        drawn[(*[tuple(sorted(cards)) for cards in hands[1:]], tuple(mine))] += 1
    assert set(drawn) == {zones[1:] for zones in possible}
    chi_square = sum((count - each) ** 2 / each for count in drawn.values())
    assert len(possible) == ways
    assert chi_square < most


def test_an_imagined_call_asks_the_seat_itself_and_others_by_their_chance() -> None:
    rules = Rules(stockpiling=True, notice_percent=50)
    state = table(*SEATS, rules=rules, chance=("!notice 1 3",))
    act(state, "0 steal 4C 4D from 3")
    rng = Random(2)
    asked = Counter(imagine(state.view(1), rng, rules).callers for _ in range(400))
    assert set(asked) == {(1,), (1, 2), (1, 3), (1, 2, 3)}
    assert all(70 < count < 130 for count in asked.values())
    twin = imagine(state.view(0), rng, rules)
    assert twin.view(0) == state.view(0)


@settings(max_examples=60, deadline=None)
@given(walk=walks(GAME), seed=st.integers(0, 2**32))
def test_every_seat_can_imagine(walk: Walk, seed: int) -> None:
    """Also one that isn't to act, also when the match is over."""
    for seat in range(walk.players):
        view = walk.state.view(seat)
        assert GAME.imagine(view, Random(seed), walk.rules).view(seat) == view


# --- Spelling and options -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "steal",
        "steal 4C 4H",
        "steal 4C 4H from",
        "steal 4H 4C from 1",
        "steal 4C KC from 1",
        "steal KC QC 4C from 1 2",
        "steal KC KH from 1",
        "steal 4C 5H from 1",
        "steal 4C 4D 4H 4S from 1",
        "steal 4C 4H from 1 2",
        "steal KC KH 4S from 1",
        "steal KC KH 4S from 2 1",
        "steal KC KH 4S from 1 1",
        "steal 4C 4H from 8",
        "steal 4C 4H from 01",
        "steal 4C 4H from -1",
        "steal 4C  4H from 1",
        "Draw",
        "deboers",
        "",
    ],
)
def test_what_is_no_action(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hand_size": 7}, "de_boers: hand_size must be 1 to 6, not 7"),
        ({"triple_factor": 0}, "de_boers: triple_factor must be 1 to 4, not 0"),
        ({"steal_cap": 21}, "de_boers: steal_cap must be 1 to 20, not 21"),
        ({"notice_percent": 101}, "de_boers: notice_percent must be 0 to 100, not 101"),
        ({"last_turns": 4}, "de_boers: last_turns must be 0 to 3, not 4"),
        ({"stockpiling": 1}, "de_boers: stockpiling must be true or false, not 1"),
        ({"each_victim": "no"}, 'de_boers: each_victim must be true or false, not "no"'),
    ],
)
def test_options_out_of_range(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError) as error:
        Rules.read(options)
    assert str(error.value) == message


def test_the_tactics_in_their_order() -> None:
    combinations_named = [combination.name for combination in COMBINATIONS]
    assert names() == [
        *("draw", "pass", *combinations_named, "stockpile", "de_boers"),
        *("robbed", "diamonds_stolen", "diamonds_lost"),
    ]


# --- The baseline ---------------------------------------------------------------------------------


def highwayman(state: DeBoers, seat: int, **parameters: int) -> Highwayman:
    setup = Setup("de_boers", state.rules, state.players, seat, 1)
    return Highwayman(setup, **parameters)


def choice(state: DeBoers, **parameters: int) -> str:
    seat = state.to_act
    assert seat is not None
    bot = highwayman(state, seat, **parameters)
    return str(bot.act(state.view(seat), state.legal()))


def test_the_highwayman_waits_then_robs_whom_it_knows_to_be_rich() -> None:
    hands = ("9C 9H 2C 3C 4C", "AC AH 2H 3H 4H", "8C 8H AD 2D 3D")
    state = table(*hands, mine="5D 6D 7D 8D")
    assert choice(state) == "draw"
    act(state, "0 draw", "1 draw", "2 steal 8C 8H from 1")
    assert choice(state, worth=10) == "steal 9C 9H from 2"


def test_the_highwayman_calls_and_lays_no_diamond() -> None:
    state = table("4C 4D KD 7D QD", *SEATS[1:], rules=STOCKPILING)
    assert choice(state, worth=0, card=0) == "draw"
    act(state, "0 steal 4C 4D from 1")
    assert choice(state) == "de_boers"


def test_the_highwayman_beats_chance() -> None:
    from bots.random_legal import RandomLegal

    points = 0.0
    for deal in range(60):
        makers = [RandomLegal] * 4
        makers[deal % 4] = Highwayman  # type: ignore[call-overload]
        state = DeBoers(Rules(), 4, Chance(PACK, deal))
        ended, _ = play(GAME, state, makers, [deal, deal + 1, deal + 2, deal + 3])
        assert ended.fault is None
        points += ended.result.points[deal % 4]
    assert points > 40
