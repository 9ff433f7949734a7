"""Ratings against published figures, independent libraries and known answers."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize

from reports.ratings import ELO, Ratings, count, crosstable, rate
from reports.results import Matches, Player
from tests.stored import contest

DATA = Path(__file__).parent / "data"


def case(name: str) -> dict[str, Any]:
    found = json.loads((DATA / f"{name}.json").read_text())
    assert isinstance(found, dict)
    return found


def players(names: list[str]) -> list[Player]:
    return [Player(name, "") for name in names]


def of(matches: Matches) -> Callable[[], Iterator[Matches]]:
    return lambda: iter([matches])


def matches(
    games: list[tuple[int, int, float]], deals: list[int] | None = None, faults: Any = None
) -> Matches:
    """Matches of two from (a, b, points of a); each a deal of its own unless said otherwise."""
    return Matches(
        np.arange(len(games)) if deals is None else np.array(deals),
        np.array([[a, b] for a, b, _ in games]),
        np.array([[p, 1 - p] for _, _, p in games]),
        np.full(len(games), -1) if faults is None else np.array(faults),
    )


def by_bot(rated: Ratings) -> dict[str, Any]:
    return {line.player.bot: line.rating for line in rated.rated}


def games_of(found: dict[str, Any]) -> list[tuple[int, int, float]]:
    games = []
    for pair in found["results"]:
        for points, number in ((1.0, "wins_a"), (0.5, "draws"), (0.0, "wins_b")):
            games += [(pair["a"], pair["b"], points)] * pair[number]
    return games


def test_ties_as_half_wins_agree_with_published_data() -> None:
    found = case("elo_pudding_ties")
    expected = found["expected"]["bt_half"]
    rated = rate(players(found["bots"]), of(matches(games_of(found))))
    assert rated.status == "ok"
    for i, bot in enumerate(found["bots"]):
        estimate = by_bot(rated)[bot]
        assert estimate.value == pytest.approx(expected["rating_mean_zero"][i], abs=0.01)
        assert estimate.error == pytest.approx(expected["se_sandwich_mean_zero"][i], rel=1e-3)


def test_a_perfect_score_has_no_number_and_the_others_have_theirs() -> None:
    found = case("elo_perfect_score")
    expected = found["expected"]["finite_subset"]["bt_half"]
    rated = rate(players(found["bots"]), of(matches(games_of(found))))
    assert rated.status == "not_strongly_connected"
    ratings = by_bot(rated)
    assert ratings["perfect"].value is None
    for i, bot in enumerate(found["bots"][1:]):
        assert ratings[bot].value == pytest.approx(expected["rating_mean_zero"][i], abs=0.01)


@pytest.mark.parametrize("name", ["pairwise_cycle", "pairwise_cycle_plus_one"])
def test_pairs_agree_with_choix(name: str) -> None:
    found = case("pl_choix_tests")
    wanted = next(c for c in found["cases"] if c["name"] == name)
    worth = found["exact"].get(name, wanted["expected_log_worth_mean_zero"])
    games = [(a, b, 1.0) for a, b in wanted["rankings"]]
    rated = by_bot(rate(players(["a", "b", "c"]), of(matches(games))))
    for bot, log_worth in zip("abc", worth, strict=True):
        assert rated[bot].value == pytest.approx(ELO * log_worth, abs=1e-3)


def test_bots_that_never_met_are_disconnected() -> None:
    games = [(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0)]
    rated = rate(players(list("abcd")), of(matches(games)))
    assert rated.status == "disconnected"


def simulated(bots: int, deals: int, seed: int) -> Matches:
    """A round-robin in blocks, with results that depend on the deal."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.7, bots)
    games, numbers = [], []
    for deal in range(deals):
        luck = rng.normal(0, 1.0)
        for a in range(bots):
            for b in range(a + 1, bots):
                for x, y in ((a, b), (b, a)):
                    z = strength[x] - strength[y] + luck + rng.logistic()
                    games.append((x, y, 1.0 if z > 0.3 else 0.5 if z > -0.3 else 0.0))
                    numbers.append(deal)
    return matches(games, numbers)


def test_errors_agree_with_statsmodels_clustered_by_deal() -> None:
    found = simulated(5, 60, 1)
    rated = rate(players(list("abcde")), of(found))
    # The same model as a regression: the last bot's strength is minus the sum of the others'.
    design = np.zeros((len(found.deal), 4))
    for row, (a, b) in enumerate(found.side):
        for bot, sign in ((a, 1.0), (b, -1.0)):
            if bot < 4:
                design[row, bot] += sign
            else:
                design[row] -= sign
    model = sm.GLM(found.points[:, 0], design, family=sm.families.Binomial())
    other = model.fit(cov_type="cluster", cov_kwds={"groups": found.deal, "use_correction": False})
    spread = np.sqrt(60 / 59)
    for i, bot in enumerate("abcd"):
        estimate = by_bot(rated)[bot]
        assert estimate.value == pytest.approx(ELO * other.params[i], abs=1e-4)
        assert estimate.error == pytest.approx(ELO * other.bse[i] * spread, rel=1e-4)
    assert rated.deals == 60
    low, high = by_bot(rated)["a"].low, by_bot(rated)["a"].high
    t = 2.0009953780882688  # Student's t, 59 degrees of freedom, 97.5 %
    assert high - low == pytest.approx(2 * t * by_bot(rated)["a"].error, rel=1e-6)


def test_chunks_of_several_tables_and_spans_add_up_by_deal() -> None:
    found = simulated(4, 64, 2)
    whole = rate(players(list("abcd")), of(found))

    def parts() -> Iterator[Matches]:
        for first in range(0, 64, 16):
            for size, pairs in ((16, {(0, 1), (0, 2)}), (8, {(0, 3), (1, 2), (1, 3), (2, 3)})):
                for start in range(first, first + 16, size):
                    inside = [
                        start <= deal < start + size and tuple(sorted(side)) in pairs
                        for deal, side in zip(found.deal, found.side.tolist(), strict=True)
                    ]
                    yield Matches(*(column[inside] for column in found))

    cut = rate(players(list("abcd")), parts)
    for one, two in zip(whole.rated, cut.rated, strict=True):
        assert one.player == two.player
        assert one.rating == pytest.approx(two.rating, rel=1e-9)


def test_no_deal_counts_twice_where_the_first_tables_chunks_are_shorter(tmp_path: Path) -> None:
    found = simulated(3, 64, 3)
    bots = ["a", "b", "c"]

    def rows(pair: set[int], first: int, last: int) -> list[dict[str, Any]]:
        return [
            {"deal": deal, "seat": seat, "bot": bots[side[seat]], "points": points[seat]}
            for deal, side, points in zip(*(column.tolist() for column in found[:3]), strict=True)
            if set(side) == pair and first <= deal <= last
            for seat in (0, 1)
        ]

    chunks = [
        (f"{key}/s-{first}-{first + size - 1}.parquet", rows(pair, first, first + size - 1))
        for key, pair, size in (("1", {0, 1}, 16), ("2", {0, 2}, 64), ("3", {1, 2}, 8))
        for first in range(0, 64, size)
    ]
    stored = contest(tmp_path, bots, chunks)
    whole, cut = rate(players(bots), of(found)), rate(players(bots), stored.matches)
    assert cut.deals == whole.deals == 64
    for one, two in zip(whole.rated, cut.rated, strict=True):
        assert one.rating == pytest.approx(two.rating, rel=1e-6)


def tables_of(seats: int, bots: int, deals: int, seed: int) -> Matches:
    """Matches of more than two seats; a fifth are shared by the first two, some have a fault."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.6, bots)
    side, points, fault = [], [], []
    for _ in range(deals):
        seated = rng.choice(bots, seats, replace=False)
        order = np.argsort(-(strength[seated] + rng.gumbel(size=seats)))
        won = np.zeros(seats)
        at = -1
        if rng.random() < 0.1:
            at = int(rng.integers(seats))
            won[:] = 1 / (seats - 1)
            won[at] = 0
        elif rng.random() < 0.2:
            won[order[:2]] = 0.5
        else:
            won[order[0]] = 1
        side.append(seated)
        points.append(won)
        fault.append(at)
    return Matches(np.arange(deals), np.array(side), np.array(points), np.array(fault))


@pytest.mark.parametrize("seats", [3, 4])
def test_more_seats_are_a_top_choice_fit_in_which_a_fault_says_nothing_of_others(
    seats: int,
) -> None:
    found = tables_of(seats, 5, 400, seats)

    def loss(free: Any) -> float:
        strength = np.append(free, -free.sum())
        total = 0.0
        for sides, points, fault in zip(found.side, found.points, found.fault, strict=True):
            eta = strength[sides]
            total += np.log(np.exp(eta).sum())
            if fault < 0:
                total -= (points * eta).sum()
            else:
                total -= np.log(np.exp(np.delete(eta, fault)).sum())
        return total

    other = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-6}).x
    rated = by_bot(rate(players(list("abcde")), of(found)))
    for bot, strength in zip("abcd", other, strict=True):
        assert rated[bot].value == pytest.approx(ELO * strength, abs=0.01)


def test_errors_for_more_seats_agree_with_a_bootstrap_of_deals() -> None:
    found = tables_of(3, 4, 300, 9)
    error = by_bot(rate(players(list("abcd")), of(found)))["a"].error
    rng = np.random.default_rng(0)
    values = []
    for _ in range(200):
        drawn = rng.integers(0, 300, 300)
        again = Matches(np.arange(300), *(column[drawn] for column in found[1:]))
        values.append(by_bot(rate(players(list("abcd")), of(again)))["a"].value)
    assert np.std(values) == pytest.approx(error, rel=0.2)


def test_roles_have_a_rating_each_and_an_edge() -> None:
    """Patrons 0 to 2 against dealers 3 to 5, as the players of three bots in two roles."""
    names = [Player(bot, role) for role in ("patron", "dealer") for bot in "abc"]
    rng = np.random.default_rng(4)
    patron, dealer, edge = np.array([0.5, 0, -0.5]), np.array([0.3, -0.3, 0]), 0.4
    side, points = [], []
    for i in range(6000):
        a, b = i % 3, (i // 3) % 3
        won = rng.random() < 1 / (1 + np.exp(-(patron[a] - dealer[b] + edge)))
        side.append([a, 3 + b])
        points.append([float(won), 1 - float(won)])
    found = Matches(np.arange(6000), np.array(side), np.array(points), np.full(6000, -1))
    rated = rate(names, of(found))
    assert rated.edge is not None
    assert rated.edge.value == pytest.approx(ELO * edge, abs=4 * (rated.edge.error or 0))
    ratings = {line.player: line.rating for line in rated.rated}
    for role, strengths in (("patron", patron), ("dealer", dealer)):
        values = [ratings[Player(bot, role)].value or 0.0 for bot in "abc"]
        assert sum(values) == pytest.approx(0, abs=1e-6)
        for value, strength in zip(values, strengths, strict=True):
            assert value == pytest.approx(ELO * strength, abs=30)


def test_the_crosstable_has_what_each_scored_against_each() -> None:
    totals = count([matches([(0, 1, 1.0), (1, 0, 0.5), (0, 2, 0.0)])])
    played, points = crosstable(totals, 3)
    assert played.tolist() == [[0, 2, 1], [2, 0, 0], [1, 0, 0]]
    assert points.tolist() == [[0, 1.5, 0], [0.5, 0, 0], [1, 0, 0]]


def test_intervals_cover_what_they_claim() -> None:
    """95 % intervals over 300 small simulated tournaments of known strengths, sharing luck."""
    rng = np.random.default_rng(5)
    strength = np.array([0.4, 0.0, -0.4])
    hits = tries = 0
    for _ in range(300):
        games, numbers = [], []
        for deal in range(60):
            luck = rng.normal(0, 0.8)
            for a, b in ((0, 1), (0, 2), (1, 2)):
                for x, y in ((a, b), (b, a)):
                    chance = 1 / (1 + np.exp(strength[y] - strength[x]))
                    favour = 0.1 * np.sign(luck if x == a else -luck)
                    won = float(rng.random() < np.clip(chance + favour, 0, 1))
                    games.append((x, y, won))
                    numbers.append(deal)
        rated = by_bot(rate(players(list("abc")), of(matches(games, numbers))))
        for bot, true in zip("abc", strength, strict=True):
            tries += 1
            hits += rated[bot].low <= ELO * true <= rated[bot].high
    assert 0.92 <= hits / tries <= 0.98


def test_who_never_scores_at_a_table_of_more_is_left_out_of_it() -> None:
    """In the limit of no strength a side weighs nothing: the others are rated as if alone."""
    found = tables_of(3, 4, 400, 11)
    three = rate(players(list("abcd")), of(found))
    side = np.column_stack([found.side, np.full(400, 4)])
    points = np.column_stack([found.points, np.zeros(400)])
    # The fifth is also at fault once, which says nothing of the others.
    side = np.vstack([side, [[0, 1, 2, 4]]])
    points = np.vstack([points, [[1 / 3, 1 / 3, 1 / 3, 0]]])
    fault = np.append(found.fault, 3)
    four = rate(players(list("abcde")), of(Matches(np.arange(401), side, points, fault)))
    assert four.status == "not_strongly_connected"
    for bot in "abcd":
        assert by_bot(four)[bot].value == pytest.approx(by_bot(three)[bot].value, abs=1e-6)
        assert by_bot(four)[bot].error == pytest.approx(by_bot(three)[bot].error, rel=1e-6)
    assert by_bot(four)["e"].value is None
