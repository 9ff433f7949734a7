"""The adaptive schedule: intervals that may be watched, an order, and where it plays on."""

from itertools import combinations
from math import log, sqrt

import numpy as np
import pytest

from harness.cli.adaptive import wave
from reports.order import Order, undecided
from reports.results import Matches, Player
from reports.watched import LEAST, TUNED_FOR, factor, watched
from tests.campaigns.adaptive import CELLS, simulate


def test_the_formula_of_the_paper_by_hand() -> None:
    """Theorem 2.2 with a = 0.05, at n = 1000 and r² = 0.004."""
    squared = (-2 * log(0.05) + log(-2 * log(0.05) + 1)) / 2000
    reach = sqrt(
        2 * (1000 * squared + 1) / (1000**2 * squared) * log(sqrt(1000 * squared + 1) / 0.05)
    )
    assert factor(1000, 2000) == pytest.approx(reach)
    found = watched(1000, 0.1, 0.25)
    assert found.error == pytest.approx(0.5 / sqrt(1000))
    assert found.low == pytest.approx(0.1 - 0.5 * reach)
    assert found.high == pytest.approx(0.1 + 0.5 * reach)


def test_it_is_wider_than_for_one_look_and_narrow_where_it_is_tuned() -> None:
    for n in (64, 500, 2000, 100_000):
        assert 1.96 / sqrt(n) < factor(n) < 6 / sqrt(n)
    others = [factor(TUNED_FOR, tuned) for tuned in (200, 500, 1000, 4000, 20_000)]
    assert factor(TUNED_FOR) < min(others)


def test_few_values_have_no_interval_and_equal_ones_one_of_their_own() -> None:
    assert watched(LEAST - 1, 0.1, 0.2).low is None
    found = watched(100, 1.0, 0.0)
    assert found.low == pytest.approx(2 * 0.025 ** (1 / 100) - 1)
    assert found.high == pytest.approx(1.0)
    nothing = watched(100, 0.0, 0.0)
    assert nothing.low is not None
    assert nothing.low < 0
    assert watched(100_000, 0.001, 0.0).low == pytest.approx(0.001, abs=1e-4)


def test_it_holds_at_all_looks_where_one_look_does_not() -> None:
    """A thousand skewed sequences of mean 0, each looked at whenever it might be."""
    rng = np.random.default_rng(1)
    values = np.where(rng.random((1000, 4096)) < 0.2, 0.8, -0.2)
    n = np.arange(1, 4097)
    mean = values.cumsum(axis=1) / n
    variance = (values**2).cumsum(axis=1) / n - mean**2
    looks = np.array([64, 80, 100, *range(128, 4096, 32)])
    reach = np.sqrt(variance[:, looks - 1]) * np.array([factor(int(look)) for look in looks])
    wrong = (np.abs(mean[:, looks - 1]) > reach).any(axis=1).mean()
    assert wrong <= 0.05 + 2 * sqrt(0.05 * 0.95 / 1000)
    one = 1.96 * np.sqrt(variance[:, looks - 1] / looks)
    assert (np.abs(mean[:, looks - 1]) > one).any(axis=1).mean() > 0.2


# --- An order -------------------------------------------------------------------------------------

THREE = [Player(bot, "") for bot in "abc"]
PAIRS = [("a", "b"), ("a", "c"), ("b", "c")]


def blocks(first: int, second: int, scores: np.ndarray, start: int = 0) -> Matches:
    """Deals of two in both seatings: the first scores so many of the two points of each."""
    deals = len(scores)
    deal = np.repeat(np.arange(start, start + deals), 2)
    side = np.tile([[first, second], [second, first]], (deals, 1))
    half = np.repeat(scores, 2) / 2
    mine = np.where(side[:, 0] == first, half, 1 - half)
    return Matches(deal, side, np.column_stack([mine, 1 - mine]), np.full(len(deal), -1))


def test_a_pair_is_compared_on_the_deals_that_both_have_complete() -> None:
    rng = np.random.default_rng(2)
    order = Order(THREE, PAIRS)
    scores = {pair: rng.choice([0, 1, 2], 100, p=(0.1, 0.3, 0.6)) for pair in [(0, 1), (0, 2)]}
    scores[1, 2] = rng.choice([0, 1, 2], 80, p=(0.2, 0.5, 0.3))
    for (first, second), each in scores.items():
        order.add(blocks(first, second, each))
    found = order.compare(0, 1)
    assert found.deals == 80
    ab, ac, bc = (scores[pair][:80] / 2 for pair in [(0, 1), (0, 2), (1, 2)])
    differences = (ab + ac) / 2 - (1 - ab + bc) / 2
    assert found.difference.value == pytest.approx(differences.mean())
    assert found.difference.error == pytest.approx(differences.std(ddof=1) / sqrt(80))
    assert order.mean()[0] == pytest.approx((scores[0, 1].mean() + scores[0, 2].mean()) / 4)


def test_a_table_counts_alike_however_many_deals_it_played() -> None:
    """a beats b but loses to c; more deals against c don't put it below."""
    order = Order(THREE, PAIRS)
    order.add(blocks(0, 1, np.full(64, 2.0)))
    order.add(blocks(0, 2, np.full(64, 0.8)))
    order.add(blocks(1, 2, np.full(64, 1.0)))
    before = order.mean()
    order.add(blocks(0, 2, np.full(10_000, 0.8), start=64))
    assert order.mean() == pytest.approx(before)
    assert next(pair.better for pair in order.neighbours()) == 0


def test_who_is_gone_counts_for_nobody() -> None:
    order = Order(THREE, PAIRS, gone=["c"])
    order.add(blocks(0, 1, np.tile([2.0, 2.0, 1.0, 0.0], 100)))
    order.add(blocks(0, 2, np.zeros(400)))
    [pair] = order.neighbours()
    assert (pair.better, pair.worse, pair.deals, pair.apart) == (0, 1, 400, True)
    assert undecided([pair]) == set()


def test_roles_have_an_order_each() -> None:
    players = [Player(bot, role) for role in ("first", "second") for bot in "ab"]
    order = Order(players, list(combinations("ab", 2)))
    scores = np.tile([2.0, 1.0, 2.0, 0.0], 50)
    deal = np.arange(200)
    for side, share in (([0, 3], scores / 2), ([1, 2], 1 - scores / 2)):
        points = np.column_stack([share, 1 - share])
        order.add(Matches(deal, np.tile(side, (200, 1)), points, np.full(200, -1)))
    assert [(players[p.better], players[p.worse]) for p in order.neighbours()] == [
        (Player("a", "first"), Player("b", "first")),
        (Player("a", "second"), Player("b", "second")),
    ]


def test_waves_are_aligned_and_a_quarter_at_most() -> None:
    deals = wave(0)
    assert deals == LEAST
    while deals < 100_000:
        size = wave(deals)
        assert deals % size == 0
        assert 4 * size <= deals
        deals += size


def test_the_campaign_in_short() -> None:
    """Its intervals hold as often as they say, over a contest of each kind of trouble."""
    pairs = left = naive = 0
    for cell in (CELLS[1], CELLS[3], CELLS[4]):
        found = simulate(cell, 25, 2048, seed=5)
        pairs, left, naive = pairs + found.pairs, left + found.left, naive + found.naive
        assert found.wrong <= 2
    assert left / pairs <= 0.05 + 2 * sqrt(0.05 * 0.95 / pairs)
    assert naive > left
