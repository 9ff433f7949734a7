"""Sums by deal of everything that a variant's rows say, over the blocks that count.

A block is a deal of one table in all its seatings. One with a fault, or that one of the variants
lacks (a bot was suspended), is left out of every variant, so that all have the same blocks.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from harness.store import span_of
from reports.balance.figures import Sums
from reports.balance.metrics import Subject
from reports.results import Array, Contest, Matches, sides
from reports.rows import CHANCES

Watched = Mapping[tuple[int, int], Mapping[str, tuple[float, float]] | None]
"""By table and deal, each figure's (above, below) summed over the block; None after a fault."""


class Blocks(NamedTuple):
    """Which blocks count."""

    counted: Array
    """(tables, deals) of bool."""
    faults: list[int]
    """By variant, the blocks that it played with a fault."""
    missing: list[int]
    """By variant, the blocks that it hasn't."""

    @property
    def left_out(self) -> int:
        """Blocks that don't count."""
        return int((~self.counted).sum())


def blocks_of(variants: Sequence[Contest], deals: int) -> Blocks:
    """The blocks that every variant has without a fault."""
    tables = len(variants[0].about["tables"])
    counted = np.ones((tables, deals), dtype=bool)
    faults, missing = [], []
    for contest in variants:
        played = np.zeros((tables, deals), dtype=bool)
        broken = np.zeros((tables, deals), dtype=bool)
        for table, name in _chunks(contest):
            rows = contest.read(name, ["deal", "fault"])
            deal = rows["deal"].to_numpy()
            played[table, deal] = True
            broken[table, deal[rows["fault"].is_valid().to_numpy()]] = True
        faults.append(int(broken.sum()))
        missing.append(int((~played).sum()))
        counted &= played & ~broken
    return Blocks(counted, faults, missing)


def _chunks(contest: Contest) -> Iterator[tuple[int, str]]:
    """Each chunk with the number of its table, in the order of deals."""
    named = [
        (table, name)
        for table, about in enumerate(contest.about["tables"])
        for name in contest.store.joined(about["chunks"])
    ]
    yield from sorted(named, key=lambda each: (span_of(each[1]).first, each))


def row_sums(contest: Contest, subject: Subject, blocks: Blocks) -> dict[str, Sums]:
    """Every metric that rows have, as sums by deal."""
    deals = blocks.counted.shape[1]
    totals: dict[str, Array] = {}
    for table, name in _chunks(contest):
        rows = contest.read(name)
        deal = rows["deal"].to_numpy()[:: subject.seats]
        counts = blocks.counted[table, deal]
        for metric, above, below in _figures(rows, subject):
            total = totals.setdefault(metric, np.zeros((2, deals)))
            total[0] += np.bincount(deal[counts], above[counts], deals)
            total[1] += np.bincount(deal[counts], below[counts], deals)
    return {metric: Sums(*total) for metric, total in totals.items()}


def watched_sums(watched: Watched, blocks: Blocks) -> dict[str, Sums]:
    """The figures of a watched sample, as sums by deal, over the blocks that count."""
    deals = blocks.counted.shape[1]
    totals: dict[str, Array] = {}
    for (table, deal), figures in watched.items():
        if figures is None or not blocks.counted[table, deal]:
            continue
        for metric, values in figures.items():
            totals.setdefault(metric, np.zeros((2, deals)))[:, deal] += values
    return {metric: Sums(*total) for metric, total in totals.items()}


def _figures(rows: pa.Table, subject: Subject) -> Iterator[tuple[str, Array, Array]]:
    """Each metric of a chunk's matches: its (above, below), arrays (m,)."""
    seats = subject.seats
    points = rows["points"].to_numpy().reshape(-1, seats)
    matches = len(points)
    one = np.ones(matches)
    results = {
        "points": points,
        "win": points == 1,
        "draw": (points > 0) & (points < 1),
        "loss": points == 0,
    }
    for role in subject.kinds:
        held = [seat for seat in range(seats) if subject.roles[seat] == role]
        for what, values in results.items():
            yield f"role.{role}.{what}", values[:, held].sum(axis=1), one * len(held)
    for seat in range(seats):
        for what, values in results.items():
            yield f"seat.{seat}.{what}", values[:, seat].astype(float), one
    asked = rows["decisions"].to_numpy().reshape(-1, seats).sum(axis=1)
    yield "length.decisions", asked, one
    yield "length.turns", rows["turns"].to_numpy()[::seats], one
    yield "length.minutes", asked * (subject.pace / 60), one
    yield "draws", (~(points == 1).any(axis=1)).astype(float), one
    end = np.array(rows["end"].to_pylist()[::seats])
    if subject.stalls:
        yield "stalls", np.isin(end, list(subject.stalls)).astype(float), one
    if len(subject.ends) > 1:
        for word in subject.ends:
            yield f"end.{word}", (end == word).astype(float), one
    for tactic in subject.tactics:
        times = rows[tactic].to_numpy().reshape(-1, seats).sum(axis=1)
        yield f"tactic.{tactic}.per_match", times, one
        if tactic in subject.chances:
            chances = rows[tactic + CHANCES].to_numpy().reshape(-1, seats).sum(axis=1)
            yield f"tactic.{tactic}.when_possible", times, chances
    known = {bot: number for number, bot in enumerate(subject.bots)}
    met = sides(rows, list(subject.teams), list(subject.roles), known)
    bot = met.side % len(known)
    for number, name in enumerate(subject.names):
        mine = bot == number
        yield f"bot.{name}.points", (met.points * mine).sum(axis=1), mine.sum(axis=1)


def matches_of(contest: Contest, subject: Subject, blocks: Blocks) -> list[Matches]:
    """All its matches of the deals in which every block counts, a chunk at a time.

    Figures that compare tables need the same deals at all of them.
    """
    whole = np.asarray(blocks.counted.all(axis=0))
    known = {bot: number for number, bot in enumerate(subject.bots)}
    found = []
    for _, name in _chunks(contest):
        rows = contest.read(name, ["deal", "bot", "points", "fault"])
        chunk = sides(rows, list(subject.teams), list(subject.roles), known)
        kept = whole[chunk.deal]
        found.append(chunk if kept.all() else Matches(*(column[kept] for column in chunk)))
    return [chunk for chunk in found if len(chunk.deal)]
