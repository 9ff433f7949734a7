"""`fairdeal tune`: which values of one or two options meet a target?"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.balance import PaceOption, SampleOption, command_of
from harness.cli.lists import OutputOption, ResultsOption
from harness.cli.retune import retune
from harness.cli.stages import Staged, Where, staged
from harness.cli.subject import subject_of
from harness.cli.tables import Output, say, show, warn
from harness.cli.tune_tables import show_tuned, tuned_json, tuned_rows
from harness.cli.where import (
    PATIENCE,
    AddressOption,
    LocalOption,
    PatienceOption,
    WaitOption,
    WorkersOption,
    check_workers,
)
from harness.errors import UserError
from harness.patience import Patience
from harness.play import sandbox
from harness.store import Store
from harness.study import StudyConfig, plan_study, read_study
from harness.tournament import complete
from harness.tuning import Grid, as_study, read_grid
from harness.versions import Versions
from harness.watch import sample_deals, watch
from reports.balance.blocks import Watched
from reports.balance.figures import Measured
from reports.balance.metrics import Subject, metrics
from reports.balance.study import values_of
from reports.balance.targets import Target, Verdict, read_targets
from reports.balance.tune import FIRST, Option, Point, following, nearest, places, region, spread


def tune(
    config: Annotated[Path, typer.Argument(help="A study with [tune], a TOML file.")],
    results: ResultsOption = Path("results"),
    workers: WorkersOption = None,
    address: AddressOption = None,
    local: LocalOption = False,
    sample: SampleOption = None,
    pace: PaceOption = 5.0,
    alpha: Annotated[
        float, typer.Option(min=1e-6, max=0.5, help="The error allowed for all points together.")
    ] = 0.05,
    wait: WaitOption = False,
    patience: PatienceOption = PATIENCE,
    output: OutputOption = Output.table,
) -> None:
    """Find the values of one or two options that meet a target, and the smallest change.

    [tune] has `options` and a `target`. A grid of at most `points` is played whole, of a larger one
    those that say most. Exit code 0: some values meet it; 1: none do; 3: undecided.

    Example: fairdeal tune configs/balance/casino_go_fish.toml
    """
    check_workers(workers, address, local)
    said = read_study(config)
    grid = read_grid(said, config)
    study = as_study(said, grid.points, grid.present)
    planned = plan_study(study, config, Versions(Store(results)))
    subject = subject_of(planned, pace)
    target = _target(said, grid, subject, config)
    sandbox.check(said.isolation)
    quiet = output is not Output.table
    where = Where(
        results,
        workers,
        address,
        local,
        wait,
        Patience(patience, warn),
        command_of("tune", config, results),
        quiet,
    )
    planned, adapted = retune(planned, study, where)
    options = [Option(name, values, grid.points[0][name]) for name, values in grid.options.items()]
    with staged(planned, where, study.variants, study.name) as under_way:
        search = _Search(under_way, study, subject, target, sample)
        assert said.tune is not None
        search.play(options, grid, said.tune.points)
        points = region(options, grid.points, search.played, target, alpha)
        whole = tuned_json(said, subject, options, grid, points, target, alpha)
        whole["adapted"] = [each.row() for each in adapted]
        _keep(under_way, search.played, whole)
    match output:
        case Output.json:
            print(json.dumps(whole, indent=1))
        case Output.table:
            for left_out in [*planned.contests[0].left_out, *grid.left_out]:
                say(f"Left out: {left_out}")
            show_tuned(said, options, grid, points, target, alpha)
        case _:
            show(tuned_rows(points), output)
    raise typer.Exit(_exit(points))


def _exit(points: Sequence[Point]) -> int:
    if nearest(points):
        return 0
    return 1 if all(point.verdict is Verdict.rejected for point in points) else 3


def _target(said: StudyConfig, grid: Grid, subject: Subject, config: Path) -> Target:
    assert said.tune is not None
    given = dict(said.tune.target)
    name = given.pop("metric", None)
    if not isinstance(name, str) or "variant" in given:
        raise UserError(f"{config}: tune: target must be a table of metric, min and max")
    known = [metric.name for metric in metrics(subject).values() if metric.judged]
    try:
        return read_targets({name: given}, [grid.present], known)[0]
    except ValueError as error:
        raise UserError(f"{config}: tune: {error}") from error


class _Search:
    """Which points have been played, and what they gave."""

    def __init__(
        self,
        under_way: Staged,
        study: StudyConfig,
        subject: Subject,
        target: Target,
        sample: int | None,
    ) -> None:
        self.under_way = under_way
        self.study = study
        self.subject = subject
        self.target = target
        self.sample = sample
        self.played: dict[int, Measured] = {}

    def play(self, options: Sequence[Option], grid: Grid, most: int) -> None:
        """Plays the whole grid, or its `most` most telling points; the same deals for each."""
        if len(grid.points) <= most:
            self._add(range(len(grid.points)))
            return
        at = places(options, grid.points)
        self._add(spread(at, min(FIRST, most)))
        while len(self.played) < most:
            self._add(following(at, self.played, self.target, min(2, most - len(self.played))))

    def _add(self, chosen: Sequence[int]) -> None:
        count = len(self.study.variants)
        wanted = {*self.played, *chosen}
        ends = [[self.study.deals] if number in wanted else [] for number in range(count)]
        self.under_way.to(ends)
        new = [number for number in chosen if number not in self.played]
        stored = self.under_way.contests
        names = [self.study.variants[number] for number in new]
        found = values_of(
            [stored[number] for number in new],
            names,
            self.subject,
            self.study.deals,
            [self._course(number) for number in new],
            {(name, self.target.metric) for name in names},
        )
        for number, name in zip(new, names, strict=True):
            self.played[number] = found[name, self.target.metric]

    def _course(self, number: int) -> Watched:
        """Its sample of watched matches, where the target is about the course of them."""
        if metrics(self.subject)[self.target.metric].group != "course":
            return {}
        contest = self.under_way.planned.contests[number]
        deals = range(sample_deals(contest, self.sample))
        return watch(contest, self.under_way.planned.key, deals, self.subject.pace)


def _keep(under_way: Staged, played: Mapping[int, Measured], whole: dict[str, Any]) -> None:
    """Has the manifest hold what was found, and the contests of the points that were played."""
    manifest = under_way.run.manifest
    kept = [about for number, about in enumerate(manifest["contests"]) if number in played]
    manifest["contests"] = kept
    manifest["tune"] = whole
    complete(under_way.run, under_way.store, [{"variant": about["variant"]} for about in kept])
