"""`fairdeal report`: a run as pages that open from disk."""

from pathlib import Path
from typing import Annotated

import typer
from jinja2 import UndefinedError

from harness.cli.left import contests_left, run_left
from harness.cli.ratings import ResultsOption
from harness.cli.since import LATEST, changes_since
from harness.cli.tables import say
from harness.errors import UserError
from harness.store import existing_store, read_manifest
from reports.balance.page import study_page
from reports.overview import overview
from reports.pages import pages, write
from reports.results import contests
from reports.since import plain


def report(
    run: Annotated[str, typer.Argument(help="NAME (its newest), NAME/0007, a folder, or latest.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write to, made if need be.")],
    since: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Say what changed since RUN; by default the one before."),
    ] = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Write a run's report: a page a contest, an index, and the data as JSON beside them.

    The pages need no network; files of an earlier report in the same folder are overwritten.

    Example: fairdeal report smoke --out report
    """
    store = existing_store(results)
    folder = store.find_run(run)
    left = run_left(store, folder, [] if since is None else ["--since"])
    if left is not None:
        found = [contest | {"since": None} for contest in contests_left(left)]
    else:
        changed = changes_since(store, folder, since or LATEST)
        changes = {one.contest: plain(one) for one in changed or ()}
        found = [
            overview(contest) | {"since": changes.get(contest.number)}
            for contest in contests(store, folder)
        ]
    name = f"{folder.parent.name}/{folder.name}"
    manifest = read_manifest(folder)
    about = study_page(manifest)
    try:
        written = pages(name, manifest, found, about)
    except UndefinedError as error:
        if left is None:
            raise
        raise UserError(
            f"{name}: its summary was kept by an older Fairdeal, whose pages had fewer figures"
            f" ({error}); what it has stands in {folder / 'summary.json.gz'}"
        ) from error
    write(out, written)
    number = len(found) + (about is not None)
    say(f"Wrote {number} pages and an index: {out / 'index.html'}")
