"""Components of variance against simulated contests of which they are known."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from harness.cli.skill import left_out
from reports.results import Contest, Matches, Player
from reports.skill import COMPONENTS, Skill, skill

BOT = {2: [0.08, 0.02, -0.03, -0.07], 3: [0.06, 0.0, -0.02, -0.04]}
SEAT = {2: [0.05, -0.05], 3: [0.04, 0.0, -0.04]}
PAIRS, DEAL, REST = 0.04, 0.1, 0.3
"""Standard deviations of the other components."""


def simulated(k: int, deals: int, seed: int) -> tuple[list[Matches], dict[str, float]]:
    """Blocks of all tables of four bots, and the true components.

    Points are drawn as real numbers, so that each component is exactly what it is said to be.
    """
    rng = np.random.default_rng(seed)
    strength, seats = np.array(BOT[k]), np.array(SEAT[k])
    tables = list(combinations(range(4), k))
    luck = rng.normal(0, DEAL, (deals, k))
    luck -= luck.mean(axis=1, keepdims=True)
    chunks, bot_part, pair_part = [], [], []
    fixed = np.random.default_rng(0)
    for table in tables:
        own = strength[list(table)]
        of_bot = own - (own.sum() - own) / (k - 1)
        of_pair = fixed.normal(0, PAIRS, k)
        of_pair -= of_pair.mean()
        bot_part.append(of_bot)
        pair_part.append(of_pair)
        side, points = [], []
        for deal in range(deals):
            order = rng.permutation(k)
            for turn in range(k):
                at = np.roll(order, turn)
                rest = rng.normal(0, REST, k)
                rest -= rest.mean()
                points.append(1 / k + seats + (of_bot + of_pair)[at] + luck[deal] + rest)
                side.append(np.array(table)[at])
        chunks.append(
            Matches(
                np.repeat(np.arange(deals), k),
                np.array(side),
                np.array(points),
                np.full(deals * k, -1),
            )
        )
    # What the pairs' differences share with the bots' strengths counts as the bots'.
    design = np.zeros((len(tables) * k, 4))
    for number, table in enumerate(tables):
        for column, bot in enumerate(table):
            design[number * k + column, list(table)] = -1 / (k - 1)
            design[number * k + column, bot] = 1
    whole = np.ravel(bot_part) + np.ravel(pair_part)
    fitted = design @ np.linalg.lstsq(design, whole, rcond=None)[0]
    freedom = len(tables) * (k - 1) - 3
    apart = float(((whole - fitted) ** 2).sum()) / freedom
    pairs = apart * (k - 1) / k
    true = {
        "bot": (float((fitted**2).sum()) - 3 * apart) / len(whole),
        "seat": float((seats**2).mean()),
        "bot by bot": pairs,
        "deal": DEAL**2 * (k - 1) / k,
        "rest": REST**2 * (k - 1) / k,
    }
    return chunks, true


def of(chunks: list[Matches]) -> Callable[[], Iterator[Matches]]:
    return lambda: iter(chunks)


def names(bots: str = "abcd") -> list[Player]:
    return [Player(bot, "") for bot in bots]


def variances(found: Skill) -> dict[str, float]:
    return {part.name: part.variance.value or 0.0 for part in found.components}


@pytest.mark.parametrize("k", [2, 3])
def test_components_are_unbiased_and_their_intervals_cover(k: int) -> None:
    """Over 100 contests of 60 deals with the same bots, seats and pairs."""
    tries = 100
    sums = dict.fromkeys(COMPONENTS, 0.0)
    squares = dict.fromkeys(COMPONENTS, 0.0)
    covered = dict.fromkeys(COMPONENTS, 0)
    true: dict[str, float] = {}
    for seed in range(tries):
        chunks, true = simulated(k, 60, seed + 1)
        found = skill(names(), of(chunks))
        assert found.status == "ok"
        for part in found.components:
            value, low, high = part.variance.value, part.variance.low, part.variance.high
            assert value is not None
            assert low is not None
            assert high is not None
            sums[part.name] += value
            squares[part.name] += value**2
            covered[part.name] += low <= true[part.name] <= high
    for name in COMPONENTS:
        mean = sums[name] / tries
        error = np.sqrt((squares[name] / tries - mean**2) / tries)
        assert mean == pytest.approx(true[name], abs=3.5 * error), name
        assert covered[name] >= 85, name


def test_shares_sum_to_the_whole() -> None:
    chunks, _ = simulated(2, 60, 5)
    found = skill(names(), of(chunks))
    assert sum(part.share.value or 0 for part in found.components) == pytest.approx(1)
    points = np.concatenate([chunk.points for chunk in chunks])
    assert sum(variances(found).values()) == pytest.approx(((points - 0.5) ** 2).mean())


def test_chunks_of_other_sizes_and_orders_give_the_same() -> None:
    chunks, _ = simulated(3, 64, 6)
    cut = [
        Matches(*(column[first : first + 3 * size] for column in chunk))
        for chunk, size in zip(chunks, (64, 32, 16, 8), strict=True)
        for first in range(0, 192, 3 * size)
    ]
    one, two = skill(names(), of(chunks)), skill(names(), of(cut[::-1]))
    assert variances(one) == pytest.approx(variances(two))


def test_the_better_of_two_neighbours_leads_as_often_as_is_said() -> None:
    chunks, _ = simulated(2, 2000, 7)
    lead = skill(names(), of(chunks)).leads[0]
    assert (lead.better.bot, lead.worse.bot) == ("a", "b")
    assert lead.deals is not None
    assert lead.matches == pytest.approx(lead.deals * 6)
    # Cut the contest into pieces of so many deals, and see who leads in each.
    size = round(lead.deals)
    scores = np.zeros((2000, 4))
    for chunk in chunks:
        np.add.at(scores, (chunk.deal[:, None], chunk.side), chunk.points)
    pieces = 2000 // size
    sums = scores[: pieces * size].reshape(pieces, size, 4).sum(axis=1)
    led = float((sums[:, 0] > sums[:, 1]).mean())
    assert led == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / pieces))


def test_what_isnt_in_blocks_is_not_taken_apart() -> None:
    chunks, _ = simulated(2, 60, 8)
    torn = [*chunks[1:], Matches(*(column[:-1] for column in chunks[0]))]
    assert "all seatings" in skill(names(), of(torn)).status
    few, _ = simulated(2, 10, 8)
    assert "at least 40 deals" in skill(names(), of(few)).status
    assert "no blocks" in skill(names(), of([])).status


def test_roles_are_seats_and_a_table_of_one_bot_is_left_out() -> None:
    """Patrons 0 and 1 against dealers 2 and 3, who are the same two bots."""
    players = [Player(bot, role) for role in ("patron", "dealer") for bot in "ab"]
    rng = np.random.default_rng(9)
    mixed = Matches(
        np.repeat(np.arange(60), 2),
        np.array([[0, 3], [1, 2]] * 60),
        np.array([[p, 1 - p] for p in rng.random(120) ** 0.5]),
        np.full(120, -1),
    )
    itself = mixed._replace(side=np.array([[0, 2], [0, 2]] * 60))
    found = skill(players, of([mixed, itself]))
    assert found.status == "ok"
    assert variances(found)["seat"] > 0.01
    assert [lead.deals is None for lead in found.leads] == [False]


def test_deals_that_some_tables_alone_played_are_left_out() -> None:
    chunks, _ = simulated(2, 60, 8)
    fewer = [*chunks[1:], Matches(*(column[:-4] for column in chunks[0]))]
    common = [Matches(*(column[chunk.deal < 58] for column in chunk)) for chunk in chunks]
    found, same = skill(names(), of(fewer)), skill(names(), of(common))
    assert found.status == "ok"
    assert found.deals == 58
    for one, other in zip(found.components, same.components, strict=True):
        assert one.variance.value == pytest.approx(other.variance.value)


def test_a_lead_has_its_interval() -> None:
    chunks, _ = simulated(2, 400, 9)
    lead = skill(names(), of(chunks)).leads[0]
    assert lead.gap_low is not None
    assert lead.gap_high is not None
    # The interval of the mean over deals of the difference of the two bots' mean points.
    scores, played = np.zeros((400, 4)), np.zeros((400, 4))
    for chunk in chunks:
        np.add.at(scores, (chunk.deal[:, None], chunk.side), chunk.points)
        np.add.at(played, (chunk.deal[:, None], chunk.side), 1)
    difference = (scores / played)[:, 0] - (scores / played)[:, 1]
    assert lead.gap == pytest.approx(difference.mean())
    reach = 1.959964 * difference.std(ddof=1) / 20
    assert (lead.gap_low, lead.gap_high) == pytest.approx((lead.gap - reach, lead.gap + reach))
    assert lead.matches is not None
    assert lead.matches_low is not None
    assert lead.matches_low < lead.matches
    assert lead.matches_low == pytest.approx(lead.matches * (lead.gap / lead.gap_high) ** 2)
    assert lead.matches_high is None or lead.matches_high > lead.matches


def test_it_is_said_which_deals_count() -> None:
    tables: list[dict[str, Any]] = [
        {"entrants": ["a", "b"], "chunks": ["k/seed-0-15.parquet", "k/seed-16-63.parquet"]},
        {"entrants": ["a", "c"], "chunks": ["l/seed-0-15.parquet"], "suspended": {"bots": ["c"]}},
    ]
    contest = Contest(1, {"tables": tables}, None)  # type: ignore[arg-type]
    said = left_out(contest, Skill("ok", [], [], 16))
    assert said == (
        "of up to 64 deals a table only the 16 that all tables played count; suspended at a table:"
        " c"
    )
    assert left_out(contest, Skill("ok", [], [], 64)) == ""
