"""Strategy frequencies against statsmodels' clustered regressions, and known behaviour."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from statsmodels.stats.multitest import multipletests

from harness.errors import UserError
from harness.play.chunk import COLUMNS as PLAYED
from reports.rows import COLUMNS, tactics
from reports.shift import partners, shifts
from reports.tactics import By, Frequency, behaviour, frequencies, pairs, weighted
from tests.command import fairdeal, refused
from tests.stored import contest

BOTS = ["a@1", "b@1", "c@1"]


def played(deals: int, seed: int, rates: dict[str, float] | None = None) -> list[dict[str, Any]]:
    """Rows of all pairs of three bots in both seatings, whose bluffs and points share luck."""
    rng = np.random.default_rng(seed)
    rates = rates or {"a@1": 0.5, "b@1": 1.0, "c@1": 1.0}
    rows = []
    for deal in range(deals):
        luck = rng.gamma(2.0, 0.5)
        for x, y in combinations(BOTS, 2):
            for pair in ((x, y), (y, x)):
                bluffs = [int(rng.poisson(rates[bot] * luck)) for bot in pair]
                won = float(rng.random() < (0.7 if bluffs[0] > bluffs[1] else 0.4))
                rows += [
                    {"deal": deal, "seat": 0, "bot": pair[0], "points": won, "bluff": bluffs[0]},
                    {
                        "deal": deal,
                        "seat": 1,
                        "bot": pair[1],
                        "points": 1 - won,
                        "bluff": bluffs[1],
                    },
                ]
    for row in rows:
        row["fold"] = row["deal"] % 2
        row["fold_chances"] = 2
    return rows


def one(found: list[Frequency], tactic: str, **wanted: Any) -> Frequency:
    lines = [
        line
        for line in found
        if line.tactic == tactic
        and all(getattr(line.group, name) == value for name, value in wanted.items())
    ]
    assert len(lines) == 1
    return lines[0]


def test_the_columns_that_are_no_tactics_are_those_that_every_game_has() -> None:
    assert {name for name, _ in PLAYED} == COLUMNS


def test_rates_and_gains_agree_with_statsmodels_clustered_by_deal(tmp_path: Path) -> None:
    rows = played(80, 1)
    found = contest(tmp_path, BOTS, [("t/s-0-127.parquet", rows)])
    assert tactics(found) == ["bluff", "fold"]
    frame = pd.DataFrame(rows)
    for by in (By.bot, By.seat):
        lines = frequencies(behaviour(found, by))
        own = frame[frame.bot == "b@1"]
        line = one(lines, "bluff", bot="b@1", seat=1 if by is By.seat else None)
        if by is By.seat:
            own = own[own.seat == 1]
        assert line.matches == len(own)
        assert line.times == own.bluff.sum()
        spread = np.sqrt(80 / 79)
        groups = {"groups": own.deal, "use_correction": False}
        rate = sm.OLS(own.bluff, np.ones(len(own))).fit(cov_type="cluster", cov_kwds=groups)
        assert line.rate.value == pytest.approx(rate.params.iloc[0])
        assert line.rate.error == pytest.approx(rate.bse.iloc[0] * spread)
        did = sm.add_constant((own.bluff > 0).astype(float))
        gain = sm.OLS(own.points, did).fit(cov_type="cluster", cov_kwds=groups)
        assert line.gain.value == pytest.approx(gain.params.iloc[1])
        assert line.gain.error == pytest.approx(gain.bse.iloc[1] * spread)
        assert line.points_without.value == pytest.approx(gain.params.iloc[0])
        assert line.points_without.error == pytest.approx(gain.bse.iloc[0] * spread)


def test_chunks_and_strides_of_deals_add_up(tmp_path: Path) -> None:
    rows = played(600, 2)
    whole = contest(tmp_path / "whole", BOTS, [("t/s-0-1023.parquet", rows)])
    cut = contest(
        tmp_path / "cut",
        BOTS,
        [
            (
                f"{x}{y}/s-{first}-{first + size - 1}.parquet",
                [
                    row
                    for match in zip(rows[::2], rows[1::2], strict=True)
                    for row in match
                    if first <= row["deal"] < first + size
                    and {match[0]["bot"], match[1]["bot"]} == {x, y}
                ],
            )
            for x, y, size in (("a@1", "b@1", 512), ("a@1", "c@1", 256), ("b@1", "c@1", 64))
            for first in range(0, 600, size)
        ],
    )
    for by in By:
        for ours, theirs in zip(
            frequencies(behaviour(whole, by)), frequencies(behaviour(cut, by)), strict=True
        ):
            assert ours.group == theirs.group
            assert ours.rate == pytest.approx(theirs.rate)
            assert ours.gain == pytest.approx(theirs.gain)


def test_opportunities_where_they_are_counted(tmp_path: Path) -> None:
    found = contest(tmp_path, BOTS, [("t/s-0-63.parquet", played(64, 3))])
    lines = frequencies(behaviour(found))
    fold, bluff = one(lines, "fold", bot="a@1"), one(lines, "bluff", bot="a@1")
    assert fold.chances == 2 * fold.matches
    assert fold.taken.value == pytest.approx(0.25)
    assert bluff.chances is None
    assert bluff.taken.value is None


def test_an_interval_needs_deals_that_differ(tmp_path: Path) -> None:
    rows = [{**row, "never": 0} for row in played(8, 4)]
    line = one(
        frequencies(behaviour(contest(tmp_path, BOTS, [("t/s-0-7.parquet", rows)]))),
        "never",
        bot="a@1",
    )
    assert line.rate == (0.0, 0.0, None, None)
    assert line.points_with.value is None
    assert line.gain.value is None


def test_by_opponent_each_meeting_is_counted_once(tmp_path: Path) -> None:
    rows = played(40, 5)
    found = contest(tmp_path, BOTS, [("t/s-0-63.parquet", rows)])
    line = one(frequencies(behaviour(found, By.opponent)), "bluff", bot="a@1", opponent="c@1")
    own = [
        mine["bluff"]
        for first, second in zip(rows[::2], rows[1::2], strict=True)
        for mine, other in ((first, second), (second, first))
        if mine["bot"] == "a@1" and other["bot"] == "c@1"
    ]
    assert line.matches == len(own) == 80
    assert line.times == sum(own)


def test_a_team_is_one_opponent_and_roles_are_apart(tmp_path: Path) -> None:
    """Two patrons of one bot against a dealer: each patron's rows meet the dealer once."""
    rows = []
    for deal in range(4):
        for patron, dealer in (("a@1", "b@1"), ("b@1", "a@1")):
            for seat, bot in enumerate((patron, dealer, patron)):
                row = {"deal": deal, "seat": seat, "bot": bot, "points": float(seat == 1)}
                rows.append({**row, "ask": seat + deal})
    found = contest(
        tmp_path,
        BOTS[:2],
        [("t/s-0-3.parquet", rows)],
        seats=3,
        roles=["patron", "dealer", "patron"],
        teams=[0, 1, 0],
    )
    lines = frequencies(behaviour(found, By.opponent))
    dealer = one(lines, "ask", bot="a@1", role="dealer", opponent="b@1")
    assert (dealer.matches, dealer.times) == (4, 1 + 2 + 3 + 4)
    patron = one(lines, "ask", bot="a@1", role="patron", opponent="b@1")
    assert (patron.matches, patron.times) == (8, 6 + 14)
    assert len(lines) == 4


def test_near_clones_are_found(tmp_path: Path) -> None:
    found = behaviour(contest(tmp_path, BOTS, [("t/s-0-511.parquet", played(512, 6))]))
    closest, *others = pairs(found)
    assert (closest.bot, closest.other) == ("b@1", "c@1")
    assert closest.clones
    assert all(pair.distance > 0.2 and pair.widest == "bluff" for pair in others)


def test_frequencies_weighted_by_a_mixture(tmp_path: Path) -> None:
    found = behaviour(contest(tmp_path, BOTS, [("t/s-0-63.parquet", played(64, 7))]))
    rates = {line.group.bot: line.rate.value for line in frequencies(found)[:3]}
    bluff, _ = weighted(found, {("a@1", ""): 0.25, ("c@1", ""): 0.75})
    assert bluff["even"] == pytest.approx(np.mean([rate or 0 for rate in rates.values()]))
    assert bluff["mixture"] == pytest.approx(
        0.25 * (rates["a@1"] or 0) + 0.75 * (rates["c@1"] or 0)
    )


def test_shifts_pair_the_deals_of_one_seed_and_keep_two_apart(tmp_path: Path) -> None:
    before, after = played(100, 8), played(100, 9, {"a@1": 0.9, "b@1": 1.0, "c@1": 1.0})
    one_seed = [
        contest(tmp_path / name, BOTS, [("t/s-0-127.parquet", rows)])
        for name, rows in (("1", before), ("2", after))
    ]
    other = contest(tmp_path / "3", BOTS, [("t/s-0-127.parquet", after)], seed="other")

    def per_deal(rows: list[dict[str, Any]]) -> Any:
        frame = pd.DataFrame(rows)
        return frame[frame.bot == "a@1"].groupby("deal").bluff.mean()

    paired = next(line for line in shifts(*one_seed) if (line.bot, line.tactic) == ("a", "bluff"))
    gap = per_deal(after) - per_deal(before)
    assert paired.change.value == pytest.approx(gap.mean())
    assert paired.change.error == pytest.approx(gap.std(ddof=1) / 10)
    apart = next(
        line for line in shifts(one_seed[0], other) if (line.bot, line.tactic) == ("a", "bluff")
    )
    errors = [per_deal(rows).std(ddof=0) / 10 for rows in (before, after)]
    assert apart.change.error == pytest.approx(np.hypot(*errors) * np.sqrt(200 / 199))


def test_shifts_are_corrected_for_their_number(tmp_path: Path) -> None:
    sides = [
        contest(tmp_path / name, BOTS, [("t/s-0-127.parquet", rows)], seed=name)
        for name, rows in (
            ("1", played(100, 10)),
            ("2", played(100, 11, {"a@1": 2.0, "b@1": 1.0, "c@1": 1.0})),
        )
    ]
    lines = shifts(*sides)
    tested = [line for line in lines if line.p is not None]
    holm = multipletests([line.p for line in tested], method="holm")[1]
    assert [line.corrected for line in tested] == pytest.approx(list(holm))
    changed = {(line.bot, line.tactic) for line in tested if (line.corrected or 0) < 0.05}
    assert ("a", "bluff") in changed
    assert ("b", "bluff") not in changed


def test_only_like_contests_are_compared(tmp_path: Path) -> None:
    fox = contest(tmp_path, BOTS, [("t/s-0-7.parquet", played(8, 1))])
    island = contest(tmp_path, BOTS, [], game="fraser_island")
    assert partners([island, fox], [fox]) == [(fox, fox)]
    with pytest.raises(UserError, match="no contest of the same game"):
        partners([island], [fox])


# --- The command ----------------------------------------------------------------------------------

CONFIG = """
name = "small"
seed = {seed}
isolation = "inprocess"
[[contest]]
game = "forest_fox"
bots = ["humble", "one_ahead", "random_legal"]
deals = 30
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tactics")
    for seed in (1, 2):
        config = root / "config.toml"
        config.write_text(CONFIG.format(seed=seed))
        fairdeal("run", config, "--local", "--results", root / "results")
    return root / "results"


def test_the_command_counts_what_the_rows_say(results: Path) -> None:
    said = fairdeal("tactics", "small", "--results", results, "--output", "json").stdout
    leads = [row for row in json.loads(said) if row["tactic"] == "lead"]
    assert len(leads) == 3
    assert all(row["times"] == 3.5 * row["matches"] for row in leads)
    ruffs = [row for row in json.loads(said) if row["tactic"] == "ruff"]
    sloughs = [row for row in json.loads(said) if row["tactic"] == "slough"]
    for ruff, slough in zip(ruffs, sloughs, strict=True):
        assert ruff["chances"] == ruff["times"] + slough["times"]
        assert slough["chances"] is None
    said = fairdeal(
        "tactics", "small", "--by", "seat", "--tactic", "lead", "--results", results,
        "--output", "json",
    ).stdout  # fmt: skip
    assert {(row["seat"], row["rate"]) for row in json.loads(said)} == {(0, 7.0), (1, 0.0)}


@pytest.mark.parametrize(
    ("options", "output"),
    [
        ([], "table"),
        ([], "csv"),
        (["--clones"], "table"),
        (["--clones"], "markdown"),
        (["--against", "small/0001"], "table"),
        (["--against", "small/0001"], "json"),
    ],
)
def test_each_table_is_printed_for_people_and_programs(
    results: Path, options: list[str], output: str
) -> None:
    said = fairdeal("tactics", "small", "--results", results, *options, "--output", output).stdout
    assert "one_ahead" in said.replace("\\", "")


def test_what_doesnt_go_together_is_refused(results: Path) -> None:
    base = ["tactics", "small", "--results", results]
    assert "there is no 'bluff'" in refused(*base, "--tactic", "bluff")
    assert "two tables" in refused(*base, "--clones", "--against", "small/0001")
    assert "by bot and role" in refused(*base, "--by", "seat", "--against", "small/0001")
    assert "--by bot or seat" in refused(*base, "--by", "opponent", "--clones")
    assert "there is no run 'other'" in refused(*base, "--against", "other")
