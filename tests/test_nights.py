"""Night after night under secret seeds: tables that stay keep their rows, others play new deals."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.store import Store
from reports.metagame import metagame
from reports.ratings import rate
from reports.results import contests
from reports.skill import skill
from reports.tactics import behaviour
from tests import doubles
from tests.command import fairdeal, refused
from tests.test_secret import config, manifest


def seeds_by_table(about: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    """By the names at a table, the id of its seed."""
    return {
        tuple(label.partition("@")[0] for label in table["entrants"]): table["seed_id"]
        for contest in about["contests"]
        for table in contest["tables"]
    }


def test_a_changed_bot_plays_new_deals_and_the_others_keep_theirs(tmp_path: Path) -> None:
    [honest] = doubles.write(tmp_path / "ann", "honest")
    path = config(tmp_path, ["humble", "one_ahead", "random_legal", "ann/honest.py"], 16)
    results = tmp_path / "results"
    fairdeal("run", path, "--local", "--results", results)
    first = manifest(results)
    honest.write_text(honest.read_text().replace("legal[0]", "legal[-1]"))
    dry = fairdeal("run", path, "--dry-run", "--results", results)
    assert "96 matches are there already, 96 would be played" in dry.stdout
    done = fairdeal("run", path, "--local", "--results", results, "--since", "latest")
    assert "96 matches to play, 96 are there already" in done.stdout
    assert "3 of 6 tables are unchanged, and keep the seeds of night/0001." in done.stdout
    assert "new version: ann/honest@" in done.stdout
    assert "16 of the 32 deals are in both runs" in done.stdout
    second = manifest(results, 2)
    assert first["seed_id"] != second["seed_id"]
    for names, seed in seeds_by_table(second).items():
        reused = "ann/honest" not in names
        assert seed == (first if reused else second)["seed_id"], names
    chunks = {chunk for t in second["contests"][0]["tables"] for chunk in t["chunks"]}
    assert all((results / "chunks" / chunk).exists() for chunk in chunks)
    assert second["seeds"][first["seed_id"]] == {
        "run": "night/0001",
        "seed": first["seed"],
        "commitment": first["commitment"],
    }
    assert second["summary"][0]["deals"] == 32, "a deal is one of a seed's: (seed, deal)"
    # More deals: what is missing is played under the seeds that the tables have.
    config(tmp_path, ["humble", "one_ahead", "random_legal", "ann/honest.py"], 32)
    done = fairdeal("run", path, "--local", "--results", results)
    assert "192 matches to play, 192 are there already" in done.stdout
    third = manifest(results, 3)
    assert seeds_by_table(third) == seeds_by_table(second)
    assert set(third["seeds"]) == {first["seed_id"], second["seed_id"]}
    fairdeal("verify", "night", "--results", results)
    [contest] = contests(Store(results), results / "runs/night/0003")
    assert rate(contest.players, contest.matches).deals == 64
    assert behaviour(contest).sums.deals.tolist() == [64, 64, 64, 32]
    assert metagame(contest.players, contest.matches).status == "ok"
    assert skill(contest.players, contest.matches).status != "ok", "no deal is all tables'"


def test_public_deals_are_never_played_under_a_secret_seed(tmp_path: Path) -> None:
    """Every version may know them."""
    path, results = config(tmp_path, ["humble", "one_ahead"]), tmp_path / "results"
    path.write_text(path.read_text().replace('"secret"', "11"))
    fairdeal("run", path, "--local", "--results", results)
    config(tmp_path, ["humble", "one_ahead"])
    done = fairdeal("run", path, "--local", "--results", results)
    assert "16 matches to play." in done.stdout
    said = refused("reveal", "night/0001", "--results", results)
    assert "its seed is no secret: 11" in said


def test_runs_of_another_name_are_not_reused(tmp_path: Path) -> None:
    """So that whoever wants all deals new gives another name."""
    path, results = config(tmp_path, ["humble", "one_ahead"], 4), tmp_path / "results"
    fairdeal("run", path, "--local", "--results", results)
    path.write_text(path.read_text().replace('"night"', '"day"'))
    done = fairdeal("run", path, "--dry-run", "--results", results)
    assert "0 matches are there already, 8 would be played" in done.stdout


def test_a_table_whose_rows_are_gone_plays_new_deals(tmp_path: Path) -> None:
    path, results = config(tmp_path, ["humble", "one_ahead"], 4), tmp_path / "results"
    fairdeal("run", path, "--local", "--results", results)
    for chunk in (results / "chunks").glob("*/*.parquet"):
        chunk.unlink()
    fairdeal("run", path, "--local", "--results", results)
    second = manifest(results, 2)
    assert second["seeds"] == {}
    assert set(seeds_by_table(second).values()) == {second["seed_id"]}
