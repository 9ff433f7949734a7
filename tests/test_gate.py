"""The gate: looking again and again, and stopping as soon as the targets are settled."""

import contextlib
import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.cli.app import run
from harness.cli.gate import rounds
from reports.balance.figures import Measured, Sums, measured
from reports.balance.targets import Target, Verdict, look, settled
from tests.campaigns.balance import gates
from tests.test_balance import GAMES, TWO, second_bot, study_file


def balanced(path: Path, folder: Path, *more: str, code: int) -> dict[str, Any]:
    out = io.StringIO()
    words = ["balance", str(path), "--local", "--results", str(folder), "--sample", "0"]
    with contextlib.redirect_stdout(out):
        assert run([*words, *more, "--output", "json"]) == code
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_rounds_grow_by_about_a_quarter() -> None:
    ends = rounds(1000)
    assert ends[:6] == [64, 80, 96, 112, 128, 160]
    assert ends[-1] == 1000
    assert all(b <= 1.25 * a for a, b in pairwise(ends))
    assert rounds(100) == [64, 80, 96, 100]


def test_a_sequence_is_wider_than_an_interval_and_starts_late() -> None:
    rng = np.random.default_rng(1)
    for deals in (64, 200, 1000):
        said = measured(Sums(rng.random(deals), np.ones(deals)))
        low, high = said.interval()
        wide_low, wide_high = said.sequence(0.05)
        assert low is not None and high is not None
        assert wide_low is not None and wide_high is not None
        assert 1.3 < (wide_high - wide_low) / (high - low) < 2.1
    few = measured(Sums(rng.random(63), np.ones(63)))
    assert few.sequence(0.05) == (None, None)
    assert Measured(0.5).sequence(0.05) == (None, None)


def test_a_sequence_of_equal_deals_is_what_a_gambler_cannot_refuse() -> None:
    """Whoever bets all against a share m wins 1 / (1 - m) a deal: 2 / 0.05 after 100 of them."""
    never = measured(Sums(np.zeros(100), np.ones(100)), (0.0, 1.0))
    low, high = never.sequence(0.05)
    assert low == 0
    assert high is not None
    assert (1 / (1 - high)) ** 100 == pytest.approx(2 / 0.05)


def test_a_verdict_stays_whatever_later_looks_say() -> None:
    target = Target("draws", "v", None, 0.2)
    clear = {("v", "draws"): Measured(0.1, 0.01, 99, deals=100)}
    vague = {("v", "draws"): Measured(0.19, 0.01, 199, deals=200)}
    first = look([target], clear, 0.05)
    assert (first[0].verdict, first[0].deals) == (Verdict.accepted, 100)
    assert not settled(look([target], vague, 0.05))
    assert look([target], vague, 0.05, first) == first


def test_gates_err_as_seldom_as_they_say() -> None:
    """Short form of `python -m tests.campaigns.balance`, with the truth just at the targets' ends,
    and a tenth of a point within.
    """
    at_the_end = gates(40, 5, 0.0)
    assert at_the_end["hold"].wrong <= 0.1
    assert at_the_end["fail"].wrong <= 0.1
    clear = gates(10, 6, 0.4)
    assert (clear["hold"].wrong, clear["hold"].decided) == (0, 1)
    assert clear["hold"].deals < 128
    assert clear["fail"].wrong == 0
    assert clear["fail"].decided == 1


def test_the_gate_plays_no_more_than_it_takes(tmp_path: Path) -> None:
    second_bot(tmp_path)
    for low, high, code, most in ((0.2, 0.8, 0, 200), (0.8, 1.0, 1, 200), (0.4999, 0.5001, 3, 320)):
        target = f'[targets]\n"seat.0.points" = {{ min = {low}, max = {high} }}\n'
        path = study_file(tmp_path, str(GAMES / "lot"), 320, target, TWO)
        found = balanced(path, tmp_path / "results", code=code)
        assert found["deals"] <= most
        assert found["deals_allowed"] == 320
        assert found["looks"] == rounds(320).index(found["deals"]) + 1
        assert found["blocks"] == found["deals"]
        assert found["targets"][0]["deals"] == found["deals"]
    full = balanced(path, tmp_path / "results", "--full", code=3)
    assert (full["deals"], full["looks"]) == (320, 1)


def test_a_target_on_the_course_of_matches_watches_all_of_them(tmp_path: Path) -> None:
    second_bot(tmp_path)
    target = '[targets]\n"branching" = { min = 1.9, max = 2.1 }\n'
    path = study_file(tmp_path, str(GAMES / "lot"), 100, target, TWO)
    found = balanced(path, tmp_path / "results", code=0)
    assert found["targets"][0]["value"] == 2
    assert found["targets"][0]["deals"] == 64
