"""Do intervals cover what they claim, and duels err as seldom? Tournaments of known strength.

    python -m tests.campaigns.calibration --tournaments 2000

prints the tables of `reports/README.md`. In each tournament bots of known strength play blocks:
every deal in all rotations at every table. Luck belongs to a deal and a seat, so that matches of
one deal are related, while each match by itself follows the model: a seat wins with probability
proportional to exp(strength). A shared point is two winners drawn with the same luck, half each.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from reports.ratings import ELO, differences, rate
from reports.results import Matches, Player
from reports.sprt import PENTANOMIAL, Hypotheses, Model

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One kind of tournament."""

    seats: int
    bots: int
    deals: int
    luck: float
    """The correlation of a seat's luck over the matches of a deal."""
    ties: float = 0.0
    """How often two winners are drawn."""
    roles: bool = False

    @property
    def name(self) -> str:
        """As the table has it."""
        kind = "2 roles" if self.roles else f"{self.seats} seats"
        ties = f", ties {self.ties:.0%}" if self.ties else ""
        return f"{kind}, {self.bots} bots, {self.deals} deals, luck {self.luck:g}{ties}"


CELLS = (
    Cell(seats=2, bots=6, deals=100, luck=0.0),
    Cell(seats=2, bots=6, deals=100, luck=0.6),
    Cell(seats=2, bots=6, deals=100, luck=0.6, ties=0.6),
    Cell(seats=2, bots=3, deals=60, luck=0.9),
    Cell(seats=3, bots=4, deals=100, luck=0.5),
    Cell(seats=3, bots=4, deals=100, luck=0.5, ties=0.5),
    Cell(seats=4, bots=5, deals=80, luck=0.5),
    Cell(seats=4, bots=5, deals=80, luck=0.8, ties=0.3),
    Cell(seats=5, bots=6, deals=60, luck=0.5),
    Cell(seats=5, bots=6, deals=60, luck=0.5, ties=0.5),
    Cell(seats=2, bots=4, deals=100, luck=0.5, roles=True),
    Cell(seats=2, bots=4, deals=100, luck=0.8, ties=0.5, roles=True),
)


class Coverage(NamedTuple):
    """How often intervals held the truth: hits and tries."""

    ratings: tuple[int, int]
    differences: tuple[int, int]
    edge: tuple[int, int]
    unrated: int
    """Tournaments whose fit wasn't finite."""


class Design(NamedTuple):
    """Who plays whom in a cell."""

    players: list[Player]
    side: Array
    """(matches of a deal, k) indices of players by seat."""
    truth: Array
    """(players,) in natural-log units, the first role's edge included."""


def design(cell: Cell) -> Design:
    """All tables, each in all rotations; in roles, every pair both ways and everybody itself."""
    strength = np.linspace(0.6, -0.6, cell.bots)
    bots = [f"bot{i}" for i in range(cell.bots)]
    if cell.roles:
        players = [Player(bot, role) for role in ("first", "second") for bot in bots]
        side = [[a, cell.bots + b] for a in range(cell.bots) for b in range(cell.bots)]
        second = np.roll(strength, 1)
        return Design(players, np.array(side), np.concatenate([strength + 0.4, second]))
    tables = combinations(range(cell.bots), cell.seats)
    side = [list(table[i:] + table[:i]) for table in tables for i in range(cell.seats)]
    return Design([Player(bot, "") for bot in bots], np.array(side), strength)


def played(cell: Cell, made: Design, rng: np.random.Generator) -> Matches:
    """One tournament."""
    number, seats = made.side.shape
    shape = (cell.deals, number, seats)
    points = np.zeros(shape)
    luck = rng.standard_normal((cell.deals, 1, seats))
    first = winners(made.truth[made.side], luck, cell.luck, shape, rng)
    second = winners(made.truth[made.side], luck, cell.luck, shape, rng)
    second = np.where(rng.random(shape[:2]) < cell.ties, second, first)
    for chosen in (first, second):
        np.put_along_axis(
            points, chosen[..., None], np.take_along_axis(points, chosen[..., None], 2) + 0.5, 2
        )
    deal = np.repeat(np.arange(cell.deals), number)
    side = np.tile(made.side, (cell.deals, 1))
    return Matches(deal, side, points.reshape(-1, seats), np.full(len(deal), -1))


def winners(
    strength: Array, luck: Array, share: float, shape: tuple[int, ...], rng: np.random.Generator
) -> Array:
    """Who wins each match: the largest of strength plus noise, which is Gumbel's in each match."""
    noise = sqrt(share) * luck + sqrt(1 - share) * rng.standard_normal(shape)
    uniform = np.clip(ndtr(noise), 1e-15, 1 - 1e-15)
    return np.asarray((strength - np.log(-np.log(uniform))).argmax(axis=-1))


def coverage(cell: Cell, tournaments: int, seed: int) -> Coverage:
    """Plays and rates so many tournaments, and counts intervals that hold the truth."""
    made = design(cell)
    rng = np.random.default_rng([seed, CELLS.index(cell)])
    roles = [player.role for player in made.players]
    truth = ELO * made.truth
    middle = {
        role: np.mean([t for t, r in zip(truth, roles, strict=True) if r == role]) for role in roles
    }
    hits, tries = np.zeros(3, dtype=int), np.zeros(3, dtype=int)
    unrated = 0
    for _ in range(tournaments):
        found = played(cell, made, rng)
        rated = rate(made.players, lambda found=found: iter([found]))  # type: ignore[misc]
        if rated.status != "ok":
            unrated += 1
            continue
        for line in rated.rated:
            true = truth[made.players.index(line.player)] - middle[line.player.role]
            tries[0] += 1
            hits[0] += _holds(line.rating.low, line.rating.high, true)
        for first, second, (_, _, low, high), _ in differences(rated):
            if first < second:
                tries[1] += 1
                hits[1] += _holds(low, high, truth[first] - truth[second])
        if cell.roles and rated.edge is not None:
            tries[2] += 1
            hits[2] += _holds(rated.edge.low, rated.edge.high, middle["first"] - middle["second"])
    pairs = [(int(hit), int(n)) for hit, n in zip(hits, tries, strict=True)]
    return Coverage(pairs[0], pairs[1], pairs[2], unrated)


def _holds(low: float | None, high: float | None, true: float) -> bool:
    return low is not None and high is not None and low <= true <= high


# --- Duels --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class DuelCell:
    """One kind of duel, at one of its hypotheses."""

    seats: int
    model: Model
    luck: float
    ties: float
    true: int
    """Which hypothesis is true: 0 or 1."""
    elo0: float = 0.0
    elo1: float = 60.0

    @property
    def name(self) -> str:
        """As the table has it."""
        ties = f", ties {self.ties:.0%}" if self.ties else ""
        kind = "2 seats" if self.seats == 2 else f"{self.seats} seats"
        return f"{kind}, {self.model.value}, luck {self.luck:g}{ties}, H{self.true} true"


DUELS = (
    *(
        DuelCell(seats=seats, model=Model.logistic, luck=luck, ties=ties, true=true)
        for seats, luck, ties in ((2, 0.0, 0.0), (2, 0.7, 0.5), (4, 0.5, 0.0))
        for true in (0, 1)
    ),
    DuelCell(seats=2, model=Model.normalised, luck=0.7, ties=0.5, true=0),
)
"""Under the normalised model only H0 (no difference) is a known strength."""

LOOK = 8
"""The duel looks at its results after every so many deals."""

BUDGET = 20_000


def errors(cell: DuelCell, duels: int, seed: int) -> tuple[int, float]:
    """How many of so many duels end with the false hypothesis, and their mean number of deals."""
    rng = np.random.default_rng([seed, 1000 + DUELS.index(cell)])
    test = Hypotheses(elo0=cell.elo0, elo1=cell.elo1, model=cell.model)
    elo = (cell.elo0, cell.elo1)[cell.true]
    mine = np.arange(cell.seats) % 2 == 0
    block = np.array([np.roll(mine, turn) for turn in range(cell.seats)])
    strength = np.where(block, elo * log(10) / 400, 0.0)
    grid = 2 * cell.seats  # scores are multiples of half a point over the block
    scores = np.arange(grid + 1) / grid
    assert cell.seats != 2 or np.array_equal(scores, PENTANOMIAL)
    counts = np.zeros((duels, grid + 1))
    running = np.arange(duels)
    wrong, deals, spent = 0, 0, 0
    while len(running) and deals < BUDGET:
        number = len(running) * LOOK
        shape = (number, cell.seats, cell.seats)
        luck = rng.standard_normal((number, 1, cell.seats))
        first = winners(strength, luck, cell.luck, shape, rng)
        second = winners(strength, luck, cell.luck, shape, rng)
        second = np.where(rng.random(shape[:2]) < cell.ties, second, first)
        at = np.arange(cell.seats)
        got = (block[at, first].astype(int) + block[at, second]).sum(axis=1)
        np.add.at(counts, (np.repeat(running, LOOK), got), 1)
        deals += LOOK
        spent += number
        ratio = test.ratio(counts[running], scores, cell.seats)
        lower, upper = test.bounds
        wrong += int((ratio <= lower).sum() if cell.true else (ratio >= upper).sum())
        running = running[(ratio > lower) & (ratio < upper)]
    return wrong, spent / duels


# --- The table ----------------------------------------------------------------------------------


def lines(tournaments: int, seed: int, cells: Sequence[Cell] = CELLS) -> Iterator[str]:
    """The coverage table in Markdown, a line at a time."""
    yield "| tournaments | ratings | differences | edge | not rated |"
    yield "| --- | --- | --- | --- | --- |"
    pooled = np.zeros(2, dtype=int)
    for cell in cells:
        found = coverage(cell, tournaments, seed)
        for pair in (found.ratings, found.differences, found.edge):
            pooled += pair
        parts = [_share(*pair) for pair in (found.ratings, found.differences, found.edge)]
        yield f"| {cell.name} | {' | '.join(parts)} | {found.unrated} |"
    yield f"| **all intervals pooled** | {_share(*pooled)} | | | |"


def duel_lines(duels: int, seed: int, cells: Sequence[DuelCell] = DUELS) -> Iterator[str]:
    """The table of duels in Markdown, a line at a time."""
    yield "| duels, Elo 0 against 60, 5 % allowed | wrong | within 2 errors of 5 % | mean deals |"
    yield "| --- | --- | --- | --- |"
    limit = 0.05 + 2 * sqrt(0.05 * 0.95 / duels)
    for cell in cells:
        wrong, deals = errors(cell, duels, seed)
        good = "yes" if wrong / duels <= limit else "**no**"
        yield f"| {cell.name} | {100 * wrong / duels:.1f} % | {good} | {deals:,.0f} |"


def _share(hits: int, tries: int) -> str:
    return f"{100 * hits / tries:.1f} %" if tries else ""


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tournaments", type=int, default=2000, help="and duels, a cell")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    start = time.perf_counter()
    for line in lines(given.tournaments, given.seed):
        print(line, flush=True)
    print()
    for line in duel_lines(given.tournaments, given.seed):
        print(line, flush=True)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
