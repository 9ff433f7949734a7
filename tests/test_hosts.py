"""Bots in hosts: the same rows at every level, and no bot can harm more than its own matches."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from harness.entrants import Entrant, find_one
from harness.games import builtin_names, find_game
from harness.play import sandbox
from harness.play.budgets import Budgets
from harness.play.chunk import TIMING, play_chunk
from harness.play.seeds import run_key
from harness.play.series import LookTaken, MatchPlayed, Series, played
from harness.play.tables import Chunk, make_table, table_size
from tests import doubles, hostile
from tests.command import BASE
from tests.test_run import left_running, wait_until

FOX = find_game("forest_fox")
TIGHT = Budgets(decision_seconds=0.3, idle_seconds=1.0, load_seconds=1.0)
LEVELS = ("process", "sandbox")


@pytest.fixture(scope="session", autouse=True)
def _sandbox() -> None:
    sandbox.check("sandbox")


def series(level: str, *entrants: Entrant, **changed: Any) -> tuple[list[MatchPlayed], list[Any]]:
    """Eight deals between these, by default in one seating, and the second looks."""
    looks: list[LookTaken] = []
    wanted: dict[str, Any] = {
        "game": FOX,
        "path": "forest_fox",
        "rules": FOX.rules(),
        "players": 2,
        "entrants": entrants,
        "key": run_key(3),
        "deals": range(4),
        "isolation": level,
        "budgets": TIGHT,
        "as_given": True,
    }
    found = played(Series(**wanted | changed), looks)
    return sorted(found, key=lambda match: (match.deal, match.seating)), looks


def submitted(folder: Path, name: str, text: str) -> Entrant:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.py"
    path.write_text(text)
    return find_one(str(path), FOX, Path())


def battery(name: str, level: str, tmp_path: Path) -> None:
    bot = hostile.BOTS[name]
    wanted = getattr(bot, level)
    if wanted == "skip":
        pytest.skip("this level doesn't promise to hold it")
    attacker = submitted(tmp_path / "ann", name, hostile.source(bot))
    honest = find_one("humble", FOX, Path())
    start = time.monotonic()
    # The two matches without it, in the same tick, are as they are without it.
    alone, _ = series("inprocess", honest, honest)
    found, _ = series(level, attacker, honest)
    assert [match.deal for match in found] == [0, 1, 2, 3], "every match is accounted for"
    kinds = {match.ended.fault.kind if match.ended.fault else None for match in found}
    assert all(match.ended.at in (0, None) for match in found), "charged to the attacker alone"
    if wanted is None:
        assert kinds == {None}, [match.ended.fault for match in found]
        quiet = submitted(tmp_path / "ann", "quiet", doubles.HEAD + doubles.SOURCES["honest"])
        other, _ = series("inprocess", quiet, honest)
        assert [m.ended.result for m in found] == [m.ended.result for m in other]
    elif wanted != hostile.ANY:
        assert kinds <= set(wanted.split(" or ")), [match.ended.fault for match in found]
    again, _ = series("inprocess", honest, honest)
    assert [m.moves for m in again] == [m.moves for m in alone], "the engine is unharmed"
    assert time.monotonic() - start < 60
    assert not left_running_hosts()
    assert not Path("/tmp/fairdeal-mark").exists()


def left_running_hosts() -> list[int]:
    """Processes that still carry the mark of a host of ours, after a moment to die in."""
    for _ in range(50):
        if not (found := hosts_of(os.getpid())):
            return []
        time.sleep(0.1)
    return found


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", [name for name, bot in hostile.BOTS.items() if bot.short])
def test_an_attacker_harms_its_own_matches_alone(name: str, level: str, tmp_path: Path) -> None:
    battery(name, level, tmp_path)


@pytest.mark.battery
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", [name for name, bot in hostile.BOTS.items() if not bot.short])
def test_the_whole_battery(name: str, level: str, tmp_path: Path) -> None:
    battery(name, level, tmp_path)


# --- The same rows ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", builtin_names())
def test_rows_are_the_same_at_every_level(name: str) -> None:
    game = find_game(name)
    entrants, _ = find_all(name)
    size = table_size(game, game.usual)
    seated = (entrants * size)[:size]
    rows = []
    for level in ("inprocess", *LEVELS):
        table = make_table(name, game, game.rules(), game.usual, seated, level)
        found = play_chunk(Chunk(table, 0, 5, run_key(5))).rows
        rows.append(found.drop_columns(list(TIMING)).to_pylist())
    assert rows[0] == rows[1] == rows[2]


def find_all(name: str) -> tuple[list[Entrant], list[str]]:
    from harness.entrants import enter, find_bots

    found, left_out = find_bots("*", find_game(name), Path())
    quick = [
        enter(one.bot, {"iterations": 2}) if one.bot.name == "search" else one for one in found
    ]
    return quick, left_out


@pytest.mark.parametrize("level", LEVELS)
def test_events_reach_a_hosted_bot(level: str, tmp_path: Path) -> None:
    text = doubles.HEAD + doubles.SOURCES["listens"]
    listener = submitted(tmp_path / "ann", "listens", text)
    found, _ = series(level, listener, listener)
    assert all(match.ended.fault is None for match in found)


# --- Second looks -------------------------------------------------------------------------------

ONCE = """
from harness.bot import Bot
import os
SEEN = {seen}
class Once(Bot):
    def act(self, view, legal):
        global SEEN
        SEEN += 1
        if SEEN == 9:
            {what}
        return legal[{answer}]
"""


@pytest.mark.parametrize("what", ["raise ValueError", "os._exit(1)"])
def test_a_fault_that_does_not_come_again_is_cleared_and_counts(tmp_path: Path, what: str) -> None:
    once = f"""
from harness.bot import Bot
import os
class Once(Bot):
    def act(self, view, legal):
        if len(view.hand) == 5:
            try:
                os.close(os.open({str(tmp_path / "mark")!r}, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return legal[0]
            {what}
        return legal[0]
"""
    bot = submitted(tmp_path / "ann", "once", once)
    found, looks = series("process", bot, find_one("humble", FOX, Path()))
    quiet = submitted(tmp_path / "ann", "quiet", doubles.HEAD + doubles.SOURCES["honest"])
    wanted, _ = series("inprocess", quiet, find_one("humble", FOX, Path()))
    assert [match.ended.result for match in found] == [match.ended.result for match in wanted]
    assert [look.outcome for look in looks] == ["cleared"]


def test_a_bot_that_answers_otherwise_when_asked_again_is_unrepeatable(tmp_path: Path) -> None:
    bot = submitted(
        tmp_path / "ann",
        "varies",
        ONCE.format(seen=0, what="raise ValueError", answer="SEEN % len(legal)"),
    )
    found, looks = series("process", bot, find_one("humble", FOX, Path()))
    kinds = [match.ended.fault.kind for match in found if match.ended.fault]
    assert kinds == ["unrepeatable"]
    assert [look.outcome for look in looks] == ["unrepeatable"]


def test_a_bot_that_says_so_is_not_looked_at_twice(tmp_path: Path) -> None:
    text = ONCE.format(seen=0, what="raise ValueError", answer=0)
    text = text.replace("class Once(Bot):", "class Once(Bot):\n    reproducible = False")
    bot = submitted(tmp_path / "ann", "honest_about_it", text)
    found, looks = series("process", bot, find_one("humble", FOX, Path()))
    assert [m.ended.fault.kind for m in found if m.ended.fault] == ["crash"]
    assert not looks


def test_other_matches_of_a_host_that_died_go_on(tmp_path: Path) -> None:
    text = """
from harness.bot import Bot
import os
class Dies(Bot):
    def act(self, view, legal):
        if view.decree < 3 and len(view.hand) > 4:
            os._exit(1)
        return legal[0]
"""
    bot = submitted(tmp_path / "ann", "dies", text)
    honest = submitted(tmp_path / "ann", "quiet", doubles.HEAD + doubles.SOURCES["honest"])
    humble = find_one("humble", FOX, Path())
    found, _ = series("process", bot, humble, deals=range(40))
    wanted, _ = series("inprocess", honest, humble, deals=range(40))
    died = [match.deal for match in found if match.ended.fault]
    assert 0 < len(died) < 40
    for one, other in zip(found, wanted, strict=True):
        if one.deal not in died:
            assert one.ended.result == other.ended.result


# --- Folders, packages, many at once ------------------------------------------------------------


def folder_bot(tmp_path: Path, body: str) -> Entrant:
    folder = tmp_path / "ann" / "learned"
    folder.mkdir(parents=True)
    (folder / "table.txt").write_text("0")
    (folder / "model.py").write_text("def choose(n): return 0\n")
    (folder / "bot.py").write_text(body)
    return find_one(str(folder), FOX, Path())


LEARNED = """
from harness.bot import Bot
from . import model
class Learned(Bot):
    @classmethod
    def load(cls, folder):
        cls.first = int((folder / "table.txt").read_text())
    @classmethod
    def act_many(cls, bots, views, legals):
        return [legal[cls.first + model.choose(len(legal))] for legal in legals]
    def act(self, view, legal):
        return legal[self.first + model.choose(len(legal))]
"""


@pytest.mark.parametrize("level", ["inprocess", *LEVELS])
def test_a_folder_is_a_bot_with_its_data(level: str, tmp_path: Path) -> None:
    bot = folder_bot(tmp_path, LEARNED)
    assert bot.bot.name == "ann/learned"
    quiet = submitted(tmp_path / "ann", "quiet", doubles.HEAD + doubles.SOURCES["honest"])
    found, _ = series(level, bot, bot)
    wanted, _ = series("inprocess", quiet, quiet)
    assert [match.ended.fault for match in found] == [None] * 4
    assert [match.ended.result for match in found] == [match.ended.result for match in wanted]


def test_a_folders_version_changes_with_its_data(tmp_path: Path) -> None:
    before = folder_bot(tmp_path, LEARNED)
    (tmp_path / "ann" / "learned" / "table.txt").write_text("1")
    after = find_one(str(tmp_path / "ann" / "learned"), FOX, Path())
    assert before.version != after.version


@pytest.mark.parametrize("level", LEVELS)
def test_packages_are_there_only_if_they_are_allowed(level: str, tmp_path: Path) -> None:
    text = "import numpy\n" + doubles.HEAD + doubles.SOURCES["honest"]
    bot = submitted(tmp_path / "ann", "numeric", text)
    large = Budgets(memory_mb=1024, packages=("numpy",))
    found, _ = series(level, bot, bot, budgets=large, deals=range(1))
    assert found[0].ended.fault is None, found[0].ended.fault


def test_the_time_of_a_whole_match_is_bounded(tmp_path: Path) -> None:
    text = """
from harness.bot import Bot
class Slow(Bot):
    def act(self, view, legal):
        for _ in range(3_000_000): pass
        return legal[0]
"""
    bot = submitted(tmp_path / "ann", "slow", text)
    found, _ = series("process", bot, bot, deals=range(1), budgets=Budgets(match_seconds=0.05))
    assert found[0].ended.fault is not None
    assert found[0].ended.fault.kind == "timeout"
    assert "in one match" in found[0].ended.fault.detail


@pytest.mark.parametrize("level", LEVELS)
def test_hosts_die_with_a_runner_that_is_killed(level: str, tmp_path: Path) -> None:
    path = tmp_path / "hangs.py"
    path.write_text(hostile.source(hostile.BOTS["imports_for_minutes"]))
    command = [*BASE, "match", "forest_fox", str(path), "humble", "--isolation", level]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: hosts_of(running.pid))
    time.sleep(0.5)
    running.kill()
    running.wait()
    wait_until(lambda: not hosts_of(running.pid), seconds=10)


def hosts_of(runner: int) -> list[int]:
    mark = f"{sandbox.MARK}={runner}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_nothing_is_left_running() -> None:
    assert not left_running_hosts()
    assert not left_running("bwrap")
