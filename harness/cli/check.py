"""`fairdeal check` and `fairdeal new-bot`: for those who write bots."""

import ast
import inspect
import textwrap
from pathlib import Path
from typing import Annotated, Any

import typer

from games.game import Game
from harness.bot_files import read_bot
from harness.check import Report, check
from harness.cli.lists import Level, OutputOption, ResultsOption
from harness.cli.tables import Output, say, show
from harness.config import budgets_of, read_config
from harness.entrants import builtin_bots, enter, named_version, split_parameters, submitted_name
from harness.errors import UserError
from harness.games import builtin_names, find_game
from harness.play import sandbox
from harness.play.budgets import Budgets
from harness.play.wire import view_type
from harness.store import Store
from harness.versions import Versions


def check_bot(
    bot: Annotated[str, typer.Argument(help="A file, a folder, or a built-in bot's name.")],
    game: Annotated[str | None, typer.Option(help="Only this game.")] = None,
    config: Annotated[
        Path | None, typer.Option(help="Take budgets and packages from this config.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, help="The time budget.")] = 30.0,
    isolation: Annotated[Level, typer.Option(help="process, where there is no sandbox.")] = (
        Level.sandbox
    ),
    results: ResultsOption = Path("results"),
    output: OutputOption = Output.table,
) -> None:
    """Check that a bot is fit to be submitted; exit code 1 if it isn't.

    It is played in the sandbox: in every game, number of seats and role that it claims, under
    varied rules, as far as time allows; then again one decision at a time, and under another hash
    seed, which must give the same play.

    Example: fairdeal check ./mybot.py
    """
    if isolation is Level.inprocess:
        raise UserError(
            '--isolation must be "sandbox" or "process": in-process nothing is measured'
        )
    sandbox.check(isolation.value)
    version = named_version(bot, Path())
    older = Versions(Store(results))(*version) if version else None
    name, parameters = split_parameters(bot)
    path = Path(name)
    known = [found for found in builtin_bots() if found.name == name]
    if older is not None:
        found = older.bot
    elif known and not path.exists():
        wanted = find_game(game) if game else None
        fitting = [found for found in known if wanted is None or not found.plays(wanted)]
        if not fitting:
            raise UserError(f"{name}: {known[0].plays(wanted) if wanted else ''}")
        found = fitting[0]
    else:
        found = read_bot(path, submitted_name(path))
    only = find_game(game) if game else None
    games = [only] if only else [find_game(each) for each in builtin_names()]
    if all(found.plays(each) for each in games):
        raise UserError(f"{found.name}: {found.plays(games[0])}")
    budgets = Budgets()
    if config is not None:
        said = read_config(config)
        budgets = budgets_of(said, said.contest[0])
    entrant = older or enter(found, parameters)
    report = check(entrant, only, isolation.value, budgets, seconds)
    unfit = bool(report.findings) or (bool(report.differences) and found.reproducible)
    show(_rows(report, found.reproducible), output)
    if output is Output.table:
        say(_covered(report))
        say(f"{entrant.label} is {'NOT fit to be submitted' if unfit else 'fit to be submitted'}.")
    if unfit:
        raise typer.Exit(1)


def _rows(report: Report, reproducible: bool) -> list[dict[str, Any]]:
    """The check's table."""
    first = report.findings[0] if report.findings else None
    other = report.differences[0] if report.differences else None
    loads = first is None or first.kind != "load"
    rows = [
        ("loads", loads, "" if loads or first is None else first.detail),
        (
            "answers legally",
            first is None,
            f"{report.decisions:,} decisions"
            if first is None
            else f"{first.kind} in {first.where}: {first.detail}",
        ),
        (
            "same seed, same play",
            other is None if reproducible and first is None else None,
            "not tried, since it doesn't play"
            if first is not None and other is None
            else "in batches, one by one, under another hash seed"
            if other is None
            else f"{other.kind}: {other.where}, {other.detail}",
        ),
        (
            "time a decision",
            None,
            f"median {report.median_us:,.0f} µs, worst {report.worst_us:,.0f} µs of CPU time",
        ),
        ("memory", None, f"{report.peak_mb:,.0f} MB"),
        (
            "writes nothing",
            None,
            ""
            if not report.written
            else f"{report.written:,} bytes of output, which are thrown away",
        ),
    ]
    words = {True: "yes", False: "NO", None: "–"}
    return [{"what": what, "passed": words[passed], "": how} for what, passed, how in rows]


def _covered(report: Report) -> str:
    by_game: dict[str, set[int]] = {}
    for one in report.tried:
        by_game.setdefault(one.game.name, set()).add(one.players)
    games = "; ".join(
        f"{name} with {', '.join(map(str, sorted(seats)))} seats" for name, seats in by_game.items()
    )
    rest = f"; no time for {report.left} more" if report.left else "; nothing left out"
    return f"Covered: {games} ({len(report.tried)} combinations of seats, roles and rules{rest})."


# --- A new bot ----------------------------------------------------------------------------------

TEMPLATE = '''"""{title}: {name}, a bot.

What `view` holds:

{fields}
"""

from harness.bot import Bot


class {class_name}(Bot):
    """Chooses among the legal actions at random, until you write something better."""

    games = ("{game}",)
    weight = 1  # rough cost of a decision: 1 is 10 microseconds

    def act(self, view, legal):
        return self.rng.choice(legal)
'''


def new_bot(
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits and _.")],
    game: Annotated[str, typer.Option(help="The game that it plays.")],
) -> None:
    """Write a file that is a bot already, with the game's view fields at its top.

    Example: fairdeal new-bot hermit --game forest_fox
    """
    if not (name.isidentifier() and name.islower()):
        raise UserError(f"a bot's name must be small letters, digits and _, not {name!r}")
    found = find_game(game)
    path = Path(f"{name}.py")
    text = TEMPLATE.format(
        title=found.title,
        name=name,
        fields="\n".join(_fields(found)),
        class_name="".join(part.capitalize() for part in name.split("_")) or "Mine",
        game=found.name,
    )
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UserError(f"{path} is there already") from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error
    say(f"Wrote {path}. Next: fairdeal match {found.name} ./{path} random_legal --deals 100"[:200])
    say(f"and, before you submit it: fairdeal check ./{path}")


def _fields(game: Game) -> list[str]:
    """A line for each field of the game's views, with what stands below it in the source."""
    kind = view_type(game)
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    lines: list[str] = []
    for statement in body.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            lines.append(f"- {statement.target.id}: {ast.unparse(statement.annotation)}")
        elif (
            lines
            and isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        ):
            meaning = " ".join(statement.value.value.split())
            lines += textwrap.wrap(meaning, 90, initial_indent="    ", subsequent_indent="    ")
    return [line for line in lines if '"""' not in line]
