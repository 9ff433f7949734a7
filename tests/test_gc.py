"""A store over many nights: what gc removes and merges, what stays of old runs, what is damaged."""

import gzip
import json
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest

from harness.cli.app import run as command_line
from harness.gc import merge_files, plan_sweep, sweep
from harness.store import Store
from reports.metagame import metagame
from tests.command import fairdeal

CONFIG = """
name = "nightly"
seed = 3
isolation = "inprocess"
[[contest]]
game = "forest_fox"
bots = {bots}
deals = {deals}
"""

BOT = '''
from harness.bot import Bot


class Member(Bot):
    """Plays by a number."""

    games = ("forest_fox",)

    def act(self, view, legal):
        return legal[{number} % len(legal)]
'''


class Said(NamedTuple):
    code: int
    out: str
    err: str


Command = Callable[..., Said]


@pytest.fixture
def at(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The command line, in this process and the test's folder."""
    monkeypatch.chdir(tmp_path)
    # How certain the mixtures are is of no concern here, and takes the longest.
    monkeypatch.setattr("reports.overview.metagame", partial(metagame, resamples=5))

    def call(*arguments: str) -> Said:
        capsys.readouterr()
        return Said(command_line(list(arguments)), *capsys.readouterr())

    return call


def night(at: Command, number: int, deals: int = 100) -> None:
    """Plays a night in which ann's bot goes by this number."""
    Path("ann").mkdir(exist_ok=True)
    Path("ann/member.py").write_text(BOT.format(number=number))
    bots = ["humble", "random_legal", "ann/member.py"]
    Path("nightly.toml").write_text(CONFIG.format(bots=json.dumps(bots), deals=deals))
    said = at("run", "nightly.toml", "--local")
    assert said.code == 0, said.err


def ratings(at: Command, run: str) -> Any:
    said = at("ratings", run, "--output", "json")
    assert said.code == 0, said.err
    return json.loads(said.out)


def files() -> list[str]:
    return sorted(str(path) for path in Path("results/chunks").glob("*/*"))


def manifest(run: str) -> dict[str, Any]:
    found = json.loads(Path(f"results/runs/{run}/manifest.json").read_text())
    assert isinstance(found, dict)
    return found


# --- Old runs -----------------------------------------------------------------------------------


def test_old_runs_keep_their_figures_and_the_newest_its_rows(at: Command) -> None:
    for number in (1, 2, 3):
        night(at, number)
    before = [ratings(at, f"nightly/000{run}") for run in (1, 2, 3)]
    tactics = at("tactics", "nightly/0001", "--by", "seat", "--output", "json").out
    clones = at("tactics", "nightly/0001", "--clones", "--output", "json").out
    page = at("report", "nightly/0001", "--out", "before")
    assert page.code == 0

    dry = at("gc", "--keep", "1", "--dry-run")
    assert "Only the summary would be left of: nightly/0001, nightly/0002" in dry.out
    assert len(files()) == 7 * 4, "three tables, of which one never changes, in four chunks each"
    said = at("gc", "--keep", "1", "--output", "json")
    removed, leftovers, bots, merged = json.loads(said.out)
    assert (removed["files"], leftovers["files"], bots["files"]) == (4 * 4, 0, 2)
    assert merged["files"] == 3 * 3
    assert len(files()) == 3

    assert [ratings(at, f"nightly/000{run}") for run in (1, 2, 3)] == before
    old = at("tactics", "nightly/0001", "--by", "seat", "--output", "json")
    assert json.loads(old.out) == json.loads(tactics)
    assert "nightly/0001: its chunks were removed on 20" in old.err
    assert json.loads(at("tactics", "nightly/0001", "--clones", "--output", "json").out) == (
        json.loads(clones)
    )
    assert at("report", "nightly/0001", "--out", "after").code == 0
    assert Path("after/contest-1.json").exists()
    one, two = (json.loads(Path(f"{x}/contest-1.json").read_text()) for x in ("before", "after"))
    assert {key: two[key] for key in one} == one
    listed = json.loads(at("runs", "--output", "json").out)
    assert [row["chunks"] for row in listed] == ["removed", "removed", "there"]
    shown = at("ratings", "nightly/0002")
    assert "Elo" in shown.out
    assert "Points in per cent, against" in shown.out


def test_what_a_summary_lacks_is_refused_in_one_line(at: Command) -> None:
    night(at, 1)
    night(at, 2)
    at("gc", "--keep", "1")
    for arguments in (
        ("ratings", "nightly/0001", "--pairs"),
        ("ratings", "nightly/0001", "--by-seat"),
        ("tactics", "nightly/0001", "--by", "opponent"),
        ("tactics", "nightly", "--against", "nightly/0001"),
        ("skill", "nightly/0001"),
        ("metagame", "nightly/0001"),
    ):
        said = at(*arguments)
        assert said.code == 2
        assert "nightly/0001: its chunks were removed on" in said.err
        assert "has nothing for" in said.err
        assert said.err.count("\n") == 1
    Path("results/runs/nightly/0001/summary.json.gz").unlink()
    assert "only its ratings were kept" in at("tactics", "nightly/0001").err
    assert at("ratings", "nightly/0001").code == 0
    path = Path("results/runs/nightly/0001/manifest.json")
    path.write_text(json.dumps(manifest("nightly/0001") | {"summary": None}))
    said = at("ratings", "nightly/0001")
    assert said.code == 2
    assert "nothing is left" in said.err


def test_a_summary_has_costs_faults_and_what_tables_played(at: Command) -> None:
    night(at, 1)
    [kept] = json.loads(
        gzip.decompress(Path("results/runs/nightly/0001/summary.json.gz").read_bytes())
    )["contests"]
    assert [table["deals"] for table in kept["tables"]] == [100] * 3
    assert [table["matches"] for table in kept["tables"]] == [200] * 3
    rows = [pq.read_table(path, partitioning=None).to_pylist() for path in files()]
    for cost in kept["costs"]:
        own = [row for each in rows for row in each if row["bot"] == cost["bot"]]
        assert cost["decisions"] == sum(row["decisions"] for row in own)
        assert cost["time_us"] == sum(row["time_us"] for row in own)
        assert cost["us_a_decision"] == cost["time_us"] / cost["decisions"]
    assert kept["faults"] == []
    assert kept["skill"]["status"] == "ok"


def test_unfinished_runs_shared_chunks_and_young_leftovers_stay(at: Command) -> None:
    for number in (1, 2, 1):
        night(at, number)
    path = Path("results/runs/nightly/0002/manifest.json")
    path.write_text(json.dumps(manifest("nightly/0002") | {"status": "unfinished"}))
    table = next(Path("results/chunks").iterdir())
    old = [table / ".x.parquet.1-ab.part", table / "s-0-15.parquet.damaged"]
    young = [table / ".y.parquet.1-ab.part", table / "s-16-31.parquet.damaged-2"]
    for each in (*old, *young):
        each.write_bytes(b"12345")
    for each in old:
        os.utime(each, (time.time() - 90_000,) * 2)
    said = json.loads(at("gc", "--keep", "1", "--output", "json").out)
    assert [row["files"] for row in said[:3]] == [0, 2, 0], "0001 and 0003 are of the same bots"
    assert said[1]["bytes"] == 10
    assert all(each.exists() for each in young)
    for run in ("nightly/0001", "nightly/0002", "nightly/0003"):
        assert at("ratings", run, "--pairs").code == 0


def test_gc_wants_a_number_and_every_manifest(at: Command) -> None:
    night(at, 1)
    night(at, 2)
    assert "--keep" in at("gc").err
    Path("results/runs/nightly/0001/manifest.json").write_text("{")
    said = at("gc", "--keep", "1")
    assert said.code == 2
    assert "nightly/0001/manifest.json: this run's manifest is damaged" in said.err
    listed = at("runs", "--output", "json")
    assert [row["run"] for row in json.loads(listed.out)] == ["nightly/0002"]
    assert "nightly/0001/manifest.json: this run's manifest is damaged" in listed.err
    assert at("ratings", "latest").code == 0


class Pulled(Exception):
    """The plug."""


def test_a_gc_that_is_stopped_anywhere_leaves_a_store_that_can_be_read(
    at: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    night(at, 1)
    night(at, 2)
    told = [ratings(at, f"nightly/000{run}") for run in (1, 2)]
    steps = 0

    def counted(real: Any) -> Any:
        def step(*arguments: Any) -> Any:
            nonlocal steps
            steps -= 1
            if steps < 0:
                raise Pulled
            return real(*arguments)

        return step

    for allowed in (0, 1, 4, 8, 9, 11, 12, 14, 99):
        with monkeypatch.context() as patched:
            steps = allowed
            patched.setattr(Store, "remove", counted(Store.remove))
            patched.setattr(Store, "write_chunk", counted(Store.write_chunk))
            store = Store(Path("results"))
            found = plan_sweep(store, 1, time.time())
            try:
                sweep(store, found)
                merge_files(store, found.merges)
            except Pulled:
                assert allowed < 99
        assert [ratings(at, f"nightly/000{run}") for run in (1, 2)] == told
    assert len(files()) == 3
    assert not [path for path in files() if ".part" in path]


# --- Merged files -------------------------------------------------------------------------------


def test_merged_rows_serve_whoever_asks(at: Command) -> None:
    night(at, 1)
    store = Store(Path("results"))
    names = [
        name
        for table in manifest("nightly/0001")["contests"][0]["tables"]
        for name in table["chunks"]
    ]
    assert len(names) == 12
    apart = {name: store.read_chunk(name) for name in names}
    said = {name: store.chunk_metadata(name) for name in names}
    at("gc", "--keep", "1")
    assert len(files()) == 3
    for name in names:
        assert store.read_chunk(name).equals(apart[name])
        assert store.chunk_metadata(name) == said[name]
    again = at("run", "nightly.toml", "--local")
    assert " 0 matches to play, 600 are there already" in again.out

    night(at, 1, deals=80)  # fewer: all of them are in the merged files
    assert manifest("nightly/0003")["played"]["matches"] == 0
    night(at, 1, deals=200)  # more: the last chunk was short
    assert manifest("nightly/0004")["played"]["matches"] == 3 * 2 * (200 - 64)
    more = ratings(at, "nightly/0004")
    at("gc", "--keep", "4")
    assert len(files()) == 3
    assert ratings(at, "nightly/0004") == more
    for name in names:
        assert (
            store.read_chunk(name)
            .drop_columns(["time_us"])
            .equals(apart[name].drop_columns(["time_us"]))
        )
        assert store.chunk_metadata(name) == said[name]


def test_a_damaged_merged_file_is_set_aside_once_and_its_chunks_played_again(at: Command) -> None:
    night(at, 1)
    told = ratings(at, "nightly")
    at("gc", "--keep", "1")
    victim = Path(files()[0])
    victim.write_bytes(victim.read_bytes()[:-100])
    assert f"{victim}: this chunk of results is damaged" in at("ratings", "nightly").err
    said = at("run", "nightly.toml", "--local")
    assert said.err.count("set aside, and played again") == 1
    assert manifest("nightly/0002")["played"]["matches"] == 200
    assert [each["kept_as"] for each in manifest("nightly/0002")["damaged"]] == [
        f"{victim.name}.damaged"
    ]
    assert ratings(at, "nightly") == told


def test_readers_count_the_damaged_chunks(at: Command) -> None:
    night(at, 1)
    for path in files()[:3]:
        Path(path).write_bytes(b"")
    assert "; 2 more chunks of this run are damaged or gone" in at("ratings", "nightly").err
    assert "; 2 more chunks of this run are damaged or gone" in at("tactics", "nightly").err


def test_rows_of_a_newer_schema_are_one_line(at: Command) -> None:
    night(at, 1)
    path = Path(files()[0])
    rows = pq.read_table(path, partitioning=None)
    about = json.loads(rows.schema.metadata[b"fairdeal"]) | {"schema": 99}
    pq.write_table(rows.replace_schema_metadata({"fairdeal": json.dumps(about)}), path)
    for arguments in (("ratings", "nightly"), ("run", "nightly.toml", "--local")):
        said = at(*arguments)
        assert said.code == 2
        assert "of a newer Fairdeal (schema 99); this one reads up to schema" in said.err
    assert path.exists(), "nobody takes it for damaged"


def test_commands_as_a_user_runs_them(at: Command) -> None:
    night(at, 1)
    assert "Example: fairdeal gc --keep 14" in fairdeal("gc", "--help").stdout
    assert "files fewer" in fairdeal("gc", "--keep", "1", cwd=Path.cwd()).stdout


def test_the_nightly_config_plans_all_five_games(at: Command) -> None:
    config = Path(__file__).parent.parent / "configs" / "nightly.toml"
    said = at("run", str(config), "--dry-run")
    assert said.code == 0, said.err
    for game in ("forest_fox", "fraser_island", "de_boers", "tragedy", "casino_go_fish"):
        assert game in said.out
