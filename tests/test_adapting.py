"""Bots that adapt: their candidates, how the best is chosen, and `retune` as it is used."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.adapting import candidates, plan_trials, trial_seed
from harness.bot_files import read_bot
from harness.cli.app import run
from harness.entrants import enter
from harness.errors import UserError
from harness.store import existing_store, read_manifest
from harness.study import plan_study, read_study
from reports.balance.adapt import tried
from tests.stored import contest
from tests.test_balance import subject

BOT = """
from harness.bot import Bot


class Ducker(Bot):
    '''Plays its lowest legal card, or its highest.'''

    games = ("forest_fox",)
    ranges = {"pick": [0, -1], "idle": (0.0, 1.0)}

    def __init__(self, setup, *, pick=0, idle=0.5, other=1):
        super().__init__(setup)
        self.pick = pick

    def act(self, view, legal):
        return legal[self.pick]
"""


def ducker(folder: Path, text: str = BOT) -> Path:
    (folder / "by").mkdir(exist_ok=True)
    path = folder / "by" / "ducker.py"
    path.write_text(text)
    return path


def study(folder: Path, retune: str, bots: str = '"by/ducker.py", "humble", "grabber"') -> Path:
    ducker(folder)
    path = folder / "study.toml"
    path.write_text(
        f'name = "s"\ngame = "forest_fox"\nbots = [{bots}]\ndeals = 16\nseed = 7\n'
        f'isolation = "inprocess"\n{retune}\nretune_deals = 32\n'
        '[[variant]]\nname = "as written"\n'
        '[[variant]]\nname = "open end"\nrules = { greedy_min = 8 }\n'
    )
    return path


def test_candidates_are_the_bot_as_written_and_all_of_its_values(tmp_path: Path) -> None:
    bot = read_bot(ducker(tmp_path), "by/ducker")
    assert bot.ranges == {"pick": (0, -1), "idle": (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)}
    found = candidates(enter(bot), [])
    assert found[0] == enter(bot)
    assert len(found) == 1 + 2 * 6
    assert len({each.label for each in found}) == len(found)
    # What a config gives isn't tried, nor what sits at the table already.
    pinned = candidates(enter(bot, {"idle": 0.2}), [enter(bot, {"idle": 0.2, "pick": -1})])
    assert [each.name for each in pinned] == ["by/ducker(idle=0.2)"]


@pytest.mark.parametrize(
    ("ranges", "said"),
    [
        ('{"pace": (0, 1)}', "ranges: there is no parameter 'pace'; there are: pick, idle, other"),
        ('{"pick": (1, 0)}', "ranges: pick must be (low, high), or a list of values"),
        ('{"pick": 3}', "ranges must be values by parameter"),
    ],
)
def test_ranges_that_are_wrong_are_no_bot(tmp_path: Path, ranges: str, said: str) -> None:
    text = BOT.replace('{"pick": [0, -1], "idle": (0.0, 1.0)}', ranges)
    with pytest.raises(UserError, match="Ducker") as caught:
        read_bot(ducker(tmp_path, text), "by/ducker")
    assert said in str(caught.value)


def test_whole_numbers_are_tried_in_whole_steps(tmp_path: Path) -> None:
    text = BOT.replace('"pick": [0, -1], "idle": (0.0, 1.0)', '"other": (3, 12)')
    bot = read_bot(ducker(tmp_path, text), "by/ducker")
    assert bot.ranges == {"other": (3, 5, 7, 8, 10, 12)}


def rows(deals: int, wins: dict[str, float]) -> list[dict[str, Any]]:
    """Each candidate wins so large a part of its deals against `x`, in both seatings."""
    found = []
    for bot, share in wins.items():
        for deal in range(deals):
            won = float(deal < share * deals)
            for seating, order in enumerate(((bot, "x"), ("x", bot))):
                for seat, who in enumerate(order):
                    points = won if who == bot else 1 - won
                    row = {"deal": deal, "seating": seating, "seat": seat, "bot": who}
                    found.append({**row, "points": points, "fox": 0})
    return found


def test_the_candidate_with_most_points_is_taken(tmp_path: Path) -> None:
    wins = {"written": 0.5, "better": 0.7, "best": 0.8, "worse": 0.2}
    of = contest(tmp_path, [*wins, "x"], [("t/s-0-39.parquet", rows(40, wins))])
    found = tried(of, subject(), 40, list(wins))
    assert (found.best, found.number) == ("best", 4)
    assert found.gain.value == pytest.approx(0.3)
    assert tried(of, subject(), 40, ["written", "worse"]).best == "written"


def test_trials_have_deals_of_their_own(tmp_path: Path) -> None:
    path = study(tmp_path, "retune = true")
    said = read_study(path)
    planned = plan_study(said, path)
    plan, trials = plan_trials(planned, said)
    assert plan.seed_id != planned.seed_id
    assert trial_seed(7) != trial_seed(8)
    assert [trial.variant for trial in trials] == [0, 1]
    assert all(each.entrant.name == "by/ducker" for each in trials)
    # A candidate with one of the two others at a time, and never with another candidate.
    assert len(plan.contests[0].tables) == 13 * 2


def test_a_study_says_which_of_its_bots_adapt_and_to_what(tmp_path: Path) -> None:
    path = study(tmp_path, 'retune = ["by/ducker"]')
    results = tmp_path / "results"
    words = ["balance", str(path), "--local", "--results", str(results), "--sample", "2"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run([*words, "--output", "json"]) == 0
    found = json.loads(out.getvalue())
    assert [row["variant"] for row in found["adapted"]] == ["as written", "open end"]
    assert {row["bot"] for row in found["adapted"]} == {"by/ducker"}
    # Where nobody is Greedy, whoever takes more tricks wins: then it pays to play high.
    assert "pick=-1" in found["adapted"][1]["became"]
    assert found["adapted"][1]["gain"] > 0
    points = found["variants"]["open end"]["bot.by/ducker.points"]
    assert points["difference"] is not None
    manifest = read_manifest(existing_store(results).find_run("s"))
    labels = [[each["label"] for each in about["entrants"]] for about in manifest["contests"]]
    assert labels[1][0].startswith(found["adapted"][1]["became"])
    assert labels[0][1:] == labels[1][1:]


def test_only_bots_with_ranges_can_adapt(tmp_path: Path) -> None:
    path = study(tmp_path, 'retune = ["humble"]')
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        assert run(["balance", str(path), "--local", "--results", str(tmp_path / "r")]) == 2
    assert "retune: 'humble' has no ranges to be tuned; there are: by/ducker" in said.getvalue()
