"""What a plan costs: by bot from what earlier runs measured, else from the weights bots declare."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from harness.errors import UserError
from harness.play.tables import ENGINE_US, Chunk
from harness.store import Store, read_manifest
from harness.tournament import Plan, PlannedContest

HOSTED_US = 15.0
"""Roughly what a decision of a hosted bot costs beside its own time, in microseconds."""
START_US = {"inprocess": 0.0, "process": 55_000.0, "sandbox": 65_000.0}
"""Roughly the CPU time to start a host, in microseconds; a chunk has one a seat and seating."""

RUNS = 20
"""How many runs, the newest, are looked through for each bot's cost."""

TABLES = 3
"""At how many tables a bot's cost is measured, at most."""


class Cost(NamedTuple):
    """What a bot costs at one contest's tables."""

    decisions: float
    """A match and seat."""
    us: float
    """Its own time for a decision, in microseconds."""
    measured: bool
    """Whether it is known from earlier matches; else its author's word is taken for it."""


class Prices(NamedTuple):
    """The costs of all bots, by contest."""

    contests: tuple[PlannedContest, ...]
    costs: list[dict[str, Cost]]
    """By label."""
    engine: list[float]
    """Of a decision, beside the bot's own time, in microseconds."""

    def seconds(self, index: int, chunk: Chunk) -> float:
        """Of one worker, for a chunk of the contest with this index."""
        return sum(seconds for _, seconds in self.by_bot(index, chunk))

    def by_bot(self, index: int, chunk: Chunk) -> list[tuple[str, float]]:
        """The same, by label of the entrants of its table."""
        contest, table = self.contests[index], chunk.table
        deals = chunk.last - chunk.first + 1
        found = []
        for label in table.labels:
            # In all seatings together an entrant has each seat once.
            cost = self.costs[index][label]
            us = deals * cost.decisions * (cost.us + self.engine[index])
            found.append((label, contest.players * (us + START_US[table.isolation]) / 1e6))
        return found

    def plain(self) -> list[dict[str, Any]]:
        """For the manifest."""
        return [
            {"engine_us": engine, "bots": {label: list(cost) for label, cost in costs.items()}}
            for costs, engine in zip(self.costs, self.engine, strict=True)
        ]


def prices(plan: Plan, store: Store) -> Prices:
    """The costs of a plan's bots."""
    costs, engine = [], []
    manifests = list(_newest(store))
    for contest in plan.contests:
        isolation = plan.config.isolation
        known = _measured(contest, isolation, manifests, store)
        costs.append(
            {
                entrant.label: known.get(entrant.label)
                or Cost(
                    contest.game.decisions(contest.players) / contest.players,
                    10.0 * entrant.bot.weight,
                    measured=False,
                )
                for entrant in contest.entrants
            }
        )
        engine.append(ENGINE_US if isolation == "inprocess" else HOSTED_US)
    return Prices(plan.contests, costs, engine)


def pinned(plan: Plan, costs: Sequence[dict[str, Any]]) -> Prices:
    """The costs that a manifest holds: an unfinished run goes on with those it began with."""
    return Prices(
        plan.contests,
        [{label: Cost(*cost) for label, cost in each["bots"].items()} for each in costs],
        [each["engine_us"] for each in costs],
    )


def _newest(store: Store) -> Iterator[dict[str, Any]]:
    """The manifests of the newest runs that can be read and have their rows, the last first."""
    found = []
    for folder in store.run_folders():
        try:
            manifest = read_manifest(folder)
        except UserError:
            continue  # whoever reads that run says so
        if manifest.get("rows_removed") is None:
            found.append(manifest)
    found.sort(key=lambda manifest: str(manifest["started"]), reverse=True)
    yield from found[:RUNS]


def _measured(
    contest: PlannedContest, isolation: str, manifests: Sequence[dict[str, Any]], store: Store
) -> dict[str, Cost]:
    """What chunks of earlier runs of this game say of its bots."""
    wanted = {entrant.label for entrant in contest.entrants}
    tables: dict[str, int] = dict.fromkeys(wanted, 0)
    sums: dict[str, list[int]] = {label: [0, 0, 0] for label in wanted}
    for manifest in manifests:
        for about in manifest["contests"]:
            same = about["game"] == contest.game.name and about["players"] == contest.players
            if not same or manifest["isolation"] != isolation:
                continue
            for table in about["tables"]:
                labels = wanted & set(table["entrants"])
                if not table["chunks"] or all(tables[label] >= TABLES for label in labels):
                    continue
                rows = _read(store, table["chunks"])
                if rows is None:
                    continue
                for label in labels:
                    mine = rows.filter(pc.equal(rows["bot"], label))
                    tables[label] += 1
                    for at, number in enumerate(
                        (
                            len(mine),
                            pc.sum(mine["decisions"]).as_py(),
                            pc.sum(mine["time_us"]).as_py(),
                        )
                    ):
                        sums[label][at] += number or 0
    return {
        label: Cost(asked / rows, us / max(1, asked), measured=True)
        for label, (rows, asked, us) in sums.items()
        if asked
    }


def _read(store: Store, names: Sequence[str]) -> pa.Table | None:
    """The last chunk of these that is there."""
    for name in reversed(names):
        try:
            return store.read_chunk(name, ["bot", "decisions", "time_us"])
        except UserError:
            continue  # gone, or damaged: whoever needs it says so
    return None
