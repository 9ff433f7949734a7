"""gc and runs of every kind: secret ones, unfinished and closed ones, studies, runs with faults."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness.cli.app import run as command_line
from harness.store import Store
from reports.metagame import metagame
from reports.order import order
from reports.results import FAR
from tests import doubles
from tests.stored import contest
from tests.test_gc import Said
from tests.test_secret import config, manifest


@pytest.fixture
def at(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The command line, in this process and the test's folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("reports.overview.metagame", partial(metagame, resamples=5))

    def call(*arguments: str, code: int = 0) -> Said:
        capsys.readouterr()
        said = Said(command_line(list(arguments)), *capsys.readouterr())
        assert said.code == code, said.out + said.err
        return said

    return call


def files() -> set[str]:
    return {str(path.relative_to("results/chunks")) for path in Path("results/chunks").glob("*/*")}


# --- Secret seeds -------------------------------------------------------------------------------


def test_secret_nights_reuse_merged_rows_and_can_be_verified(at: Any) -> None:
    [honest] = doubles.write(Path("ann"), "honest")
    path = str(config(Path(), ["humble", "one_ahead", "ann/honest.py"], 40))
    at("run", path, "--local")
    first = manifest(Path("results"))
    assert len(files()) == 3 * 3
    at("gc", "--keep", "1")
    assert len(files()) == 3
    assert "are the same when played again" in at("verify", "night", "--share", "1").out
    honest.write_text(honest.read_text().replace("legal[0]", "legal[-1]"))
    said = at("run", path, "--local")
    assert "160 matches to play, 80 are there already" in said.out
    at("gc", "--keep", "1")
    assert len(files()) == 3, "of the first night only the table that stayed"
    kept = at("gc", "--keep", "1").out
    assert "0 files fewer" in kept
    assert "its chunks were removed on" in at("verify", "night/0001", code=2).err
    assert "are the same when played again" in at("verify", "night/0002", "--share", "1").out
    since = at("run", path, "--local", "--since", "night/0001").out
    assert "240 are there already" in since
    assert "its rows are gone: from its summary" in since
    third = manifest(Path("results"), 3)
    seeds = [about["seed_id"] for about in third["contests"][0]["tables"]]
    assert seeds.count(first["seed_id"]) == 1


def test_an_unfinished_secret_run_keeps_its_secret_and_all_that_it_will_want(at: Any) -> None:
    """Also rows under the seed of an earlier run, of which its manifest says nothing yet."""
    bots = ["humble", "one_ahead", "grabber"]
    path = str(config(Path(), bots, 40))
    at("run", path, "--local")
    kept = files()
    at("run", path, "--local")
    unfinished = manifest(Path("results"), 2)
    for each in unfinished["contests"]:
        for table in each["tables"]:
            table["chunks"] = []
    unfinished |= {"status": "unfinished", "seed": None, "summary": None, "finished": None}
    Path("results/runs/night/0002/manifest.json").write_text(json.dumps(unfinished))
    Path("results/secrets/night/0002.key").write_text("00")
    at("gc", "--keep", "1")
    assert len(files()) == 3
    # Once the first run's rows are nobody's but the unfinished run's, they stay all the same.
    first = manifest(Path("results"))
    Path("results/runs/night/0001/manifest.json").write_text(
        json.dumps(first | {"rows_removed": "2026-01-01"})
    )
    at("gc", "--keep", "1")
    store = Store(Path("results"))
    assert all(store.holder(name) for name in kept)
    assert Path("results/secrets/night/0002.key").read_text() == "00"


def test_a_closed_run_counts_as_finished_and_leaves_its_ratings(at: Any) -> None:
    path = str(config(Path(), ["humble", "one_ahead"], 8))
    at("run", path, "--local")
    closed = manifest(Path("results")) | {"status": "closed", "summary": None}
    Path("results/runs/night/0001/manifest.json").write_text(json.dumps(closed))
    Path("results/runs/night/0001/summary.json.gz").unlink()
    before = at("ratings", "night/0001", "--output", "json").out
    at("run", str(config(Path(), ["humble", "grabber"], 8)), "--local")
    assert "only the summary of: night/0001" in at("gc", "--keep", "1").out
    assert at("ratings", "night/0001", "--output", "json").out == before
    assert at("report", "night/0001", "--out", "report").code == 0


# --- Others -------------------------------------------------------------------------------------

STUDY = """
name = "study"
game = "forest_fox"
bots = ["humble", "random_legal"]
deals = {deals}
seed = 7
isolation = "inprocess"
[[variant]]
name = "as written"
[[variant]]
name = "quiet"
withhold = "events"
"""


def test_a_study_leaves_ratings_tactics_and_pages(at: Any) -> None:
    path = Path("study.toml")
    path.write_text(STUDY.format(deals=40))
    at("balance", str(path), "--local", "--sample", "0")
    before = at("ratings", "study/0001", "--output", "json").out
    path.write_text(STUDY.format(deals=20))
    at("balance", str(path), "--local", "--sample", "0")
    at("gc", "--keep", "1")
    assert at("ratings", "study/0001", "--output", "json").out == before
    assert at("tactics", "study/0001").code == 0
    at("report", "study/0001", "--out", "report")
    assert "quiet" in Path("report/contest-2.html").read_text()
    assert (
        "has nothing for --since"
        in at("report", "study/0001", "--out", "x", "--since", "study/0002", code=2).err
    )
    path.write_text(STUDY.format(deals=40))
    said = at("balance", str(path), "--local", "--sample", "0")
    assert "are there already" in said.out, "those that the second run kept"
    # Without a summary nothing says what its ratings were, and that is one line.
    Path("results/runs/study/0001/summary.json.gz").unlink()
    assert "of a study's metrics its manifest tells" in at("ratings", "study/0001", code=2).err
    # A tournament of the same name takes it neither for last night nor for anything else.
    text = 'name = "study"\nseed = 1\nisolation = "inprocess"\n[[contest]]\ngame = "forest_fox"\n'
    path.write_text(text + 'bots = ["humble", "random_legal"]\ndeals = 4\n')
    at("run", str(path), "--local", "--since", "latest")


def test_of_faults_their_numbers_and_the_first_stay(at: Any) -> None:
    doubles.write(Path("eve"), "illegal")
    text = 'name = "n"\nseed = 1\nisolation = "inprocess"\n[[contest]]\ngame = "forest_fox"\n'
    Path("n.toml").write_text(text + 'bots = ["humble", "eve/illegal.py"]\ndeals = 4\n')
    at("run", "n.toml", "--local")
    rows = json.loads(at("faults", "n/0001", "--output", "json").out)
    Path("n.toml").write_text(text + 'bots = ["humble", "random_legal"]\ndeals = 4\n')
    at("run", "n.toml", "--local")
    at("gc", "--keep", "1")
    [left] = json.loads(at("faults", "n/0001", "--output", "json").out)
    said = ("bot", "kind", "deal", "seating", "seat", "detail")
    assert {key: left[key] for key in said} == {key: rows[0][key] for key in said}
    assert "its chunks were removed on" in at("faults", "n/0001").err


def test_prices_are_measured_in_merged_files_too(at: Any) -> None:
    text = 'name = "n"\nseed = 1\nisolation = "inprocess"\n[[contest]]\ngame = "forest_fox"\n'
    Path("n.toml").write_text(text + 'bots = ["humble", "random_legal"]\ndeals = 100\n')
    at("run", "n.toml", "--local")
    at("gc", "--keep", "1")
    assert "its weight" not in at("run", "n.toml", "--dry-run").out


def test_the_order_of_tables_under_several_seeds(tmp_path: Path) -> None:
    """Deals are set against each other by number: any number of seeds takes no more room."""

    def rows(bots: str) -> list[dict[str, Any]]:
        return [
            {"deal": deal, "seat": seat, "bot": bot, "points": float(bot == min(bots))}
            for deal in range(16)
            for seat, bot in enumerate(bots)
        ]

    found = contest(
        tmp_path,
        ["a", "b", "c"],
        [(f"{bots}/{bots}-0-15.parquet", rows(bots)) for bots in ("ab", "ac", "bc")],
    )
    tables = [name for each in found.about["tables"] for name in each["chunks"]]
    found.about["tables"] = [{"entrants": list(name[:2]), "chunks": [name]} for name in tables]
    assert max(int(part.deal.max()) for part in found.matches()) > FAR
    pairs = order(found).neighbours()
    assert [(pair.better, pair.worse, pair.deals) for pair in pairs] == [(0, 1, 16), (1, 2, 16)]
