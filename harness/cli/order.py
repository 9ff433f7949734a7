"""Prints what a schedule that plays unevenly leaves to be said: neighbours, and deals by table."""

from collections.abc import Sequence
from typing import Any

from harness.cli.tables import Output, say, show
from reports.names import short_names
from reports.order import deals_by_table, order_rows
from reports.results import Contest

MOST_TABLES = 30
"""So many tables are listed one by one."""


def show_order(contest: Contest) -> None:
    """Prints an adaptive contest's neighbours, and how many deals each table got where they differ.

    Rounds differ by design, so of theirs only a line is printed.
    """
    show_neighbours(contest, order_rows(contest))


def show_neighbours(contest: Contest, neighbours: Sequence[dict[str, Any]]) -> None:
    """The same, of neighbours that are known."""
    names = short_names(contest.bots)
    rows = [
        {
            "better": names[row["better"]],
            "worse": names[row["worse"]],
            **({"role": row["role"]} if row["role"] else {}),
            "deals": row["deals"],
            "points more in 100": f"{100 * row['value']:.1f}",
            "interval": None
            if row["low"] is None
            else f"{100 * row['low']:.1f} to {100 * row['high']:.1f}",
            "apart": row["apart"],
        }
        for row in neighbours
    ]
    tables = deals_by_table(contest)
    least, most = (tables[-1][1], tables[0][1]) if tables else (0, 0)
    if rows:
        show(rows, Output.table, "Neighbours, by intervals that hold though they were watched")
        together = [f"{row['better']} and {row['worse']}" for row in rows if not row["apart"]]
        say(f"Not told apart: {'; '.join(together) or 'none'}.")
        say("The ratings' own intervals are for a number of deals that was set beforehand.")
    if least == most:
        return
    if rows and len(tables) <= MOST_TABLES:
        show(
            [
                {"table": ", ".join(names[label] for label in labels), "deals": deals}
                for labels, deals in tables
            ],
            Output.table,
            "Deals by table",
        )
    else:
        say(f"Tables played {least:,} to {most:,} deals.")
