"""Older versions of bots: named by their hash anywhere, and playing as they did."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.entrants import enter, find_bots, find_one
from harness.errors import Falsified, UserError
from harness.games import find_game
from harness.store import Store, read_manifest
from harness.versions import Versions
from tests import doubles
from tests.command import fairdeal, refused
from tests.test_run import config, rows

FOX = find_game("forest_fox")


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A folder with a store in which a bot played that has changed since; both its labels."""
    tmp_path = tmp_path_factory.mktemp("changed")
    [honest] = doubles.write(tmp_path / "ann", "honest")
    path = config(tmp_path, ["humble", "ann/honest.py"], 20)
    fairdeal("run", path, "--local", "--results", tmp_path / "results")
    [old] = [e["label"] for e in entrants(tmp_path / "results") if e["label"].startswith("ann")]
    honest.write_text(honest.read_text().replace("legal[0]", "legal[-1]"))
    return tmp_path, old, find_one(str(honest), FOX, Path()).label


def entrants(results: Path, run: str = "small/0001") -> list[dict[str, Any]]:
    found = read_manifest(Store(results).find_run(run))
    return [entrant for contest in found["contests"] for entrant in contest["entrants"]]


def test_it_plays_the_same_rows(changed: tuple[Path, str, str]) -> None:
    folder, old, new = changed
    path = config(folder, ["humble", old], 20)
    done = fairdeal("run", path, "--local", "--results", folder / "results")
    assert " 0 matches to play" in done.stdout, "the same table"
    kept = rows(folder / "results")
    for chunk in (folder / "results/chunks").glob("*/*.parquet"):
        chunk.unlink()
    fairdeal("run", path, "--local", "--results", folder / "results")
    assert rows(folder / "results") == kept
    assert old != new


def test_it_meets_its_successor_and_both_are_told_apart(changed: tuple[Path, str, str]) -> None:
    folder, old, new = changed
    path = config(folder, ["humble", "ann/honest.py", old], 20)
    done = fairdeal("run", path, "--local", "--results", folder / "results")
    assert {e["label"] for e in entrants(folder / "results", "latest")} >= {old, new}
    assert old in done.stdout, "with their versions, since their names are the same"
    assert new in done.stdout


def test_it_can_be_named_wherever_a_bot_is(changed: tuple[Path, str, str]) -> None:
    folder, old, _ = changed
    results = ("--results", folder / "results")
    short = old[: old.index("@") + 5]
    done = fairdeal("match", "forest_fox", old, short, "--deals", "3", "--output", "json", *results)
    assert [line["bot"] for line in json.loads(done.stdout)] == [old, old]
    fairdeal("duel", "forest_fox", old, "humble", "--max-deals", "8", *results, code=3)
    done = fairdeal("check", old, "--seconds", "2", "--isolation", "process", *results)
    assert f"{old} is fit" in done.stdout
    said = refused("spar", "forest_fox", "humble", "--against", "ann/honest@beef", *results)
    assert old in said, "it looks there; to play takes its time"


def test_a_wrong_or_ambiguous_hash_is_one_line(changed: tuple[Path, str, str]) -> None:
    folder, old, _ = changed
    results = ("--results", folder / "results")
    said = refused("match", "forest_fox", "ann/honest@beef", "humble", *results)
    assert f"there is no version ann/honest@beef in {folder / 'results/bots'}" in said
    assert old in said
    assert "there is no version" in refused("check", "ann/honest@beef", *results)
    version = next(e["version"] for e in entrants(folder / "results") if e["label"] == old)
    twin = version[:8] + "0" * 24
    kept = folder / "results/bots" / version
    kept.with_name(twin).mkdir()
    kept.with_name(twin).joinpath("bot.json").write_text((kept / "bot.json").read_text())
    said = refused("match", "forest_fox", old, "humble", *results)
    assert "is more than one version: " in said
    assert version in said
    assert twin in said
    path = config(folder, ["humble", "ann/honest@beef"], 20)
    said = refused("run", path, "--local", *results)
    assert said.startswith(f"{path}: contest 1: there is no version ann/honest@beef")


def test_parameters_folders_and_data_come_back(tmp_path: Path) -> None:
    doubles.write(tmp_path / "ann", "with_parameters")
    folder = tmp_path / "bob/learned"
    (folder / "project").mkdir(parents=True)
    (folder / "bot.py").write_text(
        doubles.HEAD + "from . import model\n" + doubles.SOURCES["honest"]
    )
    (folder / "model.py").write_text("x = 1\n")
    (folder / "bot.json").write_text("{}")
    (folder / "project/weights.bin").write_bytes(bytes(range(256)))
    store = Store(tmp_path / "results")
    versions = Versions(store)
    texts = ["ann/with_parameters.py(nth=3, fast=False)", "bob/learned", "humble"]
    for text in texts:
        entrant = find_one(text, FOX, tmp_path) if "/" not in text else _only(text, tmp_path)
        store.keep_bot(entrant)
        assert versions(entrant.name, entrant.version[:8]) == versions.version(entrant.version)
        again = versions.version(entrant.version)
        assert (again.label, again.bot.files) == (entrant.label, entrant.bot.files)
        assert again.parameters == entrant.parameters
        [named], _ = find_bots(entrant.label, FOX, tmp_path, older=versions)
        assert named == again


def _only(text: str, base: Path) -> Any:
    [entrant], left_out = find_bots(text, FOX, base)
    assert not left_out
    return entrant


def test_a_version_whose_helpers_have_changed_can_not_play(tmp_path: Path) -> None:
    doubles.write(tmp_path / "ann", "honest")
    path = tmp_path / "ann/honest.py"
    path.write_text("from games.forest_fox.rules import RANK\n" + path.read_text())
    bot = find_one(str(path), FOX, Path()).bot
    files = tuple(
        (name, content + b"# then\n" if name == "games.forest_fox.rules" else content)
        for name, content in bot.files
    )
    entrant = enter(replace(bot, files=files))  # as it was before the rules' file changed
    store = Store(tmp_path / "results")
    store.keep_bot(entrant)
    with pytest.raises(UserError, match=r"imports games\.forest_fox\.rules, and that has changed"):
        Versions(store).version(entrant.version)
    helper = store.bot_path(entrant.version) / "project/games.forest_fox.rules.py"
    helper.write_text("")
    with pytest.raises(Falsified, match="these files aren't those of ann/honest@"):
        Versions(store).version(entrant.version)


def test_a_file_that_is_called_like_a_version_is_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "ann" / "bot@beef"
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text(doubles.HEAD + doubles.SOURCES["honest"])
    [entrant], _ = find_bots("ann/bot@beef", FOX, tmp_path, older=Versions(Store(tmp_path)))
    assert entrant.name == "ann/bot@beef"
