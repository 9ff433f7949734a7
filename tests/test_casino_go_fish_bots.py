"""Casino Go Fish's bots, each one's idea as a position at the table."""

from typing import Any

import pytest

from bots.casino_go_fish.collector import Collector
from bots.casino_go_fish.feeder import Feeder
from bots.casino_go_fish.pairer import Pairer
from bots.casino_go_fish.shark import Shark
from bots.casino_go_fish.spoiler import Spoiler
from bots.random_legal import RandomLegal
from games.casino_go_fish.actions import PACK
from games.casino_go_fish.rules import GAME, CasinoGoFish, Rules, imagine
from games.casino_go_fish.view import View
from games.chance import Chance
from harness.bot import Bot, Setup
from harness.play.inprocess import play

HAND_WRITTEN: list[Any] = [Collector, Feeder, Pairer, Shark, Spoiler]


def cards(faces: str) -> tuple[Any, ...]:
    return tuple(sorted(PACK.read(faces.split())))


def view_of(seat: int, hand: str, known: tuple[str, str, str], **fields: Any) -> View:
    """What a seat of three sees with this hand, and these cards known of each hand.

    `pool`, `pile` and `drawn` are given by their faces.
    """
    faces = {name: cards(fields.pop(name, "")) for name in ("pool", "pile", "drawn")}
    view = View(
        seat=seat,
        hand=cards(hand),
        phase="switch" if faces["drawn"] else "draw",
        turn=seat,
        round=3,
        sizes=(5, 5, 5),
        deck=20,
        sets=((), (), ()),
        shown=(False, False, False),
        known=(cards(known[0]), cards(known[1]), cards(known[2])),
        swapped_in=(),
        swapped_out=(),
        taken_from=None,
        taken_to=None,
        **faces,
    )
    return view._replace(**fields)


def chosen(bot: type[Bot], view: View, **parameters: Any) -> str:
    """Its choice among what is legal there; what the view hides is dealt somehow."""
    made = bot(Setup("casino_go_fish", Rules(), 3, view.seat, 7), **parameters)
    state = imagine(view, made.rng, Rules())
    return str(made.act(state.view(view.seat), state.legal()))


NOTHING = ("", "", "")

# --- Collecting -----------------------------------------------------------------------------------


@pytest.mark.parametrize("bot", [Collector, Feeder, Pairer, Shark])
@pytest.mark.parametrize("seat", [0, 2])
def test_who_collects_swaps_in_what_it_holds_most_of(bot: type[Bot], seat: int) -> None:
    """A Patron has only the nine of that colour to give for it."""
    view = view_of(seat, "7C 7D 7S 2C 9D", NOTHING, drawn="7H KD")
    assert chosen(bot, view) in ("swap 9D for 7H", "swap 2C for 7H")


def test_the_pairer_looks_at_its_hand_alone() -> None:
    """A seven is out of play, so that its two are worth nothing; and the pool would make a set."""
    view = view_of(0, "7C 7D 2C 3C 9D", NOTHING, drawn="7H KD", pile="7S")
    assert chosen(Pairer, view) == "swap 9D for 7H"
    assert chosen(Collector, view) == "swap 7D for KD"
    view = view_of(0, "9C 9D 9S 3C KD", NOTHING, pool="9H")
    assert chosen(Pairer, view) == "draw 2"
    assert chosen(Collector, view) == chosen(Shark, view) == "pool 9H"


# --- Feeding --------------------------------------------------------------------------------------


def test_the_feeder_leaves_the_next_patron_what_that_one_collects() -> None:
    """Seat 1 has two nines; a nine comes, and seat 0 has one too."""
    view = view_of(0, "9C 4D 5D 6S JC", ("", "9D 9S", ""), drawn="9H 2C")
    assert chosen(Feeder, view) == "swap 9C for 2C"
    assert chosen(Pairer, view).endswith("for 9H")


def test_the_last_patron_feeds_nobody() -> None:
    """After it the pool goes out of play."""
    view = view_of(1, "9C 4D 5D 6S JC", ("9D 9S", "", ""), drawn="9H 2C")
    assert chosen(Feeder, view) == "swap 4D for 9H"


def test_only_a_patron_whom_another_can_feed_shows() -> None:
    hand = "9C 4D 5D 6S JC"
    assert chosen(Feeder, view_of(1, hand, NOTHING), show=True) == "show"
    assert chosen(Feeder, view_of(1, hand, NOTHING)) == "draw 2"
    assert chosen(Feeder, view_of(0, hand, NOTHING), show=True) == "draw 2"


# --- Spoiling -------------------------------------------------------------------------------------


@pytest.mark.parametrize("bot", [Spoiler, Shark])
def test_a_patron_puts_out_of_play_what_the_dealer_collects(bot: type[Bot]) -> None:
    """The Dealer has three nines. The fourth is in hand, where the Dealer could take it."""
    view = view_of(1, "9C 4D 5D 6S JC", ("", "", "9D 9H 9S"), drawn="2C 3H", pile="2D 3D")
    assert chosen(bot, view) == "swap 9C for 2C"
    assert "9C" not in chosen(Collector, view)


def test_a_patron_does_not_pick_up_what_spoils_a_set() -> None:
    view = view_of(1, "2C 4D 5D 6S JC", ("", "", "9D 9H 9S"), drawn="9C 3H", pile="2D 3D")
    for bot in (Spoiler, Shark):
        assert not chosen(bot, view).endswith("9C")


def test_the_dealer_holds_what_patrons_need() -> None:
    """Seat 0 has two nines: one in the Dealer's hand is out of reach, one in the pool isn't."""
    view = view_of(2, "2C 4D 5D 6S JC", ("9D 9H", "", ""), drawn="9C", pile="2D 4C 5C 6C JD")
    view = view._replace(taken_from=0, taken_to="table", sizes=(4, 5, 5))
    for bot in (Spoiler, Shark):
        assert chosen(bot, view).endswith("for 9C")


def test_the_dealer_robs_whoever_collects() -> None:
    for seat in (0, 1):
        known = ("8C 8D 8S", "", "") if seat == 0 else ("", "8C 8D 8S", "")
        view = view_of(2, "2C 4D 5D 6S JC", known)
        for bot in (Spoiler, Shark):
            assert chosen(bot, view) == f"take 2 from {seat} to hand"


def test_the_shark_keeps_its_own_set_whatever_it_spoils() -> None:
    """Three sevens; the spoiler would rather that nobody has them."""
    view = view_of(1, "7C 7D 7S 2C KD", ("", "", "4C"), drawn="QS JH", pile="QD JD")
    assert chosen(Shark, view).split()[1] not in ("7C", "7D", "7S")
    assert chosen(Spoiler, view).split()[1] in ("7C", "7D", "7S")


# --- Whole matches --------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 5])
@pytest.mark.parametrize("bot", HAND_WRITTEN)
def test_they_play_in_every_seat_under_varied_options(bot: Any, players: int) -> None:
    varied: list[dict[str, Any]] = [
        {},
        {"set_size": 3, "draw_max": 3, "dealer_take_max": 3, "hand_size": 4},
        {"draw_min": 0, "patron_swap": "free", "dealer_swap": "number", "max_rounds": 20},
        {"dealer_take_max": 0, "showing": False},
    ]
    for seed, options in enumerate(varied):
        state = CasinoGoFish(Rules(**options), players, Chance(PACK, seed))
        ended, _ = play(GAME, state, [bot] * players, list(range(players)))
        assert ended.fault is None


@pytest.mark.parametrize("role", ["patron", "dealer"])
def test_the_shark_is_much_better_than_chance_in_either_role(role: str) -> None:
    points = {RandomLegal: 0.0, Shark: 0.0}
    for deal in range(60):
        for bot in points:
            makers: list[Any] = [Collector] * 3
            for seat in (0, 1) if role == "patron" else (2,):
                makers[seat] = bot
            state = CasinoGoFish(Rules(), 3, Chance(PACK, deal))
            ended, _ = play(GAME, state, makers, [deal, deal + 1, deal + 2])
            assert ended.fault is None
            points[bot] += ended.result.points[0 if role == "patron" else 2]
    assert points[Shark] > points[RandomLegal] + 15
