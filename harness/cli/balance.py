"""`fairdeal balance`: what does a rule change do?"""

import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.balance_tables import (
    show_adapted,
    show_study,
    show_targets,
    study_json,
    study_rows,
)
from harness.cli.gate import Passed, gate
from harness.cli.lists import OutputOption, ResultsOption
from harness.cli.retune import Adapted, retune
from harness.cli.stages import Staged, Where, staged
from harness.cli.subject import subject_of
from harness.cli.tables import Output, say, show, warn
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
from harness.files import Place
from harness.patience import Patience
from harness.play import sandbox
from harness.store import Store
from harness.study import StudyConfig, plan_study, read_study
from harness.tournament import Plan, complete
from harness.versions import Versions
from harness.watch import sample_deals, watch
from reports.balance.blocks import Watched
from reports.balance.metrics import Subject, metrics
from reports.balance.study import Study, study
from reports.balance.targets import Judged, Target, Verdict, judge, read_targets, together
from reports.watched import LEAST

EXIT = {Verdict.accepted: 0, Verdict.rejected: 1, Verdict.undecided: 3}
"""Exit codes of a study with targets, as of a duel."""

SampleOption = Annotated[
    int | None,
    typer.Option(min=0, help="Deals a table that are watched; by default ~1,000 matches."),
]
PaceOption = Annotated[
    float, typer.Option(min=0.01, help="Seconds that a person takes for a decision.")
]


def balance(
    config: Annotated[Path, typer.Argument(help="The study, a TOML file.")],
    results: ResultsOption = Path("results"),
    workers: WorkersOption = None,
    address: AddressOption = None,
    local: LocalOption = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every metric, not only the headlines.")
    ] = False,
    full: Annotated[
        bool,
        typer.Option("--full", help="Play all deals, and look at the targets once, at the end."),
    ] = False,
    sample: SampleOption = None,
    pace: PaceOption = 5.0,
    alpha: Annotated[
        float, typer.Option(min=1e-6, max=0.5, help="The error allowed for all targets together.")
    ] = 0.05,
    wait: WaitOption = False,
    patience: PatienceOption = PATIENCE,
    output: OutputOption = Output.table,
) -> None:
    """Compare variants of a game's rules: the same bots, the same deals.

    The first variant is the baseline. With [targets] rounds of deals are played until each is
    settled, and the exit code says whether they hold: 0 accepted, 1 rejected, 3 undecided.

    Example: fairdeal balance configs/balance/casino_go_fish.toml --all
    """
    check_workers(workers, address, local)
    said = read_study(config)
    planned = plan_study(said, config, Versions(Store(results)))
    subject = subject_of(planned, pace)
    targets = _targets(said, subject, config)
    sandbox.check(said.isolation)
    quiet = output is not Output.table
    where = Where(
        results,
        workers,
        address,
        local,
        wait,
        Patience(patience, warn),
        command_of("balance", config, results),
        quiet,
    )
    planned, adapted = retune(planned, said, where)
    with staged(planned, where, said.variants, said.name) as under_way:
        passed = None
        if targets and not full and said.deals >= LEAST:
            passed = gate(under_way, said.variants, subject, said.deals, targets, alpha)
        else:
            under_way.to([[said.deals]] * len(said.variants))
        deals = said.deals if passed is None else passed.deals
        sampled = sample_deals(replace(planned.contests[0], deals=deals), sample)
        watched = watch_sample(planned, sampled, pace)
        measured = measure(under_way, said.variants, subject, deals, watched)
        judged = judge(targets, measured, alpha) if passed is None else passed.judged
        whole = _whole(said, measured, judged, subject, sampled, alpha, passed, adapted)
        whole["bots_left_out"] = list(planned.contests[0].left_out)
        _keep(under_way, deals, whole)
        complete(under_way.run, under_way.store, _summaries(measured, judged))
    match output:
        case Output.json:
            print(json.dumps(whole, indent=1))
        case Output.table:
            for left_out in planned.contests[0].left_out:
                say(f"Left out: {left_out}")
            show_adapted([each.row() for each in adapted])
            show_study(said, measured, subject, sampled, everything)
            show_targets(judged, alpha, passed)
        case _:
            show(study_rows(measured, everything), output)
    if judged:
        raise typer.Exit(EXIT[together(judged)])


# --- The pieces, for whoever searches -------------------------------------------------------------


def watch_sample(planned: Plan, deals: int, pace: float) -> list[Watched]:
    """By variant, the course of so many deals a table, which are played again."""
    return [watch(contest, planned.key, range(deals), pace) for contest in planned.contests]


def measure(
    under_way: Staged,
    variants: Sequence[str],
    subject: Subject,
    deals: int,
    watched: Sequence[Watched],
) -> Study:
    """Everything that the stored deals of a study say."""
    found = study(under_way.contests, variants, subject, deals, watched)
    if not found.blocks:
        who = ", ".join(
            f'"{each.name}" {each.faults:,} with a fault, {each.missing:,} not played'
            for each in found.variants
        )
        name = under_way.run.name
        raise UserError(
            f"no block counts in every variant ({who}): `fairdeal ratings {name}` says why"
        )
    return found


def command_of(name: str, config: Path, results: Place) -> str:
    """What starts a command again."""
    command = ["fairdeal", name, str(config)]
    if results != Path("results"):
        command += ["--results", str(results)]
    return shlex.join(command)


# --- Around them ----------------------------------------------------------------------------------


def _targets(said: StudyConfig, subject: Subject, config: Path) -> list[Target]:
    known = [metric.name for metric in metrics(subject).values() if metric.judged]
    try:
        return read_targets(said.targets, said.variants, known)
    except ValueError as error:
        raise UserError(f"{config}: {error}") from error


def _whole(
    said: StudyConfig,
    measured: Study,
    judged: Sequence[Judged],
    subject: Subject,
    sampled: int,
    alpha: float,
    passed: Passed | None,
    adapted: Sequence[Adapted],
) -> dict[str, Any]:
    """The study as one object: what `--output json` prints and the manifest keeps."""
    whole = study_json(said, measured, judged, subject, sampled, alpha)
    whole["deals"] = said.deals if passed is None else passed.deals
    whole["deals_allowed"] = said.deals
    whole["looks"] = 1 if passed is None else passed.looks
    whole["adapted"] = [each.row() for each in adapted]
    return whole


def _keep(under_way: Staged, deals: int, whole: dict[str, Any]) -> None:
    """Has the manifest hold the study's figures, and the deals that were played."""
    for about in under_way.run.manifest["contests"]:
        about["deals"] = deals
    under_way.run.manifest["balance"] = whole


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
