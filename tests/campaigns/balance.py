"""Studies of simulated rows: `python -m tests.campaigns.balance` prints how often they are right.

Matches of two bots with luck that belongs to a deal and a seat, shared by the variants. A planted
effect moves seat 0's points by a known amount; two copies of a variant share luck and rules but
not the bots' dice. Figures are computed as `fairdeal balance` does, from stored rows.
"""

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from harness.cli.gate import rounds
from reports.balance.blocks import blocks_of, row_sums
from reports.balance.figures import Measured, Sums, compared, measured
from reports.balance.metrics import Subject
from reports.balance.targets import Judged, Target, Verdict, look, settled
from reports.results import Contest
from tests.stored import contest

DEALS = 100
SHIFT = 0.1
"""Added to the chance that seat 0 wins."""
SUBJECT = Subject(
    game="forest_fox",
    roles=["", ""],
    teams=[0, 1],
    tactics=["fox"],
    chances=[],
    ends=["tricks"],
    stalls=[],
    standing=False,
    elimination=False,
    bots=["a", "b"],
    names=["a", "b"],
    pace=5.0,
)
METRICS = ("seat.0.points", "draws", "length.turns", "tactic.fox.per_match", "bot.a.points")


class Luck(NamedTuple):
    """What the variants of a study share."""

    chance: "np.ndarray[tuple[int], np.dtype[np.float64]]"
    """(deals,) of seat 0 to win, between equals."""


def variant(
    folder: Path, luck: Luck, rng: np.random.Generator, shift: float = 0.0, shared: bool = False
) -> Contest:
    """A contest's rows: bot a wins more; `shared` has the same dice for all variants."""
    dice = np.random.default_rng(1) if shared else rng
    rows = []
    for deal, chance in enumerate(luck.chance):
        for seating, order in enumerate(("ab", "ba")):
            edge = 0.1 if order == "ab" else -0.1
            roll, drawn, turns, fox = dice.random(4)
            won = float(roll < chance + edge + shift)
            points = 0.5 if drawn < 0.1 else won
            for seat, bot in enumerate(order):
                rows.append(
                    {
                        "deal": deal,
                        "seating": seating,
                        "seat": seat,
                        "bot": bot,
                        "points": points if seat == 0 else 1 - points,
                        "turns": int(10 + 20 * chance + 5 * turns),
                        "fox": int(3 * fox * chance),
                    }
                )
    return contest(folder, ["a", "b"], [(f"x/s-0-{len(luck.chance) - 1}.parquet", rows)])


def luck_of(rng: np.random.Generator, deals: int = DEALS) -> Luck:
    """Between 0.2 and 0.7, so that neither edge nor shift leaves what a chance may be."""
    return Luck(0.2 + 0.5 * rng.random(deals))


def differences(one: Contest, two: Contest) -> dict[str, Measured]:
    """The second less the first, of `METRICS`."""
    blocks = blocks_of([one, two], DEALS)
    sums = [row_sums(each, SUBJECT, blocks) for each in (one, two)]
    return {name: compared(sums[0][name], sums[1][name]) for name in METRICS}


class Planted(NamedTuple):
    """How a known effect was measured."""

    shift: float
    """In points: a match in ten is drawn whatever the chances."""
    mean: float
    """Of the measured differences."""
    error: float
    """Of that mean."""
    held: float
    """The share of 95 % intervals that held it."""
    narrower: float
    """The mean width of paired intervals by that of unpaired ones."""


def planted(studies: int, seed: int) -> Planted:
    """Studies of a variant in which seat 0 wins more often by `SHIFT`."""
    rng = np.random.default_rng(seed)
    truth = SHIFT * 0.9
    found, held, narrower = [], 0, []
    for _ in range(studies):
        with tempfile.TemporaryDirectory() as folder:
            luck = luck_of(rng)
            one = variant(Path(folder) / "1", luck, rng)
            two = variant(Path(folder) / "2", luck, rng, SHIFT)
            said = differences(one, two)["seat.0.points"]
        low, high = said.interval()
        assert said.value is not None and low is not None and high is not None
        assert said.error is not None and said.unpaired is not None
        found.append(said.value)
        held += low <= truth <= high
        narrower.append(said.error / said.unpaired)
    error = float(np.std(found, ddof=1) / np.sqrt(studies))
    return Planted(truth, float(np.mean(found)), error, held / studies, float(np.mean(narrower)))


class Null(NamedTuple):
    """How often two copies of a variant seemed to differ."""

    wrong: float
    """The share of 95 % intervals without 0, over all metrics."""
    by_metric: dict[str, float]
    any_metric: float
    """The share of studies in which any metric's did after Bonferroni's correction."""


def null_study(studies: int, seed: int) -> Null:
    """Studies of two copies of a variant: the same luck and rules, other dice."""
    rng = np.random.default_rng(seed)
    wrong = dict.fromkeys(METRICS, 0)
    families = 0
    for _ in range(studies):
        with tempfile.TemporaryDirectory() as folder:
            luck = luck_of(rng)
            one, two = (variant(Path(folder) / name, luck, rng) for name in "12")
            said = differences(one, two)
        beyond = {}
        for confidence in (0.95, 1 - 0.05 / len(METRICS)):
            for name, each in said.items():
                low, high = each.interval(confidence)
                assert low is not None and high is not None
                beyond[name] = not low <= 0 <= high
            if confidence == 0.95:
                for name, seen in beyond.items():
                    wrong[name] += seen
        families += any(beyond.values())
    return Null(
        sum(wrong.values()) / studies / len(METRICS),
        {name: number / studies for name, number in wrong.items()},
        families / studies,
    )


def same_dice(seed: int) -> dict[str, Measured]:
    """Two copies that are the same match for match."""
    rng = np.random.default_rng(seed)
    luck = luck_of(rng)
    with tempfile.TemporaryDirectory() as folder:
        one, two = (variant(Path(folder) / name, luck, rng, shared=True) for name in "12")
        return differences(one, two)


def covered(studies: int, seed: int) -> float:
    """The share of 95 % intervals of seat 0's points that held the truth, deals drawn anew."""
    rng = np.random.default_rng(seed)
    held = 0
    for _ in range(studies):
        with tempfile.TemporaryDirectory() as folder:
            one = variant(Path(folder) / "1", luck_of(rng), rng)
            sums = row_sums(one, SUBJECT, blocks_of([one], DEALS))
        low, high = measured(sums["seat.0.points"]).interval()
        assert low is not None and high is not None
        held += low <= 0.45 * 0.9 + 0.05 <= high
    return held / studies


# --- The gate -------------------------------------------------------------------------------------

GATE_DEALS = 512
POINTS, DRAWN = 0.45 * 0.9 + 0.05, 0.1
"""The true values of a variant's points of seat 0, and of its draws."""


class Gate(NamedTuple):
    """How gates ended whose targets are known to hold, or not."""

    wrong: float
    """The share of studies with any verdict against the truth."""
    decided: float
    """The share in which every target was settled before the deals ended."""
    deals: float
    """The mean number that was played."""


def foxes(rng: np.random.Generator) -> float:
    """The true number of foxes a match, by a million draws."""
    return float(2 * np.floor(3 * rng.random(10**6) * (0.2 + 0.5 * rng.random(10**6))).mean())


def gates(studies: int, seed: int, miss: float) -> dict[str, Gate]:
    """Gates with three targets, of which the truth lies `miss` inside or outside the ends.

    Just at an end (`miss` 0) the range is closed, so that there to reject is wrong; a hair outside
    to accept is.
    """
    rng = np.random.default_rng(seed)
    truth = {"seat.0.points": POINTS, "draws": DRAWN, "tactic.fox.per_match": foxes(rng)}
    hold = [Target(name, "v", None, value + miss) for name, value in truth.items()]
    fail = [Target(name, "v", None, value - max(miss, 1e-9)) for name, value in truth.items()]
    found: dict[str, list[tuple[bool, bool, int]]] = {"hold": [], "fail": []}
    for _ in range(studies):
        with tempfile.TemporaryDirectory() as folder:
            one = variant(Path(folder) / "1", luck_of(rng, GATE_DEALS), rng)
            sums = row_sums(one, SUBJECT, blocks_of([one], GATE_DEALS))
        for what, targets in (("hold", hold), ("fail", fail)):
            judged, deals = gated(sums, targets)
            against = Verdict.rejected if what == "hold" else Verdict.accepted
            wrong = any(each.verdict is against for each in judged)
            found[what].append((wrong, settled(judged), deals))
    return {what: Gate(*np.mean(each, axis=0).tolist()) for what, each in found.items()}


def gated(sums: Mapping[str, Sums], targets: Sequence[Target]) -> tuple[list[Judged], int]:
    """The verdicts of a gate that sees these sums deal by deal, and the deals that it played."""
    judged: list[Judged] = []
    for end in rounds(GATE_DEALS):
        values = {
            (target.variant, target.metric): measured(
                Sums(sums[target.metric].above[:end], sums[target.metric].below[:end])
            )
            for target in targets
        }
        judged = look(targets, values, 0.05, judged)
        if settled(judged):
            break
    return judged, end


def main() -> None:
    """Prints the tables that reports/README.md has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=500)
    studies = parser.parse_args().studies
    effect = planted(studies, 1)
    print(f"planted {effect.shift:.3f} points: found {effect.mean:.4f} ± {effect.error:.4f},")
    print(f"  in {100 * effect.held:.1f} % of 95 % intervals, paired {effect.narrower:.2f} as wide")
    print(f"values: 95 % intervals held the truth in {100 * covered(studies, 3):.1f} %")
    null = null_study(studies, 2)
    print(f"two copies: {100 * null.wrong:.1f} % of intervals without 0 (5 % allowed)")
    for name, share in null.by_metric.items():
        print(f"  {name}: {100 * share:.1f} %")
    print(f"  any of them, corrected: {100 * null.any_metric:.1f} % of studies")
    for miss in (0.0, 0.1, 0.4):
        for what, gate in gates(studies, 4, miss).items():
            print(
                f"gate, truth {miss:g} {'inside' if what == 'hold' else 'outside'}:"
                f" wrong {100 * gate.wrong:.1f} %, all settled {100 * gate.decided:.1f} %,"
                f" {gate.deals:.0f} deals"
            )


if __name__ == "__main__":
    main()
