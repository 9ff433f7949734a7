"""The adaptive schedule: deals for those whom the results so far don't tell apart."""

from collections.abc import Callable, Sequence
from typing import Any

from harness.play.tables import Chunk, Table, chunk_deals
from harness.playing import suspends
from harness.store import Store
from harness.tournament import Plan, PlannedContest
from reports.order import Order, undecided
from reports.results import Contest, Matches, Player
from reports.watched import LEAST

SHARE = 4
"""A wave has a quarter of all deals before it, so looks are many at first and few later."""


class Adaptive:
    """Waves: each has its own range of deals, played in all seatings by every table that has a bot
    that isn't told apart from a neighbour; the first by all tables.

    What a wave is follows from the results of those before it alone. A bot that was suspended at a
    table is out of the order, and so are its tables.
    """

    reacts = True

    def __init__(self, contest: PlannedContest, plan: Plan, store: Store) -> None:
        self.contest = contest
        self.plan = plan
        self.source = _source(contest, store)
        self.chunks: list[Chunk] = []
        """All that counts so far."""
        self.gone: set[str] = set()
        self.order = self._fresh()
        self.deals = 0
        self.matches = 0
        self.endless = contest.deals is None

    def _fresh(self) -> Order:
        tables = [table.labels for table in self.contest.tables]
        return Order(self.source.players, tables, self.gone)

    def next(self, stored: Sequence[Chunk]) -> Sequence[Chunk]:
        """The next wave; none if all neighbours are told apart, or the budget is spent."""
        self._take(stored)
        tables = [t for t in self.contest.tables if not self.gone & set(t.labels)]
        if self.deals:
            wanted = self.wanted()
            tables = [table for table in tables if wanted & set(table.labels)]
        number = self._size(len(tables) * self.contest.size)
        if not tables or not number:
            return []
        first, last = self.deals, self.deals + number - 1
        self.deals += number
        self.matches += number * len(tables) * self.contest.size
        chunks = [chunk for table in tables for chunk in self._cut(table, first, last)]
        return sorted(chunks, key=lambda chunk: chunk.first)

    def wanted(self) -> set[str]:
        """The bots whose tables play on."""
        return {self.source.players[i].bot for i in undecided(self.order.neighbours())}

    def _take(self, stored: Sequence[Chunk]) -> None:
        self.chunks += stored
        gone = set(self.gone)
        new = []
        for chunk in stored:
            matches, faulted = self.source.read(chunk.name)
            gone.update(suspends(faulted))
            new.append(matches)
        if gone == self.gone:
            for matches in new:
                self.order.add(matches)
        else:
            # Everybody's tables are others now, so all is counted again.
            self.gone = gone
            self.order = self._fresh()
            for chunk in self.chunks:
                self.order.add(self.source.read(chunk.name)[0])

    def _size(self, each: int) -> int:
        """How many deals the next wave has, `each` so many matches; 0 at the end of the budget."""
        size = wave(self.deals)
        if self.contest.deals is not None:
            size = min(size, self.contest.deals - self.deals)
        if self.contest.most is not None and each:
            size = min(size, (self.contest.most - self.matches) // each)
        return max(0, size)

    def _cut(self, table: Table, first: int, last: int) -> list[Chunk]:
        """Aligned chunks of a range of deals, the first ones of a contest as small as ever."""
        key, largest = self.plan.key_of(table), chunk_deals(self.contest.game, table)
        chunks = []
        while first <= last:
            size = min(largest, first & -first if first else 16)
            chunks.append(Chunk(table, first, min(first + size - 1, last), key))
            first += size
        return chunks


def wave(deals: int) -> int:
    """How many deals follow after so many: a power of two, and its multiples stay aligned."""
    if deals < LEAST:
        return LEAST
    quarter = 1 << ((deals // SHARE).bit_length() - 1)
    return min(quarter, deals & -deals)


class _Source:
    """Reads stored chunks of a planned contest."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        self.players: Sequence[Player] = contest.players

    def read(self, name: str) -> tuple[Matches, dict[str, int]]:
        """A chunk's matches, and the faults by label."""
        return self.contest.chunk(name), self.contest.store.chunk_metadata(name)["faulted"]


def _source(contest: PlannedContest, store: Store) -> _Source:
    about: dict[str, Any] = {
        "players": contest.players,
        "teams": list(contest.game.teams(contest.players)),
        "roles": list(contest.game.roles(contest.players)),
        "entrants": [{"label": entrant.label} for entrant in contest.entrants],
    }
    return _Source(Contest(1, about, store))


def adaptive(plan: Plan, store: Store) -> Callable[[PlannedContest], Adaptive]:
    """Makes the adaptive schedules of a plan."""
    return lambda contest: Adaptive(contest, plan, store)
