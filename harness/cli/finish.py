"""The end of a run: every contest rated and shown, and the manifest completed."""

from pathlib import Path
from typing import Any

from harness.cli.standings import heading, rating_rows, show_crosstable, show_ratings
from harness.cli.tables import Output, say, show
from harness.store import Store
from harness.summaries import read_summary, write_summary
from harness.tournament import Run, complete
from reports.ratings import Ratings, rate
from reports.results import Contest, contests
from reports.summary import summarise
from reports.views import without_faults


def finish(started: Run, store: Store) -> None:
    """Rates every contest, prints it, and completes the manifest."""
    found = contests(store, started.folder)
    rated: list[tuple[Contest, Ratings]] = [
        (contest, rate(contest.players, contest.matches)) for contest in found
    ]
    write_summary(started.folder, [summarise(contest, table) for contest, table in rated])
    complete(started, [_summary(contest, table) for contest, table in rated])
    for contest, table in rated:
        show_ratings(heading(contest), table)
        show_crosstable(table)
        show_faults(contest, table)
        show_suspended(contest)
        for left_out in contest.about["left_out"]:
            say(f"Left out: {left_out}")


def summarise_run(store: Store, folder: Path) -> None:
    """Writes the summary of a run that has none; BadChunk if its rows can't be read."""
    if read_summary(folder) is None:
        found = contests(store, folder)
        rated = [(contest, rate(contest.players, contest.matches)) for contest in found]
        write_summary(folder, [summarise(contest, table) for contest, table in rated])


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


def show_suspended(contest: Contest) -> None:
    """Says which bots were suspended, at which of their tables, and from when on."""
    for table in contest.about["tables"]:
        if "suspended" in table:
            for bot in table["suspended"]["bots"]:
                others = ", ".join(label for label in table["entrants"] if label != bot)
                say(
                    f"Suspended: {bot} at the table with {others}, after deal"
                    f" {table['suspended']['after_deal']} (three faults in one chunk)"
                )


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
        "edge": None if table.edge is None else table.edge._asdict(),
        "groups": [[table.players[index]._asdict() for index in group] for group in table.groups],
    }
