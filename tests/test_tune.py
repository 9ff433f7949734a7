"""Tuning: the grid, what lies between played points, and `tune` as it is used."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.cli.app import run
from harness.study import read_study
from harness.tuning import read_grid
from reports.balance.figures import Measured
from reports.balance.targets import Target, Verdict
from reports.balance.tune import (
    Option,
    change,
    expected,
    following,
    likeliest,
    nearest,
    places,
    region,
    spread,
)
from tests.test_balance import GAMES, second_bot

TARGET = Target("seat.0.points", "as written", 0.5, 0.6)


def tune_file(folder: Path, tune: str, deals: int = 300, more: str = "") -> Path:
    second_bot(folder)
    path = folder / "study.toml"
    path.write_text(
        f'name = "a search"\ngame = "{GAMES / "lot"}"\nbots = ["random_legal", "again/other.py"]\n'
        f'deals = {deals}\nseed = 7\nisolation = "inprocess"\n{more}[tune]\n{tune}'
    )
    return path


def tuned(path: Path, *more: str, code: int) -> str:
    out = io.StringIO()
    words = ["tune", str(path), "--local", "--results", str(path.parent / "results")]
    with contextlib.redirect_stdout(out):
        assert run([*words, *more]) == code
    return out.getvalue()


def refused(path: Path) -> str:
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        assert run(["tune", str(path), "--local", "--results", str(path.parent / "results")]) == 2
    assert said.getvalue().count("\n") == 1
    return said.getvalue()


LINE = 'target = { metric = "seat.0.points", min = 0.55, max = 0.95 }\n'


def test_a_small_grid_is_played_whole_and_the_smallest_change_found(tmp_path: Path) -> None:
    """Lot: seat 0 makes line / 52 points, and an option that does nothing costs a change too."""
    options = "options = { line = { min = 20, max = 50, step = 10 }, stake = [0, 5] }\n"
    path = tune_file(tmp_path, options + LINE)
    found = json.loads(tuned(path, "--output", "json", code=0))
    assert found["whole"]
    assert found["present"] == {"line": 26, "stake": 0}
    assert len(found["points"]) == 9  # the present rules lie off the grid
    for point in found["points"]:
        assert point["low"] <= point["values"]["line"] / 52 <= point["high"]
        assert point["known"] == "played"
    held = {p["values"]["line"] for p in found["points"] if p["target"] == "holds"}
    failed = {p["values"]["line"] for p in found["points"] if p["target"] == "fails"}
    assert held == {40}
    assert {20, 50} - {50} <= failed
    assert found["smallest"] == [{"line": 40, "stake": 0}]
    said = tuned(path, code=0)
    assert "The smallest change that meets it: line = 40, stake = 0 (0.47)." in said
    assert "●" in said
    assert "×" in said
    lines = tuned(path, "--output", "csv", code=0).splitlines()
    assert lines[0] == "line,stake,value,low,high,target,change,known"
    assert len(lines) == 10


def test_of_a_large_grid_the_points_that_say_most_are_played(tmp_path: Path) -> None:
    options = "options = { line = { min = 0, max = 52 } }\npoints = 12\n"
    path = tune_file(tmp_path, options + LINE, deals=200)
    found = json.loads(tuned(path, "--output", "json", code=0))
    played = [p["values"]["line"] for p in found["points"] if p["known"] == "played"]
    assert len(played) == 12
    assert not found["whole"]
    wrong = [p for p in found["points"] if not p["low"] <= p["values"]["line"] / 52 <= p["high"]]
    assert not wrong
    # Chosen near the ends of the target, 28.6 and 49.4, rather than where it is sure to fail.
    assert sum(line >= 20 for line in played) >= 8


def test_the_exit_code_says_whether_anything_meets_it(tmp_path: Path) -> None:
    options = "options = { line = [10, 26] }\n"
    path = tune_file(tmp_path, options + 'target = { metric = "seat.0.points", min = 0.9 }\n')
    assert "None of these values can meet it." in tuned(path, code=1)
    narrow = 'target = { metric = "seat.0.points", min = 0.4999, max = 0.5001 }\n'
    path.write_text(path.read_text().replace("target = ", "# ") + narrow)
    assert "More deals narrow the intervals." in tuned(path, code=3)


@pytest.mark.parametrize(
    ("tune", "said"),
    [
        ("options = { lime = [1] }\n" + LINE, "lot has no such option; there are: line, stake"),
        ("options = { line = 3 }\n" + LINE, "line must be a list of values, or a table of min"),
        ("options = { line = [[3]] }\n" + LINE, "line must be a list of values, or a table of min"),
        ("options = { line = { min = 5, max = 1 } }\n" + LINE, "a table of min, max and step"),
        ("options = { line = [99] }\n" + LINE, "line must be 0 to 52, not 99"),
        ("options = { line = [26] }\n" + LINE, "nothing to try but the present rules"),
        (
            "options = { line = { min = 0, max = 52 }, stake = { min = 0, max = 99 } }\n" + LINE,
            "5,300 points; there may be 400",
        ),
        ("options = { line = [1] }\ntarget = { min = 1 }\n", "a table of metric, min and max"),
        (
            'options = { line = [1] }\ntarget = { metric = "x", min = 1 }\n',
            'tune: targets: "x": there is no such metric',
        ),
        ("options = { }\n" + LINE, "tune"),
    ],
)
def test_a_search_that_is_wrong_is_refused_in_one_line(
    tmp_path: Path, tune: str, said: str
) -> None:
    assert said in refused(tune_file(tmp_path, tune))


def test_without_tune_there_is_nothing_to_search(tmp_path: Path) -> None:
    path = tune_file(tmp_path, "options = { line = [1] }\n" + LINE)
    path.write_text(path.read_text().split("[tune]")[0])
    assert "there is no [tune] in it" in refused(path)


def test_points_that_are_no_rules_are_left_out_and_listed(tmp_path: Path) -> None:
    path = tune_file(tmp_path, "options = { line = [20, 30, 60] }\n" + LINE)
    grid = read_grid(read_study(path), path)
    assert [point["line"] for point in grid.points] == [26, 20, 30]
    assert grid.left_out == ["line = 60: lot: line must be 0 to 52, not 60"]
    assert not grid.on_grid


# --- Between the points ---------------------------------------------------------------------------


def test_a_change_is_measured_in_ranges_and_choices() -> None:
    draw = Option("draw", (1, 2, 3), 2)
    take = Option("take", ("random", "owner"), "random")
    assert change([draw, take], {"draw": 3, "take": "random"}) == 0.5
    assert change([draw, take], {"draw": 2, "take": "owner"}) == 1
    assert change([draw, take], {"draw": 2, "take": "random"}) == 0
    at = places([draw, take], [{"draw": 1, "take": "random"}, {"draw": 1, "take": "owner"}])
    assert np.linalg.norm(at[0] - at[1]) == pytest.approx(1)


def line(number: int = 21) -> tuple[list[Option], list[dict[str, Any]]]:
    option = Option("x", tuple(range(number)), 0)
    return [option], [{"x": value} for value in range(number)]


def test_what_lies_between_is_expected_within_its_error() -> None:
    options, points = line()
    rng = np.random.default_rng(1)
    truth = 0.3 + 0.02 * np.arange(21)
    played = {n: Measured(truth[n] + 0.01 * rng.normal(), 0.01, 99) for n in (0, 4, 8, 12, 16, 20)}
    mean, error = expected(places(options, points), played)
    assert np.abs(mean - truth).max() < 0.02
    assert (error >= 0.01).all()
    assert (np.abs(mean - truth) < 3 * error).all()


def test_the_next_points_are_those_nearest_to_the_targets_ends() -> None:
    options, points = line()
    at = places(options, points)
    assert spread(at, 3) == [0, 20, 10]
    played = {n: Measured(0.3 + 0.02 * n, 0.005, 99) for n in (0, 10, 20)}
    chosen = following(at, played, Target("m", "v", 0.42, None), 2)
    assert len(set(chosen)) == 2
    assert not set(chosen) & set(played)
    assert any(abs(number - 6) <= 2 for number in chosen)


def test_the_region_and_what_changes_least() -> None:
    options, points = line(5)
    played = {n: Measured(0.4 + 0.05 * n, 0.002, 99) for n in range(5)}
    found = region(options, points, played, TARGET, 0.05)
    assert [point.verdict for point in found] == [
        Verdict.rejected,
        Verdict.rejected,
        Verdict.undecided,
        Verdict.accepted,
        Verdict.undecided,
    ]
    assert [point.values["x"] for point in nearest(found)] == [3]
    open_ = likeliest(found, TARGET)
    assert open_ is not None
    assert open_.values["x"] == 2
