"""`fairdeal verify`: are a run's rows what its bots and seeds give?"""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.lists import ResultsOption
from harness.cli.tables import say, warn
from harness.errors import Falsified, UserError
from harness.play import sandbox
from harness.store import BadChunk, Place, Store, existing_store, read_manifest
from harness.verify import Audit, audit, sample, verified


def verify_run(
    run: Annotated[str, typer.Argument(help="NAME (its newest), NAME/0007, a folder, or latest.")],
    share: Annotated[
        float, typer.Option(min=0, max=1, help="The share of the matches that is played again.")
    ] = 0.05,
    seed: Annotated[
        int | None, typer.Option(help="Draws which chunks; by default each time others.")
    ] = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Play a share of a run again from the stored bots, and compare all but timing, bit by bit.

    Also checks that secret seeds have the hash that was published. Matches that ended because a
    host ran out of time or memory or died aren't compared, nor tables with a bot that says that it
    isn't reproducible. Exit code 1, with the first difference, if anything isn't as stored.

    Example: fairdeal verify nightly --share 0.2
    """
    store = existing_store(results)
    folder = store.find_run(run)
    name = f"{folder.parent.name}/{folder.name}"
    sandbox.check(read_manifest(folder)["isolation"])
    try:
        _verify(store, folder, name, share, secrets.randbelow(1 << 32) if seed is None else seed)
    except (Falsified, BadChunk) as error:
        warn(str(error))
        say(f"{name} is NOT what its bots and seeds give.")
        raise typer.Exit(1) from None


def _verify(store: Store, folder: Place, name: str, share: float, seed: int) -> None:
    found = audit(store, folder)
    if not found.chunks:
        raise UserError(f"{name}: nothing of it can be played again ({_left(found) or 'no rows'})")
    chosen = sample(found.chunks, share, seed)
    matches = uncompared = 0
    for each in verified(store, chosen):
        if each.difference:
            raise Falsified(f"{each.name}: {each.difference}")
        matches += each.matches
        uncompared += each.uncompared
    total = sum(each.matches for each in found.chunks)
    if found.seeds:
        say(f"Its secret seeds ({found.seeds}) have the hashes that were published.")
    say(
        f"{name}: {matches - uncompared:,} of {total:,} matches, in {len(chosen):,} of"
        f" {len(found.chunks):,} chunks (--seed {seed}), are the same when played again."
    )
    if uncompared:
        say(f"{uncompared:,} matches ended by the machine's limits, and weren't compared.")
    if left := _left(found):
        say(f"Not verified: {left}.")


def _left(found: Audit) -> str:
    """What wasn't looked at, in words."""
    parts = []
    if found.exempt:
        parts.append(f"{found.exempt:,} tables with a bot that isn't reproducible")
    if found.gone:
        parts.append(f"{found.gone:,} chunks that aren't stored")
    return ", ".join(parts)
