"""How commands print: tables in four forms, and strangers' text made harmless."""

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from reports.names import harmless as harmless

Rows = Sequence[Mapping[str, Any]]


class Output(StrEnum):
    """The forms of a printed table."""

    table = "table"
    csv = "csv"
    json = "json"
    markdown = "markdown"


UNBROKEN = 22
"""Characters of the longest cell of a column that is never broken, so that names can be copied."""

SHORTEST = 16
"""Characters that a column of longer texts keeps at least."""

console = Console(highlight=False)


def say(line: str = "") -> None:
    """Prints one line of plain text."""
    console.print(Text(harmless(line)), soft_wrap=True)


def warn(line: str) -> None:
    """Prints one line on stderr."""
    print(harmless(line).replace("\n", "\\n"), file=sys.stderr)


def show(rows: Rows, output: Output, title: str = "", columns: Sequence[str] = ()) -> None:
    """Prints rows, which share their keys, as a table; `columns` serve where there are no rows."""
    names = list(rows[0]) if rows else list(columns)
    if output is Output.table:
        table, least = _rich(rows, names, title)
        # Where it doesn't fit, lines are too long rather than figures cut.
        console.print(table, width=max(console.width, least), crop=False)
        return
    import pandas as pd  # here, since importing it takes longer than most commands

    frame = pd.DataFrame([dict(row) for row in rows], columns=names)
    if output is Output.csv:
        sys.stdout.write(frame.to_csv(index=False))
    elif output is Output.json:
        sys.stdout.write(frame.to_json(orient="records", indent=1, force_ascii=False) + "\n")
    else:
        lines = [names, ["---"] * len(names)] + [
            [cell(row[name]) for name in names] for row in rows
        ]
        for line in lines:
            print("| " + " | ".join(_markdown(text) for text in line) + " |")


def cell(value: Any) -> str:
    """A value as a person reads it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3f}"
    return harmless(str(value))


def _markdown(text: str) -> str:
    for special in "\\|`*_<>[]":
        text = text.replace(special, "\\" + special)
    return text if text != "\\-\\-\\-" else "---"


def _rich(rows: Rows, names: Sequence[str], title: str) -> tuple[Table, int]:
    """The table, and the least width at which no figure and no name is cut."""
    table = Table(title=Text(title) if title else None, title_justify="left")
    least = 1
    for name in names:
        numbers = bool(rows) and all(
            isinstance(row[name], int | float | None) and not isinstance(row[name], bool)
            for row in rows
        )
        cells = [line for row in rows for line in cell(row[name]).splitlines()]
        longest = max(map(len, cells), default=0)
        words = max(map(len, name.split()), default=0)
        wide = max(words, longest if longest <= UNBROKEN else SHORTEST)
        least += wide + 3
        table.add_column(
            Text(name),
            justify="right" if numbers else "left",
            overflow="fold",
            min_width=wide,
        )
    for row in rows:
        table.add_row(*(Text(cell(row[name])) for name in names))
    return table, least
