"""Pairs: blocks, what the ratings don't explain, circles; ranks, design effects, full orders."""

from collections.abc import Iterator
from math import comb, log
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from reports.errors import Span
from reports.pairs import circles, pair_up, unexplained
from reports.ratings import ELO, Ratings, differences, rate
from reports.results import Matches, Player
from reports.views import full_orders


def players(number: int) -> list[Player]:
    return [Player(f"bot{i}", "") for i in range(number)]


def blocks(
    chances: Any, deals: int, seed: int, luck: float = 0.0
) -> tuple[Matches, list[tuple[int, int]]]:
    """Every pair in both seatings of every deal; `chances[a][b]` is how often a wins."""
    rng = np.random.default_rng(seed)
    number = len(chances)
    pairs = [(a, b) for a in range(number) for b in range(a + 1, number)]
    rows, deal = [], []
    for each in range(deals):
        good = rng.random() < 0.5  # the deal is good for the first seat, or for the second
        for a, b in pairs:
            for x, y in ((a, b), (b, a)):
                chance = chances[x][y] + (luck if good else -luck)
                won = float(rng.random() < chance)
                rows.append((x, y, won))
                deal.append(each)
    found = np.array(rows)
    points = np.column_stack([found[:, 2], 1 - found[:, 2]])
    return Matches(np.array(deal), found[:, :2].astype(int), points, np.full(len(rows), -1)), pairs


def rated(found: Matches, number: int) -> Ratings:
    return rate(players(number), lambda: iter([found]))


CYCLE = [[0.5, 0.65, 0.35], [0.35, 0.5, 0.65], [0.65, 0.35, 0.5]]


def test_who_beats_whom_in_a_circle_is_found_though_all_ratings_are_alike() -> None:
    found, _ = blocks(CYCLE, 300, 1)
    table = rated(found, 3)
    pairs = pair_up(table, lambda: iter([found]))
    assert circles(pairs) == [(0, 1, 2)]
    assert {(pair.first, pair.second) for pair in unexplained(pairs)} == {(0, 1), (0, 2), (1, 2)}
    for pair in pairs:
        expected = 300 * 2 * 0.15 * (-1 if (pair.first, pair.second) == (0, 2) else 1)
        assert pair.excess == pytest.approx(expected, abs=45)


def test_deviations_are_standard_normal_where_the_model_holds() -> None:
    strength = np.array([0.5, 0.2, -0.2, -0.5])
    chances = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    values = []
    for seed in range(100):
        found, _ = blocks(chances, 60, seed, luck=0.1)
        pairs = pair_up(rated(found, 4), lambda found=found: iter([found]))  # type: ignore[misc]
        values += [pair.deviation or 0.0 for pair in pairs]
    assert np.mean(values) == pytest.approx(0, abs=0.15)
    assert np.std(values) == pytest.approx(1, abs=0.1)


def test_blocks_draws_and_points_are_counted_over_chunks() -> None:
    """Deal 0: bot 0 wins both of a block against bot 1; deal 1: they share; deal 2: a draw."""
    found = Matches(
        np.array([0, 0, 1, 1, 2, 2]),
        np.array([[0, 1], [1, 0]] * 3),
        np.array([[1, 0], [0, 1], [1, 0], [1, 0], [0.5, 0.5], [0, 1]]),
        np.full(6, -1),
    )

    def parts() -> Iterator[Matches]:
        for start in (0, 2, 4):
            yield Matches(*(column[start : start + 2] for column in found))

    [pair] = pair_up(rate(players(2), parts), parts)
    assert (pair.first, pair.second) == (0, 1)
    assert (pair.matches, pair.points, pair.draws) == (6, (4.5, 1.5), 1)
    assert pair.blocks == (2, 1, 0)
    assert (pair.deals, pair.decided, pair.scored) == (3, (1, 0), 3)


def test_ranks_are_what_the_differences_allow() -> None:
    strength = np.array([1.0, 0.05, 0.0, -1.0])
    chances = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    found, _ = blocks(chances, 150, 3)
    table = rated(found, 4)
    assert {line.player.bot: line.ranks for line in table.rated} == {
        "bot0": (1, 1),
        "bot1": (2, 3),
        "bot2": (2, 3),
        "bot3": (4, 4),
    }
    found_differences = {(d.first, d.second): d for d in differences(table)}
    assert len(found_differences) == 12
    there, back = found_differences[1, 2], found_differences[2, 1]
    assert there.difference.value == pytest.approx(-(back.difference.value or 0))
    assert (there.superiority or 0) + (back.superiority or 0) == pytest.approx(1)


def test_the_design_effect_says_how_much_blocks_pay() -> None:
    """Between two equals a block of correlation r in luck has (1 + r') times the variance."""
    even = [[0.5, 0.5], [0.5, 0.5]]
    found, _ = blocks(even, 4000, 5, luck=0.4)
    line = rated(found, 2).rated[0]
    # Seats win with 0.9 or 0.1: a bot's two scores of a deal have covariance -0.16, variance 0.25.
    assert line.design == pytest.approx(1 - 0.16 / 0.25, abs=0.03)
    alone = found._replace(deal=np.arange(len(found.deal)))
    assert rated(alone, 2).rated[0].design == pytest.approx(1, abs=1e-6)


def test_full_orders_with_ties_are_the_mean_over_their_orders() -> None:
    """Against a direct likelihood: two tie for first before a third; three tie."""
    rng = np.random.default_rng(7)
    strength = np.array([0.4, 0.1, -0.1, -0.4])
    places, sides = [], []
    for _ in range(200):
        seated = rng.choice(4, 3, replace=False)
        order = np.argsort(np.argsort(-(strength[seated] + rng.gumbel(size=3)))) + 1
        kind = rng.random()
        if kind < 0.2:
            order = np.where(order == 2, 1, order)
        elif kind < 0.3:
            order = np.ones(3, dtype=int)
        sides.append(seated)
        places.append(order)
    side, place = np.array(sides), np.array(places)
    best = place == 1
    found = Matches(np.arange(200), side, best / best.sum(axis=1)[:, None], np.full(200, -1))

    def one(order: Any, theta: Any) -> float:
        total = 0.0
        for i in range(len(order)):
            total += theta[order[i]] - np.log(np.exp(theta[list(order[i:])]).sum())
        return total

    def orders(seated: Any, ranks: Any) -> list[list[int]]:
        if len(set(ranks)) == 3:
            return [[int(s) for s in seated[np.argsort(ranks)]]]
        if len(set(ranks)) == 2:
            a, b = seated[ranks == 1]
            [c] = seated[ranks == 3]
            return [[a, b, c], [b, a, c]]
        a, b, c = seated
        return [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]]

    def loss(free: Any) -> float:
        theta = np.append(free, -free.sum())
        return -sum(
            float(np.mean([one(order, theta) for order in orders(seated, ranks)]))
            for seated, ranks in zip(side, place, strict=True)
        )

    other = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-6}).x
    table = rate(
        players(4), lambda: iter([found]), fitted=lambda: full_orders(iter([(found, place)]))
    )
    values = {line.player.bot: line.rating.value for line in table.rated}
    for i, value in enumerate(other):
        assert values[f"bot{i}"] == pytest.approx(ELO * value, abs=0.01)
    assert table.matches == 200
    [choices] = full_orders(iter([(found, place)]))
    three = choices.deal == int(np.flatnonzero((place == 1).all(axis=1))[0])
    assert three.sum() == comb(3, 0) + comb(3, 1)  # then one is left, and says nothing
    assert choices.points[three].sum() == pytest.approx(2)


def test_two_seats_are_the_same_in_full_orders() -> None:
    found, _ = blocks(CYCLE, 40, 2)
    place = np.where(found.points == 1, 1, 2)
    plain = rated(found, 3)
    full = rate(
        players(3), lambda: iter([found]), fitted=lambda: full_orders(iter([(found, place)]))
    )
    for one, two in zip(plain.rated, full.rated, strict=True):
        assert one.rating == pytest.approx(two.rating, rel=1e-9)
    assert full.model == "full orders"


def test_a_span_adds_up_deals_in_any_order_and_with_gaps() -> None:
    rng = np.random.default_rng(0)
    span = Span(3)
    wanted = np.zeros((60, 3))
    for _ in range(20):
        deal = rng.choice([*range(10), 50, 59], 6)
        column = rng.integers(-1, 3, (6, 2))
        value = rng.normal(size=(6, 2))
        span.add(deal, column, value)
        for d, cs, vs in zip(deal, column, value, strict=True):
            for c, v in zip(cs, vs, strict=True):
                if c >= 0:
                    wanted[d, c] += v
    there = np.isin(np.arange(60), span.deals)
    assert np.allclose(span.sums, wanted[there])
    assert not wanted[~there].any()


def test_the_scale_is_elo() -> None:
    assert pytest.approx(400 / log(10)) == ELO
