"""A study's page in the report: read as a browser would read it."""

import json
from pathlib import Path

import pytest

from tests.test_balance import GAMES, TWO, second_bot, spoken, study_file
from tests.test_report import Page

VARIANTS = """
[[variant]]
name = "<b>five</b> more"
rules = { line = 31 }
[targets]
"seat.0.points" = { min = 0.2, max = 0.8 }
"draws" = { min = 0.5, variant = "as written" }
"""

TUNE = """
[tune]
options = { line = [10, 26, 45], stake = [0, 3] }
target = { metric = "seat.0.points", min = 0.7 }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("study")
    second_bot(root)
    results = root / "results"
    path = study_file(root, str(GAMES / "lot"), 128, VARIANTS, TWO)
    spoken("balance", path, "--local", "--results", results, code=1)
    spoken("report", "a-study", "--results", results, "--out", root / "balance")
    path.write_text(path.read_text().split("[[variant]]")[0] + TUNE)
    spoken("tune", path, "--local", "--results", results)
    spoken("report", "a-study-tune", "--results", results, "--out", root / "tune")
    return root


def sound(out: Path) -> Page:
    """The study's page, all of whose links lead somewhere, and that runs nothing of its own."""
    page = Page((out / "study.html").read_text())
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids
        else:
            assert link == "data:," or (out / link).is_file(), link
    assert not page.handlers
    for attrs, text in page.scripts:
        assert attrs.get("type") == "application/json" or not text.strip()
    assert "study.html" in Page((out / "index.html").read_text()).links
    return page


def test_the_page_says_what_the_command_says(folder: Path) -> None:
    page = sound(folder / "balance")
    data = json.loads((folder / "balance" / "study.json").read_text())
    assert "b" not in page.tags
    assert "<b>five</b> more" in page.text
    assert "The study is rejected." in page.text
    assert data["verdict"] == "rejected"
    for target in data["targets"]:
        assert f"{target['value']:.3f}" in page.text
        assert target["verdict"] in page.text
    more = data["variants"]["<b>five</b> more"]["seat.0.points"]
    low, high = more["difference_low"], more["difference_high"]
    assert f"{more['difference']:+.3f}" in page.text
    assert f"{low:+.3f} to {high:+.3f}" in page.text


def test_differences_are_drawn_with_their_intervals(folder: Path) -> None:
    page = sound(folder / "balance")
    data = json.loads((folder / "balance" / "study.json").read_text())
    figure = page.figure("differences-0")
    assert len(figure["data"]) == 1
    drawn = figure["data"][0]
    assert drawn["name"] == "&lt;b&gt;five&lt;/b&gt; more"
    assert figure["layout"]["yaxis"]["ticktext"] == ["seat.0.points", "seat.1.points"]
    more = data["variants"]["<b>five</b> more"]["seat.0.points"]
    assert drawn["x"][0] == more["difference"]
    assert drawn["x"][0] + drawn["error_x"]["array"][0] == pytest.approx(more["difference_high"])


def test_the_curve_of_a_search_is_drawn_with_its_target(folder: Path) -> None:
    page = sound(folder / "tune")
    assert "The smallest change from the present rules that meets it: line = 45, stake = 0." in (
        page.text
    )
    curve = page.figure("curve")
    assert [line["name"] for line in curve["data"]] == ["stake = 0", "stake = 3"]
    assert curve["data"][0]["x"] == [10, 26, 45]
    band = curve["layout"]["shapes"][0]
    assert band["y0"] == 0.7
    assert band["y1"] > 0.9
    assert (folder / "tune" / "contest-6.html").is_file()
