"""`fairdeal spar`: how one bot does against the field, at once and without a config."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer
from rich.live import Live
from rich.table import Table as Board
from rich.text import Text

from games.game import Game, Rules
from harness.cli.cores import play
from harness.cli.lists import OutputOption, ResultsOption
from harness.cli.match import rules_options
from harness.cli.stopping import stoppable
from harness.cli.tables import Output, cell, console, show, warn
from harness.cli.tally import Tally
from harness.entrants import Entrant, find_bots, find_one
from harness.errors import UserError
from harness.games import find_game
from harness.play.seeds import run_key
from harness.play.tables import Chunk, chunk_deals, make_table, table_size
from harness.store import Store
from harness.versions import Versions

SHARE = 8
"""A chunk has this part of a run's deals, so that the whole field comes in early."""

REFRESH = 0.5
"""Seconds between two looks at the standings."""


def spar(
    game: Annotated[str, typer.Argument(help="A game's name, or its folder.")],
    bot: Annotated[str, typer.Argument(help="The bot: a name or a file, also with parameters.")],
    against: Annotated[
        str, typer.Option(help="The field: a name, a file, a glob, or * for all built-in bots.")
    ] = "*",
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to play.")] = 30.0,
    players: Annotated[
        int | None, typer.Option(min=1, help="The seats; by default the game's usual number.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed from which deals are drawn.")] = 0,
    rules: Annotated[
        list[str] | None, typer.Option(help="A rules option, KEY=VALUE; repeatable.")
    ] = None,
    results: ResultsOption = Path("results"),
    output: OutputOption = Output.table,
) -> None:
    """Let a bot play against the field on all cores: points by opponent, seat and role, tactics.

    Bots run in processes of your own: play only those that you trust. Everybody in the field plays
    the same deals, in all seatings; at larger tables the other seats go round the field. Intervals
    are 95 %, from deals. Ctrl-C stops it early.

    Example: fairdeal spar forest_fox ./mybot.py --seconds 10
    """
    found = find_game(game)
    seats = found.usual if players is None else players
    try:
        options = found.rules.read(rules_options(rules or []))
        found.check_players(seats, options)
    except ValueError as error:
        raise UserError(str(error)) from error
    older = Versions(Store(results))
    entrant = find_one(bot, found, Path(), seats, options, older)
    entrants, left_out = find_bots(against, found, Path(), seats, options, older)
    for why in left_out:
        warn(f"left out: {why}")
    field = [other for other in entrants if other.label != entrant.label]
    if not field:
        raise UserError(f"--against {against!r} names nobody but {entrant.name} who plays this")
    tally = Tally(found, entrant.label)
    chunks = rounds(game, found, options, seats, entrant, field, seed)
    done = play(chunks, seconds)
    try:
        with stoppable(), shown(tally, output) as refresh, closing(done):
            for chunk, played in done:
                tally.add(chunk, played)
                refresh()
    except KeyboardInterrupt:
        if not tally.matches:
            raise
    if not tally.matches:
        raise UserError(
            f"no match was finished in {seconds:g} seconds: give more --seconds, or see with"
            " `fairdeal check BOT` whether a bot hangs"
        )
    _print(tally, entrant, output)


# --- What is played -------------------------------------------------------------------------------


def rounds(
    path: str,
    game: Game,
    rules: Rules,
    players: int,
    entrant: Entrant,
    field: Sequence[Entrant],
    seed: int,
) -> Iterator[Chunk]:
    """Chunks without end, in rounds: each bot of the field sits at one table of a round, a few at
    two where that doesn't come out even, and all tables of a round play the same deals.
    """
    others = table_size(game, players) - 1
    rng, key = Random(seed), run_key(seed)
    first = 0
    while True:
        order = rng.sample(field, len(field))
        number = -(-len(order) // max(1, others))
        seated = cycle(order)
        tables = [
            make_table(path, game, rules, players, [entrant, *islice(seated, others)], "inprocess")
            for _ in range(number)
        ]
        deals = max(1, min(chunk_deals(game, table) for table in tables) // SHARE)
        for table in tables:
            yield Chunk(table, first, first + deals - 1, key)
        first += deals


# --- What is printed ------------------------------------------------------------------------------


def _readable(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Points as people read them."""
    return [
        {
            "": f"{row['kind']} {row['name']}".strip(),
            "points": f"{row['value']:.1%}",
            "95 % interval": None
            if row["low"] is None
            else f"{max(0.0, row['low']):.1%} to {min(1.0, row['high']):.1%}",
            "deals": row["deals"],
            "matches": row["matches"],
            "faults": row["faults"],
        }
        for row in rows
    ]


@contextmanager
def shown(tally: Tally, output: Output) -> Iterator[Any]:
    """Gives what is to be called when something came in: on a terminal it shows the standings."""
    if output is not Output.table or not console.is_terminal:
        yield lambda: None
        return
    due = 0.0

    with Live(console=console, auto_refresh=False, transient=True) as live:

        def refresh() -> None:
            nonlocal due
            if time.monotonic() >= due:
                live.update(_board(_readable(tally.rows())), refresh=True)
                due = time.monotonic() + REFRESH

        yield refresh


def _board(rows: Sequence[dict[str, Any]]) -> Board:
    board = Board(*rows[0])
    for row in rows:
        board.add_row(*(Text(cell(value)) for value in row.values()))
    return board


def _print(tally: Tally, entrant: Entrant, output: Output) -> None:
    rows, tactics = tally.rows(), tally.tactic_rows()
    if output is not Output.table:
        show([*rows, *tactics], output)
    else:
        show(_readable(rows), output, f"{entrant.label}: {tally.matches:,} matches")
        show(
            [
                {
                    "tactic": row["name"],
                    "a match": round(row["value"], 3),
                    "95 % interval": None
                    if row["low"] is None
                    else f"{row['low']:.3f} to {row['high']:.3f}",
                    "the field's": round(row["field"], 3),
                }
                for row in tactics
            ],
            output,
            "Tactics, a match and seat",
        )
    for (label, kind), number in tally.faults.most_common():
        first = tally.firsts[label, kind]
        where = f"deal {first['deal']}, seating {first['seating']}, seat {first['seat']}"
        warn(f"{label}: {number:,} faults {kind}; one in {where}: {first['detail'][:200]}")
