"""What changed since an earlier run: bots, versions, faults, and ratings beyond their intervals."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.store import Store, write_manifest
from reports.ratings import rate
from reports.results import FAR, Contest
from reports.since import Since, earlier, since
from tests import doubles, stored
from tests.command import fairdeal, refused
from tests.test_run import config

STRENGTH = {"a@1": 0.5, "b@1": 0.0, "c@1": -0.5, "c@2": -0.5, "c@9": 1.5, "d@1": 0.2}

Rows = list[dict[str, Any]]


def block(rng: np.random.Generator, bots: tuple[str, str], deals: int, luck: float = 0.8) -> Rows:
    """Deals in both seatings, in which the cards favour a seat."""
    rows = []
    for deal in range(deals):
        cards = rng.normal() * luck
        for seated in (bots, bots[::-1]):
            edge = STRENGTH[seated[0]] - STRENGTH[seated[1]] + cards
            won = rng.random() < 1 / (1 + np.exp(-edge))
            for seat, bot in enumerate(seated):
                rows.append({"deal": deal, "seat": seat, "bot": bot, "points": float(won != seat)})
    return rows


def run(root: Path, number: int, tables: Mapping[str, Rows], summary: bool = False) -> Path:
    """A complete run of these chunks in a store."""
    bots = list(dict.fromkeys(row["bot"] for rows in tables.values() for row in rows))
    made = stored.contest(root, bots, list(tables.items()), seed="")
    folder = root / f"runs/x/{number:04d}"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [_line(line) for line in rate(made.players, made.matches).rated] if summary else []
    kept = [{"ratings": lines, "deals": 100}] if summary else None
    about = {"manifest": 1, "status": "complete", "contests": [made.about], "summary": kept}
    write_manifest(folder, about)
    return folder


def _line(line: Any) -> dict[str, Any]:
    rating = line.rating
    return {
        "bot": line.player.bot,
        "role": None,
        "rating": rating.value,
        "error": rating.error,
        "faults": line.faults,
    }


def nights(root: Path, rng: np.random.Generator, deals: int = 64) -> tuple[Store, Path, Path]:
    """Two nights: c has a new version in the second, a and b keep their table's rows."""
    last = deals - 1
    ab = block(rng, ("a@1", "b@1"), deals)
    first = {
        f"ab/s-0-{last}.parquet": ab,
        f"ac/s-0-{last}.parquet": block(rng, ("a@1", "c@1"), deals),
        f"bc/s-0-{last}.parquet": block(rng, ("b@1", "c@1"), deals),
    }
    second = {
        f"ab/s-0-{last}.parquet": ab,
        f"ad/t-0-{last}.parquet": block(rng, ("a@1", "c@2"), deals),
        f"bd/t-0-{last}.parquet": block(rng, ("b@1", "c@2"), deals),
    }
    return Store(root), run(root, 1, first), run(root, 2, second)


def only(found: Sequence[Since]) -> Since:
    [one] = found
    return one


def test_a_run_compared_with_itself_has_not_changed(tmp_path: Path) -> None:
    store, first, _ = nights(tmp_path, np.random.default_rng(1))
    one = only(since(store, first, first))
    assert (one.new, one.gone, one.versions, one.faults) == ([], [], [], [])
    assert one.deals == one.shared == 64
    for change in one.changes:
        assert change.change.value == pytest.approx(0, abs=1e-9)
        assert change.change.error == 0
        assert not change.beyond


def test_without_common_deals_the_errors_are_those_of_independent_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    pairs = [("a@1", "b@1"), ("a@1", "c@1"), ("b@1", "c@1")]
    folders = [
        run(tmp_path, n, {f"{p[0][0]}{p[1][0]}/{s}-0-63.parquet": block(rng, p, 64) for p in pairs})
        for n, s in ((1, "s"), (2, "t"))
    ]
    one = only(since(Store(tmp_path), *folders))
    assert (one.shared, one.deals) == (0, 128)
    errors = []
    for folder in folders:
        about = json.loads((folder / "manifest.json").read_text())["contests"][0]
        contest = Contest(1, about, Store(tmp_path))
        rated = rate(contest.players, contest.matches).rated
        errors.append({line.player.bot: line.rating.error or 0 for line in rated})
    for change in one.changes:
        independent = np.hypot(errors[0][change.bot], errors[1][change.bot])
        assert change.change.error == pytest.approx(independent, rel=0.02)  # but for G/(G-1)


def test_intervals_cover_the_truth_where_rows_are_shared(tmp_path: Path) -> None:
    """c@2 is as strong as c@1, so no true change is anything but 0."""
    rng = np.random.default_rng(3)
    held = total = 0
    for number in range(30):
        store, first, second = nights(tmp_path / str(number), rng, 32)
        one = only(since(store, first, second))
        assert one.versions == [("c@1", "c@2")]
        assert (one.shared, one.deals) == (32, 64)
        for change in one.changes:
            total += 1
            held += not change.beyond
    assert total == 90
    assert 0.87 < held / total <= 1, "95 %, give or take three errors of it"


def test_a_change_is_found(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    one, two = {}, {}
    for pair in (("a@1", "b@1"), ("a@1", "c@1"), ("b@1", "c@1")):
        one[f"{pair[0][0]}{pair[1][0]}/s-0-255.parquet"] = block(rng, pair, 256, luck=0)
    for pair in (("a@1", "b@1"), ("a@1", "c@9"), ("b@1", "c@9")):
        two[f"{pair[0][0]}{pair[1][0]}9/t-0-255.parquet"] = block(rng, pair, 256, luck=0)
    folders = run(tmp_path, 1, one), run(tmp_path, 2, two)
    changes = {c.bot: c for c in only(since(Store(tmp_path), *folders)).changes}
    assert changes["c@9"].beyond
    low, high = changes["c@9"].change.low or 0, changes["c@9"].change.high or 0
    assert low < 2 * 173.7178 < high, "two natural-log units, in Elo"
    assert changes["a@1"].before + changes["b@1"].before == pytest.approx(0, abs=1e-6)
    assert changes["a@1"].after + changes["b@1"].after == pytest.approx(0, abs=1e-6)


def test_new_gone_and_faulty(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    first = {
        "ab/s-0-15.parquet": block(rng, ("a@1", "b@1"), 16),
        "ac/s-0-15.parquet": block(rng, ("a@1", "c@1"), 16),
    }
    faulty = block(rng, ("a@1", "d@1"), 16)
    faulty[1] |= {"fault": "crash", "points": 0.0}
    faulty[0] |= {"points": 1.0}
    second = {
        "ab/s-0-15.parquet": first["ab/s-0-15.parquet"],
        "ad/t-0-15.parquet": faulty,
    }
    folders = run(tmp_path, 1, first), run(tmp_path, 2, second)
    one = only(since(Store(tmp_path), *folders))
    assert one.new == ["d@1"]
    assert one.gone == ["c@1"]
    assert [tuple(fault) for fault in one.faults] == [(faulty[1]["bot"], "crash", 1)]
    assert earlier(Store(tmp_path), folders[1]) == folders[0]
    assert earlier(Store(tmp_path), folders[0]) is None


def test_where_rows_are_gone_the_summary_serves_and_it_is_said(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    tables = {
        f"{p[0][0]}{p[1][0]}/s-0-63.parquet": block(rng, p, 64)
        for p in (("a@1", "b@1"), ("a@1", "c@1"), ("b@1", "c@1"))
    }
    first = run(tmp_path, 1, tables, summary=True)
    for name in tables:
        (tmp_path / "chunks" / name).unlink()
    again = {name.replace("/s", "/t"): rows for name, rows in tables.items()}
    second = run(tmp_path, 2, again)
    one = only(since(Store(tmp_path), first, second))
    assert "its rows are gone" in one.note
    assert [change.change.value for change in one.changes] == pytest.approx([0, 0, 0], abs=1e-6)
    assert all((change.change.error or 0) > 0 for change in one.changes)


def test_deals_of_different_seeds_are_different_deals(tmp_path: Path) -> None:
    """And those of one seed the same, whatever the table."""
    rng = np.random.default_rng(7)
    tables = {
        "ab/s-0-15.parquet": block(rng, ("a@1", "b@1"), 16),
        "ac/t-0-15.parquet": block(rng, ("a@1", "c@1"), 16),
        "bc/t-0-15.parquet": block(rng, ("b@1", "c@1"), 16),
    }
    bots = ["a@1", "b@1", "c@1"]
    made = stored.contest(tmp_path, bots, list(tables.items()))
    deals = np.concatenate([chunk.deal for chunk in made.matches()])
    assert sorted(set((deals // FAR).tolist())) == [0, 1]
    rated = rate(made.players, made.matches)
    assert rated.deals == 32
    # Relabelled by hand, as deals of one seed that follow each other, it is the same fit.
    later: dict[str, Rows] = {}
    for name, rows in tables.items():
        far = "/t" in name
        span = "16-31" if far else "0-15"
        later[f"{name[:2]}/u-{span}.parquet"] = [
            row | {"deal": row["deal"] + 16 * far} for row in rows
        ]
    other = stored.contest(tmp_path / "one", bots, list(later.items()))
    again = rate(other.players, other.matches)
    assert [line.rating for line in again.rated] == [line.rating for line in rated.rated]


def test_as_users_run_it(tmp_path: Path) -> None:
    doubles.write(tmp_path / "ann", "honest")
    path, results = config(tmp_path, ["humble", "random_legal"], 20), tmp_path / "results"
    said = refused("run", path, "--since", "other", "--local", "--results", results)
    assert "there are no results in" in said
    run = ("run", path, "--local", "--results", results, "--since")
    assert "it is the first complete run of its name" in fairdeal(*run, "latest").stdout
    assert "there is no run 'other'" in refused(*run, "other")
    config(tmp_path, ["humble", "random_legal", "ann/honest.py"], 20)
    done = fairdeal(*run, "latest")
    assert "Contest 1, since small/0001:" in done.stdout
    assert "new: ann/honest@" in done.stdout
    assert "20 of the 20 deals are in both runs" in done.stdout
    out = tmp_path / "out"
    fairdeal("report", "small", "--out", out, "--results", results)
    assert 'id="since"' in (out / "contest-1.html").read_text()
    data = json.loads((out / "contest-1.json").read_text())["since"]
    assert data["run"] == "small/0001"
    assert [bot.partition("@")[0] for bot in data["new"]] == ["ann/honest"]
