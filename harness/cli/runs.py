"""`fairdeal runs`: which runs are in a results folder, and what is left of each."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.cli.lists import OutputOption, ResultsOption
from harness.cli.tables import Output, show, warn
from harness.errors import UserError
from harness.store import Place, existing_store, read_manifest, span_of

COLUMNS = ("run", "started", "status", "games", "bots", "matches", "played", "chunks")


def runs(
    results: ResultsOption = Path("results"),
    output: OutputOption = Output.table,
) -> None:
    """The runs in a results folder, oldest first.

    Where chunks were removed by `fairdeal gc`, a run's summary is what is left of it.
    Other forms of output than the table have all columns, in full.

    Example: fairdeal runs --results results
    """
    store = existing_store(results)
    rows = []
    for folder in store.run_folders():
        try:
            rows.append(_row(folder, read_manifest(folder)))
        except UserError as error:
            warn(str(error))
    show(rows if output is not Output.table else list(map(_short, rows)), output, columns=COLUMNS)


def _row(folder: Place, manifest: dict[str, Any]) -> dict[str, Any]:
    """A run's line; UserError if its manifest lacks what every manifest has."""
    try:
        contests = manifest["contests"]
        return {
            "run": f"{folder.parent.name}/{folder.name}",
            "started": manifest["started"],
            "status": manifest["status"],
            "games": ", ".join(Counter(contest["game"] for contest in contests)),
            "bots": len({each["label"] for contest in contests for each in contest["entrants"]}),
            "matches": sum(matches_of(contest) for contest in contests),
            "played": manifest["played"]["matches"],
            "chunks": "there" if manifest.get("rows_removed") is None else "removed",
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        path = folder / "manifest.json"
        raise UserError(f"{path}: this run's manifest is damaged ({error!r})") from error


def _short(row: dict[str, Any]) -> dict[str, Any]:
    """A line that fits a terminal: the day, and of several games the first."""
    first, *others = row["games"].split(", ")
    short = row | {
        "started": row["started"][:10],
        "games": f"{first} +{len(others)}" if others else first,
    }
    return {key: value for key, value in short.items() if key != "played"}


def matches_of(contest: Mapping[str, Any]) -> int:
    """The matches of a manifest's contest, from its chunks' names."""
    names = (name for table in contest["tables"] for name in table["chunks"])
    return len(set(contest["teams"])) * sum(span_of(name).deals for name in names)
