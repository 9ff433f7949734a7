"""Faults of the machine: they cost time, never results, and are never a bot's."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from harness.attempts import MOST_FAILURES, Tries
from harness.errors import UserError
from harness.patience import Patience
from harness.watchdog import guard
from tests import doubles
from tests.campaigns.chaos import disturbed, settings
from tests.command import fairdeal, refused
from tests.processes import (
    alive,
    below,
    rows,
    start,
    two_nodes,
    wait_for_chunks,
    wait_until,
    workers,
)
from tests.processes import chunks as stored
from tests.test_run import BOTS, config, manifest

KILLER = """
import os, signal
from pathlib import Path
from harness.bot import Bot

class Killer(Bot):
    '''Ends its worker, as the kernel does when memory is short{how}.'''
    def act(self, view, legal):
        marker = Path({marker!r})
        if not marker.exists():
            if {once}:
                marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return legal[0]
"""


def killer(folder: Path, once: bool) -> Path:
    folder.mkdir(exist_ok=True)
    marker = folder / "marker"
    path = folder / "killer.py"
    path.write_text(KILLER.format(marker=str(marker), once=once, how=", once" if once else ""))
    return marker


def test_a_killed_worker_costs_a_try_and_no_row(tmp_path: Path) -> None:
    marker = killer(tmp_path / "ann", once=True)
    path = config(tmp_path, ["random_legal", "ann/killer.py"], 40)
    done = fairdeal("run", path, "--workers", "1", "--results", tmp_path / "one")
    assert "Faults of the machine" in done.stdout
    assert marker.exists()
    [attempt] = manifest(tmp_path / "one")["attempts"]
    assert (attempt["times"], attempt["stopped"]) == (1, False)
    assert attempt["what"] == "the worker was killed, or crashed"
    fairdeal("report", "small", "--out", tmp_path / "report", "--results", tmp_path / "one")
    assert attempt["what"] in (tmp_path / "report" / "index.html").read_text()
    fairdeal("run", path, "--local", "--results", tmp_path / "two")
    assert rows(tmp_path / "one") == rows(tmp_path / "two")
    assert manifest(tmp_path / "two")["attempts"] == []


@pytest.mark.battery
def test_a_chunk_that_fails_three_times_stops_its_table_alone(tmp_path: Path) -> None:
    marker = killer(tmp_path / "ann", once=False)
    path = config(tmp_path, ["humble", "random_legal", "ann/killer.py"], 40)
    results = tmp_path / "results"
    done = fairdeal("run", path, "--workers", "2", "--results", results, code=1)
    assert "2 of the run's tables could not be finished" in done.stderr
    found = manifest(results)
    assert found["status"] == "unfinished"
    tables = found["contests"][0]["tables"]
    hit = [any("killer" in label for label in table["entrants"]) for table in tables]
    stopped = [table.get("stopped") for table in tables]
    assert stopped == [{"before_deal": 0} if h else None for h in hit]
    assert [len(table["chunks"]) for table in tables] == [0 if h else 3 for h in hit]
    assert all(attempt["stopped"] for attempt in found["attempts"])
    failures = [attempt["times"] for attempt in found["attempts"]]
    assert failures.count(MOST_FAILURES) >= 2
    assert max(failures) == MOST_FAILURES
    assert all(row.count("@") == 1 for row in found["attempts"][0]["entrants"])
    assert "humble" in fairdeal("ratings", "small", "--results", results).stdout
    marker.touch()  # the machine is mended
    again = fairdeal("run", path, "--workers", "1", "--results", results)
    assert "Run small/0001 goes on" in again.stdout
    after = manifest(results)
    assert after["status"] == "complete"
    assert [len(table["chunks"]) for table in after["contests"][0]["tables"]] == [3, 3, 3]
    assert not any("stopped" in table for table in after["contests"][0]["tables"])


@pytest.mark.battery
def test_results_that_go_away_are_waited_for_and_given_up_in_time(tmp_path: Path) -> None:
    path = config(tmp_path, BOTS, 1500)
    fairdeal("run", path, "--local", "--results", tmp_path / "calm")
    results = tmp_path / "results"
    chunks, away = results / "chunks", results / "away"
    for patience, back in (("1", False), ("60", True)):
        running = start("run", path, "--local", "--results", results, "--patience", patience)
        wait_for_chunks(running, results, stored(results) + 2)
        chunks.rename(away)
        chunks.write_text("a file where the folder was")
        assert running.stderr is not None
        line = running.stderr.readline()
        assert "can't be written (" in line
        assert f"waiting, for {patience} s at most" in line
        if back:
            chunks.unlink()
            away.rename(chunks)
        _, said = running.communicate(timeout=120)
        assert "Traceback" not in said
        if back:
            assert running.returncode == 0, said
            assert "it works again, after" in said
        else:
            assert running.returncode == 2
            assert "; waited for 1 s; " in said
            assert "matches are stored, and the same command goes on" in said
            chunks.unlink()
            away.rename(chunks)
    assert rows(results) == rows(tmp_path / "calm")
    assert {a["what"].partition(":")[0] for a in manifest(results)["attempts"]} == {
        "the store could not be written"
    }


@pytest.mark.battery
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_full_disk_is_waited_for(tmp_path: Path) -> None:
    path, results = config(tmp_path, BOTS, 1500), tmp_path / "results"
    results.mkdir()
    size = ["-o", "size=512k"]
    if subprocess.run(["mount", "-t", "tmpfs", *size, "none", results], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        running = start("run", path, "--local", "--results", results)
        wait_for_chunks(running, results, 1)
        ballast = results / "ballast"
        with ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        assert running.stderr is not None
        assert "No space left on device" in running.stderr.readline()
        ballast.unlink()
        subprocess.run(["mount", "-o", "remount,size=64m", results], check=True)
        _, said = running.communicate(timeout=120)
        assert running.returncode == 0, said
        fairdeal("run", path, "--local", "--results", tmp_path / "calm")
        assert rows(results) == rows(tmp_path / "calm")
    finally:
        subprocess.run(["umount", "-l", results], check=True)


def test_a_second_run_leaves_or_waits(tmp_path: Path) -> None:
    import fcntl

    path, results = config(tmp_path, BOTS, 5), tmp_path / "results"
    results.mkdir()
    with open(results / ".lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another run is writing" in refused("run", path, "--local", "--results", results)
        waiting = start("run", path, "--local", "--wait", "--results", results)
        assert waiting.stderr is not None
        assert "waiting for its end" in waiting.stderr.readline()
        assert waiting.poll() is None
    waiting.communicate(timeout=60)
    assert waiting.returncode == 0
    assert manifest(results)["status"] == "complete"


def chunk(name: str) -> Any:
    return SimpleNamespace(name=name, table=SimpleNamespace(key=name[0]))


def test_tries_are_in_order_and_stop_with_their_table(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    one, two, other = (chunk(name) for name in ("a/1", "a/2", "b/1"))
    tries = Tries([one, other, two])
    assert tries.next() is one
    assert not tries.failed(one, "x").stops
    assert tries.next() is other, "others go on while it waits"
    now[0] = 1.0
    assert tries.next() is one
    assert not tries.failed(one, "x").stops
    assert not tries.postponed(other, "away").stops
    assert tries.next() is other, "at once, and without end"
    now[0] = 5.0
    assert tries.next() is one
    assert tries.failed(one, "x").stops
    assert tries.next() is None, "two is of the same table"
    assert not tries.wait()


def test_patience_waits_longer_each_time_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    now, said = [0.0], []
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    patience = Patience(20, said.append)
    seen = []
    with pytest.raises(UserError, match="disk full; waited for 20 s"):
        for _ in range(99):
            seen.append(now[0])
            patience.wait("disk full")
    assert seen == [0, 0.5, 1.5, 3.5, 7.5, 15.5, 20]
    assert said == ["disk full: waiting, for 20 s at most"]
    patience.worked()
    assert len(said) == 2
    answers = iter([OSError("gone"), OSError("gone"), 7])

    def ask() -> Any:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    assert patience.call(ask) == 7


# --- What stays ---------------------------------------------------------------------------------

GUARDED = """
import subprocess, sys, time
from harness.watchdog import guard
with guard():
    inner = "import subprocess; print(1, flush=True); subprocess.run(['sleep', '600'])"
    child = subprocess.Popen([sys.executable, "-c", inner], start_new_session=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("watchdog", ["lives", "dies first"])
def test_nothing_outlives_a_killed_driver(watchdog: str) -> None:
    driver = subprocess.Popen([sys.executable, "-c", GUARDED], stdout=subprocess.PIPE)
    assert driver.stdout is not None
    driver.stdout.readline()
    time.sleep(1.5)  # for the watchdog to have looked
    started = tuple(psutil.Process(driver.pid).children(recursive=True))
    assert len(started) == 3
    if watchdog == "dies first":
        [dog] = [each for each in started if "watchdog" in " ".join(each.cmdline())]
        dog.kill()
    driver.kill()
    driver.wait()
    driver.stdout.close()
    if watchdog == "dies first":
        time.sleep(1)
        assert len(alive(started)) == 2
        with guard():  # the next run sweeps
            pass
    wait_until(lambda: not alive(started), 10)


def test_what_was_interrupted_while_it_started_is_ended_and_nothing_else() -> None:
    """The driver lives on, with what it had before; only what it started since goes."""
    sleep = ["sleep", "600"]
    with subprocess.Popen(sleep) as before:
        with pytest.raises(KeyboardInterrupt), guard():
            started = subprocess.Popen(sleep, start_new_session=True)
            raise KeyboardInterrupt
        assert started.wait(timeout=1) == -signal.SIGKILL
        assert before.poll() is None
        with guard():
            kept = subprocess.Popen(sleep)
        for each in (before, kept):
            assert each.poll() is None
            each.kill()
            each.wait()


def test_ports_are_on_loopback_and_nothing_stays_after_a_kill(tmp_path: Path) -> None:
    path = config(tmp_path, BOTS, 3000)
    running = start("run", path, "--workers", "1", "--results", tmp_path / "results")
    wait_until(lambda: workers(below(running)) or running.poll() is not None)
    started = below(running)
    assert workers(started), "it was finished before it could be looked at"
    listening = []
    for process in started:
        for connection in process.net_connections("inet"):
            if connection.status == psutil.CONN_LISTEN:
                listening.append(connection.laddr.ip.removeprefix("::ffff:"))
    assert len(listening) >= 3
    assert set(listening) <= {"127.0.0.1", "::1"}
    running.kill()
    running.communicate()
    wait_until(lambda: not alive(started), 10)


def test_a_short_chaos(tmp_path: Path) -> None:
    """One driver; `python -m tests.campaigns.chaos` kills workers and nodes too."""
    ready = settings(tmp_path, 1500, ["inprocess"])[0]
    outcome = disturbed(ready, "driver", tmp_path, random.Random(2), None)
    assert outcome.same
    assert outcome.left == []
    assert outcome.starts == 2


# --- A cluster ----------------------------------------------------------------------------------


@pytest.mark.battery
def test_a_node_killed_in_the_middle_costs_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    doubles.write(tmp_path / "ann", "honest", "crash")
    path = config(tmp_path, ["humble", "random_legal", "ann/*.py"], 300)
    text = path.read_text().replace("inprocess", "sandbox")
    path.write_text(text)
    fairdeal("run", path, "--local", "--results", tmp_path / "calm")
    results = tmp_path / "results"
    with two_nodes() as nodes:
        running = start("run", path, "--address", nodes.address, "--results", results)
        assert wait_for_chunks(running, results, 4)
        nodes.kill()
        _, said = running.communicate(timeout=300)
    assert running.returncode == 0, said
    # Two workers may have played on where a bot was suspended meanwhile: those chunks don't count.
    tables = [table for each in manifest(results)["contests"] for table in each["tables"]]
    counted = {name for table in tables for name in table["chunks"]}
    found = {name: each for name, each in rows(results).items() if name in counted}
    assert found == rows(tmp_path / "calm")
    for attempt in manifest(results)["attempts"]:
        assert attempt["what"] in ("the worker's node died", "the worker was killed, or crashed")


def test_a_game_outside_the_package_travels(tmp_path: Path) -> None:
    from games.forest_fox import rules
    from harness.games import find_game
    from harness.travel import packed

    folder = tmp_path / "here" / "fox_of_mine"
    folder.mkdir(parents=True)
    (folder / "rules.py").write_text(Path(rules.__file__).read_text())
    files = packed(str(folder))
    assert files is not None
    assert packed("forest_fox") is None
    (folder / "rules.py").unlink()
    unpacked = files.unpacked()
    assert not unpacked.startswith(str(tmp_path))
    assert find_game(unpacked).players == (2,)
    assert files.unpacked() == unpacked
