"""Schedules as a user runs them: the same rows however played, kept through kills, read by all."""

import json
import subprocess
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from games.forest_fox.rules import GAME as FOX
from harness.cli import app
from harness.config import read_config
from harness.entrants import find_one
from harness.play import lockstep
from harness.play.chunk import play_chunk
from harness.play.hosts import Host
from harness.play.tables import Chunk, make_table
from harness.price import START_US, prices
from harness.rounds import draw
from harness.schedule import RoundRobin
from harness.store import Store, span_of
from harness.tournament import plan
from tests import doubles
from tests.command import BASE, fairdeal, refused
from tests.test_run import manifest, rows, wait_for_chunk

HEAD = 'name = "small"\nseed = 4\nisolation = "inprocess"\n'

FOUR = (
    HEAD
    + """
[[contest]]
game = "forest_fox"
bots = ["humble", "one_ahead", "random_legal", "grabber"]
schedule = "adaptive"
deals = 512

[[contest]]
game = "fraser_island"
players = 3
bots = ["burrower", "burrower(odds=50)", "burrower(odds=55)", "burrower(odds=75)",
    "burrower(odds=85)", "random_legal"]
schedule = "rounds"
round = 32
deals = 80

[[contest]]
game = "forest_fox"
bots = ["humble", "one_ahead"]
reference = ["random_legal", "grabber", "trump_counter"]
schedule = "gauntlet"
deals = 60

[[contest]]
game = "forest_fox"
bots = ["humble", "grabber", "random_legal"]
matches = 500
"""
)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A config with a contest of each schedule, and its results as played by `--local`."""
    folder = tmp_path_factory.mktemp("four")
    path = folder / "small.toml"
    path.write_text(FOUR)
    fairdeal("run", path, "--local", "--results", folder / "results")
    return path, folder / "results"


def contest(results: Path, number: int, run: str = "small/0001") -> dict[str, Any]:
    found = manifest(results, run)["contests"][number - 1]
    assert isinstance(found, dict)
    return found


def deals(about: dict[str, Any]) -> dict[tuple[str, ...], int]:
    """How many deals each table played, by its bots' names."""
    found = {}
    for table in about["tables"]:
        bots = tuple(label.rpartition("@")[0] for label in table["entrants"])
        found[bots] = sum(span_of(name).deals for name in table["chunks"])
    return found


def same(one: Path, other: Path) -> None:
    assert rows(one) == rows(other)
    for number in (1, 2, 3, 4):
        assert contest(one, number)["tables"] == contest(other, number)["tables"]
    assert manifest(one)["summary"] == manifest(other)["summary"]


def test_two_workers_play_the_same(played: tuple[Path, Path], tmp_path: Path) -> None:
    path, results = played
    fairdeal("run", path, "--workers", "2", "--results", tmp_path)
    same(tmp_path, results)


def test_after_a_kill_the_same_is_played(played: tuple[Path, Path], tmp_path: Path) -> None:
    path, results = played
    command = [*BASE, "run", str(path), "--local", "--results", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        wait_for_chunk(running, tmp_path)
        running.kill()
    assert manifest(tmp_path)["status"] == "unfinished"
    done = fairdeal("run", path, "--local", "--results", tmp_path)
    assert "Run small/0001 goes on" in done.stdout
    same(tmp_path, results)


def test_every_reader_takes_uneven_tables(played: tuple[Path, Path], tmp_path: Path) -> None:
    _, results = played
    at = ("small", "--results", results)
    said = fairdeal("ratings", *at, "--pairs").stdout
    assert "Neighbours, by intervals that hold though they were watched" in said
    assert "Not told apart: " in said
    fairdeal("tactics", *at, "--clones")
    fairdeal("metagame", *at)
    parts = json.loads(fairdeal("skill", *at, "--output", "json").stdout)
    # Rounds have no deals that all tables played; of the adaptive contest those of the first waves.
    assert {row["contest"] for row in parts} == {1, 3, 4}
    fairdeal("report", *at, "--out", tmp_path / "report")
    page = (tmp_path / "report/contest-1.html").read_text()
    assert "Deals by table" in page
    assert "Neighbours" not in (tmp_path / "report/contest-3.html").read_text()
    data = json.loads((tmp_path / "report/contest-1.json").read_text())
    assert [line["apart"] for line in data["order"]]
    assert max(line["deals"] for line in data["deals_by_table"]) <= 512


def test_an_adaptive_contest_stops_where_neighbours_are_told_apart(
    played: tuple[Path, Path],
) -> None:
    _, results = played
    about, summary = contest(results, 1), manifest(results)["summary"][0]
    counted = deals(about)
    assert min(counted.values()) >= 64
    together = [row for row in summary["order"] if not row["apart"]]
    most = max(counted.values())
    assert most == 512 if together else most <= 512
    for row in summary["order"]:
        if row["apart"]:
            assert row["low"] > 0


def test_a_suspended_bot_is_out_of_the_order_and_its_tables_stop(tmp_path: Path) -> None:
    doubles.write(tmp_path / "ann", "crash")
    path, results = tmp_path / "small.toml", tmp_path / "results"
    path.write_text(
        HEAD
        + '[[contest]]\ngame = "forest_fox"\nbots = ["humble", "random_legal", "ann/*.py"]\n'
        + 'schedule = "adaptive"\ndeals = 128\n'
    )
    fairdeal("run", path, "--local", "--results", results)
    counted = deals(contest(results, 1))
    assert counted["ann/crash", "humble"] == counted["ann/crash", "random_legal"] == 16
    assert counted["humble", "random_legal"] >= 64
    [pair] = manifest(results)["summary"][0]["order"]
    assert {pair[key].split("@")[0] for key in ("better", "worse")} == {"humble", "random_legal"}


def test_in_rounds_everybody_sits_equally_often_and_meets_about_equally(
    played: tuple[Path, Path],
) -> None:
    _, results = played
    about = contest(results, 2)
    assert about["rounds"]["deals"] == 32
    assert len(about["rounds"]["drawn"]) == 3
    for tables in about["rounds"]["drawn"]:
        assert set(Counter(bot for table in tables for bot in table).values()) == {3}
    spans = [span_of(name) for table in about["tables"] for name in table["chunks"]]
    chunks = Counter((span.first, span.last) for span in spans)
    assert chunks == {(0, 31): 6, (32, 63): 6, (64, 79): 6}


@pytest.mark.parametrize(("bots", "size", "rounds"), [(30, 4, 31), (13, 3, 12), (9, 8, 5)])
def test_pairs_are_balanced_over_rounds(bots: int, size: int, rounds: int) -> None:
    met: Counter[tuple[int, ...]] = Counter()
    for tables in draw([f"b{i}" for i in range(bots)], size, rounds):
        assert len(set(tables)) == bots
        seats = Counter(bot for table in tables for bot in table)
        assert set(seats.values()) == {size}
        met.update(pair for table in tables for pair in combinations(table, 2))
    assert max(met.values()) - min(met.values()) <= 2


def test_the_next_night_keeps_the_tables_whose_bots_are_the_same(tmp_path: Path) -> None:
    bots = [f"burrower(odds={40 + 2 * i})" for i in range(1, 13)]
    text = (
        '\n[[contest]]\ngame = "fraser_island"\nplayers = 3\nschedule = "rounds"\n'
        "round = 16\ndeals = 32\n"
    )
    path, results = tmp_path / "small.toml", tmp_path / "results"
    path.write_text(HEAD + text + f"bots = {json.dumps(bots)}")
    fairdeal("run", path, "--local", "--results", results)
    again = fairdeal("run", path, "--dry-run", "--results", results)
    assert "1,152 matches are there already, 0 would be played" in again.stdout
    path.write_text(HEAD + text + f"bots = {json.dumps([*bots[1:], 'random_legal'])}")
    fairdeal("run", path, "--local", "--results", results)
    before, after = (contest(results, 1, f"small/000{n}") for n in (1, 2))
    kept = chunks(before) & chunks(after)
    # One of twelve left, and with it a quarter of the tables of three; a few more seat the new one.
    assert len(kept) >= 0.6 * len(chunks(before))
    for tables in after["rounds"]["drawn"]:
        assert set(Counter(bot for table in tables for bot in table).values()) == {3}


def chunks(about: dict[str, Any]) -> set[str]:
    return {name for table in about["tables"] for name in table["chunks"]}


def test_a_gauntlet_is_the_new_against_the_reference_alone(played: tuple[Path, Path]) -> None:
    _, results = played
    tables = set(deals(contest(results, 3)))
    new, reference = ["humble", "one_ahead"], ["random_legal", "grabber", "trump_counter"]
    assert tables == {tuple(sorted((a, b))) for a in new for b in reference}


def test_a_gauntlet_with_roles_compares_all(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(
        HEAD
        + '[[contest]]\ngame = "casino_go_fish"\nbots = ["random_legal"]\n'
        + 'reference = ["collector"]\nschedule = "gauntlet"\ndeals = 40\n'
    )
    fairdeal("run", path, "--local", "--results", tmp_path / "results")
    assert manifest(tmp_path / "results")["summary"][0]["status"] == "ok"
    assert set(deals(contest(tmp_path / "results", 1))) == {
        ("collector", "random_legal"),
        ("random_legal", "random_legal"),
    }


def test_matches_are_a_budget_that_all_tables_share(played: tuple[Path, Path]) -> None:
    _, results = played
    assert set(deals(contest(results, 4)).values()) == {83}  # 3 tables, 2 seatings: 498 matches


# --- Minutes --------------------------------------------------------------------------------------

TIMED = (
    HEAD
    + """minutes = 0.03
[[contest]]
game = "forest_fox"
bots = ["humble", "one_ahead", "random_legal"]
[[contest]]
game = "fraser_island"
players = 3
bots = ["burrower", "burrower(odds=50)", "random_legal", "burrower(odds=55)"]
schedule = "rounds"
"""
)


def test_minutes_are_counted_over_all_sessions(tmp_path: Path) -> None:
    path, results = tmp_path / "small.toml", tmp_path / "results"
    path.write_text(TIMED)
    done = fairdeal("run", path, "--local", "--results", results)
    assert "its minutes are over" in done.stdout
    found = manifest(results)
    assert (found["status"], found["stopped"]) == ("complete", "minutes")
    assert found["played"]["seconds"] >= 1.8
    assert sum(deals(contest(results, 1)).values()) > 0
    listed = {name for about in found["contests"] for name in chunks(about)}
    assert listed == set(rows(results))
    # One whose time is over plays nothing more.
    (results / "runs/small/0001/manifest.json").write_text(
        json.dumps(found | {"status": "unfinished"})
    )
    done = fairdeal("run", path, "--local", "--results", results)
    assert "Run small/0001 goes on" in done.stdout
    assert set(rows(results)) == listed
    assert manifest(results)["status"] == "complete"


def test_tables_get_equal_shares_of_time_and_the_expensive_one_fewer_deals() -> None:
    [humble, ahead, random] = (
        find_one(name, FOX, Path()) for name in ("humble", "one_ahead", "random_legal")
    )
    pairs = [(humble, ahead), (humble, random)]
    tables = [make_table("forest_fox", FOX, FOX.rules(), 2, pair, "inprocess") for pair in pairs]

    def price(chunk: Chunk) -> float:
        return (chunk.last - chunk.first + 1) * (10.0 if chunk.table is tables[0] else 1.0)

    schedule = RoundRobin(FOX, tables, None, lambda table: bytes(32), price)
    spent = dict.fromkeys((table.key for table in tables), 0.0)
    largest = 0.0
    while sum(spent.values()) < 100_000:
        for chunk in schedule.next([]):
            # Always the one that has had least so far.
            assert spent[chunk.table.key] == min(spent.values())
            spent[chunk.table.key] += price(chunk)
            largest = max(largest, price(chunk))
    assert abs(spent[tables[0].key] - spent[tables[1].key]) <= largest


# --- Prices ---------------------------------------------------------------------------------------


def test_a_dry_run_prices_by_weight_and_then_by_what_was_measured(
    played: tuple[Path, Path], tmp_path: Path
) -> None:
    path, results = played
    first = fairdeal("run", path, "--dry-run", "--results", tmp_path / "none").stdout
    assert "its weight" in first
    assert "earlier matches" not in first
    assert "Contest 1 goes on from there, until all neighbours are told apart, up to 512" in first
    assert not (tmp_path / "none").exists()
    again = fairdeal("run", path, "--dry-run", "--results", results).stdout
    assert " 0 would be played" in again
    assert "earlier matches" in again


@pytest.mark.parametrize(
    ("game", "players", "bots"),
    [
        ("forest_fox", 2, ["humble", "one_ahead"]),
        ("casino_go_fish", 4, ["collector", "random_legal"]),
        ("tragedy", 3, ["sleuth", "hothead", "random_legal"]),
    ],
)
def test_every_host_that_a_chunk_starts_is_in_its_price(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, players: int, bots: list[str]
) -> None:
    path = tmp_path / "small.toml"
    head = HEAD.replace("inprocess", "process")
    path.write_text(
        f'{head}[[contest]]\ngame = "{game}"\nplayers = {players}\nbots = {bots}\ndeals = 1\n'
    )
    planned = plan(read_config(path), path)
    priced = prices(planned, Store(tmp_path / "none"))
    table = planned.contests[0].tables[0]
    started = []

    class Counted(Host):
        def __init__(self, *given: Any) -> None:
            started.append(given)
            super().__init__(*given)

    monkeypatch.setattr(lockstep, "Host", Counted)
    play_chunk(Chunk(table, 0, 0, bytes(32)))
    start = len(started) * START_US["process"] / 1e6
    short, long = (Chunk(table, 0, last, bytes(32)) for last in (15, 31))
    assert priced.seconds(0, short) > start > 0
    assert priced.seconds(0, long) - start == pytest.approx(2 * (priced.seconds(0, short) - start))


def test_a_plan_over_its_budget_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    one = '[[contest]]\ngame = "forest_fox"\nbots = ["humble", "one_ahead"]\ndeals = 100000\n'
    path.write_text(HEAD + one + "matches = 1000\n")
    for dry in ([], ["--dry-run"]):
        said = refused("run", path, "--local", *dry, "--results", tmp_path / "results")
        assert "contest 1: 200,000 matches are planned, more than its matches = 1000" in said
    path.write_text(HEAD + "minutes = 0.1\n" + one)
    said = refused("run", path, "--local", "--results", tmp_path / "results")
    assert "minutes here, more than its minutes = 0.1 (workers: 1)" in said
    assert not (tmp_path / "results").exists()
    done = fairdeal("run", path, "--dry-run", "--results", tmp_path / "results", code=2)
    assert "Time by bot" in done.stdout
    assert "more than its minutes = 0.1" in done.stderr


def test_many_bots_at_tables_of_more_play_rounds_unless_told_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    bots = json.dumps([f"burrower(odds={40 + 2 * i})" for i in range(13)])
    text = f'[[contest]]\ngame = "fraser_island"\nplayers = 3\nbots = {bots}\ndeals = 64\n'
    path.write_text(HEAD + text)
    done = fairdeal("run", path, "--dry-run", "--results", tmp_path)
    assert "13 bots, 3 at a table: 286 tables; it plays rounds" in done.stderr
    assert "2,496 would be played" in done.stdout
    path.write_text(HEAD + text + 'schedule = "round-robin"\n')
    done = fairdeal("run", path, "--dry-run", "--results", tmp_path)
    assert "286 tables" in done.stderr
    assert "54,912 would be played" in done.stdout


# --- Configs that are wrong -----------------------------------------------------------------------

RIGHT = HEAD + '[[contest]]\ngame = "forest_fox"\nbots = ["humble", "one_ahead"]\ndeals = 5\n'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("deals = 5", "", "contest 1: deals must be given, or matches, or the config's minutes"),
        ("deals = 5", "matches = 1", "contest 1: matches must be at least 2 here, not 1"),
        ("deals = 5", "matches = 0", "contest 1: matches must be at least 1, not 0"),
        ("deals = 5", 'deals = 5\nreference = ["grabber"]', 'reference goes with schedule = "ga'),
        ("deals = 5", 'deals = 5\nschedule = "gauntlet"', "reference must be given"),
        (
            "deals = 5",
            'deals = 5\nschedule = "gauntlet"\nreference = ["humble", "one_ahead"]',
            "bots: at least 1 must play, and there are 0",
        ),
        ("deals = 5", "deals = 5\nround = 16", 'round goes with schedule = "rounds"'),
        (
            "deals = 5",
            'deals = 5\nschedule = "rounds"\nround = 20',
            "round must be a power of two, the deals of a round, not 20",
        ),
        ("seed = 4", "seed = 4\nminutes = 0", "minutes must be above 0, not 0"),
        ("seed = 4", 'seed = 4\nminutes = "two"', "minutes must be a number, not 'two'"),
    ],
)
def test_a_wrong_key_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    path = tmp_path / "small.toml"
    path.write_text(RIGHT.replace(old, new))
    assert app.run(["run", str(path), "--local", "--results", str(tmp_path / "results")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"fairdeal: {path}: ")
    assert said.count("\n") == 1
    assert message in said
    assert not (tmp_path / "results").exists()
