"""The meta-game against published equilibria, and against what simple games must give."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.equilibrium import alpha_rank, alpha_rank_of_roles, exploitability, nash, replicator
from reports.metagame import metagame, payoffs, weights
from reports.results import Matches, Player

CASES = json.loads((Path(__file__).parent / "data" / "meta_nash_zero_sum.json").read_text())


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_nash_mixtures_agree_with_published_ones(case: dict[str, Any]) -> None:
    payoff, expected = np.array(case["payoff_row"]), case["expected"]
    close = CASES["tolerance"]
    found = nash(payoff)
    span = payoff.max() - payoff.min()
    assert found.value == pytest.approx(
        expected["value"], abs=close["value_abs_relative_to_span"] * span
    )
    if expected["unique"]:
        assert found.row == pytest.approx(np.array(expected["row_mix"]), abs=close["mix_abs"])
    else:
        even = np.array(expected["row_max_entropy_mix"])
        assert found.row == pytest.approx(even, abs=close["max_entropy_abs"])
    if "column_mix" in expected:
        assert found.column == pytest.approx(np.array(expected["column_mix"]), abs=close["mix_abs"])
    assert exploitability(payoff, found.row, found.column) <= 1e-7 * span


def test_an_even_mixture_that_an_optimal_reply_must_not_upset() -> None:
    """Even rows only as far as the guarantee against the second column goes."""
    payoff = np.array([[1.0, 4.0], [1.0, 0.0], [1.0, 0.5]])
    found = nash(payoff)
    # Any row guarantees at most 1, and the second column asks for 4a + 0.5c of at least 1.
    assert found.value == pytest.approx(1.0)
    assert found.column == pytest.approx(np.array([1.0, 0.0]), abs=1e-6)
    assert found.row == pytest.approx(np.full(3, 1 / 3), abs=1e-4)
    found = nash(np.array([[1.0, 1.2], [1.0, 0.0], [1.0, 0.0]]))
    assert found.row == pytest.approx(np.array([10, 1, 1]) / 12, abs=1e-4)


def test_alpha_rank_of_known_chains() -> None:
    assert alpha_rank(np.zeros((4, 4)), 10.0, 50) == pytest.approx(np.full(4, 0.25))
    circle = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    assert alpha_rank(circle, 2.0, 50) == pytest.approx(np.full(3, 1 / 3))
    # Two bots: the shares are as the two chances of taking over, whose quotient is e^((m-1)u).
    share = alpha_rank(np.array([[0.0, 0.01], [-0.01, 0.0]]), 10.0, 5)
    assert np.log(share[0] / share[1]) == pytest.approx((5 - 1) * 10.0 * 0.02)


def test_alpha_rank_agrees_with_a_plain_solve_where_that_is_stable() -> None:
    rng = np.random.default_rng(3)
    payoff = rng.normal(0, 0.1, (5, 5))
    alpha, m = 3.0, 10
    u = alpha * (payoff.T - payoff)
    with np.errstate(invalid="ignore"):
        rho = np.where(u == 0, 1 / m, (1 - np.exp(-u)) / (1 - np.exp(-m * u)))
    chain = rho / 4
    np.fill_diagonal(chain, 0)
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    system = np.vstack([chain.T - np.eye(5), np.ones((1, 5))])
    share = np.linalg.lstsq(system, np.append(np.zeros(5), 1.0), rcond=None)[0]
    assert alpha_rank(payoff, alpha, m) == pytest.approx(share, rel=1e-8)


def test_alpha_rank_is_stable_where_selection_is_strong() -> None:
    payoff = np.array([[0.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [-1.0, -1.0, 0.0]])
    assert alpha_rank(payoff, 1000.0, 50) == pytest.approx(np.array([1.0, 0, 0]))
    # Two profiles from which neither population wants to move.
    rows, columns = alpha_rank_of_roles(np.eye(2), np.eye(2), 1000.0, 50)
    assert rows == pytest.approx(np.array([0.5, 0.5]))
    assert columns == pytest.approx(np.array([0.5, 0.5]))


def test_the_replicators_time_average_nears_the_equilibrium_of_a_circle() -> None:
    payoff = np.array([[0.0, -1, 2], [1, 0, -3], [-2, 3, 0]])
    row, column = replicator(payoff)
    assert row == pytest.approx(np.array([1 / 2, 1 / 3, 1 / 6]), abs=0.01)
    assert column == pytest.approx(row)


# --- From matches ---------------------------------------------------------------------------------


def of(*chunks: Matches) -> Callable[[], Iterator[Matches]]:
    return lambda: iter(chunks)


def alike(names: str) -> list[Player]:
    return [Player(name, "") for name in names]


def circle(deals: int, chance: float, seed: int) -> Matches:
    """Three bots, each beating the next with this chance, in blocks of two seatings."""
    rng = np.random.default_rng(seed)
    rows = []
    for deal in range(deals):
        for a, b in ((0, 1), (1, 2), (2, 0)):
            for x, y in ((a, b), (b, a)):
                won = float((rng.random() < chance) == (x == a))
                rows.append((deal, x, y, won))
    table = np.array(rows)
    points = np.column_stack([table[:, 3], 1 - table[:, 3]])
    return Matches(
        table[:, 0].astype(int), table[:, 1:3].astype(int), points, np.full(len(table), -1)
    )


def test_payoffs_of_two_are_points_less_one_half() -> None:
    found = payoffs(
        alike("ab"),
        of(
            Matches(
                np.array([0, 0, 1]),
                np.array([[0, 1], [1, 0], [0, 1]]),
                np.array([[1.0, 0], [0.5, 0.5], [1.0, 0]]),
                np.full(3, -1),
            )
        ),
        resamples=0,
    )
    assert found.payoff == pytest.approx(np.array([[0, 1 / 3], [-1 / 3, 0]]))
    assert found.deals == 2


def test_payoffs_of_more_are_differences_at_shared_tables() -> None:
    matches = Matches(
        np.array([0, 1]),
        np.array([[0, 1, 2], [2, 1, 3]]),
        np.array([[1.0, 0, 0], [0.5, 0.5, 0]]),
        np.full(2, -1),
    )
    found = payoffs(alike("abcd"), of(matches), resamples=0)
    assert found.payoff[0, 1] == 1.0
    assert found.payoff[1, 2] == 0.0
    assert found.payoff[2, 3] == 0.5
    assert np.isnan(found.payoff[0, 3])
    assert metagame(alike("abcd"), of(matches)).status == "incomplete"


def test_a_circle_is_mixed_evenly_and_its_range_covers_that() -> None:
    found = metagame(alike("abc"), of(circle(400, 0.7, 1)), resamples=100)
    assert found.value == pytest.approx(0)
    assert found.exploitability == pytest.approx(0, abs=1e-9)
    for share in found.shares:
        assert share.low is not None
        assert share.high is not None
        assert share.low < 1 / 3 < share.high
        assert share.kept == 1.0
    assert sum(weights(found).values()) == pytest.approx(1)


def test_resamples_spread_as_whole_deals_do_and_dont_depend_on_chunks() -> None:
    matches = circle(300, 0.6, 2)
    whole = payoffs(alike("abc"), of(matches), resamples=400, seed=5)
    cut = [Matches(*(column[i : i + 600] for column in matches)) for i in range(0, 1800, 600)]
    parts = payoffs(alike("abc"), of(*cut), resamples=400, seed=5)
    assert parts.resamples == pytest.approx(whole.resamples)
    # The error of a mean over deals, by hand, from each deal's two matches.
    points = matches.points[:, 0] * (matches.side[:, 0] == 0) + matches.points[:, 1] * (
        matches.side[:, 1] == 0
    )
    pair = ((matches.side == 0).any(axis=1)) & ((matches.side == 1).any(axis=1))
    by_deal = points[pair].reshape(300, 2).mean(axis=1)
    error = by_deal.std(ddof=1) / np.sqrt(300)
    assert whole.resamples[:, 0, 1].std() == pytest.approx(error, rel=0.15)


def test_roles_are_a_game_of_two_populations() -> None:
    """Patrons 0 and 1 against dealers 2 and 3: matching pennies, uneven."""
    chances = np.array([[0.9, 0.4], [0.3, 0.7]])
    players = [Player(bot, role) for role in ("patron", "dealer") for bot in "ab"]
    side, points, deal = [], [], []
    for number in range(10):
        for i in range(2):
            for j in range(2):
                for k in range(10):
                    won = float(k < 10 * chances[i, j])
                    side.append([i, 2 + j])
                    points.append([won, 1 - won])
                    deal.append(number)
    matches = Matches(np.array(deal), np.array(side), np.array(points), np.full(len(deal), -1))
    found = metagame(players, of(matches), resamples=20)
    expected = nash(chances - 0.5)
    assert found.payoffs.payoff == pytest.approx(chances - 0.5)
    assert found.value == pytest.approx(expected.value)
    assert weights(found)[Player("a", "patron")] == pytest.approx(expected.row[0])
    assert weights(found)[Player("b", "dealer")] == pytest.approx(expected.column[1])
