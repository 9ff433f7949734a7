"""`fairdeal report`: a run as pages that open from disk."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.ratings import ResultsOption
from harness.cli.tables import say
from harness.store import existing_store, read_manifest
from reports.balance.page import study_page
from reports.overview import overview
from reports.pages import pages, write
from reports.results import contests


def report(
    run: Annotated[str, typer.Argument(help="NAME (its newest), NAME/0007, a folder, or latest.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write to, made if need be.")],
    results: ResultsOption = Path("results"),
) -> None:
    """Write a run's report: a page a contest, an index, and the data as JSON beside them.

    The pages need no network; files of an earlier report in the same folder are overwritten.

    Example: fairdeal report smoke --out report
    """
    store = existing_store(results)
    folder = store.find_run(run)
    found = [overview(contest) for contest in contests(store, folder)]
    name = f"{folder.parent.name}/{folder.name}"
    manifest = read_manifest(folder)
    about = study_page(manifest)
    write(out, pages(name, manifest, found, about))
    number = len(found) + (about is not None)
    say(f"Wrote {number} pages and an index: {out / 'index.html'}")
