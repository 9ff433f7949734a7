"""Paired comparison against published cases with common deals."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.errors import UserError
from reports.paired import Comparison, compare

DATA = Path(__file__).parent / "data"
FOUND = json.loads((DATA / "crn_results.json").read_text())
CASES = {case["name"]: case["expected"] for case in FOUND["cases"]}


def compared(name: str) -> Comparison:
    with open(DATA / "crn_results.csv") as file:
        rows = [row for row in csv.DictReader(file) if row["case"] == name]
    columns: list[Any] = [
        np.array([float(row[column]) for row in rows]) for column in ("deal", "variant", "outcome")
    ]
    return compare(*columns)


@pytest.mark.parametrize("name", [name for name in CASES if name != "identical"])
def test_published_differences_on_common_deals(name: str) -> None:
    expected, found = CASES[name], compared(name)
    assert found.deals == expected["deals"]
    assert list(found.matches) == expected["games"]
    assert list(found.means) == pytest.approx(expected["mean"], abs=1e-7)
    assert found.paired.value == pytest.approx(expected["difference"], abs=1e-7)
    error = expected["se_clustered_by_deal"]["CR1"]
    assert found.paired.error == pytest.approx(error, rel=1e-5)
    assert found.unpaired == pytest.approx(expected["se_unpaired_sample"], rel=1e-5)
    by_deal = expected["paired_deal_means"]
    assert found.both == by_deal["deals_with_both"]
    assert found.by_deal.value == pytest.approx(by_deal["mean"], abs=1e-7)
    assert found.by_deal.error == pytest.approx(by_deal["se"], rel=1e-5)
    assert found.t == pytest.approx(by_deal["t"], rel=1e-5)
    assert found.p == pytest.approx(by_deal["p_two_sided"], abs=1e-5)
    assert [found.by_deal.low, found.by_deal.high] == pytest.approx(by_deal["ci95"], abs=1e-6)
    assert found.correlation == pytest.approx(expected["correlation_of_deal_means"], abs=1e-5)


def test_identical_outcomes_have_an_error_of_0_and_no_t() -> None:
    found = compared("identical")
    assert found.paired == (0, 0, 0, 0)
    assert found.by_deal == (0, 0, 0, 0)
    assert (found.t, found.p, found.differ) == (None, None, 0)
    assert found.unpaired == pytest.approx(CASES["identical"]["se_unpaired_sample"], rel=1e-5)
    assert found.remarks == ["none of 30 deals differs between the variants"]


def test_what_a_reader_must_know_is_said() -> None:
    assert "pairing widens the error here" in compared("reversed").remarks[0]
    assert compared("unbalanced").remarks == ["8 deals were played under one variant alone"]
    deal = np.repeat(np.arange(40), 2)
    variant = np.tile([0, 1], 40)
    few = compare(deal, variant, ((deal < 3) & (variant == 1)).astype(float))
    assert few.remarks == ["only 3 of 40 deals differ between the variants"]


def test_one_deal_has_no_error_and_one_variant_no_difference() -> None:
    one = compare(np.zeros(2), np.array([0, 1]), np.array([0.0, 1.0]))
    assert one.paired == (1, None, None, None)
    with pytest.raises(UserError, match="variant 1 has none"):
        compare(np.zeros(2), np.zeros(2), np.zeros(2))
