"""`fairdeal skill`: how much of a run's results is skill, and how much luck."""

from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.left import run_left
from harness.cli.lists import OutputOption
from harness.cli.ratings import ResultsOption, short_names
from harness.cli.tables import Output, say, show, warn
from harness.store import existing_store
from reports.order import deals_by_table
from reports.ratings import rate
from reports.results import Contest, contests
from reports.skill import Lead, Skill, skill

COLUMNS = ("component", "variance", "share", "low", "high")


def skill_and_luck(
    run: Annotated[str, typer.Argument(help="NAME (its newest), NAME/0007, a folder, or latest.")],
    results: ResultsOption = Path("results"),
    output: OutputOption = Output.table,
) -> None:
    """How much of the results is skill, and how much luck.

    The variance of a side's points in a match, taken apart: the bot's strength, its seat, how it
    fares against these opponents, what the deal gives, and the rest. What ten times as much search
    is worth, in Elo, `python -m tests.campaigns.search --tenfold` measures, in the source.

    Example: fairdeal skill smoke
    """
    store = existing_store(results)
    folder = store.find_run(run)
    run_left(store, folder, ["`fairdeal skill` (`fairdeal report` has what there is)"])
    found = contests(store, folder)
    taken = [skill(contest.players, contest.matches) for contest in found]
    for contest, parts in zip(found, taken, strict=True):
        if parts.status != "ok":
            warn(f"warning: contest {contest.number}: nothing can be said: {parts.status}")
        elif note := left_out(contest, parts):
            warn(f"warning: contest {contest.number}: {note}")
    if output is not Output.table:
        rows = [
            {"contest": contest.number, "game": contest.about["game"], **row}
            for contest, parts in zip(found, taken, strict=True)
            for row in component_rows(parts)
        ]
        show(rows, output, columns=("contest", "game", *COLUMNS))
        return
    for contest, parts in zip(found, taken, strict=True):
        if parts.status == "ok":
            _show(contest, parts)


def left_out(contest: Contest, parts: Skill) -> str:
    """Which deals don't count, if any, and why."""
    most = max((deals for _, deals in deals_by_table(contest)), default=0)
    if parts.deals >= most:
        return ""
    said = f"of up to {most:,} deals a table only the {parts.deals:,} that all tables played count"
    gone = {
        bot
        for table in contest.about["tables"]
        for bot in table.get("suspended", {"bots": []})["bots"]
    }
    if gone:
        said += f"; suspended at a table: {', '.join(sorted(gone))}"
    return said


def component_rows(parts: Skill) -> list[dict[str, Any]]:
    """The components as rows of plain values."""
    return [
        {
            "component": part.name,
            "variance": part.variance.value,
            "share": part.share.value,
            "low": part.share.low,
            "high": part.share.high,
        }
        for part in parts.components
    ]


def _show(contest: Contest, parts: Skill) -> None:
    show(
        [
            {
                "part of the variance": row["component"],
                "%": f"{100 * row['share']:z.1f}",
                "95 % interval": f"{100 * row['low']:z.1f} to {100 * row['high']:z.1f}",
            }
            for row in component_rows(parts)
        ],
        Output.table,
        f"Contest {contest.number}: {contest.title}; {parts.deals:,} deals",
    )
    ratings = [
        line.rating.value
        for line in rate(contest.players, contest.matches).rated
        if line.rating.value is not None
    ]
    if len(ratings) > 1:
        spread = (sum(value**2 for value in ratings) / (len(ratings) - 1)) ** 0.5
        say(
            f"Ratings spread over {max(ratings) - min(ratings):.0f} Elo; their standard deviation"
            f" is {spread:.0f}."
        )
    names = short_names(contest.bots)
    show(
        [
            {
                "better": names[lead.better.bot],
                "worse": names[lead.worse.bot],
                "points more in 100": _gap(lead),
                "matches each": _matches(lead),
            }
            for lead in parts.leads
        ],
        Output.table,
        "Until the better of two neighbours leads with 95 % probability",
        columns=("better", "worse", "points more in 100", "matches each"),
    )


def _gap(lead: Lead) -> str:
    """In points of 100 matches, with its interval."""
    said = f"{100 * lead.gap:.1f}"
    if lead.gap_low is None or lead.gap_high is None:
        return said
    return f"{said} ({100 * lead.gap_low:z.1f} to {100 * lead.gap_high:z.1f})"


def _matches(lead: Lead) -> str | None:
    """How many it takes, and at the ends of the gap's interval."""
    if lead.matches is None:
        return None
    said = f"{lead.matches:,.0f}"
    if lead.matches_low is None:
        return said
    if lead.matches_high is None:
        return f"{said} ({lead.matches_low:,.0f} or more)"
    return f"{said} ({lead.matches_low:,.0f} to {lead.matches_high:,.0f})"
