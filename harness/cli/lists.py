"""`fairdeal games` and `fairdeal bots`: what there is."""

import ast
import dataclasses
import inspect
import textwrap
from enum import StrEnum
from typing import Annotated

import typer

from games.game import Game, Rules, allowed, spell
from games.restrictions import may_be_forbidden
from harness.bot_files import BotFile
from harness.cli.tables import Output, cell, say, show
from harness.entrants import builtin_bots, enter
from harness.files import Place, place
from harness.games import builtin_names, find_game

OutputOption = Annotated[
    Output, typer.Option("--output", help="How to print tables.", show_default=True)
]


ResultsOption = Annotated[
    Place,
    typer.Option(
        "--results",
        metavar="DIR",
        parser=place,
        help="The results: a folder, or an address such as s3://bucket/folder.",
    ),
]


class Level(StrEnum):
    """Levels of isolation."""

    inprocess = "inprocess"
    process = "process"
    sandbox = "sandbox"


def games(
    game: Annotated[str | None, typer.Argument(help="A game's name, or its folder.")] = None,
    output: OutputOption = Output.table,
) -> None:
    """The games; with GAME its seats, roles, rules options, tactics and what may be forbidden.

    Example: fairdeal games forest_fox
    """
    if game is None:
        show([_summary(find_game(name)) for name in builtin_names()], output)
        return
    found = find_game(game)
    options = [
        {
            "option": field.name,
            "default": spell(field.default),
            "allowed": allowed(field),
            "meaning": meaning,
        }
        for field, meaning in zip(
            dataclasses.fields(found.rules), _meanings(found.rules), strict=True
        )
    ]
    tactics = [{"tactic": t.name, "counted when a seat": t.meaning} for t in found.tactics]
    if output is not Output.table:
        shown: list[dict[str, str | None]] = [
            {"kind": "option", "name": o["option"], **{k: o[k] for k in o if k != "option"}}
            for o in options
        ]
        shown += [
            {
                "kind": "tactic",
                "name": t.name,
                "default": None,
                "allowed": None,
                "meaning": t.meaning,
            }
            for t in found.tactics
        ]
        shown += [
            {"kind": "forbid", "name": name, "default": None, "allowed": None, "meaning": None}
            for name in may_be_forbidden(found)
        ]
        show(shown, output)
        return
    say(f"{found.title}: {found.summary}. Seats: {_span(found.players)} (usually {found.usual}).")
    roles = found.roles(found.usual)
    if any(roles):
        seats = ", ".join(f"seat {seat} {role}" for seat, role in enumerate(roles))
        say(f"Roles, with {found.usual}: {seats}.")
    say(f"A match ends by: {', '.join(found.ends)}. Rules number {found.number}.")
    show(options, output, "Rules options")
    show(tactics, output, "Tactics")
    words, known = found.words, may_be_forbidden(found)[len(found.words) :]
    say(f"May be forbidden, by an action's first word: {', '.join(words)}.")
    say(f"By a tactic: {', '.join(known)}." if known else "No tactic may be forbidden.")


def _summary(game: Game) -> dict[str, object]:
    return {
        "game": game.name,
        "seats": _span(game.players),
        "usual": game.usual,
        "options": len(dataclasses.fields(game.rules)),
        "tactics": len(game.tactics),
        "kind": game.summary,
    }


def _span(numbers: tuple[int, ...]) -> str:
    low, high = numbers[0], numbers[-1]
    if low == high or numbers != tuple(range(low, high + 1)):
        return ", ".join(map(str, numbers))
    return f"{low} to {high}"


def _meanings(rules: type[Rules]) -> list[str]:
    """The docstring below each field of a rules class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(rules))).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, after in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            found[field.target.id] = " ".join(str(after.value.value).split())
    return [found.get(field.name, "") for field in dataclasses.fields(rules)]


def bots(
    game: Annotated[str | None, typer.Argument(help="Only those that play this game.")] = None,
    output: OutputOption = Output.table,
) -> None:
    """The bots that come with Fairdeal, with version and what they play.

    Example: fairdeal bots forest_fox
    """
    found = builtin_bots()
    if game is not None:
        wanted = find_game(game)
        found = tuple(bot for bot in found if not bot.plays(wanted))
    columns = ("bot", "version", "plays", "seats", "parameters", "about")
    show([_row(bot) for bot in found], output, columns=columns)


def _row(bot: BotFile) -> dict[str, object]:
    parameters = ", ".join(f"{name}={cell(value)}" for name, value in bot.parameters.items())
    return {
        "bot": bot.name,
        "version": enter(bot).version[:8],
        "plays": ", ".join(bot.games) or "any game",
        "seats": _span(bot.seats) if bot.seats else "any",
        "parameters": parameters or None,
        "about": bot.about,
    }
