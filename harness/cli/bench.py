"""`fairdeal bench`: decisions and matches per second on this machine."""

import os
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from games.game import Game
from harness.attempts import Attempt
from harness.cli.lists import Level, OutputOption
from harness.cli.tables import Output, say, show, warn
from harness.cluster import play_on_ray
from harness.entrants import Entrant, find_one
from harness.errors import UserError
from harness.games import builtin_names, find_game
from harness.patience import Patience
from harness.play import sandbox
from harness.play.chunk import play_chunk
from harness.play.seeds import run_key
from harness.play.tables import Chunk, Table, chunk_deals, make_table, table_size
from harness.workers import Done

SEED = 1


def bench(
    game: Annotated[str | None, typer.Argument(help="Only this game.")] = None,
    bot: Annotated[str, typer.Option(help="The bot that has every seat.")] = "random_legal",
    seconds: Annotated[float, typer.Option(min=0.1, help="Roughly, for each figure.")] = 5.0,
    in_process: Annotated[
        bool, typer.Option("--in-process", help="Leave out the main job on Ray.")
    ] = False,
    isolation: Annotated[
        Level | None, typer.Option(help="Beside in-process, hosted bots at this level; on Ray too.")
    ] = None,
    output: OutputOption = Output.table,
) -> None:
    """Measure the whole loop: in this process on one core, then the main job with 1 and 2 workers.

    A decision is one that a bot was asked. The whole loop is deal, view, legality, clock, tactics
    and the result's row; the main job adds Ray and Parquet. Medians of the chunks played. With
    hosts, the worker and its hosts share one core, and starting them is left out.

    Example: fairdeal bench forest_fox
    """
    names = [game] if game is not None else list(builtin_names())
    rows = []
    notes: list[str] = []
    for name in names:
        found = find_game(name)
        entrant = find_one(bot, found, Path())
        table = _table(name, found, entrant)
        in_one = _in_process(found, table, seconds)
        rows.append({"game": found.name, "how": "in-process", **in_one})
        if isolation is not None and isolation is not Level.inprocess:
            sandbox.check(isolation.value)
            table = replace(table, isolation=isolation.value)
            hosted = _hosted(table, seconds)
            rows.append({"game": found.name, "how": isolation.value, **hosted})
            notes.append(_cost(found.name, isolation.value, in_one, hosted))
            in_one = hosted
        if not in_process:
            one = _on_ray(found, table, in_one["matches/s"], seconds, 1)
            two = _on_ray(found, table, in_one["matches/s"], seconds, 2)
            rows += [
                {"game": found.name, "how": "1 worker", **one},
                {"game": found.name, "how": "2 workers", **two},
            ]
    show(rows, output)
    ones = [row for row in rows if row["how"] == "1 worker"]
    twos = [row for row in rows if row["how"] == "2 workers"]
    if output is Output.table:
        for note in notes:
            say(note)
        for one, two in zip(ones, twos, strict=True):
            say(
                f"{one['game']}: 2 workers play {two['matches/s'] / one['matches/s']:.2f} times"
                " what one plays."
            )


def _cost(game: str, level: str, own: dict[str, Any], hosted: dict[str, Any]) -> str:
    """What a hosted decision costs beside one in-process, in words."""
    more = 1e6 / hosted["decisions/s"] - 1e6 / own["decisions/s"]
    ratio = hosted["decisions/s"] / own["decisions/s"]
    return f"{game}: at level {level} a decision takes {more:.1f} µs more, {ratio:.0%} of the rate."


def _table(name: str, game: Game, entrant: Entrant) -> Table:
    size = table_size(game, game.usual)
    return make_table(name, game, game.rules(), game.usual, [entrant] * size, "inprocess")


def _figures(decisions: float, matches: float) -> dict[str, Any]:
    """Rates as a row, from decisions and matches a second."""
    return {
        "decisions/s": round(decisions),
        "matches/s": round(matches),
        "µs a match": round(1e6 / matches, 2),
    }


def _in_process(game: Game, table: Table, seconds: float) -> dict[str, Any]:
    size = chunk_deals(game, table)
    key = run_key(SEED)
    decisions: list[float] = []
    matches: list[float] = []
    stop = time.perf_counter() + seconds
    first = 0
    while time.perf_counter() < stop or len(matches) < 4:
        start = time.perf_counter()
        counts = play_chunk(Chunk(table, first, first + size - 1, key)).counts
        took = time.perf_counter() - start
        decisions.append(counts.decisions / took)
        matches.append(counts.matches / took)
        first += size
    # The first chunk also imports the bot and warms up the interpreter.
    return _figures(statistics.median(decisions[1:]), statistics.median(matches[1:]))


def _hosted(table: Table, seconds: float) -> dict[str, Any]:
    """One core, bots in hosts on the same core, their start left out."""
    key = run_key(SEED)
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(own)})
    try:
        times = []
        deals = 256
        for _ in range(2):  # twice as many deals, so that what all have in common can be taken off
            start = time.perf_counter()
            counts = play_chunk(Chunk(table, 0, deals - 1, key)).counts
            times.append((time.perf_counter() - start, counts))
            rate = counts.matches / times[-1][0]
            deals = max(2 * deals, round(seconds * rate / (counts.matches / deals)))
    finally:
        os.sched_setaffinity(0, own)
    (first, few), (second, many) = times
    took = max(1e-9, second - first)
    return _figures((many.decisions - few.decisions) / took, (many.matches - few.matches) / took)


def _on_ray(
    game: Game, table: Table, expected: float, seconds: float, workers: int
) -> dict[str, Any]:
    """The main job's rate while all its workers are busy, its start and end left out."""
    size = chunk_deals(game, table)
    matches = size * table_size(game, table.players)
    number = max(8 * workers, round(seconds * workers * expected / matches))
    chunks = [Chunk(table, i * size, (i + 1) * size - 1, run_key(SEED)) for i in range(number)]
    arrived: list[tuple[float, Done]] = []
    with tempfile.TemporaryDirectory() as folder:
        for done in play_on_ray(chunks, Path(folder), Patience(0, warn), workers, None):
            if isinstance(done, Attempt):
                raise UserError(f"a worker failed: {done.what}")
            arrived.append((time.perf_counter(), done))
    # From the first chunk of the last worker to begin until one worker finds nothing more to do.
    begun = max(
        next(i for i, (_, done) in enumerate(arrived) if done.process == process)
        for process in {done.process for _, done in arrived}
    )
    inner = arrived[begun : len(arrived) - workers + 1]
    took = inner[-1][0] - inner[0][0]
    counted = [done.counts for _, done in inner[1:]]
    return _figures(
        sum(counts.decisions for counts in counted) / took,
        sum(counts.matches for counts in counted) / took,
    )
