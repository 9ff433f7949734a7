"""Does the adaptive schedule save matches, and do its intervals hold though they are watched?

    python -m tests.campaigns.adaptive --contests 1000

prints the tables of `reports/README.md`. First simulated contests of bots of known strength, whose
luck belongs to a deal and a seat, with the very order, waves and stopping rule of the schedule: how
often an interval left the truth at any look (up to `--deals` deals), beside intervals that are
meant for one look. Then real ones: the rosters of two games, until all neighbours are told apart,
once with all tables playing on (a round robin that stops by the same rule on the same deals), once
with only those that the schedule wants.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import softmax
from scipy.stats import t as student

from harness.cli.adaptive import Adaptive, wave
from harness.config import read_config
from harness.play.tables import Chunk
from harness.store import open_store
from harness.tournament import plan
from harness.workers import work
from reports.order import Order, undecided
from reports.results import Array, Matches, Player
from tests.campaigns.calibration import winners

# --- Simulated contests ---------------------------------------------------------------------------


class Cell(NamedTuple):
    """One kind of contest."""

    seats: int
    strengths: tuple[float, ...]
    """In natural-log units, the best first."""
    luck: float
    """The correlation of a seat's luck over the matches of a deal."""

    @property
    def name(self) -> str:
        """As the table has it."""
        gaps = {round(173.7 * (a - b)) for a, b in pairwise(self.strengths)}
        apart = f"{min(gaps)} to {max(gaps)}" if len(gaps) > 1 else f"{min(gaps)}"
        return (
            f"{self.seats} seats, {len(self.strengths)} bots {apart} Elo apart, luck {self.luck:g}"
        )


CELLS = (
    Cell(2, (0.5, 0.3, 0.1, -0.1, -0.3, -0.5), 0.0),
    Cell(2, (0.5, 0.3, 0.1, -0.1, -0.3, -0.5), 0.6),
    Cell(2, (1.0, 0.5, 0.4, -0.3, -1.6), 0.6),
    Cell(2, (2.5, 0.1, 0.0, -2.6), 0.6),
    Cell(2, (0.0, 0.0, 0.0, 0.0), 0.6),
    Cell(3, (0.5, 0.2, 0.0, -0.2, -0.5), 0.5),
)


class Watched(NamedTuple):
    """What came of so many contests of one kind."""

    contests: int
    pairs: int
    """Neighbours in the true order, over all contests."""
    left: int
    """Pairs whose interval left the truth at some look."""
    naive: int
    """Pairs for which one for a single look did."""
    wrong: int
    """Contests with neighbours told apart the wrong way round when they ended."""
    unfinished: int
    """Contests in which some weren't told apart."""
    adaptive: float
    """Mean matches of the adaptive schedule."""
    all_tables: float
    """Mean matches if all tables play on until it is settled."""


def simulate(cell: Cell, contests: int, most: int, seed: int) -> Watched:
    """Plays so many contests, each both ways, with at most so many deals."""
    left = naive = wrong = unfinished = 0
    spent = np.zeros(2)
    for number in range(contests):
        for way in (0, 1):
            rng = np.random.default_rng([seed, CELLS.index(cell), number, way])
            found = _contest(cell, most, rng, everybody=way == 1)
            spent[way] += found.matches
            if way == 0:
                left += len(found.left)
                naive += len(found.naive)
                wrong += found.wrong
                unfinished += found.unfinished
    pairs = contests * (len(cell.strengths) - 1)
    mean = spent / contests
    return Watched(contests, pairs, left, naive, wrong, unfinished, float(mean[0]), float(mean[1]))


class _Ended(NamedTuple):
    left: set[int]
    naive: set[int]
    wrong: bool
    unfinished: bool
    matches: int


def _contest(cell: Cell, most: int, rng: np.random.Generator, *, everybody: bool) -> _Ended:
    bots = len(cell.strengths)
    players = [Player(f"bot{i}", "") for i in range(bots)]
    tables = list(combinations(range(bots), cell.seats))
    order = Order(players, [[f"bot{i}" for i in table] for table in tables])
    truth = _truth(cell, tables)
    left: set[int] = set()
    naive: set[int] = set()
    deals = matches = 0
    playing = tables
    while True:
        size = min(wave(deals), most - deals)
        for chunk in _played(cell, playing, deals, size, rng):
            order.add(chunk)
            matches += len(chunk.deal)
        deals += size
        for pair in range(bots - 1):
            found = order.compare(pair, pair + 1)
            value, error, low, high = found.difference
            true = truth[pair] - truth[pair + 1]
            if low is not None and high is not None and not low <= true <= high:
                left.add(pair)
            assert value is not None
            assert error is not None
            reach = float(student.ppf(0.975, found.deals - 1)) * error
            if abs(value - true) > reach:
                naive.add(pair)
        neighbours = order.neighbours()
        unsure = undecided(neighbours)
        if not unsure or deals >= most:
            wrong = any(
                pair.apart and truth[pair.better] < truth[pair.worse] - 1e-12 for pair in neighbours
            ) or (len(set(cell.strengths)) == 1 and any(pair.apart for pair in neighbours))
            return _Ended(left, naive, wrong, bool(unsure), matches)
        playing = [table for table in tables if everybody or unsure & set(table)]


def _truth(cell: Cell, tables: Sequence[tuple[int, ...]]) -> Array:
    """Mean points over all of a bot's tables."""
    sums, times = np.zeros(len(cell.strengths)), np.zeros(len(cell.strengths))
    for table in tables:
        sums[list(table)] += softmax(np.array(cell.strengths)[list(table)])
        times[list(table)] += 1
    return np.asarray(sums / times)


def _played(
    cell: Cell,
    tables: Sequence[tuple[int, ...]],
    first: int,
    deals: int,
    rng: np.random.Generator,
) -> Iterator[Matches]:
    """A chunk a table: these deals in all rotations."""
    seats = cell.seats
    luck = rng.standard_normal((deals, 1, seats))
    for table in tables:
        side = np.array([table[-turn:] + table[:-turn] for turn in range(seats)])
        shape = (deals, seats, seats)
        strength = np.array(cell.strengths)[side]
        won = winners(strength, luck, cell.luck, shape, rng)
        points = np.eye(seats)[won.reshape(-1)]
        deal = np.repeat(np.arange(first, first + deals), seats)
        yield Matches(deal, np.tile(side, (deals, 1)), points, np.full(len(deal), -1))


# --- Rosters --------------------------------------------------------------------------------------

FOREST_FOX = """
name = "forest-fox"
seed = 1
isolation = "inprocess"
[[contest]]
game = "forest_fox"
bots = ["grabber", "humble", "one_ahead", "random_legal", "rehearser", "trump_counter"]
schedule = "adaptive"
deals = 8192
"""

FRASER_ISLAND = """
name = "fraser-island"
seed = 1
isolation = "inprocess"
[[contest]]
game = "fraser_island"
players = 2
bots = [
    "burrower", "burrower(patience=1)", "burrower(patience=2)", "burrower(patience=3)",
    "burrower(odds=50)", "burrower(odds=90)", "random_legal",
]
schedule = "adaptive"
deals = 4096
"""


class Everybody(Adaptive):
    """All tables play on as long as any neighbours aren't told apart."""

    def wanted(self) -> set[str]:
        """All bots, or none."""
        bots = {player.bot for player in self.source.players}
        return bots if super().wanted() else set()


class Settled(NamedTuple):
    """A contest's end."""

    matches: int
    deals: int
    together: int
    """Neighbours that aren't told apart."""
    order: list[str]


def settled(text: str, kind: type[Adaptive], root: Path) -> Settled:
    """Plays a roster's contest; both ways may share a store, since they play the same deals."""
    path = root / "roster.toml"
    path.write_text(text)
    store = open_store(root / "results")
    planned = plan(read_config(path), path)
    schedule = kind(planned.contests[0], planned, store)
    stored: Sequence[Chunk] = []
    while stored := schedule.next(stored):
        for chunk in stored:
            if not store.chunk_path(chunk.name).exists():
                work(chunk.table, chunk.first, chunk.last, chunk.key, store.root)
    neighbours = schedule.order.neighbours()
    ends = [neighbours[0].better, *(pair.worse for pair in neighbours)]
    return Settled(
        schedule.matches,
        schedule.deals,
        sum(not pair.apart for pair in neighbours),
        [schedule.source.players[i].bot.rpartition("@")[0] for i in ends],
    )


# --- The tables -----------------------------------------------------------------------------------


def lines(contests: int, most: int, seed: int, cells: Sequence[Cell] = CELLS) -> Iterator[str]:
    """The table of simulated contests in Markdown, a line at a time."""
    yield (
        "| simulated contests | interval ever wrong | one-look interval ever wrong |"
        " wrong order at the end | undecided | matches, adaptive | matches, all tables |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    pooled = np.zeros(3, dtype=int)
    for cell in cells:
        found = simulate(cell, contests, most, seed)
        pooled += (found.left, found.naive, found.pairs)
        yield (
            f"| {cell.name} | {_share(found.left, found.pairs)} |"
            f" {_share(found.naive, found.pairs)} | {_share(found.wrong, found.contests)} |"
            f" {_share(found.unfinished, found.contests)} | {found.adaptive:,.0f} |"
            f" {found.all_tables:,.0f} |"
        )
    left, naive, pairs = (int(number) for number in pooled)
    yield f"| **all pooled** | {_share(left, pairs)} | {_share(naive, pairs)} | | | | |"


def roster_lines() -> Iterator[str]:
    """The table of rosters in Markdown, a line at a time."""
    yield "| roster | matches, adaptive | matches, all tables | deals | not told apart | order |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, text in (("Forest Fox", FOREST_FOX), ("Fraser Island, 2 seats", FRASER_ISLAND)):
        with tempfile.TemporaryDirectory() as folder:
            one, all_ = (settled(text, kind, Path(folder)) for kind in (Adaptive, Everybody))
        deals = f"{one.deals:,} and {all_.deals:,}"
        together = f"{one.together} and {all_.together}"
        yield (
            f"| {name} | {one.matches:,} | {all_.matches:,} | {deals} | {together} |"
            f" {', '.join(one.order)} |"
        )


def _share(hits: int, tries: int) -> str:
    return f"{100 * hits / tries:.1f} %"


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--contests", type=int, default=1000, help="a cell")
    parser.add_argument("--deals", type=int, default=8192, help="of a simulated contest, at most")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    start = time.process_time()
    for line in roster_lines():
        print(line, flush=True)
    print()
    for line in lines(given.contests, given.deals, given.seed):
        print(line, flush=True)
    print(f"{time.process_time() - start:.0f} s of one core", file=sys.stderr)


if __name__ == "__main__":
    main()
