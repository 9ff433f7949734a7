"""Sequential tests against the checks of fastchess, with exact values."""

import json
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from harness.errors import UserError
from reports.sprt import PENTANOMIAL, Hypotheses, Model

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "sprt_fastchess_tests.json").read_text())["cases"]
MODELS = {"logistic": Model.logistic, "normalized": Model.normalised}


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case["model"] in MODELS],
    ids=lambda case: str(case["name"]),
)
def test_published_cases(case: dict[str, Any]) -> None:
    """Trinomial ones too: the same ratio, on single matches."""
    limits = {name: case[name] for name in ("elo0", "elo1", "alpha", "beta")}
    test = Hypotheses(**limits, model=MODELS[case["model"]])
    if "pentanomial" in case:
        ratio = float(test.ratio(np.array(case["pentanomial"])))
    else:
        counts = np.array([case[name] for name in ("losses", "draws", "wins")])
        ratio = float(test.ratio(counts, np.array([0, 0.5, 1]), matches=1))
    expected = case["expected"]
    assert ratio == pytest.approx(expected["llr"], abs=1e-3, rel=1e-5)
    assert test.bounds == pytest.approx((expected["lower"], expected["upper"]), abs=1e-6)
    assert test.verdict(ratio) == expected["verdict"]


@pytest.mark.parametrize("model", Model)
@pytest.mark.parametrize("elo", [(-400, -150), (0, 30), (100, 500)])
def test_ratios_agree_with_a_general_optimiser(model: Model, elo: tuple[float, float]) -> None:
    counts = np.array([7, 3, 30, 12, 20])
    fits = []
    for each in elo:
        want = 1 / (1 + 10 ** (-each / 400))
        t = sqrt(2) * each * log(10) / 800

        def off(p: Any, want: float = want, t: float = t) -> float:
            mean = p @ PENTANOMIAL
            if model is Model.logistic:
                return float(mean - want)
            return float(mean - 0.5 - t * sqrt(p @ (PENTANOMIAL - mean) ** 2))

        found = min(
            (
                minimize(
                    lambda p: -counts @ np.log(p),
                    start / start.sum(),
                    method="SLSQP",
                    bounds=[(1e-9, 1)] * 5,
                    constraints=[
                        {"type": "eq", "fun": lambda p: p.sum() - 1},
                        {"type": "eq", "fun": off},
                    ],
                    options={"maxiter": 1000, "ftol": 1e-13},
                )
                for start in (np.ones(5), np.array([1, 1, 1, 2, 4.0]), np.array([4, 2, 1, 1, 1.0]))
            ),
            key=lambda found: (not found.success, found.fun),
        )
        fits.append(-found.fun)
    ratio = Hypotheses(elo0=elo[0], elo1=elo[1], model=model).ratio(counts)
    assert float(ratio) == pytest.approx(fits[1] - fits[0], abs=1e-3)


def test_many_at_once_are_the_same_as_one_at_a_time() -> None:
    counts = np.random.default_rng(1).integers(0, 30, (20, 5))
    for model in Model:
        test = Hypotheses(elo0=0, elo1=10, model=model)
        one = [float(test.ratio(row)) for row in counts]
        assert test.ratio(counts).tolist() == pytest.approx(one, abs=1e-7)


def test_opening_draws_decide_nothing() -> None:
    for model in Model:
        test = Hypotheses(elo0=0, elo1=10, model=model)
        assert abs(float(test.ratio(np.array([0, 0, 6, 0, 0])))) < 0.5


def test_more_seats_expect_what_their_seats_win() -> None:
    """At a table of one A and three B, and one of three A and one B, with A stronger by Elo 400.

    A's seats win with 10/13 and 30/31, or 0.86849 on average: there H1 fits exactly, and as well
    as what was seen.
    """
    test = Hypotheses(elo0=0, elo1=400)
    mean = (10 / 13 + 30 / 31) / 2
    counts = np.array([1 - mean, 1e-12, mean]) * 1000
    ratio = test.ratio(counts, np.array([0, 0.5, 1]), shares=(0.25, 0.75))
    free = 1000 * (mean * log(mean / 0.5) + (1 - mean) * log((1 - mean) / 0.5))
    assert float(ratio) == pytest.approx(free, rel=1e-6)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"elo0": 5, "elo1": 5}, "--elo0 must be below --elo1"),
        ({"elo0": 0, "elo1": 5000}, "--elo1 must be -1000 to 1000, not 5000"),
        ({"elo0": float("nan"), "elo1": 1}, "--elo0 must be"),
        ({"elo0": 0, "elo1": 5, "alpha": 0}, "--alpha must be above 0"),
        ({"elo0": 0, "elo1": 5, "beta": 0.5}, "--beta must be above 0"),
    ],
)
def test_what_cannot_be_tested_is_refused(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Hypotheses(**wrong)
