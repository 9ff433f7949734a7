"""Plays a planned study up to numbers of deals that the command decides as it goes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from harness.attempts import Attempt
from harness.cli.run_config import ISOLATION, Watch
from harness.cli.tables import say, warn
from harness.cli.where import Backend, backend_of, told
from harness.errors import UserError
from harness.files import Place
from harness.patience import Patience
from harness.playing import Missing, play, settle
from harness.stages import Stages
from harness.store import Store, locked, open_store, write_manifest
from harness.tournament import Plan, Run, begin, stopped_tables
from harness.workers import Done
from reports.results import Contest, contests


class Where(NamedTuple):
    """Where a command plays, and how it speaks of it."""

    results: Place
    workers: int | None
    address: str | None
    local: bool
    wait: bool
    patience: Patience
    command: str
    """What starts it again."""
    quiet: bool

    @property
    def backend(self) -> Backend:
        """What plays its chunks."""
        return backend_of(self.results, self.patience, self.workers, self.address, self.local)


class Staged:
    """A run under way, whose contests play as many deals as they are told to."""

    def __init__(self, planned: Plan, started: Run, store: Store, where: Where) -> None:
        self.planned = planned
        self.run = started
        self.store = store
        self.where = where
        self.backend = where.backend
        self.told = False
        self.check: Callable[[], None] = lambda: None
        """Raises where the results are no longer ours."""

    @property
    def waits(self) -> Patience:
        """How long it waits for results that can't be written."""
        return self.where.patience

    @property
    def contests(self) -> list[Contest]:
        """What is stored."""
        return list(contests(self.store, self.run.folder))

    def to(self, ends: Sequence[Sequence[int]]) -> None:
        """Plays each contest through these stages: numbers of deals, growing; none for none."""
        found = self.waits.call(lambda: self._missing(ends))
        progress = Watch(self.planned, found)
        if not self.told and not self.where.quiet:
            self._announce(found)
        self.told = True

        def done(result: Done | Attempt) -> None:
            self.check()
            progress.done(result)

        with told(progress, self.where.command):
            with progress.shown() if not self.where.quiet else nullcontext():
                play(self.run, self.planned, self.store, found, self.backend, done)
            self.waits.call(lambda: settle(self.run, found))
        stopped = stopped_tables(self.run)
        if stopped:
            what = next(line["what"] for line in self.run.manifest["attempts"] if line["stopped"])
            raise UserError(
                f"{len(stopped)} of the study's tables could not be played ({what}); the same"
                " command tries them again"
            )

    def _missing(self, ends: Sequence[Sequence[int]]) -> Missing:
        waiting = iter(ends)
        return Missing(
            self.planned,
            self.store,
            lambda contest: Stages(contest, next(waiting), self.planned.key_of),
        )

    def _announce(self, found: Missing) -> None:
        how = "goes on" if self.run.resumed else "begins"
        bots = len(self.planned.contests[0].entrants)
        there = f", {found.reused:,} are there already" if found.reused else ""
        say(
            f"Study {self.run.name} {how}: {len(self.planned.contests)} variants, {bots} bots,"
            f" {found.matches:,} matches to play{there}."
            f" {ISOLATION[self.planned.config.isolation]}"
        )
        for _, why in found.damaged:
            warn(f"{why.replace('run again to replace it', 'set aside, and played again')}")


@contextmanager
def staged(planned: Plan, where: Where, variants: Sequence[str], study: str) -> Iterator[Staged]:
    """Begins a planned study, or goes on with it, alone with these results.

    `variants` names its contests in the manifest; UserError where another run won't let it in.
    """
    store = open_store(where.results)
    with locked(store, where.wait, warn) as held:
        started = where.patience.call(lambda: begin(planned, store))
        started.manifest["study"] = study
        for about, name in zip(started.manifest["contests"], variants, strict=True):
            about["variant"] = name
        write_manifest(started.folder, started.manifest)
        for note in started.notes:
            warn(note)
        found = Staged(planned, started, store, where)
        found.check = held.check
        yield found
