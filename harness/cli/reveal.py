"""`fairdeal reveal`: gives up a run and publishes its secret seed."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.lists import ResultsOption
from harness.cli.tables import say
from harness.errors import UserError
from harness.reuse import close
from harness.secret import is_secret
from harness.store import existing_store, locked, read_manifest


def reveal_run(
    run: Annotated[str, typer.Argument(help="NAME (its newest), NAME/0007, a folder, or latest.")],
    results: ResultsOption = Path("results"),
) -> None:
    """Reveal the secret seed of a run that was given up; it is closed then, and can't be resumed.

    A run that is played to its end reveals its seed itself.

    Example: fairdeal reveal nightly/0007
    """
    store = existing_store(results)
    folder = store.find_run(run)
    name = f"{folder.parent.name}/{folder.name}"
    with locked(store):
        manifest = read_manifest(folder)
        if not manifest["commitment"]:
            raise UserError(f"{name}: its seed is no secret: {manifest['seed']}")
        if not is_secret(manifest):
            say(f"{name} is {manifest['status']}; its seed was revealed: {manifest['seed']}.")
            return
        close(store, folder, manifest)
    say(f"{name} is closed and can't be resumed. Its seed: {manifest['seed']}.")
