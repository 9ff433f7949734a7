"""Studies: figures against independent computations, known effects, and `balance` as it is used."""

import contextlib
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

from harness.cli.app import run
from harness.play.seeds import run_key
from harness.study import plan_study, read_study
from harness.watch import _lead, watch
from reports.balance.blocks import blocks_of, row_sums
from reports.balance.field import order_kept
from reports.balance.figures import (
    Measured,
    Repeated,
    Sums,
    compared,
    measured,
    repeated,
    repeated_difference,
)
from reports.balance.metrics import SHARE, Subject, metrics
from reports.balance.study import Line, Study, Variant
from reports.balance.targets import Target, Verdict, judge, read_targets, together
from reports.paired import compare
from tests.campaigns.balance import null_study, planted
from tests.command import fairdeal
from tests.stored import contest

GAMES = Path(__file__).parent / "games"


# --- Figures --------------------------------------------------------------------------------------


def sums_of(deal: Any, value: Any, deals: int) -> Sums:
    return Sums(np.bincount(deal, value, deals), np.bincount(deal, np.ones(len(deal)), deals))


def test_figures_and_differences_are_those_of_clustered_regressions() -> None:
    rng = np.random.default_rng(1)
    deal = np.repeat(np.arange(40), 3)
    luck = rng.normal(size=40)[deal]
    one, two = (luck + rng.normal(size=120) + shift for shift in (0.0, 0.3))
    said = measured(sums_of(deal, one, 40))
    fit = sm.OLS(one, np.ones((120, 1))).fit(
        cov_type="cluster", cov_kwds={"groups": deal, "use_correction": False}
    )
    scale = np.sqrt(40 / 39)
    assert said.value == pytest.approx(fit.params[0])
    assert said.error == pytest.approx(fit.bse[0] * scale)
    assert said.freedom == 39
    found = compared(sums_of(deal, one, 40), sums_of(deal, two, 40))
    other = compare(
        np.concatenate([deal, deal]), np.repeat([0, 1], 120), np.concatenate([one, two])
    )
    assert found.value == pytest.approx(other.paired.value)
    assert found.error == pytest.approx(other.paired.error)
    assert found.interval() == pytest.approx((other.paired.low, other.paired.high))
    # On different deals the errors add up.
    alone = measured(sums_of(deal, two, 40)).error
    assert said.error is not None and alone is not None and found.unpaired is not None
    assert found.unpaired == pytest.approx(np.hypot(said.error, alone))
    assert found.error is not None and found.error < 0.8 * found.unpaired


def test_a_ratio_whose_deals_vary_in_size_has_the_delta_methods_error() -> None:
    """Against a bootstrap of deals."""
    rng = np.random.default_rng(2)
    below = rng.integers(0, 5, 300).astype(float)
    above = rng.binomial(below.astype(int), 0.3).astype(float)
    said = measured(Sums(above, below))
    picks = rng.integers(0, 300, (4000, 300))
    drawn = above[picks].sum(axis=1) / below[picks].sum(axis=1)
    assert said.error == pytest.approx(drawn.std(), rel=0.1)
    assert said.freedom == (below > 0).sum() - 1


def test_where_every_deal_gave_the_same_a_bounded_figure_still_has_an_interval() -> None:
    """None of 59 deals was drawn: so at most 1 - 0.025^(1/59) are (Clopper and Pearson)."""
    never = measured(Sums(np.zeros(59), np.ones(59)), SHARE)
    assert never.error == 0
    assert never.interval() == pytest.approx((0.0, 1 - 0.025 ** (1 / 59)))
    assert never.interval(0.9)[1] == pytest.approx(1 - 0.05 ** (1 / 59))
    half = measured(Sums(np.full(59, 0.5), np.ones(59)), SHARE)
    low, high = half.interval()
    assert low is not None and high is not None
    assert 0.5 - low == pytest.approx(high - 0.5) == pytest.approx(0.5 * (1 - 0.025 ** (1 / 59)))
    turns = measured(Sums(np.full(59, 26.0), np.ones(59)))
    assert turns.interval() == (26.0, 26.0)


def test_what_there_is_nothing_of_is_unknown() -> None:
    nothing = Sums(np.zeros(5), np.zeros(5))
    assert measured(nothing) == Measured(None)
    assert compared(nothing, Sums(np.ones(5), np.ones(5))) == Measured(None)
    assert Measured(None).interval() == (None, None)
    one_deal = Sums(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    assert measured(one_deal) == Measured(0.5)
    assert measured(one_deal).interval() == (None, None)


def test_a_jackknife_of_means_is_their_error() -> None:
    """Leaving out one of n values in turn gives just the error of their mean."""
    values = np.random.default_rng(3).normal(size=20)
    left = [float(np.delete(values, i).mean()) for i in range(20)]
    said = repeated(Repeated(float(values.mean()), left))
    assert said.error == pytest.approx(values.std(ddof=1) / np.sqrt(20))
    same = repeated_difference(Repeated(1.0, left), Repeated(1.5, [each + 0.5 for each in left]))
    assert (same.value, same.error) == (0.5, 0.0)
    range_ = repeated(Repeated(0.2, list(np.linspace(0, 1, 41)), resampled=True))
    assert range_.interval() == pytest.approx((0.025, 0.975))


def test_the_order_of_bots_is_compared_pair_by_pair() -> None:
    base: dict[str, float | None] = {"a": 0.6, "b": 0.5, "c": 0.4}
    assert order_kept(base, base) == 1
    assert order_kept(base, {"a": 0.5, "b": 0.6, "c": 0.4}) == pytest.approx(2 / 3)
    assert order_kept(base, {"a": 0.4, "b": 0.5, "c": 0.6}) == 0
    assert order_kept(base, {"a": 0.5, "b": 0.5, "c": 0.4}) == pytest.approx(5 / 6)


# --- Rows -----------------------------------------------------------------------------------------


def subject(**changed: Any) -> Subject:
    values = {
        "game": "forest_fox",
        "roles": ["", ""],
        "teams": [0, 1],
        "tactics": ["fox"],
        "chances": [],
        "ends": ["tricks"],
        "stalls": [],
        "standing": False,
        "elimination": False,
        "bots": ["a", "b"],
        "names": ["a", "b"],
        "pace": 6.0,
    }
    return Subject(**{**values, **changed})


def rows(*matches: tuple[int, str, float, int], fault: int | None = None) -> list[dict[str, Any]]:
    """Matches (deal, first bot, its points, times it was a fox); both seats are asked 5 times."""
    found = []
    for deal, first, points, fox in matches:
        for seat, bot in enumerate((first, "ab".replace(first, ""))):
            scored = points if seat == 0 else 1 - points
            row = {"deal": deal, "seat": seat, "bot": bot, "points": scored, "decisions": 5}
            faulty = "crash" if deal == fault and seat == 0 else None
            found.append({**row, "turns": 10 + deal, "fox": fox, "fault": faulty})
    return found


def test_metrics_of_a_hand_of_matches(tmp_path: Path) -> None:
    of = contest(
        tmp_path,
        ["a", "b"],
        [
            (
                "x/s-0-1.parquet",
                rows((0, "a", 1, 2), (0, "b", 1, 0), (1, "a", 0.5, 1), (1, "b", 0, 1)),
            )
        ],
    )
    blocks = blocks_of([of], 2)
    found = row_sums(of, subject(), blocks)
    value = {name: float(s.above.sum() / s.below.sum()) for name, s in found.items()}
    assert value["seat.0.points"] == 2.5 / 4
    assert (value["seat.0.win"], value["seat.0.draw"], value["seat.0.loss"]) == (0.5, 0.25, 0.25)
    assert (value["seat.1.win"], value["seat.1.draw"], value["seat.1.loss"]) == (0.25, 0.25, 0.5)
    assert value["draws"] == 0.25
    assert (value["length.turns"], value["length.decisions"]) == (10.5, 10)
    assert value["length.minutes"] == 1.0
    assert value["tactic.fox.per_match"] == 2.0  # both seats count
    assert value["bot.a.points"] == (1 + 0 + 0.5 + 1) / 4
    known = metrics(subject())
    watched = {name for name, metric in known.items() if metric.group == "course"}
    field = {name for name, metric in known.items() if metric.group == "skill"}
    field |= {"order.kept", "mixture.a", "mixture.b"}
    assert set(found) == set(known) - watched - field


def test_a_block_with_a_fault_or_that_a_variant_lacks_is_left_out_of_all(tmp_path: Path) -> None:
    matches = [(deal, first, 1.0, 0) for deal in range(4) for first in "ab"]
    sound = contest(tmp_path / "1", ["a", "b"], [("x/s-0-3.parquet", rows(*matches))])
    faulty = contest(tmp_path / "2", ["a", "b"], [("x/s-0-3.parquet", rows(*matches, fault=2))])
    short = contest(tmp_path / "3", ["a", "b"], [("x/s-0-2.parquet", rows(*matches[:6]))])
    blocks = blocks_of([sound, faulty, short], 4)
    assert blocks.counted.tolist() == [[True, True, False, False]]
    assert (blocks.faults, blocks.missing, blocks.left_out) == ([0, 1, 0], [0, 0, 1], 2)
    turns = row_sums(sound, subject(), blocks)["length.turns"]
    assert turns.above.tolist() == [20, 22, 0, 0]
    assert turns.below.tolist() == [2, 2, 0, 0]


# --- What is known of an effect -------------------------------------------------------------------


def test_a_planted_effect_is_found_at_its_size() -> None:
    """Short form of `python -m tests.campaigns.balance`."""
    found = planted(30, seed=4)
    assert found.mean == pytest.approx(found.shift, abs=4 * found.error)
    assert found.held >= 0.85


def test_two_copies_of_a_variant_do_not_differ() -> None:
    found = null_study(40, seed=5)
    assert found.wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 40)


# --- Targets --------------------------------------------------------------------------------------


def judged(value: Measured, *ranges: tuple[float | None, float | None]) -> list[Verdict]:
    metric = metrics(subject())["draws"]
    lines = {"draws": Line(metric, value, Measured(None))}
    found = Study([Variant("v", lines, [], 0, 0)], 1, 0)
    targets = [Target("draws", "v", low, high) for low, high in ranges]
    return [each.verdict for each in judge(targets, found, 0.05)]


def test_a_target_is_judged_by_its_interval() -> None:
    value = Measured(0.5, 0.01, 1000)
    assert judged(value, (0.4, 0.6)) == [Verdict.accepted]
    assert judged(value, (None, 0.6)) == [Verdict.accepted]
    assert judged(value, (0.6, None)) == [Verdict.rejected]
    assert judged(value, (None, 0.4)) == [Verdict.rejected]
    assert judged(value, (0.49, 0.6)) == [Verdict.undecided]
    assert judged(Measured(0.5), (0.4, 0.6)) == [Verdict.undecided]
    # 2.1 errors away: enough for one target, too little where there are ten.
    assert judged(value, (0.479, None)) == [Verdict.accepted]
    assert judged(value, *[(0.479, None)] * 10) == [Verdict.undecided] * 10


def test_a_study_is_rejected_by_one_target_and_accepted_by_all() -> None:
    value = Measured(0.5, 0.01, 1000)
    metric = metrics(subject())["draws"]
    found = Study([Variant("v", {"draws": Line(metric, value, Measured(None))}, [], 0, 0)], 1, 0)
    for ranges, verdict in (
        ([(0.4, 0.6), (0.45, None)], Verdict.accepted),
        ([(0.4, 0.6), (0.499, None)], Verdict.undecided),
        ([(0.499, None), (0.6, None)], Verdict.rejected),
    ):
        targets = [Target("draws", "v", low, high) for low, high in ranges]
        assert together(judge(targets, found, 0.05)) == verdict


def test_a_target_without_a_variant_holds_for_every_one() -> None:
    found = read_targets({"draws": {"max": 1}}, ["a", "b"], ["draws"])
    assert found == [Target("draws", "a", None, 1.0), Target("draws", "b", None, 1.0)]


# --- The course of a match ------------------------------------------------------------------------


def test_the_course_of_the_lead() -> None:
    #            level 0     0  1  level 1     1  1
    leaders = [None, 0, 0, 1, None, 1, 1, 1]
    said = _lead(leaders, 1)
    assert said["lead.changes"] == (1.0, 1.0)
    assert said["lead.level_at_half"] == (0.0, 1.0)
    assert said["lead.settled"] == (5 / 8, 1.0)
    assert _lead(leaders, None)["lead.settled"] == (0.0, 0.0)
    assert _lead(leaders, 0)["lead.settled"] == (1.0, 1.0)  # won without leading at the end
    assert _lead([0, None, 0, 0], 0)["lead.level_at_half"] == (1.0, 1.0)


def study_file(
    folder: Path, game: str, deals: int, variants: str, bots: str = '"random_legal"'
) -> Path:
    path = folder / "study.toml"
    path.write_text(
        f'name = "a study"\ngame = "{game}"\nbots = [{bots}]\ndeals = {deals}\nseed = 7\n'
        f'isolation = "inprocess"\n[[variant]]\nname = "as written"\n{variants}'
    )
    return path


TWO = '"random_legal", "again/other.py"'


def second_bot(folder: Path) -> None:
    (folder / "again").mkdir()
    (folder / "again" / "other.py").write_text(
        "from harness.bot import Bot\nclass Other(Bot):\n    '''Takes the first.'''\n"
        "    def act(self, view, legal):\n        return legal[0]\n"
    )


def test_a_watched_match_of_war_is_forced_throughout(tmp_path: Path) -> None:
    second_bot(tmp_path)
    path = study_file(tmp_path, str(GAMES / "war"), 5, "", TWO)
    planned = plan_study(read_study(path), path)
    found = watch(planned.contests[0], run_key(7), range(5), 5.0)
    assert sorted(found) == [(0, deal) for deal in range(5)]
    for figures in found.values():
        assert figures is not None
        forced, steps = figures["forced"]
        assert forced == steps > 100
        assert figures["branching"] == (0.0, 0.0)
        assert figures["wait.longest"][0] == 0


# --- The command ----------------------------------------------------------------------------------


def balanced(path: Path, folder: Path, *more: str, code: int = 0) -> dict[str, Any]:
    """What the command prints, run in this process: each new one takes seconds to import."""
    said = spoken(
        "balance", path, "--local", "--results", folder, *more, "--output", "json", code=code
    )
    found = json.loads(said)
    assert isinstance(found, dict)
    return found


def spoken(*arguments: object, code: int = 0) -> str:
    """What a command prints, run in this process."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run([*map(str, arguments)]) == code
    return out.getvalue()


def test_balance_finds_what_an_option_is_known_to_do(tmp_path: Path) -> None:
    """Lot: seat 0 wins with `line` of 52 cards, so five cards more are 5/52 points."""
    second_bot(tmp_path)
    variants = """
[[variant]]
name = "five more"
rules = { line = 31 }
[[variant]]
name = "no raise"
forbid = ["raise"]
[targets]
"seat.0.points" = { min = 0.5, max = 0.7, variant = "five more" }
"tactic.raised.per_match" = { max = 0.01, variant = "no raise" }
"""
    path = study_file(tmp_path, str(GAMES / "lot"), 800, variants, TWO)
    found = balanced(path, tmp_path / "results", "--full")
    assert found["verdict"] == "accepted"
    assert list(found["variants"]) == ["as written", "five more", "no raise"]
    more = found["variants"]["five more"]["seat.0.points"]
    assert set(more) == {"value", "low", "high", "difference", "difference_low", "difference_high"}
    assert more["difference_low"] < 5 / 52 < more["difference_high"]
    assert more["low"] < 31 / 52 < more["high"]
    error = (more["difference_high"] - more["difference_low"]) / (2 * 1.9629)
    # Only deals with one of the five cards on top differ, by one point in both of their matches.
    assert error == pytest.approx(np.sqrt(5 / 52 * (1 - 5 / 52) / 800), rel=0.1)
    assert found["pairing"]["five more"]["metrics"]["seat.0.points"] < 0.5
    quiet = found["variants"]["no raise"]
    assert quiet["tactic.raised.per_match"]["value"] == 0
    assert quiet["tactic.held.per_match"]["value"] == 2
    assert quiet["forced"]["value"] == 1
    assert quiet["seat.0.points"]["difference"] == 0
    assert found["variants"]["as written"]["seat.0.points"]["difference"] is None
    # It is a run: again, nothing is played, and other commands read it.
    again = fairdeal("balance", path, "--local", "--full", "--results", tmp_path / "results")
    assert "0 matches to play, 4,800 are there already" in again.stdout
    assert "The study is accepted." in again.stdout
    listed = fairdeal("ratings", "a-study", "--results", tmp_path / "results").stdout
    assert "five more: lot, 2 seats, line = 31" in listed
    assert "no raise: lot, 2 seats, without raise" in listed


def test_the_exit_code_is_the_verdict(tmp_path: Path) -> None:
    second_bot(tmp_path)
    for low, high, code in ((0.9, 1.0, 1), (0.4999, 0.5001, 3), (0.3, 0.7, 0)):
        target = f'[targets]\n"seat.0.points" = {{ min = {low}, max = {high} }}\n'
        path = study_file(tmp_path, str(GAMES / "lot"), 300, target, TWO)
        balanced(path, tmp_path / "results", "--sample", "0", code=code)


def test_a_variant_may_be_another_folder_of_rules(tmp_path: Path) -> None:
    second_bot(tmp_path)
    text = (GAMES / "lot" / "rules.py").read_text()
    (tmp_path / "tipped").mkdir()
    changed = text.replace("self.deck[0] < self.rules.line", "self.deck[0] < 52")
    assert changed != text
    (tmp_path / "tipped" / "rules.py").write_text(changed)
    variants = '[[variant]]\nname = "tipped"\ngame = "./tipped"\n'
    path = study_file(tmp_path, str(GAMES / "lot"), 100, variants, TWO)
    found = balanced(path, tmp_path / "results")
    assert found["variants"]["tipped"]["seat.0.points"]["value"] == 1
    assert 0.3 < found["variants"]["as written"]["seat.0.points"]["value"] < 0.7
    (tmp_path / "named").mkdir()
    (tmp_path / "named" / "rules.py").write_text(changed.replace('name="lot"', 'name="lottery"'))
    path.write_text(path.read_text().replace("./tipped", "./named"))
    said = _one_line(["balance", str(path), "--local", "--results", str(tmp_path / "results")])
    assert "variant 2 (\"tipped\"): its game is called 'lottery', and the baseline's 'lot'" in said


def test_war_has_no_skill(tmp_path: Path) -> None:
    """Every bot plays it alike, so no part of the results is the bots'."""
    second_bot(tmp_path)
    variants = '[[variant]]\nname = "short"\nrules = { max_turns = 40 }\n'
    path = study_file(tmp_path, str(GAMES / "war"), 80, variants, TWO)
    found = balanced(path, tmp_path / "results", "--sample", "10")
    for variant in found["variants"].values():
        assert variant["skill.share"]["value"] == pytest.approx(0, abs=1e-9)
        assert variant["skill.by_opponent"]["value"] == 0
        assert variant["luck.deal"]["value"] > 0.3
        assert variant["rating.spread"]["value"] == pytest.approx(0, abs=1e-6)
        assert variant["forced"]["value"] == 1
    short = found["variants"]["short"]
    assert short["length.turns"]["value"] <= 40
    assert short["stalls"]["value"] > 0.9
    assert short["lead.changes"]["difference"] < 0
    listed = spoken("skill", "a-study", "--results", tmp_path / "results", "--output", "csv")
    bots = [line for line in listed.splitlines() if ",bot," in line]
    assert len(bots) == 2


@pytest.mark.parametrize(
    ("variants", "said"),
    [
        (
            '[targets]\n"drawz" = { max = 1 }',
            'targets: "drawz": there is no such metric; there are:',
        ),
        (
            '[targets]\n"seat.2.points" = { max = 1 }',
            'targets: "seat.2.points": there is no such metric; there are: seat.0.points',
        ),
        (
            '[targets]\n"draws" = { max = 1, variant = "x" }',
            'targets: "draws": there is no variant \'x\'; there are: "as written"',
        ),
        ('[targets]\n"draws" = { max = "1" }', "targets: \"draws\": max must be a number, not '1'"),
        ('[targets]\n"draws" = { }', 'targets: "draws" must have a min or a max'),
        ('[targets]\n"draws" = { min = 1, max = 0 }', "min must be at most max, not 1 and 0"),
        ('[targets]\n"mixture.random_legal" = { max = 1 }', "there is no such metric"),
        ('[[variant]]\nname = "as written"', 'variant 2: there is another named "as written"'),
        ('[[variant]]\nname = "b"\nrule = 1', "variant 2: there is no key 'rule'; there are: name"),
        (
            '[[variant]]\nname = "b"\nrules = { line = 99 }',
            'variant 2 ("b"): lot: line must be 0 to 52, not 99',
        ),
        (
            '[[variant]]\nname = "b"\nforbid = ["fold"]',
            "variant 2 (\"b\"): forbid: lot has no 'fold' to forbid; there are: hold, raise",
        ),
        ('[[variant]]\nname = "b"\nwithhold = "views"', "variant 2: withhold must be 'events'"),
        ('[[variant]]\nname = "b"\ngame = "nim"', "variant 2 (\"b\"): there is no game 'nim'"),
    ],
)
def test_a_study_that_is_wrong_is_refused_in_one_line(
    tmp_path: Path, variants: str, said: str
) -> None:
    second_bot(tmp_path)
    path = study_file(tmp_path, str(GAMES / "lot"), 10, variants + "\n", TWO)
    assert said in _one_line(["balance", str(path), "--results", str(tmp_path / "r")])
    assert not (tmp_path / "r").exists()


def test_a_config_and_a_study_are_told_from_each_other(tmp_path: Path) -> None:
    results = ["--results", str(tmp_path / "r")]
    study = "configs/balance/tragedy.toml"
    assert "a study, with variants, not contests; see fairdeal balance" in _one_line(
        ["run", study, *results]
    )
    config = "configs/smoke.toml"
    for command in ("balance", "tune"):
        assert "a config, with contests, not variants; see fairdeal run" in _one_line(
            [command, config, *results]
        )
    assert not (tmp_path / "r").exists()


def _one_line(arguments: list[str]) -> str:
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        assert run(arguments) == 2
    assert said.getvalue().count("\n") == 1
    return said.getvalue()


STUDIES = sorted(Path("configs/balance").glob("*.toml"))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_nobody_faults_in_the_studies_that_come_along(path: Path) -> None:
    """Not even where what a bot would like to do is forbidden: a deal at two tables of each."""
    planned = plan_study(read_study(path), path)
    for variant in planned.contests:
        few = replace(variant, tables=(variant.tables[0], variant.tables[-1]))
        assert None not in watch(few, planned.key, range(1), 5.0).values()


def test_the_studies_that_come_along_can_be_planned() -> None:
    assert {path.stem for path in STUDIES} >= {
        *("casino_go_fish", "de_boers", "forest_fox", "fraser_island", "tragedy")
    }
    for path in STUDIES:
        planned = plan_study(read_study(path), path)
        assert len(planned.contests) > 1
        assert len({table.key for contest in planned.contests for table in contest.tables}) == sum(
            len(contest.tables) for contest in planned.contests
        )
