"""`fairdeal faults`: what bots did wrong in a run, for their authors."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.left import faults_left, run_left
from harness.cli.lists import OutputOption, ResultsOption
from harness.cli.tables import Output, say, show
from harness.errors import UserError
from harness.store import existing_store
from reports.faults import Case, Faults, faults_of
from reports.results import contests

MOST_MOVES = 12
"""How many entries of a record's end the terminal shows; the other forms of output have all."""


def faults(
    run: Annotated[str, typer.Argument(help="NAME (its newest), NAME/0007, a folder, or latest.")],
    bot: Annotated[str | None, typer.Argument(help="Only bots with this in their label.")] = None,
    cases: Annotated[int, typer.Option(min=0, help="Cases shown of each bot and kind.")] = 2,
    results: ResultsOption = Path("results"),
    output: OutputOption = Output.table,
) -> None:
    """What bots did wrong in a run: how often, and what came of second looks; then case by case.

    A case has the answer or the error, the first few legal actions, and the record up to there
    (of hosted matches). Other forms of output than the table have a row a case, in full; of each
    bot and kind a chunk keeps the first five.

    Example: fairdeal faults latest ann/hasty
    """
    store = existing_store(results)
    folder = store.find_run(run)
    left = run_left(store, folder)
    found = contests(store, folder)
    if bot is not None and not any(bot in name for each in found for name in each.bots):
        known = sorted({name for each in found for name in each.bots})
        raise UserError(f"there is no bot {bot!r} in {run}; there are: {', '.join(known)}")
    every = map(faults_of, found) if left is None else faults_left(left)
    wanted = [(contest, _only(each, bot or "")) for contest, each in zip(found, every, strict=True)]
    if output is not Output.table:
        rows = [_row(case) for _, each in wanted for case in each.cases]
        show(rows, output, columns=("contest", *Case._fields[1:]))
        return
    for contest, each in wanted:
        title = f"Contest {contest.number}: {contest.title}"
        if not each.numbers and not each.looks:
            say(f"{title}: no faults")
            continue
        show(_numbers(each), output, f"{title}: faults, and second looks by outcome")
        shown: Counter[tuple[str, str]] = Counter()
        for case in each.cases:
            shown[case.bot, case.kind] += 1
            if shown[case.bot, case.kind] <= cases:
                _tell(case)


def _only(found: Faults, bot: str) -> Faults:
    """The faults of bots with this in their label."""
    return Faults(
        Counter({key: n for key, n in found.numbers.items() if bot in key[0]}),
        [case for case in found.cases if bot in case.bot],
        Counter({key: n for key, n in found.looks.items() if bot in key[0]}),
    )


def _numbers(found: Faults) -> list[dict[str, Any]]:
    """A row a bot and kind, those with most matches lost first."""
    kinds = {key[:2] for key in found.looks} | set(found.numbers)
    return [
        {
            "bot": bot,
            "fault": kind,
            "matches lost": found.numbers[bot, kind],
            **{
                outcome: found.looks[bot, kind, outcome]
                for outcome in ("confirmed", "cleared", "unrepeatable")
            },
        }
        for bot, kind in sorted(kinds, key=lambda key: (-found.numbers[key], key))
    ]


def _row(case: Case) -> dict[str, Any]:
    return case._asdict() | {
        "table": list(case.table),
        "legal": list(case.legal),
        "moves": list(case.moves),
    }


def _tell(case: Case) -> None:
    """A case, in a few lines."""
    where = f"deal {case.deal}, seating {case.seating}, seat {case.seat}"
    others = ", ".join(label for label in case.table if label != case.bot)
    say()
    say(f"{case.bot}: {case.kind} in {where}" + (f", with {others}" if others else ""))
    for line in case.detail.strip().splitlines():
        say(f"  {line}")
    if case.legal:
        say(f"  legal: {', '.join(case.legal)}")
    if case.moves:
        left_out = "… " if len(case.moves) > MOST_MOVES else ""
        say(f"  record: {left_out}{' | '.join(case.moves[-MOST_MOVES:])}")
