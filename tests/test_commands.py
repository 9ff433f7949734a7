"""The other commands, run as a user runs them."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli.tables import harmless
from tests import doubles
from tests.command import BASE, fairdeal, refused

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize(
    "command",
    [
        "",
        "games",
        "bots",
        "match",
        "replay",
        "run",
        "runs",
        "verify",
        "reveal",
        "gc",
        "balance",
        "ratings",
        "metagame",
        "faults",
        "tactics",
        "skill",
        "duel",
        "report",
        "check",
        "solve",
        "spar",
        "new-bot",
        "bench",
        "balance",
        "tune",
    ],
)
def test_every_command_has_help_with_an_example(command: str) -> None:
    done = fairdeal(*command.split(), "--help")
    if command:
        assert "Example: fairdeal" in " ".join(done.stdout.split())


@pytest.mark.parametrize("output", ["table", "csv", "json", "markdown"])
def test_tables_in_four_forms(output: str) -> None:
    said = fairdeal("games", "forest_fox", "--output", output).stdout
    assert "humble_max" in said.replace("\\", "")
    if output == "json":
        assert {row["kind"] for row in json.loads(said)} == {"option", "tactic", "forbid"}
    if output == "csv":
        assert next(csv.DictReader(io.StringIO(said)))["name"] == "leader"


def test_a_match_and_its_records(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    command = ["match", "forest_fox", "humble", "random_legal", "--output", "json"]
    said = fairdeal(*command, "--deals", "5", "--seed", "3", "--records", file).stdout
    table = json.loads(said)
    assert [row["matches"] for row in table] == [10, 10]
    assert sum(row["points"] for row in table) == 10
    lines = file.read_text().splitlines()
    assert len(lines) == 10
    assert "10 records are right." in fairdeal("replay", file).stdout
    one = tmp_path / "one.jsonl"
    options = ["--deal", "3", "--seating", "1", "--seed", "3", "--records", str(one)]
    fairdeal(*command, *options)
    assert one.read_text().splitlines() == [lines[7]]
    fairdeal(*command, "--seatings", "one", "--seed", "3", "--records", one)
    assert one.read_text().splitlines() == [lines[0]]


def test_a_match_under_other_rules(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    rules = ["--rules", "leader=trick_winner", "--rules", "humble_max=2", "--rules", "fox=false"]
    fairdeal("match", "forest_fox", "humble", "humble", *rules, "--records", file)
    wanted = {"leader": "trick_winner", "humble_max": 2, "fox": False}
    assert json.loads(file.read_text().splitlines()[0])["rules"] == wanted


def test_a_fault_in_a_match_is_told_without_harm(tmp_path: Path) -> None:
    [rude] = doubles.write(tmp_path / "ann", "rude_text")
    done = fairdeal("match", "forest_fox", rude, "random_legal")
    assert "fault crash in deal 0" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout
    assert "[red]cleared[/red]" in done.stderr
    assert "\x1b" not in harmless("\x1b[2J") != ""


def test_a_wrong_record_is_named_and_exits_with_1(tmp_path: Path) -> None:
    lines = (DATA / "examples_forest_fox.jsonl").read_text().splitlines()
    file = tmp_path / "wrong.jsonl"
    file.write_text("\n".join([lines[0], lines[1].replace("1 5M", "1 5K", 1), "{}", "nonsense"]))
    done = fairdeal("replay", file, code=1)
    assert "record 2: entry 2: '1 5K' is not legal here; legal: 2M, 4M, 5M" in done.stderr
    assert "record 3: there is no 'format'" in done.stderr
    assert "record 4: not JSON" in done.stderr
    assert "1 records are right, 3 wrong" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "chess", "a", "b"], "there is no game 'chess'"),
        (["match", "forest_fox", "humble"], "players must be 2, not 1"),
        (["match", "forest_fox", "humble", "nobody"], "there is no bot 'nobody'"),
        (["match", "forest_fox", "humble", "gone.py"], "there is no such file"),
        (["match", "forest_fox", "humble", "humble", "--rules", "x"], "must be KEY=VALUE"),
        (["match", "forest_fox", "humble", "humble", "--rules", "x=1"], "no rules option 'x'"),
        (["match", "forest_fox", "humble", "humble", "--rules", "fox=7"], "true or false, not 7"),
        (["match", "forest_fox", "humble", "humble", "--seating", "2"], "--seating must be 0 to 1"),
        (["match", "forest_fox", "humble", "humble", "--deals", "0"], "Invalid value"),
        (["match", "forest_fox", "humble", "humble", "--records", "/no/where"], "/no/where"),
        (["replay", "gone.jsonl"], "gone.jsonl: No such file"),
        (["games", "chess"], "there is no game 'chess'"),
        (["bots", "chess"], "there is no game 'chess'"),
        (["bench", "chess"], "there is no game 'chess'"),
    ],
)
def test_mistakes_are_one_clear_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    assert message in refused(*arguments, cwd=tmp_path)


def test_bad_bot_files_are_one_clear_line(tmp_path: Path) -> None:
    for name in ("no_bot", "syntax_error", "two_bots", "other_game"):
        [path] = doubles.write(tmp_path / "ann", name)
        assert name in refused("match", "forest_fox", path, "humble")
    assert "a folder needs a bot.py to be a bot" in refused(
        "match", "forest_fox", "./", "humble", cwd=tmp_path
    )


def test_a_reader_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        f"{' '.join(BASE)} bots | head -1", shell=True, capture_output=True, text=True
    )
    assert done.stderr == ""


def test_bench_counts_what_bots_were_asked() -> None:
    said = fairdeal(
        "bench", "forest_fox", "--in-process", "--seconds", "0.1", "--output", "json"
    ).stdout
    [row] = json.loads(said)
    assert 5 < row["decisions/s"] / row["matches/s"] < 14


def test_runs_lists_what_was_played(tmp_path: Path) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(
        'seed = 1\nisolation = "inprocess"\n[[contest]]\ngame = "forest_fox"\n'
        'bots = ["humble", "random_legal"]\ndeals = 3\n'
    )
    results = tmp_path / "results"
    fairdeal("run", config, "--local", "--results", results)
    said = fairdeal("runs", "--results", results, "--output", "json").stdout
    [row] = json.loads(said)
    assert (row["run"], row["status"], row["matches"]) == ("tiny/0001", "complete", 6)
    for name in ("tiny", "tiny/0001", "latest", results / "runs/tiny/0001"):
        said = fairdeal("ratings", name, "--results", results, "--output", "json").stdout
        assert len(json.loads(said)) == 2


def test_what_prints_is_the_same_under_any_hash_seed() -> None:
    command = [sys.executable, "-m", "harness.cli", "bots", "--output", "csv"]
    said = {
        subprocess.run(
            command, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1", "random")
    }
    assert len(said) == 1


def test_a_mistyped_key_is_named(tmp_path: Path) -> None:
    config = tmp_path / "typo.toml"
    config.write_text('seed = 1\n[[contest]]\ngame = "forest_fox"\nbots = ["*"]\ndeal = 3\n')
    assert "there is no key 'deal'; there are: game" in refused("run", config)


def test_faults_are_told_case_by_case(tmp_path: Path) -> None:
    doubles.write(tmp_path / "ann", "claims_equality")
    doubles.write(tmp_path / "ann", "honest")
    (tmp_path / "c.toml").write_text(
        'seed = 1\n[[contest]]\ngame = "forest_fox"\nbots = ["ann/*.py"]\ndeals = 8\n'
    )
    place = ("--results", tmp_path / "r")
    fairdeal("run", tmp_path / "c.toml", "--local", "--isolation", "process", *place)
    said = fairdeal("faults", "c", *place).stdout
    assert "answered <" in said
    assert " at 0x" not in said
    assert "legal: " in said
    assert "record: !deck " in said
    assert said.count("illegal in deal") == 2
    rows = json.loads(fairdeal("faults", "latest", "claims", *place, "--output", "json").stdout)
    assert len(rows) == 5, "of each bot and kind a chunk keeps the first five"
    assert all(row["moves"][-1].endswith("fault illegal") for row in rows)
    assert json.loads(fairdeal("faults", "c", "honest", *place, "--output", "json").stdout) == []
    assert "no faults" in fairdeal("faults", "c", "honest", *place).stdout
    assert "there is no bot 'nobody'" in refused("faults", "c", "nobody", *place)


def test_a_file_of_wrong_records_is_not_told_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text("{}\n" * 30)
    done = fairdeal("replay", path, code=1)
    assert len(done.stderr.splitlines()) == 11
    assert "20 more records are wrong" in done.stderr
