"""The main job: the same rows however they are played, kept through kills, checked for damage."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.play.chunk import TIMING
from tests import doubles, hostile
from tests.command import BASE, MARK, fairdeal, refused

CONFIG = """
name = "small"
seed = 11
isolation = "inprocess"
[[contest]]
game = "forest_fox"
bots = {bots}
deals = {deals}
"""


def config(folder: Path, bots: list[str], deals: int = 3000) -> Path:
    path = folder / "small.toml"
    path.write_text(CONFIG.format(bots=json.dumps(bots), deals=deals))
    return path


def rows(results: Path) -> dict[str, Any]:
    """All rows of a store by chunk, without what was timed."""
    return {
        str(path.relative_to(results / "chunks")): pq.read_table(path, partitioning=None)
        .drop_columns(list(TIMING))
        .to_pylist()
        for path in sorted((results / "chunks").glob("*/*.parquet"))
    }


def manifest(results: Path, run: str = "small/0001") -> dict[str, Any]:
    found = json.loads((results / "runs" / run / "manifest.json").read_text())
    assert isinstance(found, dict)
    return found


BOTS = ["humble", "one_ahead", "random_legal"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A config, and its results as played by `--local`."""
    folder = tmp_path_factory.mktemp("played")
    path = config(folder, BOTS)
    fairdeal("run", path, "--local", "--results", folder / "results")
    return path, folder / "results"


@pytest.mark.parametrize("workers", [1, 2])
def test_rows_are_the_same_for_any_number_of_workers(
    played: tuple[Path, Path], tmp_path: Path, workers: int
) -> None:
    path, results = played
    fairdeal("run", path, "--workers", str(workers), "--results", tmp_path)
    assert rows(tmp_path) == rows(results)
    assert left_running("raylet") == []


def test_rows_are_the_same_after_a_kill_in_the_middle(
    played: tuple[Path, Path], tmp_path: Path
) -> None:
    path, results = played
    command = [*BASE, "run", str(path), "--workers", "2", "--results", str(tmp_path)]
    running = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    wait_for_chunk(running, tmp_path)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert manifest(tmp_path)["status"] == "unfinished"
    wait_until(lambda: left_running("raylet") == [])
    done = fairdeal("run", path, "--workers", "2", "--results", tmp_path)
    assert "Run small/0001 goes on" in done.stdout
    assert "are there already" in done.stdout
    assert rows(tmp_path) == rows(results)
    assert manifest(tmp_path)["status"] == "complete"


@pytest.mark.parametrize(
    "stop",
    [
        lambda pid: os.killpg(pid, signal.SIGINT),  # as a terminal does it: to the whole group
        lambda pid: os.kill(pid, signal.SIGTERM),
        pytest.param(lambda pid: os.kill(pid, signal.SIGHUP), marks=pytest.mark.battery),
    ],
    ids=["ctrl-c", "kill", "the terminal is closed"],
)
def test_who_stops_a_run_keeps_what_is_finished_and_is_told_how_to_go_on(
    played: tuple[Path, Path], tmp_path: Path, stop: Callable[[int], None]
) -> None:
    path, results = played
    command = [*BASE, "run", str(path), "--workers", "1", "--results", str(tmp_path)]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for_chunk(running, tmp_path)
    stop(running.pid)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "matches are stored; `fairdeal run" in said
    assert "Traceback" not in said
    wait_until(lambda: left_running("raylet") == [])
    assert 0 < len(rows(tmp_path)) < len(rows(results))
    fairdeal("run", path, "--local", "--results", tmp_path)
    assert rows(tmp_path) == rows(results)


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGINT, marks=pytest.mark.battery),
        pytest.param(signal.SIGHUP, marks=pytest.mark.battery),
    ],
)
def test_a_run_stopped_while_ray_starts_says_so_and_leaves_nothing(
    tmp_path: Path, number: int
) -> None:
    command = [*BASE, "run", str(config(tmp_path, BOTS)), "--workers", "1"]
    running = subprocess.Popen(
        [*command, "--results", str(tmp_path)], stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: left_running("gcs_server") or running.poll() is not None)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said.startswith("stopped: 0 of 18,000 matches are stored; `fairdeal run")
    assert said.count("\n") == 1
    for word in ("gcs_server", "raylet", "agent", "ray::"):
        assert left_running(word) == []


def test_a_run_in_a_scripts_background_stops_too(tmp_path: Path) -> None:
    """There a shell ignores SIGINT. The line names the level, without which other rows follow."""
    path = config(tmp_path, BOTS)
    script = 'trap "" INT; exec "$@"'
    command = [*BASE, "run", str(path), "--local", "--isolation", "process", "--results"]
    running = subprocess.Popen(
        ["sh", "-c", script, "sh", *command, str(tmp_path)], stderr=subprocess.PIPE, text=True
    )
    wait_for_chunk(running, tmp_path)
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert f"`fairdeal run {path} --isolation process --results {tmp_path}` goes on" in said


def wait_for_chunk(running: subprocess.Popen[Any], results: Path) -> None:
    def there() -> bool:
        assert running.poll() is None, "it was finished before it could be stopped"
        return any((results / "chunks").glob("*/*.parquet"))

    wait_until(there)


def wait_until(true: Any, seconds: float = 60) -> None:
    stop = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < stop, "waited in vain"
        time.sleep(0.02)


def left_running(word: str) -> list[str]:
    """The command lines of processes with this word that a command of these tests started."""
    mark = f"{MARK}={os.getpid()}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                marked = mark in (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if marked and word in line.split(" ")[0]:
                found.append(line)
    return found


def test_running_again_plays_only_what_is_missing(
    played: tuple[Path, Path], tmp_path: Path
) -> None:
    path, results = played
    done = fairdeal("run", path, "--local", "--results", results)
    assert "0 matches to play, 18,000 are there already" in done.stdout
    again = manifest(results, "small/0002")
    assert again["played"]["matches"] == 0
    assert again["summary"] == manifest(results)["summary"]


def test_more_deals_keep_the_full_chunks(played: tuple[Path, Path], tmp_path: Path) -> None:
    small, large = config(tmp_path, BOTS, 2000), tmp_path / "large.toml"
    large.write_text(small.read_text().replace("2000", "3000"))
    fairdeal("run", small, "--local", "--results", tmp_path / "results")
    done = fairdeal("run", large, "--local", "--results", tmp_path / "results")
    assert "are there already" in done.stdout
    assert "Run small/0002 begins" in done.stdout
    _, results = played
    grown = rows(tmp_path / "results")
    assert {name: grown[name] for name in rows(results)} == rows(results)


def test_other_bots_begin_a_new_run_and_it_is_said(tmp_path: Path) -> None:
    path = config(tmp_path, BOTS, 50)
    results = tmp_path / "results"
    fairdeal("run", path, "--local", "--results", results)
    unfinished = manifest(results) | {"status": "unfinished"}
    (results / "runs/small/0001/manifest.json").write_text(json.dumps(unfinished))
    config(tmp_path, BOTS[:2], 50)
    done = fairdeal("run", path, "--local", "--results", results)
    assert "Run small/0002 begins" in done.stdout
    assert "a new run begins" in done.stderr


def test_a_damaged_chunk_is_named_by_readers_and_replaced_by_run(tmp_path: Path) -> None:
    path, results = config(tmp_path, BOTS, 100), tmp_path / "results"
    fairdeal("run", path, "--local", "--results", results)
    before = rows(results)
    victims = sorted((results / "chunks").glob("*/*.parquet"))
    middle = victims[0].read_bytes()
    victims[0].write_bytes(middle[:300] + bytes([middle[300] ^ 0xFF]) + middle[301:])
    victims[1].write_bytes(b"")
    pq.write_table(pa.table({"deal": [1]}), victims[2])
    said = refused("ratings", "small", "--results", results)
    assert any(str(victim) in said for victim in victims)
    done = fairdeal("run", path, "--local", "--results", results)
    for victim in victims[:3]:
        assert str(victim) in done.stderr
        assert victim.with_name(victim.name + ".damaged").exists()
    assert "set aside, and played again" in done.stderr
    assert rows(results) == before
    assert len(manifest(results, "small/0002")["damaged"]) == 3
    fairdeal("ratings", "small", "--results", results)


def test_a_lost_chunk_is_named(tmp_path: Path) -> None:
    path, results = config(tmp_path, BOTS, 20), tmp_path / "results"
    fairdeal("run", path, "--local", "--results", results)
    next((results / "chunks").glob("*/*.parquet")).unlink()
    assert "is gone; run again to play it" in refused("ratings", "small", "--results", results)


def test_what_is_stored_of_an_unfinished_run_can_be_read(
    tmp_path: Path,
) -> None:
    results = tmp_path / "results"
    fairdeal("run", config(tmp_path, BOTS, 20), "--local", "--results", results)
    [path] = (results / "runs").glob("small/*/manifest.json")
    about = json.loads(path.read_text()) | {"status": "unfinished", "summary": None}
    path.write_text(json.dumps(about))
    path.with_name("summary.json.gz").unlink()
    victim, *others = sorted((results / "chunks").glob("*/*.parquet"))
    victim.unlink()
    said = fairdeal("ratings", "small", "--results", results).stdout
    assert f"unfinished: {len(others)} of {len(others) + 1} chunks" in said
    for other in others:
        other.unlink()
    assert "unfinished, and nothing of it is stored" in refused(
        "ratings", "small", "--results", results
    )


def test_bots_that_are_none_are_left_out_and_listed(tmp_path: Path) -> None:
    doubles.write(tmp_path / "ann", "honest", "no_bot", "syntax_error", "other_game", "two_bots")
    path = config(tmp_path, ["random_legal", "ann/*.py", "bob/gone.py"], 10)
    done = fairdeal("run", path, "--local", "--results", tmp_path / "results")
    for name in ("no_bot", "syntax_error", "other_game", "two_bots", "bob/gone.py"):
        assert name in done.stderr
    assert "Left out: " in done.stdout
    contest = manifest(tmp_path / "results")["contests"][0]
    assert [entrant["label"].split("@")[0] for entrant in contest["entrants"]] == [
        "random_legal",
        "ann/honest",
    ]
    assert len(contest["left_out"]) == 5


def test_a_bot_that_fails_on_import_loses_its_matches_and_the_run_goes_on(tmp_path: Path) -> None:
    doubles.write(tmp_path / "ann", "honest", "bad_import", "exits_on_import", "crash")
    path = config(tmp_path, ["humble", "random_legal", "ann/*.py"], 10)
    results = tmp_path / "results"
    done = fairdeal("run", path, "--workers", "2", "--results", results)
    ratings = {row["bot"].split("@")[0]: row for row in manifest(results)["summary"][0]["ratings"]}
    assert ratings["ann/bad_import"]["faults"] > 0
    assert ratings["ann/bad_import"]["rating"] is None
    assert ratings["humble"]["rating"] is not None
    assert "no_such_module_anywhere" in done.stdout
    assert "not strongly connected" in done.stderr
    matches = sum(len(chunk) for chunk in rows(results).values()) / 2
    assert matches == 15 * 10 * 2


def test_a_file_is_not_run_before_it_plays(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    doubles.write_marker(tmp_path / "ann", marker)
    path = config(tmp_path, ["random_legal", "ann/marker.py"], 5)
    results = tmp_path / "results"
    fairdeal("bots", "forest_fox")
    done = fairdeal("run", path, "--dry-run", "--results", results)
    assert "10 would be played" in done.stdout
    assert not marker.exists()
    assert not results.exists(), "a dry run writes nothing"
    fairdeal("run", path, "--local", "--results", results)
    assert marker.exists()


def test_the_files_of_every_version_are_kept(tmp_path: Path) -> None:
    [honest] = doubles.write(tmp_path / "ann", "honest")
    path, results = config(tmp_path, ["random_legal", "ann/honest.py"], 5), tmp_path / "results"
    fairdeal("run", path, "--local", "--results", results)
    contest = manifest(results)["contests"][0]
    version = next(e["version"] for e in contest["entrants"] if e["label"].startswith("ann"))
    assert (results / "bots" / version / "own" / "honest.py").read_text() == honest.read_text()


def test_small_rows(tmp_path: Path) -> None:
    """At most 20 bytes of Parquet a row in a chunk of 1,000 rows and more."""
    path = config(tmp_path, ["humble", "one_ahead"], 1024)
    fairdeal("run", path, "--local", "--results", tmp_path / "results")
    counted = 0
    for chunk in (tmp_path / "results/chunks").glob("*/*.parquet"):
        count = pq.read_metadata(chunk).num_rows
        if count >= 1000:
            counted += 1
            assert chunk.stat().st_size / count <= 20
    assert counted == 2


def test_two_runs_on_one_store_do_not_meet(tmp_path: Path) -> None:
    import fcntl

    path, results = config(tmp_path, BOTS, 5), tmp_path / "results"
    results.mkdir()
    with open(results / ".lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another run is writing" in refused("run", path, "--local", "--results", results)


# --- Configs that are wrong ---------------------------------------------------------------------

RIGHT = """
name = "x"
seed = 1
isolation = "inprocess"
[[contest]]
game = "forest_fox"
bots = ["*"]
deals = 5
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("deals = 5", "deals = 5\nfoo = 1", "contest 1: there is no key 'foo'; there are: game,"),
        ('name = "x"', 'name = "x"\nhours = 5', "there is no key 'hours'; there are: name,"),
        ("deals = 5", "deals = 0", "contest 1: deals must be at least 1, not 0"),
        ("deals = 5", 'deals = "many"', "contest 1: deals must be a whole number, not 'many'"),
        ("deals = 5", "", "contest 1: deals must be given"),
        ("deals = 5", "deals = 5\nplayers = 9", "contest 1: forest_fox: players must be 2, not 9"),
        (
            "deals = 5",
            'deals = 5\nschedule = "swiss"',
            "schedule must be 'round-robin', 'rounds', 'gauntlet' or 'adaptive', not 'swiss'",
        ),
        ("deals = 5", "deals = 5\nrules = { foxes = true }", "there is no rules option 'foxes'"),
        ("deals = 5", "deals = 5\nrules = { humble_max = 7 }", "humble_max must be 0 to 3, not 7"),
        ('"forest_fox"', '"chess"', "contest 1: there is no game 'chess'; there are:"),
        ('"forest_fox"', '"./nowhere"', "there is no"),
        ('["*"]', '["hermit"]', "contest 1: there is no bot 'hermit' for forest_fox"),
        ('["*"]', "[]", "contest 1: bots must not be empty"),
        ('["*"]', '["humble"]', "contest 1: bots: at least 2 must play, and there are 1"),
        ('["*"]', '["humble", "gone.py"]', "left out: "),
        ('["*"]', '["humble(x=1)", "*"]', "humble has no parameter 'x'"),
        ("seed = 1", "", "seed must be given"),
        ("seed = 1", 'seed = "soon"', "seed must be a whole number or \"secret\", not 'soon'"),
        ('name = "x"', 'name = "../x"', "name must be letters, digits"),
        ('name = "x"', "name = ", "not TOML"),
        ("[[contest]]", "[contest]", "contest must be a list"),
    ],
)
def test_a_wrong_config_is_one_clear_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in RIGHT
    path = tmp_path / "wrong.toml"
    path.write_text(RIGHT.replace(old, new))
    said = refused("run", path, "--local", "--results", tmp_path / "results")
    assert message in said
    assert said.startswith(str(path))
    assert not (tmp_path / "results").exists()


def test_other_mistakes_are_one_clear_line(tmp_path: Path) -> None:
    path = config(tmp_path, BOTS, 5)
    assert "No such file" in refused("run", tmp_path / "none.toml")
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert "can't be written" in refused("run", path, "--local", "--results", blocked)
    assert "give one" in refused("run", path, "--workers", "1", "--address", "auto")
    assert "--local" in refused("run", path, "--local", "--workers", "2")
    assert "no results in" in refused("ratings", "small", "--results", tmp_path / "none")
    assert "Invalid value" in refused("run", path, "--workers", "0")
    assert "No such option" in refused("run", path, "--frob")
    assert "No such command" in refused("frob")
    results = tmp_path / "results"
    fairdeal("run", path, "--local", "--results", results)
    assert "there is no run 'other'" in refused("ratings", "other", "--results", results)
    assert "there is no run 'small/0009'" in refused("ratings", "small/0009", "--results", results)
    (results / "runs/small/0001/manifest.json").write_text("{")
    assert "manifest is damaged" in refused("ratings", "small", "--results", results)


def test_no_cluster_at_an_address_is_one_line(tmp_path: Path) -> None:
    path = config(tmp_path, BOTS, 5)
    said = refused("run", path, "--address", "127.0.0.1:1", "--results", tmp_path / "results")
    assert "no Ray cluster at 127.0.0.1:1" in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_results_folder_is_one_line(tmp_path: Path) -> None:
    path = config(tmp_path, BOTS, 5)
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert "can't be written" in refused("run", path, "--local", "--results", locked)


CLUSTER = """
import sys
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
cluster.add_node(num_cpus=1)
print(cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()
"""


def test_rows_are_the_same_on_a_cluster_of_others(
    played: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    path, results = played
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", CLUSTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as cluster:
        assert cluster.stdin is not None
        assert cluster.stdout is not None
        address = ""
        while ":" not in address or " " in address:
            address = cluster.stdout.readline().strip()
        try:
            fairdeal("run", path, "--address", address, "--results", tmp_path)
        finally:
            cluster.stdin.close()
            cluster.wait(timeout=60)
    assert rows(tmp_path) == rows(results)
    wait_until(lambda: left_running("raylet") == [])


def test_a_bot_that_faults_again_and_again_is_suspended_whatever_the_workers(
    tmp_path: Path,
) -> None:
    doubles.write(tmp_path / "ann", "honest", "crash")
    path = config(tmp_path, ["humble", "random_legal", "ann/*.py"], 200)
    done = fairdeal("run", path, "--local", "--results", tmp_path / "one")
    assert "Suspended: ann/crash" in done.stdout
    fairdeal("run", path, "--workers", "2", "--results", tmp_path / "two")
    one, two = (manifest(tmp_path / name)["contests"][0]["tables"] for name in ("one", "two"))
    assert one == two
    for table in one:
        faulty = any(label.startswith("ann/crash") for label in table["entrants"])
        assert ("suspended" in table) == faulty
        if faulty:
            assert table["suspended"]["after_deal"] == 15
            assert len(table["chunks"]) == 1
    again = fairdeal("run", path, "--local", "--results", tmp_path / "one")
    assert " 0 matches to play" in again.stdout
    fairdeal("ratings", "small", "--results", tmp_path / "one")


def test_five_hostile_bots_of_eight_cost_nobody_else_anything(tmp_path: Path) -> None:
    names = ["raises", "exits", "eats_memory", "returns_garbage", "exits_at_import"]
    (tmp_path / "bad").mkdir()
    for name in names:
        (tmp_path / "bad" / f"{name}.py").write_text(hostile.source(hostile.BOTS[name]))
    doubles.write(tmp_path / "ann", "honest")
    bots = ["humble", "random_legal", "ann/honest.py", "bad/*.py"]
    path = config(tmp_path, bots, 8)
    done = fairdeal(
        "run", path, "--workers", "2", "--isolation", "sandbox", "--results", tmp_path / "r"
    )
    found = rows(tmp_path / "r")
    assert sum(len(chunk) for chunk in found.values()) == 28 * 8 * 2 * 2, "every row accounted for"
    for chunk in found.values():
        for row in chunk:
            assert (row["fault"] is None) or row["bot"].startswith("bad/")
    config(tmp_path, bots[:3], 8)
    fairdeal("run", path, "--local", "--isolation", "sandbox", "--results", tmp_path / "clean")
    clean = rows(tmp_path / "clean")
    assert {name: found[name] for name in clean} == clean
    assert "bad/exits" in done.stdout
    wait_until(lambda: not left_running("bwrap") and not left_running("raylet"))
