"""What the campaign on blocks computes, where the truth is known; and the campaign in short."""

import subprocess
import sys
from functools import partial
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from reports.ratings import rate
from reports.results import Matches, Player
from tests.campaigns.blocks import ONCE, apart, by_spread, luck, needed, rule_of_thumb

PLAYERS = [Player("a", ""), Player("b", "")]


def deals(number: int, alike: float, draws: float, seed: int) -> Matches:
    """Equals in both seatings; the second seating of a deal ends as the first with this chance,
    so that it is the correlation of a bot's scores in a deal.
    """
    rng = np.random.default_rng(seed)

    def scores() -> np.ndarray:
        return np.where(rng.random(number) < draws, 0.5, rng.integers(0, 2, number) * 1.0)

    first, other = scores(), scores()
    second = np.where(rng.random(number) < alike, first, other)
    points = np.stack([first, 1 - second], axis=1).ravel()
    side = np.tile([[0, 1], [1, 0]], (number, 1))
    deal = np.repeat(np.arange(number), 2)
    return Matches(deal, side, np.column_stack([points, 1 - points]), np.full(2 * number, -1))


def test_the_rule_of_thumb_agrees_with_the_errors_between_equals() -> None:
    found = deals(20_000, 0.4, 0.3, 1)
    seen = luck(partial(iter, [found]))
    assert seen.draws == pytest.approx(0.3, abs=0.01)
    assert seen.correlation == pytest.approx(0.4, abs=0.02)
    within, alone = needed(rate(PLAYERS, partial(iter, [found])))
    thumb_alone, thumb_within = rule_of_thumb(seen, 2, 2, roles=False)
    assert alone == pytest.approx(thumb_alone, rel=0.01)
    assert within == pytest.approx(thumb_within, rel=0.01)
    # The rating of one of two is half of their difference, for which it takes 4,640 matches.
    assert 4 * rule_of_thumb(seen, 2, 2, roles=False)[0] == pytest.approx(4640 * 0.7, rel=0.02)
    assert pytest.approx(1159, rel=0.001) == ONCE


def test_tables_of_their_own_share_no_deal() -> None:
    first = deals(100, 0.0, 0.0, 2)
    second = first._replace(side=np.where(first.side == 1, 2, first.side))
    whole = [Matches(*(np.concatenate(column) for column in zip(first, second, strict=True)))]
    (split,) = apart(iter(whole))
    assert len(np.unique(split.deal)) == 200
    players = [*PLAYERS, Player("c", "")]
    # Twice the same results of a are no more than once, and count as more only where deals differ.
    shared = rate(players, partial(iter, whole))
    own = rate(players, partial(iter, [split]))
    errors = [
        next(line.rating.error or 0.0 for line in each.rated if line.player.bot == "a")
        for each in (shared, own)
    ]
    assert errors[0] / errors[1] == pytest.approx(sqrt(2), rel=0.01)


def test_the_campaign_in_short(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.campaigns.blocks", "--game", "forest_fox"]
    command += ["--bots", "humble", "one_ahead", "grabber", "--deals", "32"]
    command += ["--check", "forest_fox", "--batches", "4", "--results", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("| forest")]
    assert len(lines) == 3
    assert all(" 192 |" in line for line in lines)
    assert "| 4 |" in lines[-1]


def test_batches_spread_as_their_errors_say() -> None:
    found = deals(6400, 0.4, 0.3, 4)
    table = rate(PLAYERS, partial(iter, [found]))
    spread, batches = by_spread(PLAYERS, found, PLAYERS, 64)
    assert batches == 64
    assert spread == pytest.approx(needed(table)[0].mean(), rel=0.4)
