"""Where a run is played: the options that say it, the backend that they mean, and how it ends."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Protocol

import typer

from harness.attempts import Attempt
from harness.cli.stopping import stoppable
from harness.cli.tables import warn
from harness.cluster import play_on_ray
from harness.errors import UserError, reason_of
from harness.files import Place
from harness.patience import Patience
from harness.play.tables import Chunk
from harness.workers import Done, play_local

WorkersOption = Annotated[
    int | None, typer.Option(min=1, max=4096, help="Ray workers; by default one a core.")
]
AddressOption = Annotated[
    str | None, typer.Option(help="Join the Ray cluster at this address instead.")
]
LocalOption = Annotated[bool, typer.Option("--local", help="Play in this process, no Ray.")]
WaitOption = Annotated[
    bool, typer.Option("--wait", help="Wait for another run that writes to these results.")
]
PatienceOption = Annotated[
    float,
    typer.Option(
        min=0,
        max=86400,
        metavar="SECONDS",
        help="How long to wait for results that can't be written, such as a full disk.",
    ),
]
PATIENCE = 300.0

Backend = Callable[[Iterable[Chunk | None]], Iterable[Done | Attempt]]


def check_workers(workers: int | None, address: str | None, local: bool) -> None:
    """UserError where options that say where to play contradict each other."""
    if local and (workers is not None or address is not None):
        raise UserError(
            "--local plays in this process: it goes with neither --workers nor --address"
        )
    if workers is not None and address is not None:
        raise UserError("--workers starts a Ray of our own, --address joins another: give one")


def worker_count(workers: int | None, local: bool) -> int:
    """How many play at once here."""
    return 1 if local else workers or len(os.sched_getaffinity(0))


def backend_of(
    results: Place, waits: Patience, workers: int | None, address: str | None, local: bool
) -> Backend:
    """What plays chunks and stores their rows in these results."""
    root = results.resolve() if isinstance(results, Path) else results
    if local:
        return partial(play_local, root=root, patience=waits)
    count = worker_count(workers, local)
    return partial(play_on_ray, root=root, patience=waits, workers=count, address=address)


class Progress(Protocol):
    """Whoever knows how far it got."""

    @property
    def stored(self) -> str:
        """In words."""


@contextmanager
def told(progress: Progress, command: str) -> Iterator[None]:
    """Whatever ends play early, in one line that says how far it got and how it goes on."""
    try:
        with stoppable():
            yield
    except KeyboardInterrupt:
        warn(f"stopped: {progress.stored}; `{command}` goes on from there")
        raise typer.Exit(130) from None
    except UserError as error:
        raise UserError(f"{error}; {progress.stored}, and the same command goes on") from error
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise UserError(
            f"{where}{reason_of(error)}; {progress.stored}, and the same command goes on from there"
        ) from error
