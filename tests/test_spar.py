"""`fairdeal spar`, and `fairdeal solve`: run as a user runs them, and what they count."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from games.chance import Chance
from games.forest_fox.rules import PACK, ForestFox, Rules
from games.forest_fox.solver import Solver
from harness.cli.spar import rounds
from harness.cli.tally import ByDeal, Tally
from harness.entrants import find_bots, find_one
from harness.games import find_game
from harness.play.chunk import play_chunk
from harness.play.seeds import deal_seed, run_key
from harness.play.tables import Chunk, make_table
from tests import doubles
from tests.command import BASE, fairdeal, refused

FOX = find_game("forest_fox")
RECORDS = Path(__file__).parent / "data" / "examples_forest_fox.jsonl"


# --- spar -----------------------------------------------------------------------------------------


def test_spar_tells_points_by_opponent_and_seat_and_tactics(tmp_path: Path) -> None:
    [path] = doubles.write(tmp_path / "ann", "with_parameters")
    command = ["spar", "forest_fox", f"{path}(nth=1)", "--against", "random_legal"]
    done = fairdeal(*command, "--seconds", "3", "--output", "json")
    rows = json.loads(done.stdout)
    by = {(row["kind"], row["name"]): row for row in rows}
    whole = by["all", ""]
    assert whole == {**by["against", "random_legal"], "kind": "all", "name": ""}
    assert whole["low"] < whole["value"] < whole["high"]
    assert whole["matches"] == 2 * whole["deals"] == 2 * by["seat", "0"]["matches"]
    assert by["seat", "0"]["value"] + by["seat", "1"]["value"] == pytest.approx(2 * whole["value"])
    ends = [by["tactic", name]["value"] for name in ("humble", "victorious")]
    assert sum(ends) == pytest.approx(whole["value"])
    assert by["tactic", "greedy"]["field"] == pytest.approx(by["tactic", "humble"]["value"])


def test_spar_shows_faults(tmp_path: Path) -> None:
    [rude] = doubles.write(tmp_path / "ann", "rude_text")
    done = fairdeal("spar", "forest_fox", rude, "--against", "humble", "--seconds", "2")
    assert "faults crash; one in deal" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "0.0%" in done.stdout


@pytest.mark.parametrize(
    "stop",
    [
        lambda pid: os.killpg(pid, signal.SIGINT),  # as a terminal does, to parent and workers
        lambda pid: os.kill(pid, signal.SIGTERM),
    ],
    ids=["ctrl-c", "kill"],
)
def test_who_stops_a_spar_has_the_table_so_far(stop: Callable[[int], None]) -> None:
    command = [*BASE, "spar", "forest_fox", "humble", "--against", "one_ahead", "--seconds", "100"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        time.sleep(12)
        stop(process.pid)
        said, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    if errors != "fairdeal: stopped\n":  # on a machine that had no time for a match
        assert process.returncode == 0, errors
        assert "against one_ahead" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess", "humble"], "there is no game 'chess'"),
        (["forest_fox", "nobody"], "there is no bot 'nobody'"),
        (["forest_fox", "humble", "--against", "humble"], "names nobody but humble"),
        (["forest_fox", "humble", "--players", "3"], "players must be 2, not 3"),
        (["forest_fox", "humble", "--rules", "fox=7"], "fox must be true or false, not 7"),
        (["forest_fox", "humble", "--seconds", "0"], "Invalid value"),
    ],
)
def test_mistakes_of_spar(arguments: list[str], message: str) -> None:
    assert message in refused("spar", *arguments)


def test_at_a_larger_table_everybody_in_the_field_sits_down() -> None:
    game = find_game("fraser_island")
    random = find_one("random_legal", game, Path())
    [bot] = [e for e in find_bots("*", game, Path())[0] if e.bot.name == "burrower"]
    field = [random] * 4
    chunks = rounds("fraser_island", game, game.rules(), 4, bot, field, 1)
    first = list(islice(chunks, 4))
    assert [chunk.first for chunk in first] == [0, 0, first[0].last + 1, first[0].last + 1]
    assert all(len(chunk.table.entrants) == 4 for chunk in first)
    tally = Tally(game, bot.label)
    tally.add(first[0], play_chunk(Chunk(first[0].table, 0, 4, run_key(1))))
    [whole, against, *seats] = tally.rows()
    assert (whole["matches"], whole["deals"]) == (against["matches"], 5) == (20, 5)
    assert [row["matches"] for row in seats] == [5, 5, 5, 5]
    assert sum(row["value"] for row in seats) / 4 == pytest.approx(whole["value"])


def test_intervals_are_those_of_the_deals_means() -> None:
    """With two matches a deal the clustered interval is a t interval of the deals' means."""
    rng = np.random.default_rng(1)
    values = rng.integers(0, 3, (50, 2)) / 2
    by_deal = ByDeal()
    for part in (slice(20, 50), slice(0, 20)):  # deals come in any order
        by_deal.add(np.repeat(np.arange(50)[part], 2), values[part].ravel())
    mean = by_deal.mean()
    known = ttest_1samp(values.mean(axis=1), 0).confidence_interval(0.95)
    assert mean.value == pytest.approx(values.mean())
    assert (mean.low, mean.high) == pytest.approx((known.low, known.high))
    assert (mean.deals, mean.matches) == (50, 100)


def test_what_a_tally_counts_is_what_was_played() -> None:
    bots = [find_one(name, FOX, Path()) for name in ("humble", "random_legal")]
    table = make_table("forest_fox", FOX, FOX.rules(), 2, bots, "inprocess")
    tally = Tally(FOX, bots[0].label)
    points = 0.0
    for first in (0, 10):
        chunk = Chunk(table, first, first + 9, run_key(1))
        played = play_chunk(chunk)
        points += played.counts.points[bots[0].label]
        tally.add(chunk, played)
    assert tally.rows()[0]["value"] == points / 40
    assert tally.matches == 40


# --- solve ----------------------------------------------------------------------------------------


def test_solve_a_deal() -> None:
    said = fairdeal("solve", "--deal", "3", "--seed", "2", "--output", "json").stdout
    state = ForestFox(Rules(), 2, Chance(PACK, deal_seed(run_key(2), "forest_fox", 2, 3)))
    moves = Solver(Rules()).solve(state).moves
    assert json.loads(said) == [
        {"seat": 0, "move": str(play), "points": points} for play, points in moves.items()
    ]


def test_solve_a_position_of_a_record() -> None:
    said = fairdeal("solve", RECORDS, "2", "6").stdout
    assert "Seat 0: 4B 2K 5K 1M (2 tricks)" in said
    assert "Decree 1K, on the table 3B. Seat 1 is to act, and loses." in said
    last = fairdeal("solve", RECORDS, "5", "14", "--output", "json").stdout
    record = json.loads(RECORDS.read_text().splitlines()[4])
    [row] = json.loads(last)
    seat = row["seat"]
    assert record["moves"][14] == f"{seat} {row['move']}"
    assert row["points"] == record["result"]["points"][seat]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gone.jsonl"], "gone.jsonl: No such file"),
        ([RECORDS, "99"], "record 99: there is no such record"),
        ([RECORDS, "1", "15"], "record 1: entry must be 1 to 14, not 15"),
        ([RECORDS, "--deal", "3"], "--deal, --seed and --rules belong to a deal"),
        ([RECORDS.with_name("examples_fraser_island.jsonl")], "only forest_fox can be solved"),
        (["--rules", "foxes=1"], "there is no rules option 'foxes'"),
    ],
)
def test_mistakes_of_solve(arguments: list[str | Path], message: str) -> None:
    assert message in refused("solve", *arguments)
