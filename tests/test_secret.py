"""Secret seeds: committed to, revealed, verified; runs killed, resumed and given up."""

import hashlib
import json
import os
import signal
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.play.chunk import TIMING
from harness.play.seeds import deal_seed, seed_id
from tests import doubles
from tests.command import BASE, fairdeal, refused

CONFIG = """
name = "night"
seed = "secret"
[[contest]]
game = "forest_fox"
bots = {bots}
deals = {deals}
"""


def config(folder: Path, bots: list[str], deals: int = 8) -> Path:
    path = folder / "night.toml"
    path.write_text(CONFIG.format(bots=json.dumps(bots), deals=deals))
    return path


def manifest(results: Path, number: int = 1) -> dict[str, Any]:
    found = json.loads((results / f"runs/night/{number:04d}/manifest.json").read_text())
    assert isinstance(found, dict)
    return found


def replace_value(path: Path, column: str, row: int, value: object) -> None:
    """Writes a chunk anew with one value changed: well-formed, checksums and all."""
    rows = pq.read_table(path, partitioning=None)
    values = rows[column].to_pylist()
    values[row] = value
    at = rows.schema.get_field_index(column)
    field = rows.schema.field(at)
    changed = rows.set_column(at, field, pa.array(values, field.type))
    pq.write_table(changed, path, write_page_checksum=True)


# --- One night ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A config, its results, and what was printed."""
    folder = tmp_path_factory.mktemp("night")
    path = config(folder, ["humble", "one_ahead"], 20)
    done = fairdeal("run", path, "--local", "--results", folder / "results")
    return path, folder / "results", done.stdout


def test_the_hash_is_published_first_and_the_seed_in_the_end(
    night: tuple[Path, Path, str],
) -> None:
    _, results, printed = night
    about = manifest(results)
    assert about["status"] == "complete"
    key = bytes.fromhex(about["seed"])
    assert len(key) == 32
    assert about["commitment"] == hashlib.sha256(key).hexdigest()
    assert about["commitment"] in printed.split("Played")[0]
    assert about["seed"] not in printed
    assert about["seed_id"] == seed_id(key)
    assert not list((results / "secrets").rglob("*.key")), "what is revealed is no secret"
    rows = pq.read_table(next((results / "chunks").glob("*/*.parquet")), partitioning=None)
    assert set(rows["seed_id"].to_pylist()) == {about["seed_id"]}


def test_verify_plays_it_again(night: tuple[Path, Path, str], tmp_path: Path) -> None:
    _, results, _ = night
    done = fairdeal("verify", "night", "--share", "1", "--results", results)
    assert "40 of 40 matches" in done.stdout
    assert "have the hashes that were published" in done.stdout
    deal = ("match", "forest_fox", "humble", "one_ahead", "--deal", "3", "--records", "r.jsonl")
    seed = manifest(results)["seed"]
    fairdeal(*deal, "--seed", seed, cwd=tmp_path)
    record = json.loads((tmp_path / "r.jsonl").read_text().splitlines()[0])
    assert record["seed"] == deal_seed(bytes.fromhex(seed), "forest_fox", 2, 3)
    assert "64 hexadecimal digits of a revealed seed" in refused(*deal, "--seed", seed[1:] + "x")
    few = fairdeal("verify", "night", "--seed", "3", "--results", results)
    assert "in 1 of 2 chunks (--seed 3)" in few.stdout


def test_verify_finds_one_changed_value(night: tuple[Path, Path, str]) -> None:
    _, results, _ = night
    victim = sorted((results / "chunks").glob("*/*-0-15.parquet"))[0]
    whole = victim.read_bytes()
    try:
        rows = pq.read_table(victim, partitioning=None)
        score = rows["score"][5].as_py()
        replace_value(victim, "score", 5, score + 1)
        done = fairdeal("verify", "night", "--share", "1", "--results", results, code=1)
        deal, seating, seat = (rows[name][5].as_py() for name in ("deal", "seating", "seat"))
        where = f"deal {deal}, seating {seating}, seat {seat}"
        assert f"{where}: score: stored {score + 1}, replayed {score}" in done.stderr
        assert "NOT what its bots and seeds give" in done.stdout
        victim.write_bytes(whole[:300] + b"\xff" + whole[301:])
        fairdeal("verify", "night", "--share", "1", "--results", results, code=1)
    finally:
        victim.write_bytes(whole)


def test_timing_is_left_aside(night: tuple[Path, Path, str]) -> None:
    _, results, _ = night
    victim = sorted((results / "chunks").glob("*/*-16-19.parquet"))[0]
    whole = victim.read_bytes()
    try:
        replace_value(victim, TIMING[0], 0, 12345)
        fairdeal("verify", "night", "--share", "1", "--results", results)
    finally:
        victim.write_bytes(whole)


def test_verify_finds_another_seed_and_other_files(
    night: tuple[Path, Path, str], tmp_path: Path
) -> None:
    _, results, _ = night
    path = results / "runs/night/0001/manifest.json"
    about = manifest(results)
    try:
        path.write_text(json.dumps(about | {"seed": "00" * 32}))
        done = fairdeal("verify", "night", "--results", results, code=1)
        assert "doesn't have the hash that was published" in done.stderr
    finally:
        path.write_text(json.dumps(about))
    doubles.write(tmp_path / "ann", "honest")
    config(tmp_path, ["humble", "ann/honest.py"], 4)
    own = tmp_path / "results"
    fairdeal("run", tmp_path / "night.toml", "--local", "--results", own)
    [kept] = (own / "bots").glob("*/own/honest.py")
    kept.write_text(kept.read_text().replace("legal[0]", "legal[-1]"))
    done = fairdeal("verify", "night", "--results", own, code=1)
    assert "aren't those of ann/honest@" in done.stderr


def test_it_is_the_sandbox_or_nothing(tmp_path: Path) -> None:
    path = config(tmp_path, ["humble", "one_ahead"])
    for level in ("process", "inprocess"):
        said = refused("run", path, "--isolation", level, "--results", tmp_path / "results")
        assert said == (
            f'{path}: seed = "secret" needs isolation "sandbox", not "{level}": elsewhere a bot'
            " could read the secret"
        )
    assert not (tmp_path / "results").exists()


# --- Killed, resumed, given up ------------------------------------------------------------------


def begun(path: Path, results: Path) -> None:
    """A run of this config that was killed after its first chunk."""
    running = subprocess.Popen(
        [*BASE, "run", str(path), "--local", "--results", str(results)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    stop = time.monotonic() + 60
    while not list((results / "chunks").glob("*/*.parquet")):
        assert running.poll() is None, "it was finished before it could be killed"
        assert time.monotonic() < stop, "waited in vain"
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()


def test_killed_and_resumed_under_its_own_secret(tmp_path: Path) -> None:
    path, results = config(tmp_path, ["humble", "one_ahead"], 64), tmp_path / "r"
    begun(path, results)
    about = manifest(results)
    assert about["status"] == "unfinished"
    assert about["seed"] is None
    secret = results / "secrets/night/0001.key"
    key = bytes.fromhex(secret.read_text())
    assert hashlib.sha256(key).hexdigest() == about["commitment"]
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    for folder in (secret.parent, secret.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert "still secret" in refused("verify", "night", "--results", results)
    done = fairdeal("run", path, "--local", "--results", results)
    assert "Run night/0001 goes on" in done.stdout
    assert manifest(results)["seed"] == key.hex()
    chunks = list((results / "chunks").glob("*/*.parquet"))
    assert {chunk.name.split("-")[0] for chunk in chunks} == {about["seed_id"]}
    fairdeal("verify", "night", "--results", results)
    said = fairdeal("reveal", "night", "--results", results)
    assert f"is complete; its seed was revealed: {key.hex()}" in said.stdout


def test_given_up_it_is_closed_and_its_rows_are_kept(tmp_path: Path) -> None:
    path, results = config(tmp_path, ["humble", "one_ahead"], 64), tmp_path / "r"
    begun(path, results)
    secret = (results / "secrets/night/0001.key").read_text().strip()
    done = fairdeal("reveal", "night", "--results", results)
    assert "night/0001 is closed and can't be resumed" in done.stdout
    assert secret in done.stdout
    about = manifest(results)
    assert (about["status"], about["seed"]) == ("closed", secret)
    again = fairdeal("run", path, "--local", "--results", results)
    assert "Run night/0002 begins" in again.stdout
    assert "1 of 1 tables are unchanged, and keep the seeds of night/0001" in again.stdout


def test_when_its_bots_change_an_unfinished_night_is_closed(tmp_path: Path) -> None:
    path, results = config(tmp_path, ["humble", "one_ahead"], 64), tmp_path / "r"
    begun(path, results)
    config(tmp_path, ["humble", "random_legal"], 8)
    done = fairdeal("run", path, "--local", "--results", results)
    assert "night/0001 was not finished" in done.stderr
    assert "its seed revealed" in done.stderr
    assert manifest(results)["status"] == "closed"
    assert manifest(results, 2)["status"] == "complete"


def test_without_its_secret_a_night_is_not_resumed(tmp_path: Path) -> None:
    path, results = config(tmp_path, ["humble", "one_ahead"], 64), tmp_path / "r"
    begun(path, results)
    (results / "secrets/night/0001.key").unlink()
    assert "can't be read" in refused("reveal", "night", "--results", results)
    config(tmp_path, ["humble", "one_ahead"], 64)
    done = fairdeal("run", path, "--local", "--results", results)
    assert "night/0001 is closed, and a new run begins" in done.stderr
    assert manifest(results, 2)["seeds"] == {}, "what can't be revealed can't be reused"
