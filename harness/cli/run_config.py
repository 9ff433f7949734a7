"""`fairdeal run`: the main job."""

import os
import shlex
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from harness.cli.lists import Level, ResultsOption
from harness.cli.tables import Output, cell, console, harmless, say, show, warn
from harness.config import read_config
from harness.errors import UserError
from harness.play import sandbox
from harness.play.hosts import HostFailure
from harness.store import Store, locked, open_store
from harness.tournament import Missing, Plan, Run, begin, missing, plan, play, suspend
from harness.workers import Done, play_local, play_on_ray
from reports.names import short_names


def run(
    config: Annotated[Path, typer.Argument(help="The config, a TOML file.")],
    results: ResultsOption = Path("results"),
    workers: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Ray workers; by default one a core.")
    ] = None,
    address: Annotated[
        str | None, typer.Option(help="Join the Ray cluster at this address instead.")
    ] = None,
    local: Annotated[bool, typer.Option("--local", help="Play in this process, no Ray.")] = False,
    isolation: Annotated[
        Level | None, typer.Option(help="Instead of the config's level of isolation.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be played, and stop.")
    ] = False,
) -> None:
    """Play what a config describes, or what is still missing of it, and rate the bots.

    Example: fairdeal run configs/smoke.toml --workers 2
    """
    if local and (workers is not None or address is not None):
        raise UserError(
            "--local plays in this process: it goes with neither --workers nor --address"
        )
    if workers is not None and address is not None:
        raise UserError("--workers starts a Ray of our own, --address joins another: give one")
    said = read_config(config)
    if isolation is not None:
        said = said.model_copy(update={"isolation": isolation.value})
    planned = plan(said, config)
    for number, contest in enumerate(planned.contests, start=1):
        for left_out in contest.left_out:
            warn(f"contest {number}: left out: {left_out}")
    if dry_run:
        _dry_run(planned, missing(planned, Store(results)))
        return
    sandbox.check(said.isolation)
    store = open_store(results)
    with locked(store):
        started = begin(planned, store)
        for note in started.notes:
            warn(note)
        found = missing(planned, store)
        _announce(started, planned, found)
        if local:
            backend = partial(play_local, root=results.resolve())
        else:
            count = workers or len(os.sched_getaffinity(0))
            backend = partial(play_on_ray, root=results.resolve(), workers=count, address=address)
        begun = time.perf_counter()
        watch = _Watch(planned, found)
        try:
            with watch.shown():
                play(started, planned, store, found, backend, watch.done)
        except KeyboardInterrupt:
            _stopped(config, results, watch)
            raise typer.Exit(130) from None
        except OSError as error:
            raise UserError(
                f"{error.filename or results}: {error.strerror or error}; {watch.stored}, and the"
                " same command goes on from there"
            ) from error
        except HostFailure as error:
            raise UserError(f"{error}; {watch.stored}, and the same command goes on") from error
        suspend(started, planned, store)
        _played(watch, time.perf_counter() - begun)
        # Imported only now: what rates takes a second to import.
        from harness.cli.finish import finish

        finish(started, store)


def _dry_run(planned: Plan, found: Missing) -> None:
    rows = []
    for number, contest in enumerate(planned.contests, start=1):
        rows.append(
            {
                "contest": number,
                "game": contest.game.name,
                "seats": contest.players,
                "bots": len(contest.entrants),
                "tables": len(contest.tables),
                "deals": contest.deals,
                "matches": len(contest.tables) * contest.deals * contest.size,
            }
        )
    show(rows, Output.table, f"{planned.config.name}: what would be played")
    for _, why in found.damaged:
        warn(f"{why}")
    say(
        f"{found.reused:,} matches are there already, {found.matches:,} would be played in"
        f" {len(found.chunks):,} chunks."
    )


def _announce(started: Run, planned: Plan, found: Missing) -> None:
    how = "goes on" if started.resumed else "begins"
    bots = {entrant.label for contest in planned.contests for entrant in contest.entrants}
    there = f", {found.reused:,} are there already" if found.reused else ""
    say(
        f"Run {started.name} {how}: {len(bots)} bots, {found.matches:,} matches to play{there}."
        f" {ISOLATION[planned.config.isolation]}"
    )
    for _, why in found.damaged:
        warn(f"{why.replace('run again to replace it', 'set aside, and played again')}")


ISOLATION = {
    "inprocess": 'Isolation "inprocess": every bot is trusted, and results are unofficial.',
    "process": 'Isolation "process": bots can read files and reach the network.',
    "sandbox": "Isolation: sandbox.",
}


class _Watch:
    """Counts what has been played, and shows it while it grows."""

    def __init__(self, planned: Plan, found: Missing) -> None:
        self.total = found.matches
        self.before = found.reused
        self.matches = 0
        self.decisions = 0
        self.bytes = 0
        self.rows = 0
        self.points: Counter[str] = Counter()
        self.seats: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.progress = Progress(
            TextColumn("{task.completed:>11,.0f} of {task.total:,.0f} matches"),
            BarColumn(),
            TextColumn("{task.fields[rate]:>9,.0f} matches/s"),
            TimeRemainingColumn(),
            console=console,
        )
        self.task = self.progress.add_task("", total=found.matches, rate=0)
        self.live: Live | None = None
        self.started: float | None = None

    @property
    def stored(self) -> str:
        """How far it got, in words."""
        return f"{self.before + self.matches:,} of {self.before + self.total:,} matches are stored"

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Shows progress and standings on a terminal; elsewhere nothing."""
        if not console.is_terminal or not self.total:
            yield
            return
        with Live(self._view(), console=console, refresh_per_second=4, transient=True) as live:
            self.live = live
            yield

    def done(self, done: Done) -> None:
        """Takes in a chunk that is stored."""
        now = time.perf_counter()
        if self.started is None:
            self.started = now - done.seconds
        counts = done.counts
        self.matches += counts.matches
        self.decisions += counts.decisions
        self.bytes += done.size
        self.rows += sum(counts.seats.values())
        self.points.update(counts.points)
        self.seats.update(counts.seats)
        for (label, _), number in counts.faults.items():
            self.faults[label] += number
        rate = self.matches / max(1e-9, now - self.started)
        self.progress.update(self.task, completed=self.matches, rate=rate)
        if self.live is not None:
            self.live.update(self._view())

    def _view(self) -> Group:
        table = Table("bot", "points a match", "matches", "faults", title_justify="left")
        for column in table.columns[1:]:
            column.justify = "right"
        best = sorted(self.seats, key=lambda label: -self.points[label] / self.seats[label])
        names = short_names(best)
        for label in best[:12]:
            table.add_row(
                Text(harmless(names[label])),
                cell(self.points[label] / self.seats[label]),
                cell(self.seats[label]),
                cell(self.faults[label]),
            )
        return Group(table, self.progress) if best else Group(self.progress)


def _stopped(config: Path, results: Path, watch: _Watch) -> None:
    command = ["fairdeal", "run", str(config)]
    if results != Path("results"):
        command += ["--results", str(results)]
    warn(f"stopped: {watch.stored}; `{shlex.join(command)}` goes on from there")


def _played(watch: _Watch, seconds: float) -> None:
    if not watch.matches:
        return
    say(
        f"Played {watch.matches:,} matches and {watch.decisions:,} decisions in {seconds:.1f} s:"
        f" {watch.matches / seconds:,.0f} matches/s, {watch.bytes / watch.rows:.1f} bytes a row."
    )
