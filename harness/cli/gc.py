"""`fairdeal gc`: keeps a store small. Old runs keep their summaries; small files become fewer."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.lists import OutputOption, ResultsOption
from harness.cli.tables import Output, say, show, warn
from harness.cli.where import WaitOption
from harness.errors import UserError
from harness.gc import Merged, Sweep, merge_files, plan_sweep, sweep
from harness.store import Entry, Place, Store, existing_store, locked

COLUMNS = ("what", "files", "bytes")


def collect(
    keep: Annotated[
        int, typer.Option("--keep", min=1, help="Runs of each name whose chunks stay.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")
    ] = False,
    wait: WaitOption = False,
    results: ResultsOption = Path("results"),
    output: OutputOption = Output.table,
) -> None:
    """Remove the chunks of old runs, and merge small files.

    The newest finished runs of each name keep their chunks, and so does every unfinished run, and
    so do chunks that any of these share with older ones. The others keep their summaries. Files of
    bots stay as long as a kept run has them; damaged and half-written files go after a day.

    Example: fairdeal gc --keep 14
    """
    store = existing_store(results)
    if dry_run:
        _show(plan_sweep(store, keep, time.time()), None, output)
        return
    try:
        with locked(store, wait, warn) as held:
            found = plan_sweep(store, keep, time.time())
            if found.ended:
                _summarise(store, found.ended)
            held.check()
            sweep(store, found)
            held.check()
            merged = merge_files(store, found.merges)
    except OSError as error:
        raise UserError(
            f"{error.filename or results}: {error.strerror or error}; gc stopped there, and what is"
            " left can be read"
        ) from error
    _show(found, merged, output)


def _summarise(store: Store, folders: Sequence[Place]) -> None:
    """Sees to it that every run has a summary before its chunks go."""
    from harness.cli.finish import summarise_run  # here: what rates takes a second to import

    for folder in folders:
        try:
            summarise_run(store, folder)
        except UserError as error:
            name = f"{folder.parent.name}/{folder.name}"
            warn(f"{name}: no summary of it can be made, so only its ratings stay: {error}")


def _show(found: Sweep, merged: Merged | None, output: Output) -> None:
    rows = [
        _row("chunks", found.chunks),
        _row("damaged or half-written files", found.leftovers),
        _row("versions of bots", found.bots),
    ]
    files = sum(map(len, found.merges))
    if merged is not None:
        rows.append(
            {"what": "merged", "files": merged.before - merged.after, "bytes": merged.freed}
        )
    elif files:
        rows.append({"what": "merged", "files": files - len(found.merges), "bytes": None})
    for line in merged.failed if merged is not None else ():
        warn(f"not merged: {line}")
    show(rows, output, columns=COLUMNS)
    if output is not Output.table:
        return
    ended = ", ".join(f"{folder.parent.name}/{folder.name}" for folder in found.ended)
    number = sum(row["files"] for row in rows)
    size = sum(row["bytes"] or 0 for row in rows)
    if merged is None:
        say(f"{number:,} files would go, {size:,} bytes, and what merging saves.")
        if ended:
            say(f"Only the summary would be left of: {ended}")
        return
    say(f"{number:,} files fewer, {size:,} bytes freed; {len(found.kept)} runs keep their chunks.")
    if ended:
        say(f"From now on there is only the summary of: {ended}")


def _row(what: str, entries: Sequence[Entry]) -> dict[str, Any]:
    return {"what": what, "files": len(entries), "bytes": sum(entry.size for entry in entries)}
