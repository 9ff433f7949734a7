"""Verifying runs with public seeds: what is compared, what isn't, and what can't be."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.play import ENGINE
from harness.play.chunk import play_chunk
from harness.store import Store
from harness.verify import audit, compare, sample
from tests import doubles
from tests.command import fairdeal, refused
from tests.test_run import config, manifest


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which a bot that isn't reproducible played too."""
    folder = tmp_path_factory.mktemp("played")
    doubles.write(folder / "ann", "honest")
    moody = doubles.SOURCES["honest"].replace(
        "    def act", "    reproducible = False\n    def act"
    )
    (folder / "ann/moody.py").write_text(doubles.HEAD + moody)
    path = config(folder, ["humble", "random_legal", "ann/*.py"], 40)
    fairdeal("run", path, "--local", "--results", folder / "results")
    return folder / "results"


def test_tables_that_are_not_reproducible_are_exempt(played: Path) -> None:
    done = fairdeal("verify", "small", "--share", "1", "--results", played)
    assert "240 of 240 matches, in 9 of 9 chunks" in done.stdout
    assert "Not verified: 3 tables with a bot that isn't reproducible." in done.stdout


def test_the_lot_draws_a_share_of_the_matches_again_by_its_seed(played: Path) -> None:
    found = audit(Store(played), Store(played).find_run("small")).chunks
    assert sum(each.matches for each in found) == 240
    for share in (0, 0.05, 0.3, 1):
        one = sample(found, share, 7)
        assert one == sample(found, share, 7)
        matches = sum(each.matches for each in one)
        assert matches >= max(1, share * 240)
        assert matches - min(each.matches for each in one) < max(1, share * 240)
    assert len({sample(found, 0, seed)[0].chunk.name for seed in range(60)}) == 9


def test_what_the_machine_ended_is_not_compared(played: Path) -> None:
    found = audit(Store(played), Store(played).find_run("small")).chunks[0]
    rows = play_chunk(found.chunk).rows
    about = json.loads(rows.schema.metadata[b"fairdeal"])
    assert compare(rows, rows, about) == ("", 0)
    fault, end, turns = (rows[name].to_pylist() for name in ("fault", "end", "turns"))
    fault[1], end[0], end[1], turns[0], turns[1] = "timeout", "fault", "fault", 3, 3
    changed = rows
    for name, values in (("fault", fault), ("end", end), ("turns", turns)):
        at = rows.schema.get_field_index(name)
        field = rows.schema.field(at)
        changed = changed.set_column(at, field, pa.array(values, field.type))
    assert "stored 'fault'" in compare(changed, rows, about)[0], "in-process nothing varies"
    hosted = about | {"isolation": "process"}
    again = rows.replace_schema_metadata({"fairdeal": json.dumps(hosted)})
    assert compare(changed, again, hosted) == ("", 1)
    fault[1] = "crash"
    at = rows.schema.get_field_index("fault")
    changed = changed.set_column(at, rows.schema.field(at), pa.array(fault, pa.string()))
    assert compare(changed, rows, about)[0].startswith("deal 0, seating 0, seat 0: end: stored")
    assert "rows of" in compare(rows.slice(0, 4), rows, about)[0]
    assert "faults: " in compare(rows, rows, about | {"faulted": {"humble": 1}})[0]
    assert "engine: stored 0, replayed" in compare(rows, rows, about | {"engine": 0})[0]


def test_chunks_that_are_gone_are_counted(played: Path, tmp_path: Path) -> None:
    victim = sorted((played / "chunks").glob("*/*-16-31.parquet"))
    kept = {path: path.read_bytes() for path in victim}
    try:
        for path in victim:
            path.unlink()
        done = fairdeal("verify", "small", "--share", "1", "--results", played)
        assert "3 chunks that aren't stored." in done.stdout
    finally:
        for path, content in kept.items():
            path.write_bytes(content)


def test_another_engine_can_not_replay_it(played: Path) -> None:
    path = played / "runs/small/0001/manifest.json"
    about = manifest(played)
    try:
        path.write_text(json.dumps(about | {"engine": ENGINE + 1}))
        said = refused("verify", "small", "--results", played)
        assert f"small/0001 was played with engine {ENGINE + 1}, and this is {ENGINE}" in said
        about["contests"][0]["rules"] = {"humble_max": 2}
        path.write_text(json.dumps(about))
        done = fairdeal("verify", "small", "--results", played, code=1)
        assert "the rules of forest_fox aren't those of then" in done.stderr
    finally:
        about["contests"][0]["rules"] = {}
        path.write_text(json.dumps(about))


def test_a_chunk_that_is_swapped_for_another_is_found(played: Path) -> None:
    one = sorted((played / "chunks").glob("*/*-0-15.parquet"))
    first, second = one[0], one[1]
    whole = first.read_bytes()
    try:
        rows = pq.read_table(second, partitioning=None)
        pq.write_table(rows, first, write_page_checksum=True)
        done = fairdeal("verify", "small", "--share", "1", "--results", played, code=1)
        assert "this chunk of results is" in done.stderr
    finally:
        first.write_bytes(whole)


@pytest.mark.parametrize("taken", ['forbid = ["challenge"]', 'withhold = "events"'])
def test_a_restricted_run_is_verified_too(tmp_path: Path, taken: str) -> None:
    (tmp_path / "small.toml").write_text(
        'seed = 1\nisolation = "inprocess"\n[[contest]]\ngame = "fraser_island"\nplayers = 2\n'
        f'bots = ["random_legal", "auditor"]\n{taken}\ndeals = 4\n'
    )
    place = ("--results", tmp_path / "results")
    fairdeal("run", tmp_path / "small.toml", "--local", *place)
    assert "8 of 8 matches" in fairdeal("verify", "small", "--share", "1", *place).stdout
