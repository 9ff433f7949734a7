"""`fairdeal report`: a run as pages that open from disk."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.ratings import ResultsOption
from harness.cli.since import LATEST, changes_since
from harness.cli.tables import say
from harness.store import existing_store, read_manifest
from reports.overview import overview
from reports.pages import pages, write
from reports.results import contests
from reports.since import plain


def report(
    run: Annotated[str, typer.Argument(help="NAME (its newest), NAME/0007, a folder, or latest.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write to, made if need be.")],
    since: Annotated[
        str,
        typer.Option(metavar="RUN", help="Say what changed since RUN; by default the one before."),
    ] = LATEST,
    results: ResultsOption = Path("results"),
) -> None:
    """Write a run's report: a page a contest, an index, and the data as JSON beside them.

    The pages need no network; files of an earlier report in the same folder are overwritten.

    Example: fairdeal report smoke --out report
    """
    store = existing_store(results)
    folder = store.find_run(run)
    changes = {one.contest: plain(one) for one in changes_since(store, folder, since) or ()}
    found = [
        overview(contest) | {"since": changes.get(contest.number)}
        for contest in contests(store, folder)
    ]
    name = f"{folder.parent.name}/{folder.name}"
    write(out, pages(name, read_manifest(folder), found))
    say(f"Wrote {len(found)} pages and an index: {out / 'index.html'}")
