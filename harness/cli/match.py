"""`fairdeal match` and `fairdeal replay`: matches now, and records of them."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from threading import Timer
from typing import Annotated, Any

import typer

from games.game import Game
from harness.cli.lists import Level, OutputOption, ResultsOption
from harness.cli.tables import Output, cell, say, show, warn
from harness.entrants import Entrant, find_one
from harness.errors import UserError
from harness.games import find_game
from harness.play import sandbox
from harness.play.budgets import Budgets
from harness.play.restrictions import WITHHELD, Restrictions, read_forbid
from harness.play.seeds import deal_seed
from harness.play.series import LookTaken, MatchPlayed, Series, played
from harness.play.tables import table_size
from harness.records import RecordError, read_lines, record, verify
from harness.secret import key_named
from harness.store import Store
from harness.versions import Versions

Faults = dict[tuple[str, str, str], list[str]]
"""Where each fault happened, by bot, kind and detail."""


class Seatings(StrEnum):
    """Which seatings of a deal are played."""

    one = "one"
    all = "all"


def match(
    game: Annotated[str, typer.Argument(help="A game's name, or its folder.")],
    bots: Annotated[
        list[str], typer.Argument(help="Names or files: one bot a seat, or with --players a team.")
    ],
    players: Annotated[
        int | None, typer.Option(min=1, help="In a game with teams: the seats, one bot a team.")
    ] = None,
    deals: Annotated[int, typer.Option(min=1, help="How many deals, from --deal on.")] = 1,
    deal: Annotated[int, typer.Option(min=0, help="The number of the first deal.")] = 0,
    seed: Annotated[
        str, typer.Option(help="The seed from which deals are drawn: a number, or a revealed one.")
    ] = "0",
    seatings: Annotated[
        Seatings, typer.Option(help="All rotations of the bots, or only as they are given.")
    ] = Seatings.all,
    seating: Annotated[
        int | None, typer.Option(min=0, help="Only the seating with this number.")
    ] = None,
    rules: Annotated[
        list[str] | None, typer.Option(help="A rules option, KEY=VALUE; repeatable.")
    ] = None,
    forbid: Annotated[
        list[str] | None,
        typer.Option(help="What may not be done: WHAT, WHAT:SEAT or WHAT:BOT; repeatable."),
    ] = None,
    withhold: Annotated[
        str | None, typer.Option(help="events: no bot is told any, so it must do without memory.")
    ] = None,
    records: Annotated[
        Path | None, typer.Option(help="Write the matches' records to this file (JSON Lines).")
    ] = None,
    isolation: Annotated[
        Level, typer.Option(help="In this process, in others, or shut in a sandbox.")
    ] = Level.inprocess,
    packages: Annotated[
        list[str] | None, typer.Option("--package", help="A package that hosted bots may import.")
    ] = None,
    results: ResultsOption = Path("results"),
    output: OutputOption = Output.table,
) -> None:
    """Play matches now.

    One bot a seat. In a game with teams they then sit as they are given, in one seating; with
    --players N there is one bot a team, and they also change sides.

    Example: fairdeal match forest_fox random_legal ./mybot.py --deals 100
    """
    found = find_game(game)
    seats = len(bots) if players is None else players
    try:
        options = found.rules.read(rules_options(rules or []))
        found.check_players(seats, options)
    except ValueError as error:
        raise UserError(str(error)) from error
    by_team = players is not None and found.has_roles(seats)
    needed = table_size(found, seats) if by_team else seats
    if len(bots) != needed:
        who = "one a team" if by_team else "one a seat"
        raise UserError(f"with {seats} seats {needed} bots are needed, {who}, not {len(bots)}")
    older = Versions(Store(results))
    entrants = [find_one(bot, found, Path(), seats, options, older) for bot in bots]
    as_given = seatings is Seatings.one or (found.has_roles(seats) and not by_team)
    if seating is not None and as_given:
        raise UserError("the bots sit as given, in one seating: --seating chooses among several")
    if seating is not None and seating >= needed:
        raise UserError(f"--seating must be 0 to {needed - 1} with {needed} bots, not {seating}")
    taken = restrictions(forbid or [], withhold, found, seats, entrants)
    wanted = None if seating is None else {seating}
    series = Series(
        game=found,
        path=str(Path(game).resolve()) if "/" in game else game,
        rules=options,
        players=seats,
        entrants=tuple(entrants),
        key=key_named(seed),
        deals=range(deal, deal + deals),
        isolation=isolation.value,
        budgets=Budgets(packages=tuple(packages or [])),
        as_given=as_given,
        restrictions=taken,
        moves=records is not None,
    )
    sandbox.check(isolation.value)
    looks: list[LookTaken] = []
    lines = {i: _Line() for i in range(len(entrants))}
    faults: Faults = {}
    with ExitStack() as stack:
        file = None
        if records is not None:
            try:
                file = stack.enter_context(open(records, "w", encoding="utf-8"))
            except OSError as error:
                raise UserError(f"{records}: {error.strerror}") from error
        matches = played(series, looks)
        if isolation is not Level.inprocess:
            matches = sorted(matches, key=lambda one: (one.deal, one.seating))
        ended = stack.enter_context(_told_if_stuck(isolation))
        for one in matches:
            ended()
            if wanted is not None and one.seating not in wanted:
                continue
            _count(one, lines, faults, entrants)
            if file is not None:
                names = [entrants[i].label for i in one.order]
                own = deal_seed(series.key, found.name, seats, one.deal)
                result = one.ended.result
                line = record(found, one.state.rules, seats, names, own, one.moves or [], result)
                file.write(line + "\n")
    show([_row(entrants[i], line) for i, line in lines.items()], output)
    for look in looks:
        if look.outcome != "confirmed":
            warn(
                f"{look.bot}: second look at {look.kind} in deal {look.deal}, seating"
                f" {look.seating}, seat {look.seat}: {look.outcome}"
            )
    for (bot_name, kind, detail), where in list(faults.items())[:10]:
        more = f" (and {len(where) - 1:,} more like it)" if len(where) > 1 else ""
        warn(f"{bot_name}: fault {kind} in {where[0]}{more}: {detail}")


MOST_WRONG = 10
"""So many wrong records are told in full."""

SLOW_SECONDS = 10.0


@contextmanager
def _told_if_stuck(isolation: Level) -> Iterator[Callable[[], None]]:
    """Says so if no match ends for a while, where nothing else would; call it when one has."""
    timer = Timer(
        SLOW_SECONDS,
        warn,
        [
            f"no match has ended in {SLOW_SECONDS:g} s: in this process bots may take as long as"
            " they like (Ctrl-C stops; --isolation process keeps time)"
        ],
    )
    timer.daemon = True
    if isolation is Level.inprocess:
        timer.start()
    try:
        yield timer.cancel
    finally:
        timer.cancel()


def rules_options(given: Sequence[str]) -> dict[str, Any]:
    """`key=value` as in a config: true, false, a number, or text."""
    options: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UserError(f"--rules must be KEY=VALUE, not {text!r}")
        if key in options:
            raise UserError(f"--rules: {key} is given twice")
        if value in ("true", "false"):
            options[key] = value == "true"
        elif value.removeprefix("-").isdecimal():
            options[key] = int(value)
        else:
            options[key] = value.strip('"')
    return options


def restrictions(
    forbid: Sequence[str],
    withhold: str | None,
    game: Game,
    players: int,
    entrants: Sequence[Entrant],
) -> Restrictions:
    """What `--forbid` and `--withhold` take; UserError for what this game doesn't have."""
    if withhold is not None and withhold not in WITHHELD:
        raise UserError(f"--withhold must be {' or '.join(WITHHELD)}, not {withhold!r}")
    given: list[dict[str, Any]] = []
    for text in forbid:
        what, colon, whom = text.partition(":")
        seat = {"seat": int(whom)} if whom.isdecimal() else {"bot": whom}
        given.append({"what": what, **(seat if colon else {})})
    try:
        return Restrictions(read_forbid(given, game, players, entrants), withhold or "")
    except ValueError as error:
        raise UserError(f"--{error}") from error


class _Line:
    """What is summed for a bot."""

    def __init__(self) -> None:
        self.matches = 0
        self.points = 0.0
        self.decisions = 0
        self.time_ns = 0
        self.faults = 0


def _count(
    one: MatchPlayed, lines: dict[int, _Line], faults: Faults, entrants: list[Entrant]
) -> None:
    result, asked, fault, at, _ = one.ended
    for bot in set(one.order):
        lines[bot].matches += 1
        lines[bot].points += result.points[one.order.index(bot)]
    for seat, bot in enumerate(one.order):
        line = lines[bot]
        line.decisions += asked[seat]
        line.time_ns += one.time_ns[seat]
    if fault is not None and at is not None:
        bot = one.order[at]
        lines[bot].faults += 1
        where = f"deal {one.deal}, seating {one.seating}, seat {at}"
        alike = (entrants[bot].name, fault.kind, fault.detail)
        faults.setdefault(alike, []).append(where)


def _row(entrant: Entrant, line: _Line) -> dict[str, Any]:
    return {
        "bot": entrant.label,
        "matches": line.matches,
        "points": line.points,
        "points a match": line.points / line.matches if line.matches else None,
        "decisions": line.decisions,
        "µs a decision": line.time_ns / 1000 / line.decisions if line.decisions else None,
        "faults": line.faults,
    }


def replay(
    file: Annotated[Path, typer.Argument(help="A file of records (JSON Lines).")],
) -> None:
    """Verify records by replaying them; exit code 1 if one is wrong.

    Example: fairdeal replay matches.jsonl
    """
    right, wrong = 0, 0
    for number, line in enumerate(read_lines(os.fspath(file)), start=1):
        if not line.strip():
            continue
        try:
            verify(line)
            right += 1
        except RecordError as error:
            wrong += 1
            if wrong <= MOST_WRONG:
                warn(f"{file}: record {number}: {error}")
    if wrong > MOST_WRONG:
        warn(f"{file}: {wrong - MOST_WRONG:,} more records are wrong")
    if wrong:
        say(f"{cell(right)} records are right, {cell(wrong)} wrong.")
        raise typer.Exit(1)
    say(f"{cell(right)} records are right.")
