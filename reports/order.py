"""Which neighbours in the order of points are told apart, by intervals that may be watched.

The order is that of a player's mean points over all tables of its contest, each table counting
alike however many deals it played: the order that its ratings would have if all had played the
same, whatever the schedule chose to play more of. Two players are compared on the deals on which
both had all their tables: those differences, one a deal, are independent and alike, and which
deals they are was decided before they were played. A match with a fault counts as it ended.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from harness.store import span_of
from reports.estimates import Estimate
from reports.results import FAR, Array, Contest, Matches, Player
from reports.watched import watched


class Neighbours(NamedTuple):
    """Two who follow each other in the order."""

    better: int
    worse: int
    """Indices of players."""
    deals: int
    """On which both were complete."""
    difference: Estimate
    """In points a match; the interval is a 95 % confidence sequence."""

    @property
    def apart(self) -> bool:
        """Whether they are told apart."""
        return self.difference.low is not None and self.difference.low > 0


class Order:
    """What a contest's order is, from the matches taken in so far."""

    def __init__(
        self, players: Sequence[Player], tables: Iterable[Sequence[str]], gone: Iterable[str] = ()
    ) -> None:
        """`tables` are the bots of each; those with a bot that is `gone` count for nobody."""
        self.players = players
        self.gone = set(gone)
        seated = [set(table) for table in tables if not self.gone & set(table)]
        self.needs = np.array([sum(p.bot in table for table in seated) for p in players])
        self.sums = np.zeros((len(players), 0))
        """(players, deals) of its mean points at each of its tables."""
        self.tables = np.zeros((len(players), 0), dtype=np.int16)
        """(players, deals) how many of its tables played a deal."""
        self.means: dict[tuple[int, ...], tuple[Array, int]] = {}
        """By a table's players: what each scored, summed over so many deals."""

    def add(self, matches: Matches) -> None:
        """Takes in one chunk: matches of one table, whole blocks."""
        there = np.unique(matches.side[matches.side >= 0])
        if not len(there) or any(self.players[i].bot in self.gone for i in there):
            return
        deal = np.unique(matches.deal)
        self._reach(int(deal[-1]) + 1)
        at = np.searchsorted(deal, matches.deal)
        points = np.zeros((len(self.players), len(deal)))
        times = np.zeros((len(self.players), len(deal)))
        for column in range(matches.side.shape[1]):
            np.add.at(points, (matches.side[:, column], at), matches.points[:, column])
            np.add.at(times, (matches.side[:, column], at), 1.0)
        scored = points[there] / times[there]
        self.sums[np.ix_(there, deal)] += scored
        self.tables[np.ix_(there, deal)] += 1
        key = tuple(there.tolist())
        before, deals = self.means.get(key, (np.zeros(len(there)), 0))
        self.means[key] = (before + scored.sum(axis=1), deals + len(deal))

    def _reach(self, deals: int) -> None:
        if deals > self.sums.shape[1]:
            more = max(deals, 2 * self.sums.shape[1]) - self.sums.shape[1]
            self.sums = np.pad(self.sums, ((0, 0), (0, more)))
            self.tables = np.pad(self.tables, ((0, 0), (0, more)))

    def mean(self) -> Array:
        """(players,) mean points, each table counting alike; NaN for those at none."""
        sums, tables = np.zeros(len(self.players)), np.zeros(len(self.players))
        for key, (scored, deals) in self.means.items():
            sums[list(key)] += scored / deals
            tables[list(key)] += 1
        return np.where(tables > 0, sums / np.maximum(tables, 1), np.nan)

    def neighbours(self) -> list[Neighbours]:
        """All neighbours, in order, by role where there are roles."""
        mean = self.mean()
        found = []
        for role in dict.fromkeys(player.role for player in self.players):
            order = [
                i for i, p in enumerate(self.players) if p.role == role and not np.isnan(mean[i])
            ]
            order.sort(key=lambda i: (-mean[i], self.players[i].bot))
            # Means are over different deals; on the same ones two may stand the other way round.
            for _ in order:
                for place in range(len(order) - 1):
                    first, second = order[place : place + 2]
                    if self.compare(first, second).difference.value < 0:  # type: ignore[operator]
                        order[place : place + 2] = second, first
            found += [self.compare(*pair) for pair in pairwise(order)]
        return found

    def compare(self, first: int, second: int) -> Neighbours:
        """One player's mean points less another's, on the deals that both have complete."""
        pair = [first, second]
        needs = self.needs[pair]
        complete = (self.tables[pair] == needs[:, None]).all(axis=0) & (needs > 0).all()
        n = int(complete.sum())
        if not n:
            return Neighbours(first, second, 0, Estimate(0.0))
        share = self.sums[pair][:, complete] / needs[:, None]
        differences = share[0] - share[1]
        mean = float(differences.mean())
        variance = float(differences.var(ddof=1)) if n > 1 else 0.0
        return Neighbours(first, second, n, watched(n, mean, variance))


def undecided(neighbours: Iterable[Neighbours]) -> set[int]:
    """The players who aren't told apart from a neighbour."""
    return {i for pair in neighbours if not pair.apart for i in (pair.better, pair.worse)}


def order(contest: Contest) -> Order:
    """The order of a stored contest; bots that were suspended at a table are left out of it.

    Tables may have played under different seeds. Then deals are set against each other by their
    numbers: a table has one seed, so what they come to together is independent from number to
    number all the same.
    """
    tables = contest.about["tables"]
    gone = {bot for table in tables for bot in table.get("suspended", {"bots": []})["bots"]}
    found = Order(contest.players, [table["entrants"] for table in tables], gone)
    for matches in contest.matches():
        found.add(matches._replace(deal=matches.deal % FAR))
    return found


def order_rows(contest: Contest) -> list[dict[str, Any]]:
    """The neighbours of an adaptive contest as rows of plain values; of others none."""
    if contest.about.get("schedule") != "adaptive":
        return []
    rows = []
    for pair in order(contest).neighbours():
        player = contest.players[pair.better]
        rows.append(
            {
                "better": player.bot,
                "worse": contest.players[pair.worse].bot,
                "role": player.role or None,
                "deals": pair.deals,
                **pair.difference._asdict(),
                "apart": pair.apart,
            }
        )
    return rows


def deals_by_table(contest: Contest) -> list[tuple[list[str], int]]:
    """Each table's bots, and how many deals it played; who played most comes first."""
    found = []
    for table in contest.about["tables"]:
        deals = sum(span_of(name).deals for name in table["chunks"])
        found.append((table["entrants"], deals))
    return sorted(found, key=lambda each: (-each[1], each[0]))
