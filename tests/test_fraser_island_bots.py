"""Fraser Island: what each of its bots does in a position that shows its idea."""

from typing import Any

import pytest

from bots.fraser_island._sight import blind, in_pack, unseen
from bots.fraser_island.auditor import Auditor
from bots.fraser_island.bluffer import Bluffer
from bots.fraser_island.burrower import Burrower
from bots.fraser_island.honest_miner import HonestMiner
from bots.fraser_island.smuggler import Smuggler
from bots.random_legal import RandomLegal
from games.chance import Chance
from games.fraser_island.moves import PACK
from games.fraser_island.rules import GAME, FraserIsland, Rules, pack_for
from games.fraser_island.view import UNSEEN, Kept
from harness.bot import Bot, Setup
from harness.play.inprocess import play as played
from tests.test_fraser_island import deal, play

BOTS = [Auditor, Bluffer, Burrower, HonestMiner, Smuggler]
OTHERS = ("2C 3C 4C 5C 6C", "2S 3S 4S 5S 6S")


def choice(maker: Any, state: FraserIsland, seed: int = 1, **seen: Any) -> str:
    """What the bot does; `seen` are fields of its view that are to be otherwise."""
    seat = state.to_act
    assert seat is not None
    bot = maker(Setup(GAME.name, state.rules, state.players, seat, seed))
    return str(bot.act(state.view(seat)._replace(**seen), state.legal()))


def windows(state: FraserIsland) -> None:
    """Everybody passes."""
    while state.phase == "window":
        play(state, f"{state.to_act} pass")


# --- What to do with a diamond ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("maker", "hand", "does"),
    [
        (HonestMiner, "2D KD 4H 9C 8C", "play KD public"),
        (HonestMiner, "4H 7H 9C 8C TC", "play 7H private gem"),
        (HonestMiner, "7C 9C 8C TC JC", "play 7C private rock"),
        (Smuggler, "2D KD 9C 8C TC", "play KD private rock"),
        (Smuggler, "2D KD 4H 9C 8C", "play 8C private rock"),
        (Smuggler, "AD 2D 9C 8C TC", "play AD public"),
        (Burrower, "2D KD 4H 9C 8C", "play 2D private rock"),
        (Burrower, "KD AD 4H 9C 8C", "play 8C private rock"),
        (Burrower, "KD 3H 4H 9C 8C", "play 4H private gem"),
        (Auditor, "2D KD 4H 9C 8C", "play KD public"),
        (Auditor, "2D 9D 4H 9C 8C", "play 9D private rock"),
    ],
)
def test_early_in_the_match(maker: type[Bot], hand: str, does: str) -> None:
    assert choice(maker, deal([hand, *OTHERS])) == does


@pytest.mark.parametrize("maker", [Auditor, Bluffer, Burrower, Smuggler])
def test_the_dearest_goes_under_when_nobody_can_challenge(maker: type[Bot]) -> None:
    state = deal(["2D KD 4H 9C 8C", *OTHERS])
    assert choice(maker, state, failures=(0, 2, 2)).startswith("play KD private")


@pytest.mark.parametrize("maker", [Auditor, Bluffer, Burrower, Smuggler])
def test_what_can_no_longer_be_covered_stays_in_hand(maker: type[Bot]) -> None:
    """Three turns are left and a challenge shows three cards."""
    state = deal(["2D 9D 9C 8C TC", *OTHERS])
    said = {choice(maker, state, seed, deck=9) for seed in range(30)}
    assert said <= {"play 8C private rock", "play 8C private diamond"}


def test_without_execution_the_smuggler_buries_the_ace_too() -> None:
    state = deal(["AD 2D 9C 8C TC", *OTHERS], execution=False)
    assert choice(Smuggler, state) == "play AD private rock"


def test_the_bluffer_says_one_thing_and_then_another() -> None:
    said = {choice(Bluffer, deal(["2D 5D 4H 9C 8C", *OTHERS]), seed) for seed in range(60)}
    assert said == {
        *("play 5D private rock", "play 5D private gem"),
        *("play 8C private rock", "play 8C private diamond"),
    }


def test_the_bluffer_baits_nobody_while_it_has_something_to_hide() -> None:
    state = deal(["2D 3C 4C 5C 6C", "2S 3S 4S 5S 6S"], "7C 7S")
    play(state, "0 play 2D private rock")
    windows(state)
    play(state, "1 play 2S private rock")
    windows(state)
    said = {choice(Bluffer, state, seed) for seed in range(60)}
    assert said == {"play 3C private rock"}


# --- When to challenge --------------------------------------------------------------------------


def test_the_honest_miner_challenges_only_where_it_costs_nothing() -> None:
    state = deal(["2C 3C", "4H 5H", "6H 7H"])
    play(state, "0 play 2C private rock")
    assert choice(HonestMiner, state) == "pass"
    state = deal(["2C 3C", "4H 5H", "6H 7H"])
    play(state, "0 play 2C private diamond")
    assert choice(HonestMiner, state) == "challenge"


def test_of_several_the_honest_miner_names_the_claimer() -> None:
    state = deal(["2C 3C", "4H 5H", "6H 7H"], challenge_scope="target")
    play(state, "0 play 2C private diamond")
    assert choice(HonestMiner, state) == "challenge 0"


def test_the_auditor_finds_that_there_are_not_so_many_gems() -> None:
    """It has eleven of thirteen, and seat 1 has claimed three."""
    state = deal(["4H 5H 6H 7H 8H", *OTHERS])
    pile = PACK.read(["3H", "9H", "TH", "JH", "QH", "KH"])
    view = state.view(0)._replace(pile=pile, piles=((), unseen_pile("gem", 3), ()))
    auditor = Auditor(Setup(GAME.name, state.rules, 3, 0, 1))
    assert auditor.doubts(view)["gem"] == 13 / (2 + 13)
    shared = [PACK.faces[card] in "AH AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD" for card in PACK.cards]
    assert auditor.doubts(view._replace(public=tuple(map(int, shared))))["gem"] == 1 - 1 / 3


def test_nobody_challenges_with_a_diamond_of_its_own_on_top() -> None:
    for maker in (Auditor, Bluffer, Burrower, Smuggler):
        for top, does in (("2D", "pass"), ("2C", "challenge")):
            state = deal([f"{top} 9H TH JH QH", "2S 3S 4S 5S 6S"], "KH 7S 8S 9S TS")
            play(state, f"0 play {top} private rock")
            windows(state)
            play(state, "1 play 2S private diamond")
            assert (choice(maker, state), maker) == (does, maker)


def test_a_failure_makes_the_burrower_wait_for_better_odds() -> None:
    state = deal(["9H TH JH QH KH", *OTHERS])
    play(state, "0 play KH private gem")
    assert state.to_act == 0
    claims = ((), unseen_pile("rock", 3), unseen_pile("rock", 3))
    assert choice(Burrower, state, piles=claims) == "challenge"
    assert choice(Burrower, state, piles=claims, failures=(1, 0, 0)) == "pass"
    assert choice(Burrower, state, piles=claims, failures=(1, 0, 0), phase="last") == "challenge"


def test_odds_count_what_nobody_has_seen() -> None:
    state = deal(["2D 7C 8C 9C 9H", *OTHERS])
    left = unseen(state.view(0), in_pack(pack_for(state.rules, 3)))
    assert left == {"rock": 23, "gem": 12, "diamond": 12}
    assert blind(left)["gem"] == 12 / 47


# --- All of them --------------------------------------------------------------------------------


@pytest.mark.parametrize("maker", BOTS)
def test_each_beats_chance(maker: type[Bot]) -> None:
    points = 0.0
    for number in range(60):
        makers: list[Any] = [RandomLegal] * 3
        makers[number % 3] = maker
        state = FraserIsland(Rules(), 3, Chance(PACK, number))
        ended, _ = played(GAME, state, makers, [number, number + 1, number + 2])
        assert ended.fault is None
        points += ended.result.points[number % 3]
    assert points > 35


def unseen_pile(claim: str, number: int) -> tuple[Kept, ...]:
    """So many cards that were kept under this claim and never shown."""
    return (UNSEEN[claim],) * number


@pytest.mark.parametrize("players", [2, 5])
@pytest.mark.parametrize(
    "options",
    [
        {"challenge_scope": "target", "failures_allowed": 1},
        {"challenge_scope": "target", "fee": 0, "execution": False, "hand_size": 1},
        {"fee": 3, "reveal_depth": 1, "packs": 2, "free_on_diamond_claim": False},
        {"reveal_depth": 10, "final_challenges": False, "gem": 1000, "big_diamond": 0},
    ],
)
def test_all_of_them_play_by_other_rules_too(players: int, options: dict[str, Any]) -> None:
    rules = Rules(**options)
    for number in range(10):
        state = FraserIsland(rules, players, Chance(PACK, number))
        makers = [BOTS[(number + seat) % len(BOTS)] for seat in range(players)]
        ended, _ = played(GAME, state, makers, list(range(players)))
        assert ended.fault is None
