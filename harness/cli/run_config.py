"""`fairdeal run`: the main job."""

import shlex
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from harness.attempts import Attempt
from harness.barred import bars
from harness.cli.adaptive import adaptive
from harness.cli.heartbeat import heartbeat
from harness.cli.lists import Level, ResultsOption
from harness.cli.price import check_minutes, duration, show_prices
from harness.cli.tables import cell, console, harmless, say, warn
from harness.cli.where import (
    PATIENCE,
    AddressOption,
    LocalOption,
    PatienceOption,
    WaitOption,
    WorkersOption,
    backend_of,
    check_workers,
    told,
    worker_count,
)
from harness.config import read_config
from harness.files import Place
from harness.patience import Patience
from harness.play import sandbox
from harness.playing import Missing, play, settle
from harness.price import Prices, pinned, prices
from harness.reuse import close_abandoned, with_seeds
from harness.store import Store, existing_store, locked, open_store
from harness.tournament import Plan, Run, begin, last_manifest, plan, stopped_tables
from harness.versions import Versions
from harness.workers import Done
from reports.names import short_names


def run(
    config: Annotated[Path, typer.Argument(help="The config, a TOML file.")],
    results: ResultsOption = Path("results"),
    workers: WorkersOption = None,
    address: AddressOption = None,
    local: LocalOption = False,
    isolation: Annotated[
        Level | None, typer.Option(help="Instead of the config's level of isolation.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="End with what changed since RUN; latest is its last complete one."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be played, and stop.")
    ] = False,
    wait: WaitOption = False,
    patience: PatienceOption = PATIENCE,
) -> None:
    """Play what a config describes, or what is still missing of it, and rate the bots.

    Example: fairdeal run configs/smoke.toml --workers 2
    """
    check_workers(workers, address, local)
    said = read_config(config)
    if isolation is not None:
        said = said.model_copy(update={"isolation": isolation.value})
    count = worker_count(workers, local)
    planned = plan(
        said,
        config,
        last_manifest(Store(results), said.name),
        Versions(Store(results)),
        bars(Store(results), said.name, said.max_fault_share),
    )
    planned = with_seeds(planned, Store(results))
    for number, contest in enumerate(planned.contests, start=1):
        for line in contest.notes:
            warn(f"contest {number}: {line}")
        for left_out in contest.left_out:
            warn(f"contest {number}: left out: {left_out}")
    if since not in (None, "latest", said.name):
        existing_store(results).find_run(str(since))
    if dry_run:
        priced = prices(planned, Store(results))
        found = _missing(planned, Store(results), priced)
        show_prices(planned, found, priced, count)
        check_minutes(planned, found, priced, None if address else count)
        return
    sandbox.check(said.isolation)
    if said.minutes is not None:
        priced = prices(planned, Store(results))
        found = _missing(planned, Store(results), priced)
        check_minutes(planned, found, priced, None if address else count)
    store = open_store(results)
    waits = Patience(patience, warn)
    with locked(store, wait, warn) as held:
        notes = waits.call(lambda: close_abandoned(planned, store))
        planned = waits.call(lambda: with_seeds(planned, store))
        started = waits.call(lambda: begin(planned, store))
        for line in notes + started.notes:
            warn(line)
        priced = _prices(started, planned, store)
        found = waits.call(lambda: _missing(planned, store, priced))
        _announce(started, planned, found)
        backend = backend_of(results, waits, workers, address, local)
        begun = time.perf_counter()
        watch = Watch(planned, found)

        def done(result: Done | Attempt) -> None:
            held.check()
            watch.done(result)

        with told(watch, _command(config, results, isolation)):
            with watch.shown():
                play(started, planned, store, found, backend, done)
            waits.call(lambda: settle(started, found))
        if started.manifest["stopped"] is not None:
            say(f"Stopped: its minutes are over, {said.minutes:g} in all sessions together.")
        _played(watch, time.perf_counter() - begun)
        # Imported only now: what rates takes a second to import.
        from harness.cli.finish import finish

        waits.call(lambda: finish(started, store, since))
        if stopped_tables(started):
            raise typer.Exit(1)


def _missing(planned: Plan, store: Store, priced: Prices) -> Missing:
    """What is missing; only under a budget of time do prices decide in which order it is played."""
    in_time = planned.config.minutes is not None
    return Missing(planned, store, adaptive(planned, store), priced.seconds if in_time else None)


def _prices(started: Run, planned: Plan, store: Store) -> Prices:
    """Those that the run began with."""
    contests = started.manifest["contests"]
    if "costs" not in contests[0]:
        found = prices(planned, store).plain()
        for contest, costs in zip(contests, found, strict=True):
            contest["costs"] = costs
    return pinned(planned, [contest["costs"] for contest in contests])


def _announce(started: Run, planned: Plan, found: Missing) -> None:
    how = "goes on" if started.resumed else "begins"
    bots = {entrant.label for contest in planned.contests for entrant in contest.entrants}
    there = f", {found.reused:,} are there already" if found.reused else ""
    first = "" if all(course.over for course in found.courses) else " at first"
    say(
        f"Run {started.name} {how}: {len(bots)} bots, {found.matches:,} matches to play{first}"
        f"{there}. {ISOLATION[planned.config.isolation]}"
    )
    if planned.keys:
        runs = ", ".join(sorted(seed["run"] for seed in planned.seeds.values()))
        tables = sum(len(contest.tables) for contest in planned.contests)
        say(f"{len(planned.keys)} of {tables} tables are unchanged, and keep the seeds of {runs}.")
    if started.manifest["commitment"]:
        say(
            f"The seed is secret until the run is complete; its SHA-256 is"
            f" {started.manifest['commitment']}."
        )
    for _, why in found.damaged:
        warn(f"{why.replace('run again to replace it', 'set aside, and played again')}")


ISOLATION = {
    "inprocess": 'Isolation "inprocess": every bot is trusted, and results are unofficial.',
    "process": 'Isolation "process": bots can read files and reach the network.',
    "sandbox": "Isolation: sandbox.",
}


class Watch:
    """Counts what has been played, and shows it while it grows."""

    def __init__(self, planned: Plan, found: Missing) -> None:
        self.found = found
        self.open = not all(course.over for course in found.courses)
        self.goal = found.reused + found.matches
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
    def total(self) -> int:
        """Matches to play in all, as far as is known."""
        return self.matches + self.found.matches

    @property
    def stored(self) -> str:
        """How far it got, in words."""
        there = self.found.reused + self.matches
        if self.open:
            return f"{there:,} matches are stored"
        return f"{there:,} of {self.goal:,} matches are stored"

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Shows progress and standings on a terminal; elsewhere says now and then how far it is."""
        if not self.open and not self.total:
            yield
            return
        if not console.is_terminal:
            begun = time.monotonic()
            with heartbeat(lambda: f"{self.stored} after {duration(time.monotonic() - begun)}"):
                yield
            return
        with Live(self._view(), console=console, refresh_per_second=4, transient=True) as live:
            self.live = live
            yield

    def done(self, done: Done | Attempt) -> None:
        """Takes in a chunk that is stored, or the first try of one that failed."""
        if isinstance(done, Attempt):
            return
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
        total = max(self.matches, self.total) if self.open else self.goal - self.found.reused
        self.progress.update(self.task, completed=self.matches, total=total, rate=rate)
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


def _command(config: Path, results: Place, isolation: Level | None) -> str:
    """What plays the same rows, wherever it is played."""
    command = ["fairdeal", "run", str(config)]
    if isolation is not None:
        command += ["--isolation", isolation.value]
    if results != Path("results"):
        # Of an address what it is shown as: options and keys don't belong in a log.
        command += ["--results", str(results)]
    return shlex.join(command)


def _played(watch: Watch, seconds: float) -> None:
    if not watch.matches:
        return
    say(
        f"Played {watch.matches:,} matches and {watch.decisions:,} decisions in {seconds:.1f} s:"
        f" {watch.matches / seconds:,.0f} matches/s, {watch.bytes / watch.rows:.1f} bytes a row."
    )
