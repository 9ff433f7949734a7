"""The end of a run: every contest rated and shown, and the manifest completed."""

from collections import Counter
from typing import Any

from harness.cli.order import show_order
from harness.cli.since import changes_since, show_since
from harness.cli.standings import heading, rating_rows, show_crosstable, show_ratings
from harness.cli.tables import Output, say, show, warn
from harness.store import Place, Store
from harness.summaries import read_summary, write_summary
from harness.tournament import Run, complete, stopped_tables
from reports.faults import faults_of
from reports.order import order_rows
from reports.ratings import Ratings, rate
from reports.results import Contest, contests
from reports.summary import summarise
from reports.views import without_faults

SHOWN = 3
"""So many tables of a suspended bot are named."""
MOST_ATTEMPTS = 20
"""How many lines of the table of attempts are printed."""


def finish(started: Run, store: Store, since: str | None = None) -> None:
    """Rates every contest, prints it, and completes the manifest; then what changed `since`."""
    rated = _rated(store, started.folder)
    kept = [_summary(contest, table) for contest, table in rated]
    _write_summary(started.folder, rated, kept)
    complete(started, store, kept)
    for contest, table in rated:
        show_ratings(heading(contest), table)
        show_crosstable(table)
        show_order(contest)
        show_faults(contest, table)
        if started.manifest["isolation"] != "inprocess":
            show_looks(contest, started.name)
        show_suspended(contest)
        for left_out in contest.about["left_out"]:
            say(f"Left out: {left_out}")
    show_attempts(started)
    if since is not None:
        show_since(changes_since(store, started.folder, since))


def summarise_run(store: Store, folder: Place) -> None:
    """Writes the summary of a run that has none: of a study, or one that was never complete.
    BadChunk if its rows can't be read.
    """
    if read_summary(folder) is None:
        rated = _rated(store, folder)
        _write_summary(folder, rated, [_summary(contest, table) for contest, table in rated])


def _rated(store: Store, folder: Place) -> list[tuple[Contest, Ratings]]:
    found = contests(store, folder)
    return [(contest, rate(contest.players, contest.matches)) for contest in found]


def _write_summary(
    folder: Place, rated: list[tuple[Contest, Ratings]], kept: list[dict[str, Any]]
) -> None:
    write_summary(
        folder,
        [
            summarise(contest, table) | {"rated": each}
            for (contest, table), each in zip(rated, kept, strict=True)
        ],
    )


def show_faults(contest: Contest, table: Ratings) -> None:
    """Prints the faults of a contest by bot and kind, each with the first in full."""
    if not any(line.faults for line in table.rated):
        return
    numbers, firsts = contest.faults()
    rows = [
        {
            "bot": bot,
            "fault": kind,
            "matches": number,
            "the first": _first(firsts.get((bot, kind))),
        }
        for (bot, kind), number in sorted(numbers.items(), key=lambda item: -item[1])
    ]
    show(rows, Output.table, "Faults")


def show_looks(contest: Contest, run: str) -> None:
    """Says what came of second looks at bots that seemed to be at fault."""
    looks = faults_of(contest).looks
    outcomes: Counter[str] = Counter()
    for (_, _, outcome), number in looks.items():
        outcomes[outcome] += number
    if outcomes:
        words = ", ".join(f"{number:,} {outcome}" for outcome, number in sorted(outcomes.items()))
        say(f"Second looks: {words}; `fairdeal faults {run}` lists them.")


def show_attempts(started: Run) -> None:
    """Prints which chunks were tried again and why, and the tables that were given up for now."""
    attempts = started.manifest["attempts"]
    if attempts:
        rows = [
            {
                "table": ", ".join(line["entrants"]),
                "chunk": line["chunk"].partition("/")[2].removesuffix(".parquet"),
                "failures": line["times"],
                "then": "stopped" if line["stopped"] else "played",
                "what went wrong": line["what"],
            }
            for line in attempts[:MOST_ATTEMPTS]
        ]
        show(rows, Output.table, "Faults of the machine")
        if len(attempts) > MOST_ATTEMPTS:
            say(f"And {len(attempts) - MOST_ATTEMPTS:,} more, in the run's manifest.")
    stopped = stopped_tables(started)
    if stopped:
        warn(
            f"{len(stopped)} of the run's tables could not be finished (a chunk failed three"
            " times); the run stays unfinished, and the same command tries them again"
        )


def show_suspended(contest: Contest) -> None:
    """Says which bots were suspended, at which of their tables, and from when on."""
    tables: dict[str, list[str]] = {}
    for table in contest.about["tables"]:
        for bot in table.get("suspended", {}).get("bots", []):
            others = ", ".join(label for label in table["entrants"] if label != bot) or bot
            after = table["suspended"]["after_deal"]
            tables.setdefault(bot, []).append(f"with {others} after deal {after}")
    for bot, where in tables.items():
        few = "; ".join(where[:SHOWN]) + ("; …" if len(where) > SHOWN else "")
        say(f"Suspended: {bot}, for three faults in one chunk, at {len(where)} tables: {few}")


def _first(fault: dict[str, Any] | None) -> str:
    if fault is None:
        return ""
    where = f"deal {fault['deal']}, seating {fault['seating']}, seat {fault['seat']}"
    return f"{where}: {fault['detail'][:200]}"


def _summary(contest: Contest, table: Ratings) -> dict[str, Any]:
    """What a run's manifest keeps of a contest."""
    clean = None
    if any(line.faults for line in table.rated):
        clean = rate(contest.players, without_faults(contest.matches))
    return {
        "status": table.status,
        "matches": table.matches,
        "deals": table.deals,
        "ratings": rating_rows(table, clean),
        "order": order_rows(contest),
        "edge": None if table.edge is None else table.edge._asdict(),
        "groups": [[table.players[index]._asdict() for index in group] for group in table.groups],
    }
