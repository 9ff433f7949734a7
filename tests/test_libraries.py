"""Hostile data against other people's libraries, to four digits: ratings, mixtures, differences."""

from collections.abc import Callable, Iterator
from functools import partial
from math import log

import choix
import evalica
import nashpy
import numpy as np
import pytest
import statsmodels.api as sm

from reports.equilibrium import exploitability, nash
from reports.paired import compare
from reports.ratings import ELO, Ratings, differences, rate
from reports.results import Array, Matches, Player
from reports.views import full_orders

Source = Callable[[], Iterator[Matches]]


def rated(bots: int, matches: Matches) -> Ratings:
    return rate([Player(f"b{i}", "") for i in range(bots)], partial(iter, [matches]))


def values(found: Ratings, role: str = "") -> Array:
    """The ratings by bot."""
    by_bot = {
        line.player.bot: line.rating.value for line in found.rated if line.player.role == role
    }
    return np.array([by_bot[f"b{i}"] for i in range(len(by_bot))], dtype=float)


def of_two(points: list[float], deals: list[int] | None = None) -> Matches:
    """Matches of b0 against b1, by the points of b0."""
    won, number = np.array(points), len(points)
    return Matches(
        np.arange(number) if deals is None else np.array(deals),
        np.tile([0, 1], (number, 1)),
        np.column_stack([won, 1 - won]),
        np.full(number, -1),
    )


def drawn_pairs(bots: int, number: int, seed: int) -> Matches:
    """Random pairings with ties, of bots up to 500 Elo apart."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 1.2, bots)
    a = rng.integers(0, bots, number)
    b = (a + 1 + rng.integers(0, bots - 1, number)) % bots
    won = rng.random(number) < 1 / (1 + np.exp(strength[b] - strength[a]))
    points = np.where(rng.random(number) < 0.2, 0.5, won.astype(float))
    sides = np.column_stack([a, b])
    return Matches(
        np.arange(number), sides, np.column_stack([points, 1 - points]), np.full(number, -1)
    )


@pytest.mark.parametrize(("bots", "seed"), [(2, 1), (3, 2), (8, 3)])
def test_two_seats_with_ties_agree_with_evalica(bots: int, seed: int) -> None:
    found = drawn_pairs(bots, 500, seed)
    first, second = ([f"b{i}" for i in column] for column in found.side.T)
    winners = [
        evalica.Winner.Draw if p == 0.5 else evalica.Winner.X if p else evalica.Winner.Y
        for p in found.points[:, 0]
    ]
    other = evalica.bradley_terry(first, second, winners, tolerance=1e-13, limit=100_000)
    strength = np.log(other.scores.sort_index().to_numpy())
    ours = rated(bots, found)
    assert ours.status == "ok"
    assert values(ours) == pytest.approx(ELO * (strength - strength.mean()), abs=1e-3)


@pytest.mark.parametrize("seats", [3, 5])
def test_more_seats_agree_with_choix(seats: int) -> None:
    rng = np.random.default_rng(seats)
    bots, number = 6, 500
    strength = rng.normal(0, 0.8, bots)
    # Gumbel noise gives Plackett and Luce's orders.
    keys = strength + rng.gumbel(size=(number, bots))
    side = np.array([rng.permutation(bots)[:seats] for _ in range(number)])
    order = np.argsort(-np.take_along_axis(keys, side, axis=1), axis=1)
    place = np.argsort(order, axis=1) + 1
    found = Matches(np.arange(number), side, (place == 1) * 1.0, np.full(number, -1))
    sorted_sides = np.take_along_axis(side, order, axis=1).tolist()
    top = choix.opt_top1(bots, [(winner, rest) for winner, *rest in sorted_sides], tol=1e-10)
    assert values(rated(bots, found)) == pytest.approx(ELO * (top - top.mean()), abs=0.01)
    whole = choix.opt_rankings(bots, sorted_sides, tol=1e-10)
    ours = rate(
        [Player(f"b{i}", "") for i in range(bots)],
        partial(iter, [found]),
        fitted=lambda: full_orders(iter([(found, place)])),
    )
    assert values(ours) == pytest.approx(ELO * (whole - whole.mean()), abs=0.01)


def test_roles_agree_with_a_regression_clustered_by_deal() -> None:
    """Few deals, unequally many matches each, a bot that has one role more often than the other."""
    rng = np.random.default_rng(7)
    bots, number = 3, 400
    a, b = rng.integers(0, bots, number), rng.choice(bots, number, p=[0.6, 0.3, 0.1])
    deal = rng.integers(0, 25, number) ** 2  # unsorted, with gaps
    luck = rng.normal(0, 0.5, 1000)[deal]
    won = rng.random(number) < 1 / (1 + np.exp(-(0.4 + luck + 0.5 * a - 0.7 * b)))
    points = np.where(rng.random(number) < 0.3, 0.5, won * 1.0)
    sides = np.column_stack([a, b + bots])
    found = Matches(deal, sides, np.column_stack([points, 1 - points]), np.full(number, -1))
    players = [Player(f"b{i}", role) for role in ("host", "guest") for i in range(bots)]
    ours = rate(players, partial(iter, [found]))
    centred = np.vstack([np.eye(bots - 1), -np.ones(bots - 1)])
    design = np.column_stack([np.ones(number), centred[a], -centred[b]])
    other = sm.GLM(points, design, family=sm.families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": deal, "use_correction": False}
    )
    deals = len(np.unique(deal))
    assert ours.edge is not None
    assert ours.edge.value == pytest.approx(ELO * other.params[0], abs=1e-3)
    scale = ELO * np.sqrt(deals / (deals - 1))
    assert ours.edge.error == pytest.approx(scale * other.bse[0], rel=1e-4)
    assert values(ours, "host")[:2] == pytest.approx(ELO * other.params[1:3], abs=1e-3)
    assert values(ours, "guest")[:2] == pytest.approx(ELO * other.params[3:], abs=1e-3)


def test_one_loss_in_a_million_has_its_rating() -> None:
    ours = rated(2, of_two([1.0] * 999_999 + [0.0]))
    assert values(ours)[0] == pytest.approx(ELO * log(999_999) / 2, abs=1e-6)


def test_a_bot_with_few_of_many_matches_has_its_rating() -> None:
    many = of_two([1.0, 0.0, 0.5] * 300_000)
    few = Matches(np.arange(8), np.tile([1, 2], (8, 1)), np.tile([1.0, 0], (8, 1)), np.full(8, -1))
    few.points[0] = 0, 1
    whole = Matches(*(np.concatenate(column) for column in zip(many, few, strict=True)))
    found = values(rated(3, whole))
    assert found[1] - found[2] == pytest.approx(ELO * log(7), abs=1e-4)
    assert found[0] - found[1] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    "points",
    [
        pytest.param([0.5] * 20, id="all draws"),
        pytest.param([1.0, 0.0] * 10, id="whoever has the seat wins"),
        pytest.param([1.0, 0.5] * 10, id="every deal the same"),
    ],
)
def test_where_no_deal_differs_there_is_no_interval(points: list[float]) -> None:
    ours = rated(2, of_two(points, [i // 2 for i in range(20)]))
    mean = sum(points) / 20
    assert values(ours)[0] == pytest.approx(ELO * log(mean / (1 - mean)) / 2, abs=1e-9)
    for line in ours.rated:
        assert line.rating[1:] == (0.0, None, None)
        assert line.ranks == (1, 2)
    likely = {each.superiority for each in differences(ours)}
    assert likely == ({0.5} if mean == 0.5 else {None})
    # An anchor is 0 by definition: that is an interval.
    anchored = rate(ours.players, partial(iter, [of_two(points)]), anchor="b1")
    assert anchored.rated[-1].rating == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("seed", range(6))
def test_mixtures_agree_with_nashpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(2, 7)), int(rng.integers(2, 7))
    payoff = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-3, 4)
    found = nash(payoff)
    row, column = nashpy.Game(payoff).linear_program()
    span = float(np.ptp(payoff))
    assert found.value == pytest.approx(float(row @ payoff @ column), abs=1e-7 * span)
    assert exploitability(payoff, found.row, found.column) < 1e-7 * span
    # Random games have a single equilibrium.
    assert found.row == pytest.approx(row, abs=1e-5)
    assert found.column == pytest.approx(column, abs=1e-5)


def test_differences_agree_with_a_clustered_regression() -> None:
    """Uneven deals, some under one variant alone, unsorted."""
    rng = np.random.default_rng(11)
    number = 300
    deal, variant = rng.integers(0, 40, number), rng.integers(0, 2, number)
    variant[deal < 5] = 0
    outcome = rng.normal(0, 1, 40)[deal] + 0.3 * variant + rng.normal(0, 1, number)
    found = compare(deal, variant, outcome)
    other = sm.OLS(outcome, sm.add_constant(variant * 1.0)).fit(
        cov_type="cluster", cov_kwds={"groups": deal, "use_correction": False}
    )
    deals = len(np.unique(deal))
    assert found.paired.value == pytest.approx(other.params[1], rel=1e-9)
    expected = other.bse[1] * np.sqrt(deals / (deals - 1))
    assert found.paired.error == pytest.approx(expected, rel=1e-9)
