"""`fairdeal ratings`: rating tables and crosstables of a run."""

from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.lists import OutputOption
from harness.cli.tables import Output, say, show, warn
from harness.store import existing_store
from reports.names import short_names as short_names
from reports.ratings import Ratings, crosstable, rate
from reports.results import Contest, contests

ResultsOption = Annotated[Path, typer.Option("--results", help="The results folder.")]


def ratings(
    run: Annotated[str, typer.Argument(help="NAME (its newest), NAME/0007, a folder, or latest.")],
    results: ResultsOption = Path("results"),
    output: OutputOption = Output.table,
) -> None:
    """The ratings of a run, with intervals, and who scored what against whom.

    Example: fairdeal ratings smoke
    """
    store = existing_store(results)
    folder = store.find_run(run)
    found = contests(store, folder)
    rated = [rate(contest.players, contest.matches) for contest in found]
    if output is not Output.table:
        rows = [
            {"contest": contest.number, "game": contest.about["game"], **row}
            for contest, table in zip(found, rated, strict=True)
            for row in rating_rows(table)
        ]
        show(rows, output, columns=("contest", "game", *RATING_COLUMNS))
        return
    for contest, table in zip(found, rated, strict=True):
        show_ratings(contest, table)
        show_crosstable(contest, table)


RATING_COLUMNS = ("bot", "role", "rating", "error", "low", "high", "matches", "points", "faults")


def rating_rows(ratings: Ratings) -> list[dict[str, Any]]:
    """A rating table as rows; null where a rating isn't finite."""
    rows = []
    for line in ratings.rated:
        value, error, low, high = line.rating
        rows.append(
            {
                "bot": line.player.bot,
                "role": line.player.role or None,
                "rating": value,
                "error": error,
                "low": low,
                "high": high,
                "matches": line.matches,
                "points": line.points,
                "faults": line.faults,
            }
        )
    return rows


def show_ratings(contest: Contest, ratings: Ratings) -> None:
    """Prints a rating table for people."""
    roles = any(line.player.role for line in ratings.rated)
    names = short_names(contest.bots)
    rows = []
    for place, line in enumerate(ratings.rated, start=1):
        value, error, low, high = line.rating
        rows.append(
            {
                "": place,
                "bot": names[line.player.bot],
                **({"role": line.player.role} if roles else {}),
                "Elo": None if value is None else f"{value:+.0f}",
                "±": None if error is None else f"{error:.1f}",
                "95 % interval": None if low is None else f"{low:+.0f} to {high:+.0f}",
                "points": f"{100 * line.points / max(1, line.matches):.1f} %",
                "matches": line.matches,
                "faults": line.faults,
            }
        )
    show(
        rows,
        Output.table,
        f"Contest {contest.number}: {contest.title}; {ratings.matches:,} matches of"
        f" {ratings.deals:,} deals",
    )
    if ratings.edge is not None and ratings.edge.value is not None:
        interval = (
            ""
            if ratings.edge.low is None
            else f" ({ratings.edge.low:+.0f} to {ratings.edge.high:+.0f})"
        )
        first, second = contest.roles[0], contest.roles[-1]
        say(f"Edge of {first} over {second}: {ratings.edge.value:+.0f} Elo{interval}.")
    if ratings.status != "ok":
        unrated = [line.player.bot for line in ratings.rated if line.rating.value is None]
        warn(
            f"warning: {ratings.status.replace('_', ' ')}: not everybody scored against everybody,"
            f" even by way of others; without a finite rating: {', '.join(unrated)}"
        )


def show_crosstable(contest: Contest, ratings: Ratings) -> None:
    """Prints what each scored of the points against each other, in per cent."""
    players = contest.players
    matches, points = crosstable(ratings.totals, len(players))
    order = [players.index(line.player) for line in ratings.rated]
    names = short_names(contest.bots)
    rows = []
    for place, i in enumerate(order, start=1):
        row: dict[str, Any] = {"": place, "bot": names[players[i].bot]}
        if players[i].role:
            row["role"] = players[i].role
        for column, j in enumerate(order, start=1):
            n = matches[i, j]
            row[str(column)] = f"{100 * points[i, j] / n:.1f}" if n else None
        rows.append(row)
    show(rows, Output.table, "Points in per cent, against (by place)")
