"""`fairdeal solve`: what a position of Forest Fox, and each move in it, is worth."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from games.chance import Chance
from games.forest_fox.rules import GAME, PACK, ForestFox, Rules
from games.forest_fox.solver import Solver
from harness.cli.lists import OutputOption
from harness.cli.match import rules_options
from harness.cli.tables import Output, cell, say, show
from harness.errors import UserError
from harness.play.seeds import deal_seed, run_key
from harness.records import RecordError, Replay, read_lines, verify

WORTH = {1.0: "wins", 0.5: "shares the point", 0.0: "loses"}


def solve(
    file: Annotated[Path | None, typer.Argument(help="A file of records (JSON Lines).")] = None,
    record: Annotated[int, typer.Argument(min=1, help="The record's number in it.")] = 1,
    entry: Annotated[
        int, typer.Argument(min=1, help="The position just before this entry; 1 is the first play.")
    ] = 1,
    deal: Annotated[
        int | None, typer.Option(min=0, help="Without a file: a deal's number.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The seed from which that deal is drawn; by default 0.")
    ] = None,
    rules: Annotated[
        list[str] | None, typer.Option(help="A rules option of that deal, KEY=VALUE; repeatable.")
    ] = None,
    output: OutputOption = Output.table,
) -> None:
    """Solve a position of Forest Fox: a deal, or one of a recorded match.

    Records are numbered from 1; entries as `replay` names them, where 0 is the deck. Each legal
    move of the seat to act is shown with the points that it leads to if both then play perfectly.

    Example: fairdeal solve matches.jsonl 1 5
    """
    if file is None:
        state = _dealt(deal or 0, seed or 0, rules or [])
    elif deal is not None or seed is not None or rules:
        raise UserError(f"--deal, --seed and --rules belong to a deal, and {file} has its own")
    else:
        state = _recorded(file, record, entry)
    solved = Solver(state.rules).solve(state)
    if output is Output.table:
        _tell(state, solved.points)
    show(
        [
            {"move": str(play), "points": points, "": WORTH[points]}
            if output is Output.table
            else {"seat": state.to_act, "move": str(play), "points": points}
            for play, points in solved.moves.items()
        ],
        output,
    )


def _dealt(deal: int, seed: int, given: list[str]) -> ForestFox:
    """The state at the beginning of a deal."""
    try:
        options = Rules.read(rules_options(given))
    except ValueError as error:
        raise UserError(str(error)) from error
    own = deal_seed(run_key(seed), GAME.name, 2, deal)
    return ForestFox(options, 2, Chance(PACK, own))


def _recorded(file: Path, number: int, entry: int) -> ForestFox:
    """The state just before an entry of a record, all of which must be right."""
    lines = read_lines(os.fspath(file))
    where = f"{file}: record {number}"
    if number > len(lines) or not lines[number - 1].strip():
        raise UserError(f"{where}: there is no such record")
    line = lines[number - 1]
    try:
        verify(line)
    except RecordError as error:
        raise UserError(f"{where}: {error}") from error
    fields = json.loads(line)
    if fields["game"] != GAME.name:
        raise UserError(f"{where}: only {GAME.name} can be solved, not {fields['game']}")
    plays = len(fields["moves"]) - 1
    replay = Replay(GAME, Rules.read(fields["rules"]), 2, fields["moves"])
    if entry > plays:
        raise UserError(f"{where}: entry must be 1 to {plays}, not {entry}")
    for _ in range(entry - 1):
        replay.step()
    assert isinstance(replay.state, ForestFox)
    return replay.state


def _tell(state: ForestFox, points: float) -> None:
    """Says what the position is."""
    cards = state.cards()
    for seat in (0, 1):
        tricks = f"{cell(state.tricks[seat])} trick{'s' * (state.tricks[seat] != 1)}"
        say(f"Seat {seat}: {PACK.spell(cards[f'hand {seat}'])} ({tricks})")
    table = "" if state.table is None else f", on the table {PACK.faces[state.table]}"
    decree = PACK.faces[state.decree]
    say(f"Decree {decree}{table}. Seat {state.to_act} is to act, and {WORTH[points]}.")
