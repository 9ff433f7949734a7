"""`fairdeal duel`: is one bot better than another? A sequential test."""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.live import Live
from rich.text import Text

from games.game import Game, Rules
from harness.cli.lists import Level, OutputOption, ResultsOption
from harness.cli.match import rules_options
from harness.cli.standings import short_names
from harness.cli.tables import Output, console, harmless, say, show, warn
from harness.entrants import Entrant, find_one
from harness.errors import UserError
from harness.games import find_game
from harness.play import sandbox
from harness.play.budgets import Budgets
from harness.play.seeds import run_key
from harness.play.series import Series, played
from harness.play.tables import table_size
from harness.store import Place, Store
from harness.versions import Versions
from reports.sprt import PENTANOMIAL, Hypotheses, Model

LOOK = 8
"""The test looks at the results after every so many deals."""

MOST_AT_ONCE = 128
"""So many deals at most are played in hosts before the test looks at them."""

CODES = {"H1": 0, "H0": 1, "continue": 3}
"""What the command exits with, by verdict."""


def duel(
    game: Annotated[str | None, typer.Argument(help="A game's name, or its folder.")] = None,
    bot_a: Annotated[str | None, typer.Argument(metavar="A", help="Name or file.")] = None,
    bot_b: Annotated[str | None, typer.Argument(metavar="B", help="Name or file.")] = None,
    counts: Annotated[
        str | None,
        typer.Option(
            metavar="LL,LD,WLDD,WD,WW", help="Play nothing: test these numbers of pairs, of A."
        ),
    ] = None,
    elo0: Annotated[float, typer.Option(help="H0: A is no more than this much better.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="H1: A is at least this much better.")] = 20.0,
    alpha: Annotated[float, typer.Option(help="How often H1 may be accepted wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often H0 may be accepted wrongly.")] = 0.05,
    model: Annotated[
        Model, typer.Option(help="Elo of the mean score, or of mean over deviation.")
    ] = Model.logistic,
    players: Annotated[int | None, typer.Option(min=2, help="Seats; else the usual.")] = None,
    rules: Annotated[
        list[str] | None, typer.Option(help="A rules option, KEY=VALUE; repeatable.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Draws the deals (default 0).")] = None,
    max_deals: Annotated[
        int | None, typer.Option(min=1, help="The budget (default 10,000).")
    ] = None,
    results: ResultsOption = Path("results"),
    isolation: Annotated[
        Level | None, typer.Option(help="In this process (the default), in others, or a sandbox.")
    ] = None,
    packages: Annotated[
        list[str] | None, typer.Option("--package", help="A package that hosted bots may import.")
    ] = None,
    output: OutputOption = Output.table,
) -> None:
    """Is A better than B? Plays deals in all seatings, on one core, until that is settled.

    A sequential probability ratio test by the exact generalised likelihood ratio. With two seats it
    is pentanomial, over deals played in both seatings. With more seats, A and B share the table as
    evenly as can be, and it is multinomial over the means of blocks; an odd table is played both
    ways. At every level of isolation the duel is the same.

    Exit code 0: accepted, A is better (H1). 1: rejected (H0). 3: undecided.

    Example: fairdeal duel forest_fox one_ahead humble --elo1 30
    """
    test = Hypotheses(elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, model=model)
    if counts is not None:
        given = {"GAME": game, "--players": players, "--rules": rules, "--seed": seed}
        given |= {"--max-deals": max_deals, "--isolation": isolation, "--package": packages}
        for name, value in given.items():
            if value is not None:
                raise UserError(f"--counts plays nothing: it doesn't go with {name}")
        seen = Seen(Counter(dict(zip(PENTANOMIAL.tolist(), _counts(counts), strict=True))))
        _end(test, seen, ("A", "B"), output)
    if game is None or bot_a is None or bot_b is None:
        raise UserError("a duel needs GAME A B, or --counts LL,LD,WLDD,WD,WW")
    match = _match(game, bot_a, bot_b, players, rules or [], 0 if seed is None else seed, results)
    limit = 10_000 if max_deals is None else max_deals
    level = isolation or Level.inprocess
    if packages and level is Level.inprocess:
        raise UserError("--package is for hosted bots: it goes with --isolation process or sandbox")
    sandbox.check(level.value)
    budgets = Budgets(packages=tuple(packages or []))
    seen = Seen(matches=match.matches, shares=match.shares, pairs=match.pairs)
    names = short_names([match.a.label, match.b.label])
    named = (names[match.a.label], names[match.b.label])
    with Live(console=console, refresh_per_second=4, transient=True) as live:
        for deal, (score, faults) in enumerate(_scores(match, limit, level, budgets), start=1):
            seen.add(score, faults)
            if deal % LOOK == 0 or deal == limit:
                if console.is_terminal:
                    live.update(Text(harmless(_line(test, seen, named))))
                if test.verdict(seen.ratio(test)) != "continue":
                    break
    for fault in seen.faults[:5]:
        warn(fault)
    if len(seen.faults) > 5:
        warn(f"… and {len(seen.faults) - 5:,} more faults")
    _end(test, seen, named, output)


@dataclass
class Seen:
    """What a duel has shown so far."""

    scores: Counter[float] = field(default_factory=Counter)
    """How many deals had each score of A."""
    matches: int = 2
    """In a block."""
    shares: tuple[float, ...] = (0.5,)
    """A's part of the seats, by table of a block."""
    pairs: bool = True
    """Whether a block is two matches between two sides, so that its scores are quarters."""
    faults: list[str] = field(default_factory=list)

    @property
    def deals(self) -> int:
        """How many have been played."""
        return self.scores.total()

    def add(self, score: float, faults: Sequence[str]) -> None:
        """Takes in a deal."""
        self.scores[round(score, 9)] += 1
        self.faults += faults

    def ratio(self, test: Hypotheses) -> float:
        """The test's statistic now."""
        # The ends and the middle are always among the scores, so that any mean can be fitted.
        always = PENTANOMIAL.tolist() if self.pairs else [0.0, 0.5, 1.0]
        scores = sorted({*always, *self.scores})
        counts = np.array([self.scores[score] for score in scores])
        return float(test.ratio(counts, np.array(scores), self.matches, self.shares))

    def mean(self) -> tuple[float, float | None]:
        """A's mean score, with its standard error over deals."""
        values, counts = np.array(list(self.scores)), np.array(list(self.scores.values()))
        deals = self.deals
        mean = float(counts @ values) / deals
        if deals < 2:
            return mean, None
        return mean, sqrt(float(counts @ (values - mean) ** 2) / (deals - 1) / deals)


# --- Playing ------------------------------------------------------------------------------------


class Match(NamedTuple):
    """Who duels at what."""

    game: Game
    path: str
    """Its name, or its folder."""
    rules: Rules
    players: int
    a: Entrant
    b: Entrant
    key: bytes
    tables: list[list[int]]
    """For each table of a block its entrants, 0 for A and 1 for B: one a seat, or one a team."""

    @property
    def pairs(self) -> bool:
        """Whether two sides meet, once each way."""
        return len(self.tables[0]) == 2

    @property
    def matches(self) -> int:
        """In a block."""
        return sum(len(table) for table in self.tables)

    @property
    def shares(self) -> tuple[float, ...]:
        """A's part of the seats, by table."""
        return tuple(table.count(0) / len(table) for table in self.tables)


def _match(
    game: str,
    bot_a: str,
    bot_b: str,
    players: int | None,
    rules: Sequence[str],
    seed: int,
    results: Place,
) -> Match:
    found = find_game(game)
    seats = found.usual if players is None else players
    try:
        options = found.rules.read(rules_options(rules))
        found.check_players(seats, options)
    except ValueError as error:
        raise UserError(str(error)) from error
    older = Versions(Store(results))
    a, b = (find_one(bot, found, Path(), seats, options, older) for bot in (bot_a, bot_b))
    size = table_size(found, seats)
    tables = [[i % 2 for i in range(size)]]
    if size % 2:
        tables.append([1 - i % 2 for i in range(size)])
    path = str(Path(game).resolve()) if "/" in game else game
    return Match(found, path, options, seats, a, b, run_key(seed), tables)


def _scores(
    match: Match, deals: int, isolation: Level, budgets: Budgets
) -> Iterator[tuple[float, list[str]]]:
    """Plays blocks; A's mean score in each, and what faults there were.

    In this process no more is played than is looked at; hosts take a while to start, so they get
    more deals each time, of which a settled duel needs only the first.
    """
    first, size = 0, LOOK
    while first < deals:
        last = min(first + size, deals)
        yield from _some(match, range(first, last), isolation, budgets)
        first = last
        if isolation is not Level.inprocess:
            size = min(2 * size, MOST_AT_ONCE)


def _some(
    match: Match, deals: range, isolation: Level, budgets: Budgets
) -> Iterator[tuple[float, list[str]]]:
    """As `_scores`, of these deals, in order."""
    scores: dict[int, list[float]] = {deal: [] for deal in deals}
    faults: dict[int, list[str]] = {deal: [] for deal in deals}
    for table in match.tables:
        series = Series(
            game=match.game,
            path=match.path,
            rules=match.rules,
            players=match.players,
            entrants=tuple((match.a, match.b)[i] for i in table),
            key=match.key,
            deals=deals,
            isolation=isolation.value,
            budgets=budgets,
        )
        matches = played(series, [])
        if isolation is not Level.inprocess:
            matches = sorted(matches, key=lambda one: (one.deal, one.seating))
        for one in matches:
            points = one.ended.result.points
            seats = [seat for seat, i in enumerate(one.order) if table[i] == 0]
            # Each seat of a team has its team's points.
            won = points[seats[0]] if match.pairs else sum(points[seat] for seat in seats)
            scores[one.deal].append(won)
            fault, at = one.ended.fault, one.ended.at
            if fault is not None and at is not None:
                name = series.entrants[one.order[at]].name
                where = f"deal {one.deal}, seat {at}"
                faults[one.deal].append(f"{name}: fault {fault.kind} in {where}: {fault.detail}")
    for deal in deals:
        yield sum(scores[deal]) / len(scores[deal]), faults[deal]


# --- What is said -------------------------------------------------------------------------------


def _counts(text: str) -> list[int]:
    parts = text.split(",")
    if len(parts) != 5 or not all(
        part.strip().isascii() and part.strip().isdigit() for part in parts
    ):
        raise UserError(f"--counts must be five whole numbers, LL,LD,WLDD,WD,WW, not {text!r}")
    numbers = [int(part) for part in parts]
    if not 0 < sum(numbers) < 1 << 53:
        raise UserError(f"--counts must count at least one pair, and not {sum(numbers):,}")
    return numbers


def _line(test: Hypotheses, seen: Seen, names: tuple[str, str]) -> str:
    """How it stands, in one line."""
    lower, upper = test.bounds
    mean, error = seen.mean()
    spread = "" if error is None else f" ± {100 * error:.1f}"
    return (
        f"{names[0]} against {names[1]}: {100 * mean:.1f}{spread} % of the points in"
        f" {seen.deals:,} deals; log-likelihood ratio {seen.ratio(test):+.2f}"
        f" ({lower:+.2f} to {upper:+.2f})"
    )


def _end(test: Hypotheses, seen: Seen, names: tuple[str, str], output: Output) -> None:
    """Prints the verdict and exits with its code."""
    ratio = seen.ratio(test)
    lower, upper = test.bounds
    verdict = test.verdict(ratio)
    mean, error = seen.mean()
    kind = "pentanomial" if seen.pairs else "multinomial over block means"
    row: dict[str, Any] = {
        "llr": ratio,
        "lower": lower,
        "upper": upper,
        "verdict": verdict,
        "test": f"{kind}, {test.model.value}",
        "deals": seen.deals,
        "score": mean,
        "error": error,
    }
    if seen.pairs:
        row["counts"] = [seen.scores[score] for score in PENTANOMIAL.tolist()]
    if output is Output.json:
        json.dump(row, sys.stdout, indent=1, allow_nan=False)
        print()
    elif output is Output.table:
        say(_line(test, seen, names))
        say(
            f"Generalised likelihood ratio, {row['test']}, Elo {test.elo0:g} against {test.elo1:g}."
        )
        a, b = names
        say(
            {
                "H1": f"H1 accepted: {a} is better than {b} by more than Elo {test.elo0:g}.",
                "H0": f"H1 rejected: {a} is not better than {b} by Elo {test.elo1:g}.",
                "continue": f"Undecided after {seen.deals:,} deals.",
            }[verdict]
        )
    else:
        flat = {
            name: str(value) if isinstance(value, list) else value for name, value in row.items()
        }
        show([flat], output)
    raise typer.Exit(CODES[verdict])
