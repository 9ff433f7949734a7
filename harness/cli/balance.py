"""`fairdeal balance`: what does a rule change do?"""

import json
import shlex
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from games.game import chances
from harness.attempts import Attempt
from harness.cli.adaptive import adaptive
from harness.cli.balance_tables import show_study, show_targets, study_json, study_rows
from harness.cli.lists import OutputOption, ResultsOption
from harness.cli.run_config import ISOLATION, Watch
from harness.cli.tables import Output, say, show, warn
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
)
from harness.errors import UserError
from harness.files import Place
from harness.patience import Patience
from harness.play import sandbox
from harness.playing import Missing, play, settle
from harness.store import Store, locked, open_store, write_manifest
from harness.study import StudyConfig, plan_study, read_study
from harness.tournament import Plan, Run, begin, complete
from harness.watch import has_elimination, has_standing, sample_deals, watch
from harness.workers import Done
from reports.balance.blocks import Watched
from reports.balance.metrics import Subject, metrics
from reports.balance.study import Study, study
from reports.balance.targets import Judged, Target, Verdict, judge, read_targets, together
from reports.names import short_names
from reports.results import contests

EXIT = {Verdict.accepted: 0, Verdict.rejected: 1, Verdict.undecided: 3}
"""Exit codes of a study with targets, as of a duel."""


def balance(
    config: Annotated[Path, typer.Argument(help="The study, a TOML file.")],
    results: ResultsOption = Path("results"),
    workers: WorkersOption = None,
    address: AddressOption = None,
    local: LocalOption = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every metric, not only the headlines.")
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(min=0, help="Deals a table that are watched; by default ~1,000 matches."),
    ] = None,
    pace: Annotated[
        float, typer.Option(min=0.01, help="Seconds that a person takes for a decision.")
    ] = 5.0,
    alpha: Annotated[
        float, typer.Option(min=1e-6, max=0.5, help="The error allowed for all targets together.")
    ] = 0.05,
    wait: WaitOption = False,
    patience: PatienceOption = PATIENCE,
    output: OutputOption = Output.table,
) -> None:
    """Compare variants of a game's rules: the same bots, the same deals.

    The first variant is the baseline. With [targets] the exit code says whether they hold: 0
    accepted, 1 rejected, 3 undecided.

    Example: fairdeal balance configs/balance/casino_go_fish.toml --all
    """
    check_workers(workers, address, local)
    said = read_study(config)
    planned = plan_study(said, config)
    subject = subject_of(planned, pace)
    targets = _targets(said, subject, config)
    sandbox.check(said.isolation)
    store = open_store(results)
    quiet = output is not Output.table
    waits = Patience(patience, warn)
    with locked(store, wait, warn) as held:
        started = waits.call(lambda: begin(planned, store))
        _mark(started, said)
        for note in started.notes:
            warn(note)
        found = waits.call(lambda: Missing(planned, store, adaptive(planned, store)))
        if not quiet:
            _announce(started, planned, found)
        backend = backend_of(results, waits, workers, address, local)
        progress = Watch(planned, found)

        def done(result: Done | Attempt) -> None:
            held.check()
            progress.done(result)

        with told(progress, _command(config, results)):
            with progress.shown() if not quiet else nullcontext():
                play(started, planned, store, found, backend, done)
            waits.call(lambda: settle(started, found))
            watched = watch_sample(planned, sample, pace)
        measured = measure(started, store, said, subject, watched)
        judged = judge(targets, measured, alpha)
        complete(started, store, _summaries(measured, judged))
    deals = sample_deals(planned.contests[0], sample)
    match output:
        case Output.json:
            whole = study_json(said, measured, judged, subject, deals, alpha)
            whole["bots_left_out"] = list(planned.contests[0].left_out)
            print(json.dumps(whole, indent=1))
        case Output.table:
            for left_out in planned.contests[0].left_out:
                say(f"Left out: {left_out}")
            show_study(said, measured, subject, deals, everything)
            show_targets(judged, alpha)
        case _:
            show(study_rows(measured, everything), output)
    if judged:
        raise typer.Exit(EXIT[together(judged)])


# --- The pieces, for whoever plays rounds or searches --------------------------------------------


def subject_of(planned: Plan, pace: float) -> Subject:
    """What the metrics of a planned study depend on."""
    contest = planned.contests[0]
    game, players = contest.game, contest.players
    games = [each.game for each in planned.contests]
    names = [tactic.name for tactic in game.tactics]
    counted = [column.removesuffix("_chances") for column in chances(game.tactics)]
    everywhere = [name for name in names if all(_counts(each, name) for each in games)]
    labels = [entrant.label for entrant in contest.entrants]
    short = short_names(labels)
    return Subject(
        game=game.name,
        roles=game.roles(players),
        teams=game.teams(players),
        tactics=everywhere,
        chances=[name for name in counted if name in everywhere],
        ends=tuple(dict.fromkeys(end for each in games for end in each.ends)),
        stalls=tuple(dict.fromkeys(end for each in games for end in each.stalls)),
        standing=all(has_standing(each) for each in games),
        elimination=all(has_elimination(each) for each in games),
        bots=labels,
        names=[short[label] for label in labels],
        pace=pace,
    )


def _counts(game: Any, name: str) -> bool:
    return any(tactic.name == name for tactic in game.tactics)


def watch_sample(planned: Plan, sample: int | None, pace: float) -> list[Watched]:
    """By variant, the course of a sample of its matches, which are played again."""
    return [
        watch(contest, planned.key, sample_deals(contest, sample), pace)
        for contest in planned.contests
    ]


def measure(
    started: Run, store: Store, said: StudyConfig, subject: Subject, watched: Sequence[Watched]
) -> Study:
    """Everything that the stored deals of a study say."""
    found = study(contests(store, started.folder), said.variants, subject, said.deals, watched)
    if not found.blocks:
        who = ", ".join(
            f'"{each.name}" {each.faults:,} with a fault, {each.missing:,} not played'
            for each in found.variants
        )
        raise UserError(
            f"no block counts in every variant ({who}): `fairdeal ratings {started.name}` says why"
        )
    return found


# --- Around them ----------------------------------------------------------------------------------


def _targets(said: StudyConfig, subject: Subject, config: Path) -> list[Target]:
    known = [metric.name for metric in metrics(subject).values() if metric.judged]
    try:
        return read_targets(said.targets, said.variants, known)
    except ValueError as error:
        raise UserError(f"{config}: {error}") from error


def _mark(started: Run, said: StudyConfig) -> None:
    """Has the manifest say which contest is which variant."""
    started.manifest["study"] = said.name
    for about, name in zip(started.manifest["contests"], said.variants, strict=True):
        about["variant"] = name
    write_manifest(started.folder, started.manifest)


def _announce(started: Run, planned: Plan, found: Missing) -> None:
    how = "goes on" if started.resumed else "begins"
    bots = len(planned.contests[0].entrants)
    there = f", {found.reused:,} are there already" if found.reused else ""
    say(
        f"Study {started.name} {how}: {len(planned.contests)} variants, {bots} bots,"
        f" {found.matches:,} matches to play{there}. {ISOLATION[planned.config.isolation]}"
    )
    for _, why in found.damaged:
        warn(f"{why.replace('run again to replace it', 'set aside, and played again')}")


def _command(config: Path, results: Place) -> str:
    command = ["fairdeal", "balance", str(config)]
    if results != Path("results"):
        command += ["--results", str(results)]
    return shlex.join(command)


def _summaries(measured: Study, judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """What the manifest keeps of each variant."""
    return [
        {
            "metrics": {row["metric"]: row["value"] for row in study_rows(measured, True, variant)},
            "order": variant.order,
            "faults": variant.faults,
            "targets": [
                {"metric": each.target.metric, "verdict": each.verdict.value}
                for each in judged
                if each.target.variant == variant.name
            ],
        }
        for variant in measured.variants
    ]
