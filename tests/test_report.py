"""The report's pages, made by the command and read as a browser would read them."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import pytest

from reports.charts import charts, shown
from reports.overview import overview
from reports.pages import pages as pages_of
from tests.command import fairdeal, refused
from tests.stored import contest

ROGUE = '''
from harness.bot import Bot


class Rogue(Bot):
    """<script>alert("about")</script> & <b>bold</b>."""

    games = "*"

    def __init__(self, setup, *, name="</script><img src=x>"):
        super().__init__(setup)

    def act(self, view, legal):
        if self.rng.random() < 0.005:
            raise RuntimeError("<a href='http://example.com'>fault</a> \\x1b[31m")
        return legal[0]
'''

CONFIG = """
name = "pages"
seed = 1
isolation = "inprocess"

[[contest]]
game = "forest_fox"
bots = ["humble", "one_ahead", "random_legal", "rogue.py"]
deals = 60

[[contest]]
game = "fraser_island"
players = 3
bots = ["burrower", "random_legal", "rogue.py"]
deals = 20
"""

LINKS = ("src", "href", "action", "data", "poster", "srcset", "formaction")


class Page(HTMLParser):
    """What a browser would load, follow and run."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.tags: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.words: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in LINKS]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == "script" and self.scripts:
            attrs, text = self.scripts[-1]
            self.scripts[-1] = (attrs, text + data)
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def figure(self, name: str) -> dict[str, Any]:
        found = [text for attrs, text in self.scripts if attrs.get("id") == f"figure-{name}"]
        assert len(found) == 1, name
        loaded = json.loads(found[0].split("</script>")[0])
        assert isinstance(loaded, dict)
        return loaded


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("report")
    (root / "rogue.py").write_text(ROGUE)
    (root / "config.toml").write_text(CONFIG)
    fairdeal("run", root / "config.toml", "--local", "--results", root / "results")
    said = fairdeal("report", "pages", "--out", root / "out", "--results", root / "results").stdout
    assert "Wrote 2 pages and an index" in said
    return root / "out"


def pages(out: Path) -> dict[str, Page]:
    return {path.name: Page(path.read_text()) for path in sorted(out.glob("*.html"))}


def test_a_page_a_contest_an_index_and_json(out: Path) -> None:
    assert {path.name for path in out.iterdir()} == {
        "index.html",
        "contest-1.html",
        "contest-1.json",
        "contest-2.html",
        "contest-2.json",
        "style.css",
        "report.js",
        "plotly.min.js",
    }


def test_nothing_is_fetched_from_elsewhere_and_every_link_leads_somewhere(out: Path) -> None:
    for name, page in pages(out).items():
        assert page.links, name
        for link in page.links:
            if link.startswith("#"):
                assert link[1:] in page.ids
            else:
                assert link == "data:," or (out / link).is_file(), f"{name}: {link}"
    style = (out / "style.css").read_text() + (out / "report.js").read_text()
    assert "url(" not in style
    assert "@import" not in style
    assert "http" not in style


def test_a_bots_text_is_shown_and_never_run(out: Path) -> None:
    found = pages(out)
    for name, page in found.items():
        assert not page.handlers, name
        assert "img" not in page.tags
        assert "b" not in page.tags
        for attrs, text in page.scripts:
            assert attrs.get("type") == "application/json" or not text.strip()
    assert '<script>alert("about")</script> & <b>bold</b>.' in found["index.html"].text
    assert "<a href='http://example.com'>fault</a> \\x1b[31m" in found["contest-1.html"].text


def test_the_pages_say_what_the_ratings_say(out: Path) -> None:
    results = out.parent / "results"
    said = fairdeal("ratings", "pages", "--results", results, "--output", "json").stdout
    rows = json.loads(said)
    for number in (1, 2):
        data = json.loads((out / f"contest-{number}.json").read_text())
        ours = [row for row in rows if row["contest"] == number]
        assert [line["bot"] for line in data["ratings"]] == [row["bot"] for row in ours]
        for line, row in zip(data["ratings"], ours, strict=True):
            if row["rating"] is not None:
                assert line["value"] == pytest.approx(row["rating"])
        page = pages(out)[f"contest-{number}.html"]
        for row in ours:
            if row["rating"] is not None:
                assert f"{row['rating']:+.0f}" in page.text
        drawn = page.figure("ratings")["data"][0]
        assert drawn["x"] == [
            line["value"] for line in data["ratings"] if line["value"] is not None
        ]


def test_metagame_and_skill_say_the_same_as_commands(out: Path) -> None:
    base = ["pages", "--results", out.parent / "results"]
    shares = json.loads(fairdeal("metagame", *base, "--output", "json").stdout)
    parts = json.loads(fairdeal("skill", *base, "--output", "json").stdout)
    data = json.loads((out / "contest-1.json").read_text())
    first = [row for row in shares if row["contest"] == 1]
    assert [row["bot"] for row in first] == [s["bot"] for s in data["metagame"]["shares"]]
    assert [row["low"] for row in first] == pytest.approx(
        [share["low"] for share in data["metagame"]["shares"]]
    )
    assert [row["share"] for row in parts if row["contest"] == 1] == pytest.approx(
        [part["share"]["value"] for part in data["skill"]["components"]]
    )
    done = fairdeal("skill", *base)
    assert "part of the variance" in done.stdout
    assert "contest 2: nothing can be said: it takes at least 40 deals" in done.stderr
    said = fairdeal("metagame", *base, "--alpha", "10", "--population", "20").stdout
    assert "alpha 10, m 20, pairwise comparison" in " ".join(said.split())


def test_the_crosstable_tactics_and_faults_are_drawn(out: Path) -> None:
    data = json.loads((out / "contest-1.json").read_text())
    page = pages(out)["contest-1.html"]
    table = page.figure("crosstable")["data"][0]["z"]
    size = len(data["ratings"])
    for i in range(size):
        assert table[i][i] is None
        for j in range(size):
            if i != j:
                assert table[i][j] + table[j][i] == pytest.approx(100)
    leads = page.figure("tactic-lead")["data"]
    assert len(leads) == 2  # seats
    assert min(leads[0]["x"]) > 2  # the second seat never leads
    assert set(leads[1]["x"]) == {0.0}
    faults = page.figure("faults")["data"]
    crashes = [line for line in data["faults"] if line["kind"] == "crash"]
    assert sum(faults[0]["x"]) == crashes[0]["matches"] > 0
    mixture = data["metagame"]["shares"]
    assert sum(share["weight"] for share in mixture) == pytest.approx(1)
    assert sum(page.figure("metagame")["data"][0]["x"]) == pytest.approx(100)
    parts = data["skill"]["components"]
    assert sum(part["share"]["value"] for part in parts) == pytest.approx(1)


def test_labels_hold_no_markup_and_are_cut() -> None:
    assert shown("<i>x</i>") == "&lt;i&gt;x&lt;/i&gt;"
    assert shown("a" * 30) == "a" * 15 + "…"
    assert shown("<" * 30) == "&lt;" * 15 + "…"
    assert shown("a", "patron") == "a · patron"


def test_no_figure_holds_a_bots_markup(out: Path) -> None:
    data = json.loads((out / "contest-1.json").read_text())
    for bot in data["bots"]:
        bot["name"] = "<a href='javascript:alert(1)'>x"
    text = json.dumps(charts(data))
    assert "href" in text
    assert not re.search(r"<(?!br>|extra>|/extra>)", text)


def test_roles_have_lines_of_their_own(tmp_path: Path) -> None:
    """Two patrons against a dealer, one bot a side, in two seatings; also against itself."""
    rows, bots = [], ["a@1", "b@1"]
    luck = Random(1)
    for deal in range(48):
        for patron, dealer in (("a@1", "b@1"), ("b@1", "a@1"), ("a@1", "a@1"), ("b@1", "b@1")):
            won = float(luck.random() < 0.6)
            for seat, bot in enumerate((patron, dealer, patron)):
                points = 1 - won if seat == 1 else won
                rows.append({"deal": deal, "seat": seat, "bot": bot, "points": points, "ask": seat})
    found = overview(
        contest(
            tmp_path,
            bots,
            [
                ("t/s-0-63.parquet", [row for i, row in enumerate(rows) if i % 12 < 6]),
                ("u/s-0-63.parquet", [row for i, row in enumerate(rows) if 6 <= i % 12 < 9]),
                ("v/s-0-63.parquet", [row for i, row in enumerate(rows) if i % 12 >= 9]),
            ],
            seats=3,
            roles=["patron", "dealer", "patron"],
            teams=[0, 1, 0],
        )
    )
    assert [line["role"] for line in found["ratings"]] == ["patron"] * 2 + ["dealer"] * 2
    assert found["metagame"]["status"] == found["skill"]["status"] == "ok"
    for role in ("patron", "dealer"):
        weights = [s["weight"] for s in found["metagame"]["shares"] if s["role"] == role]
        assert sum(weights) == pytest.approx(1)
    seen = {
        (line["role"], line["seat"]): line["rate"]["value"] for line in found["tactics_by_seat"]
    }
    assert seen == {("patron", 0): 0.0, ("dealer", 1): 1.0, ("patron", 2): 2.0}
    manifest = dict.fromkeys(
        ("seed", "status", "started", "finished", "isolation", "engine", "python"), "x"
    )
    page = Page(pages_of("roles/0001", manifest, [found])["contest-1.html"])
    assert "seat 1 (dealer)" in page.text
    assert "Edge of patron over dealer" in page.text
    assert page.figure("ratings")["data"][0]["customdata"][2].endswith(" · dealer")


def test_what_cant_be_reported_is_refused(out: Path) -> None:
    results = out.parent / "results"
    said = refused("report", "other", "--out", out, "--results", results)
    assert "there is no run 'other'" in said
    said = refused("report", "pages", "--out", out / "index.html", "--results", results)
    assert "can't be written" in said
    assert "--out" in refused("report", "pages", "--results", results)
