"""De Boers: what each of its bots does with a hand that shows its idea."""

import csv
from typing import Any

import pytest

from bots.de_boers.drawer import Drawer
from bots.de_boers.highwayman import Highwayman
from bots.de_boers.hoarder import Hoarder
from bots.de_boers.opportunist import Opportunist
from bots.de_boers.timekeeper import Timekeeper
from bots.random_legal import RandomLegal
from games.chance import Chance
from games.de_boers.options import Rules
from games.de_boers.rules import GAME, DeBoers
from games.de_boers.steals import PACK
from harness.bot import Bot, Setup
from harness.play.inprocess import play
from tests.command import fairdeal
from tests.test_de_boers import act, table

BOTS = [Drawer, Highwayman, Hoarder, Opportunist, Timekeeper]
SPARE = ("AC AH TC TH TS", "2C 2H 3C 3H 4C", "5C 5H 6C 6H 7C", "JC JH QC QH KC")
"""Seat 0 can do without its aces: three tens take all that anybody holds."""


def choice(maker: Any, state: DeBoers, **seen: Any) -> str:
    """What the bot does; `seen` are fields of its view that are to be otherwise."""
    seat = state.to_act
    assert seat is not None
    bot = maker(Setup(GAME.name, state.rules, state.players, seat, 1))
    return str(bot.act(state.view(seat)._replace(**seen), state.legal()))


def mine_empty(state: DeBoers, turns_left: int) -> DeBoers:
    """The same hands when everything has been drawn."""
    state.mine.clear()
    state.left = turns_left
    state.choices = [None] * state.players
    return state


def test_the_opportunist_takes_the_most_from_the_largest_hand() -> None:
    state = table(*SPARE)
    assert choice(Opportunist, state, sizes=(5, 5, 9, 5)) == "steal TC TH TS from 2"
    assert choice(Opportunist, table("2C 3C", "4C 5C")) == "draw"


def test_the_drawer_leaves_the_mine_for_no_theft() -> None:
    state = table(*SPARE)
    for mine in (20, 4, 1):
        assert choice(Drawer, state, mine=mine, diamonds=(0, 9, 0, 0)) == "draw"
    mine_empty(state, 4)
    assert choice(Drawer, state, diamonds=(0, 0, 5, 0)) == "steal TC TH from 2"


def test_the_drawer_passes_when_there_is_nothing_to_take() -> None:
    state = mine_empty(table("2C 2H 3C", "4C 5C 6C"), 1)
    assert choice(Drawer, state) == "steal 2C 2H from 1"
    assert choice(Drawer, mine_empty(table("2C 3C", "4C 5C"), 1)) == "pass"


def test_the_hoarder_waits_until_a_raid_on_several_pays() -> None:
    state = table("JC JH JS 9C 9H", "2C 2H 3C 3H 4C", "5C 5H 6C 6H 7C", "QC QH KC KH 8C")
    assert choice(Hoarder, state) == "draw"
    assert choice(Hoarder, state, diamonds=(0, 3, 0, 0)) == "draw"
    assert choice(Hoarder, state, diamonds=(0, 4, 4, 4)) == "steal JC JH JS 9C from 1 2 3"
    assert choice(Hoarder, state, diamonds=(0, 0, 7, 6)) == "steal JC JH 9C from 2 3"


def test_one_rich_player_is_no_raid_for_the_hoarder() -> None:
    state = table("TC TH TS 9C 9H", "2C 2H 3C 3H 4C", "5C 5H 6C 6H 7C", "QC QH KC KH 8C")
    assert choice(Hoarder, state, diamonds=(0, 12, 0, 0)) == "draw"
    assert choice(Highwayman, state, diamonds=(0, 12, 0, 0)) == "steal TC TH TS from 1"


def test_the_timekeeper_spends_a_turn_when_that_makes_the_last_one_its_own() -> None:
    state = table(*SPARE)
    said = [choice(Timekeeper, state, mine=mine) for mine in (6, 5, 4, 3, 2, 1)]
    assert [words.split(" from")[0] for words in said] == [
        *("draw", "draw", "steal AC AH", "steal AC AH", "draw", "draw")
    ]


def test_the_timekeeper_keeps_what_it_needs_in_the_last_turn() -> None:
    """Two tens and a seven: to lay the tens would leave nothing."""
    state = table("TC TH 7C", "2C 2H 3C", "5C 5H 6C", "JC JH QC")
    assert choice(Timekeeper, state, mine=4) == "draw"


def test_with_the_very_last_turn_the_timekeeper_cuts_down_the_leader() -> None:
    state = mine_empty(table("3C 3H", "4C 5C", "6C 7C", "8C 9C"), 1)
    seen = {"diamonds": (0, 4, 6, 3)}
    assert choice(Drawer, state, **seen) == "steal 3C 3H from 1"
    assert choice(Timekeeper, state, **seen) == "steal 3C 3H from 2"


def last_turns(makers: list[Any]) -> list[int]:
    """Who has the last turn, in matches that the mine ends."""
    seats = []
    for deal in range(40):
        moves: list[str] = []
        state = DeBoers(Rules(), 4, Chance(PACK, deal))
        ended, _ = play(GAME, state, makers, [1, 2, 3, 4], moves)
        if ended.result.end == "mine":
            seats.append(int(moves[-1][0]))
    return seats


def test_the_timekeeper_takes_the_last_turn_from_those_who_always_draw() -> None:
    """32 cards: where all draw, the last one is seat 3's."""
    assert set(last_turns([Drawer] * 4)) == {3}
    seats = last_turns([Timekeeper, Drawer, Drawer, Drawer])
    assert seats.count(0) > 0.8 * len(seats)


@pytest.mark.parametrize("maker", BOTS)
def test_whoever_can_calls_and_nobody_lays_a_diamond(maker: Any) -> None:
    rules = Rules(stockpiling=True)
    state = table("4C 4D KD 7D QD", "5C 6C 7C 8C 9C", "5H 6H 7H 8H 9H", rules=rules)
    assert choice(maker, state) == "draw"
    assert choice(maker, mine_empty(state, 3)) == "pass"
    act(state, "0 steal 4C 4D from 1")
    assert choice(maker, state) == "de_boers"


@pytest.mark.parametrize("maker", [Drawer, Highwayman, Hoarder, Timekeeper])
@pytest.mark.parametrize("players", [3, 4, 8])
def test_all_but_the_naive_one_beat_chance(maker: type[Bot], players: int) -> None:
    points = 0.0
    deals = 12 * players
    for deal in range(deals):
        makers: list[Any] = [RandomLegal] * players
        makers[deal % players] = maker
        state = DeBoers(Rules(), players, Chance(PACK, deal))
        ended, _ = play(GAME, state, makers, list(range(deal, deal + players)))
        assert ended.fault is None
        points += ended.result.points[deal % players]
    assert points / deals > 1.4 / players


@pytest.mark.parametrize("players", [3, 8])
@pytest.mark.parametrize(
    "options",
    [
        {"stockpiling": True, "stockpiled_score": True, "notice_percent": 50},
        {"each_victim": False, "triple_factor": 4, "last_turns": 3},
        {"steal_cap": 1, "hand_size": 1},
        {"last_turns": 0, "hand_size": 6, "stockpiling": True},
    ],
)
def test_all_of_them_play_by_other_rules_too(players: int, options: dict[str, Any]) -> None:
    rules = Rules(**options)
    for number in range(10):
        state = DeBoers(rules, players, Chance(PACK, number))
        makers: list[Any] = [BOTS[(number + seat) % len(BOTS)] for seat in range(players)]
        ended, _ = play(GAME, state, makers, list(range(players)))
        assert ended.fault is None


def test_the_list_of_bots_says_that_the_hoarder_needs_three_seats() -> None:
    rows = csv.DictReader(fairdeal("bots", "de_boers", "--output", "csv").stdout.splitlines())
    seats = {row["bot"]: row["seats"] for row in rows}
    assert (seats["hoarder"], seats["drawer"]) == ("3 to 8", "any")
