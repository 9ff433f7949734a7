"""`fairdeal ratings FILE`: results from elsewhere, run as a user runs it."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from harness.errors import UserError
from reports.elsewhere import read_elsewhere
from reports.ratings import rate
from reports.views import full_orders
from tests.command import fairdeal, refused

DATA = Path(__file__).parent / "data"
HEAD = "match,deal,seat,bot,points\n"


def games(name: str) -> str:
    """A published table of pairs as a file's text, every match a deal of its own."""
    found = json.loads((DATA / f"{name}.json").read_text())
    lines = []
    for pair in found["results"]:
        for points, number in ((1.0, "wins_a"), (0.5, "draws"), (0.0, "wins_b")):
            for _ in range(pair[number]):
                match = len(lines) // 2
                lines.append(f"{match},{match},0,{found['bots'][pair['a']]},{points}")
                lines.append(f"{match},{match},1,{found['bots'][pair['b']]},{1 - points}")
    return HEAD + "\n".join(lines) + "\n"


def rated(file: Path, *options: str) -> dict[str, Any]:
    found = json.loads(fairdeal("ratings", file, "--output", "json", *options).stdout)
    assert isinstance(found, dict)
    return found


def by_bot(found: dict[str, Any]) -> dict[str, Any]:
    return {row["bot"]: row for row in found["ratings"]}


def test_published_ratings_from_csv_and_parquet(tmp_path: Path) -> None:
    expected = json.loads((DATA / "elo_pudding_ties.json").read_text())["expected"]["bt_half"]
    file = tmp_path / "pudding.csv"
    file.write_text(games("elo_pudding_ties"))
    pd.read_csv(file).to_parquet(tmp_path / "pudding.parquet")
    found = rated(file)
    assert found["status"] == "ok"
    assert rated(tmp_path / "pudding.parquet") == found
    anchored = by_bot(rated(file, "--anchor", "brand1"))
    for i in range(6):
        row = by_bot(found)[f"brand{i + 1}"]
        assert row["rating"] == pytest.approx(expected["rating_mean_zero"][i], abs=0.01)
        assert row["error"] == pytest.approx(expected["se_sandwich_mean_zero"][i], rel=1e-3)
        assert row["low"] < row["rating"] < row["high"]
        row = anchored[f"brand{i + 1}"]
        assert row["rating"] == pytest.approx(expected["rating_anchored"][i], abs=0.01)
        assert row["error"] == pytest.approx(expected["se_sandwich_anchored"][i], rel=1e-3)


def test_published_differences_and_likelihoods_of_superiority(tmp_path: Path) -> None:
    expected = json.loads((DATA / "elo_pudding_ties.json").read_text())["expected"]["bt_half"]
    file = tmp_path / "pudding.csv"
    file.write_text(games("elo_pudding_ties"))
    rows = json.loads(fairdeal("ratings", file, "--pairs", "--output", "json").stdout)
    assert len(rows) == 30
    games_played = games("elo_pudding_ties").count("\n") // 2
    for row in rows:
        i, j = int(row["bot"][-1]) - 1, int(row["against"][-1]) - 1
        assert row["error"] == pytest.approx(expected["se_diff_sandwich"][i][j], rel=1e-3)
        ratio = row["difference"] / row["error"]
        assert row["superiority"] == pytest.approx(norm.cdf(ratio), abs=1e-9)
        # The published errors are without G/(G-1).
        published = norm.cdf(ratio * np.sqrt(games_played / (games_played - 1)))
        assert published == pytest.approx(expected["los_sandwich"][i][j], abs=1e-4)
    first = next(r for r in rows if (r["bot"], r["against"]) == ("brand1", "brand2"))
    assert (first["matches"], first["points"], first["draws"]) == (57, 27, 16)
    assert (first["blocks_won"], first["blocks_drawn"], first["blocks_lost"]) == (19, 16, 22)


def test_a_perfect_score_has_bounds_instead_of_a_number(tmp_path: Path) -> None:
    expected = json.loads((DATA / "elo_perfect_score.json").read_text())["expected"]
    file = tmp_path / "perfect.csv"
    file.write_text(games("elo_perfect_score"))
    found = rated(file)
    assert found["status"] == "not_strongly_connected"
    rows = by_bot(found)
    perfect = rows["perfect"]
    assert [perfect[key] for key in ("rating", "error", "low", "high")] == [None] * 4
    assert perfect["standing"] == "above"
    finite = expected["finite_subset"]["bt_half"]
    for i, bot in enumerate(("second", "third", "fourth")):
        assert rows[bot]["rating"] == pytest.approx(finite["rating_mean_zero"][i], abs=0.01)
        error = finite["se_sandwich_mean_zero"][i] * np.sqrt(60 / 59)  # 60 deals between the three
        assert rows[bot]["error"] == pytest.approx(error, rel=1e-4)
    groups = [{each["bot"] for each in group} for group in found["groups"]]
    assert groups == [{"perfect"}, {"second", "third", "fourth"}]
    bounds = {b["above"]["bot"]: b for b in found["bounds"] if b["bot"] == "perfect"}
    for bound, bot in zip(
        expected["one_sided_lower_bound"]["per_opponent"],
        ("second", "third", "fourth"),
        strict=True,
    ):
        assert bounds[bot]["deals"] == bound["n"]
        assert bounds[bot]["elo"] == pytest.approx(bound["elo"], abs=1e-3)
    assert {b["below"]["bot"] for b in found["bounds"] if b["bot"] == "third"} == {"perfect"}
    said = fairdeal("ratings", file).stdout
    assert "perfect | fourth, second, third" in said
    assert "perfect stands above the rated ones" in said
    assert "+317" in said


def test_bots_that_never_met_are_apart(tmp_path: Path) -> None:
    file = tmp_path / "apart.csv"
    lines = []
    for match, (a, b) in enumerate(["ab", "ba", "ab", "ba", "cd", "dc"]):
        lines += [f"{match},{match},0,{a},1", f"{match},{match},1,{b},0"]
    file.write_text(HEAD + "\n".join(lines) + "\n")
    found = rated(file)
    assert found["status"] == "disconnected"
    assert {row["standing"] for row in found["ratings"]} == {None, "apart"}


def test_choix_orders(tmp_path: Path) -> None:
    found = json.loads((DATA / "pl_choix_tests.json").read_text())
    for case in found["cases"]:
        worth = found["exact"].get(case["name"], case["expected_log_worth_mean_zero"])
        lines = []
        for match, order in enumerate(case["rankings"]):
            for place, bot in enumerate(order, start=1):
                lines.append(f"{match},{match},{place - 1},b{bot},{int(place == 1)},{place}")
        file = tmp_path / f"{case['name']}.csv"
        file.write_text("match,deal,seat,bot,points,place\n" + "\n".join(lines) + "\n")
        read = read_elsewhere(file)
        rows = {
            line.player.bot: line.rating.value
            for line in rate(
                read.players, read.matches, fitted=lambda o=read: full_orders(o.places())
            ).rated
        }
        if case["name"] == "partial_lengths":
            said = by_bot(rated(file, "--model", "full-order"))
            assert {bot: row["rating"] for bot, row in said.items()} == pytest.approx(rows)
        for bot, value in enumerate(worth):
            log_worth = (rows[f"b{bot}"] or 0.0) * np.log(10) / 400
            assert log_worth == pytest.approx(value, abs=1e-5), case["name"]


def test_a_team_in_a_file_is_one_side_and_roles_have_an_edge(tmp_path: Path) -> None:
    """Two patrons against a dealer; seats of a team have the same points, in any order of rows."""
    rng = np.random.default_rng(3)
    lines = []
    for deal in range(60):
        for seating, (patron, dealer) in enumerate(("xy", "yx", "xx", "yy")):
            won = int(rng.random() < 0.6)
            match = f"d{deal}s{seating}"
            lines += [
                f"{match},{deal},0,{patron},{won},patron",
                f"{match},{deal},1,{patron},{won},patron",
                f"{match},{deal},2,{dealer},{1 - won},dealer",
            ]
    file, mixed = tmp_path / "teams.csv", tmp_path / "mixed.csv"
    head = "match,deal,seat,bot,points,role\n"
    file.write_text(head + "\n".join(lines) + "\n")
    mixed.write_text(head + "\n".join([*lines[::-1]]) + "\n")
    found = rated(file)
    assert found["matches"] == 240
    assert {(row["bot"], row["role"]) for row in found["ratings"]} == {
        (bot, role) for bot in "xy" for role in ("patron", "dealer")
    }
    won = sum(row["points"] for row in found["ratings"] if row["role"] == "patron") / 240
    assert found["edge"]["value"] == pytest.approx(400 * np.log10(won / (1 - won)), abs=2)
    backwards = rated(mixed)
    assert backwards["edge"]["value"] == pytest.approx(-found["edge"]["value"], abs=1e-6)


def test_by_seat(tmp_path: Path) -> None:
    lines = []
    for deal in range(30):
        for seating, (a, b) in enumerate(("xy", "yx", "xz", "zx", "yz", "zy")):
            won = int((deal * 7 + seating * 3) % 10 < 7)
            lines += [
                f"{deal}.{seating},{deal},0,{a},{won}",
                f"{deal}.{seating},{deal},1,{b},{1 - won}",
            ]
    file = tmp_path / "seats.csv"
    file.write_text(HEAD + "\n".join(lines) + "\n")
    said = fairdeal("ratings", file, "--by-seat", "--output", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(said)))
    assert len(rows) == 6
    assert {row["matches"] for row in rows} == {"60"}
    first = [float(row["points"]) for row in rows if row["seat"] == "0"]
    assert sum(first) / 3 == pytest.approx(0.7, abs=0.02)
    assert all(float(row["rating"]) > 0 for row in rows if row["seat"] == "0")
    assert "Elo" in fairdeal("ratings", file, "--by-seat").stdout


def test_by_seat_two_bots_are_disconnected_and_have_points_alone(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    points = {(0, "x"): rng.random(40) < 0.8, (0, "y"): rng.random(40) < 0.6}
    lines = []
    for deal in range(40):
        for seating, (a, b) in enumerate(("xy", "yx")):
            won = int(points[0, a][deal])
            lines += [f"{seating},{deal},0,{a},{won}", f"{seating},{deal},1,{b},{1 - won}"]
    file = tmp_path / "two.csv"
    file.write_text(HEAD + "\n".join(lines) + "\n")
    done = fairdeal("ratings", file, "--by-seat", "--output", "json")
    assert "by seat disconnected: with two bots each meets only the other in the" in done.stderr
    rows = json.loads(done.stdout)
    assert len(rows) == 4
    assert {row["rating"] for row in rows} == {None}
    assert {row["standing"] for row in rows} == {"apart"}
    for row in rows:
        if row["seat"] == 0:
            won = points[0, row["bot"]]
            assert row["points"] == pytest.approx(won.mean())
            # One match a deal: the usual error of a mean.
            assert row["points_error"] == pytest.approx(won.std(ddof=1) / 40**0.5)
    assert "disconnected" in fairdeal("ratings", file, "--by-seat").stderr


def test_a_bot_that_never_had_a_seat_doesnt_count_there(tmp_path: Path) -> None:
    lines = []
    for deal in range(30):
        for seating, (a, b) in enumerate(("xy", "yx", "xz", "yz")):
            won = int((deal * 7 + seating * 3) % 10 < 6)
            lines += [f"{seating},{deal},0,{a},{won}", f"{seating},{deal},1,{b},{1 - won}"]
    file = tmp_path / "never.csv"
    file.write_text(HEAD + "\n".join(lines) + "\n")
    done = fairdeal("ratings", file, "--by-seat", "--output", "json")
    rows = json.loads(done.stdout)
    assert [(row["bot"], row["seat"]) for row in rows if row["bot"] == "z"] == [("z", 1)]
    assert len(rows) == 5
    assert all(row["rating"] is not None for row in rows)
    assert done.stderr == ""


def test_deals_may_be_words_after_many_numbers(tmp_path: Path) -> None:
    """What kind of column it is can't be guessed from its beginning."""
    lines = []
    for deal in range(60_000):
        name = f"{deal}" if deal < 59_999 else "the last"
        won = int(deal % 3 > 0)
        lines += [f"m,{name},0,a,{won}", f"m,{name},1,b,{1 - won}"]
    file = tmp_path / "long.csv"
    file.write_text(HEAD + "\n".join(lines[::-1]) + "\n")
    numbers = read_elsewhere(file)
    assert len(np.unique(numbers.all.deal)) == 60_000
    file.write_text(HEAD + "\n".join(lines) + "\n")
    found = read_elsewhere(file)
    assert len(np.unique(found.all.deal)) == 60_000
    assert rate(found.players, found.matches).rated[0].points == 40_000


@pytest.mark.parametrize("said", ["", "0", "False", "false"])
def test_a_fault_column_may_say_no(said: str, tmp_path: Path) -> None:
    text = games("elo_pudding_ties").splitlines()
    lines = [text[0] + ",fault", *(f"{line},{said}" for line in text[1:])]
    lines += [f"x,x,0,brand1,1,{said}", "x,x,1,brand6,0,crash"]
    file = tmp_path / "faults.csv"
    file.write_text("\n".join(lines) + "\n")
    assert [row["faults"] for row in rated(file)["ratings"] if row["faults"]] == [1]
    table = pd.read_csv(file)
    table["fault"] = table["fault"].astype(str) == "crash"
    for name in ("match", "deal"):
        table[name] = table[name].astype(str)
    table.to_parquet(tmp_path / "faults.parquet")
    again = rated(tmp_path / "faults.parquet")
    assert [row["faults"] for row in again["ratings"] if row["faults"]] == [1]


def test_faults_are_left_out_on_the_side(tmp_path: Path) -> None:
    text = games("elo_pudding_ties").splitlines()
    lines = [text[0] + ",fault", *(f"{line}," for line in text[1:])]
    for extra in range(20):
        lines += [f"x{extra},x{extra},0,brand1,1,", f"x{extra},x{extra},1,brand6,0,crash"]
    file = tmp_path / "faults.csv"
    file.write_text("\n".join(lines) + "\n")
    rows = by_bot(rated(file))
    expected = json.loads((DATA / "elo_pudding_ties.json").read_text())["expected"]["bt_half"]
    assert rows["brand6"]["faults"] == 20
    assert rows["brand6"]["without_faults"] == pytest.approx(
        expected["rating_mean_zero"][5], abs=0.01
    )
    assert rows["brand6"]["rating"] < rows["brand6"]["without_faults"] - 20


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "can't be read as csv"),
        (HEAD, "there are no rows"),
        ("match,deal,seat,bot\n1,1,0,a\n", "there is no column 'points'; needed are match, deal"),
        (HEAD + "1,1,0,a,1\n1,1,0,b,0\n", "match 1: seat 0 is there twice"),
        (HEAD + "1,1,0,a,1\n", "match 1 has one side"),
        (HEAD + "1,1,0,a,x\n1,1,1,b,0\n", "points must be a number from 0"),
        (HEAD + "1,1,0,a,nan\n1,1,1,b,0\n", "row 1: points must be a number from 0"),
        (HEAD + "1,1,0,a,-1\n1,1,1,b,2\n", "row 1: points must be a number from 0, not -1.0"),
        (HEAD + "1,1,0,a,1\n1,1,1,b,\n", "row 2: points is missing"),
        (HEAD + "1,1,x,a,1\n1,1,1,b,0\n", "seat must be a whole number from 0"),
        (HEAD + "1,1,0,a,0\n1,1,1,b,0\n", "the same sum of points, more than 0; match 1 has 0"),
        (HEAD + "7,1,0,a,1\n7,1,1,b,0\n8,2,0,a,3\n8,2,1,b,0\n", "match 7 has 1, match 8 has 3"),
        (HEAD + "1,1,0,a,1\n1,1,1\n", "can't be read as csv"),
        ("match,deal,seat,bot,points,points\n1,1,0,a,1,1\n", "'points' is there 2 times"),
        (HEAD + "1,1,0,a,inf\n1,1,1,b,0\n", "row 1: points must be a number from 0, not inf"),
        (HEAD + "1,1,0,a,1e308\n1,1,1,b,1e308\n", "match 1: the sum of its points is too large"),
        (HEAD + "1,1,0,a,1e999\n1,1,1,b,0\n", "row 1: points must be a number from 0"),
        (HEAD + "1,1,0,a,2e-9\n1,1,1,b,0\n2,2,0,a,5e-9\n2,2,1,b,0\n", "match 2 has 5e-09"),
        (HEAD + "1,1,0,a,1\n1,1,1,b,0\n" * 2, "match 1: seat 0 is there twice"),
        (HEAD + ",1,0,a,1\n,1,1,b,0\n", "row 1: match is missing"),
        (HEAD + "1,,0,a,1\n1,,1,b,0\n", "row 1: deal is missing"),
        (HEAD + "1,1,0.5,a,1\n1,1,1,b,0\n", "seat must be a whole number from 0"),
    ],
)
def test_wrong_files_are_one_clear_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.csv"
    file.write_text(text)
    with pytest.raises(UserError) as refusal:
        read_elsewhere(file)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_other_mistakes_are_one_clear_line(tmp_path: Path) -> None:
    assert "gone.csv: No such file" in refused("ratings", tmp_path / "gone.csv")
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"PAR1nonsense")
    assert "can't be read as parquet" in refused("ratings", bad)
    file = tmp_path / "pudding.csv"
    file.write_text(games("elo_pudding_ties"))
    for name in ("pudding.xlsx", "pudding.txt", "pudding"):
        file.with_name(name).write_text("anything")
        said = refused("ratings", file.with_name(name))
        assert f"{name}: a file of results must be .csv or .parquet" in said
    assert "no bot 'nobody'" in refused("ratings", file, "--anchor", "nobody")
    assert "no column 'place'" in refused("ratings", file, "--model", "full-order")
    assert "give one" in refused("ratings", file, "--pairs", "--by-seat")
    perfect = tmp_path / "perfect.csv"
    perfect.write_text(games("elo_perfect_score"))
    assert "no finite rating" in refused("ratings", perfect, "--anchor", "perfect")
