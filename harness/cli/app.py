"""Puts the commands together, and turns errors into one line and an exit code."""

import os
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from importlib import import_module
from typing import Any

import typer

from harness.errors import UserError, reason_of

COMMANDS = {
    "games": "lists:games",
    "bots": "lists:bots",
    "match": "match:match",
    "replay": "match:replay",
    "new-bot": "check:new_bot",
    "check": "check:check_bot",
    "spar": "spar:spar",
    "duel": "duel:duel",
    "run": "run_config:run",
    "balance": "balance:balance",
    "tune": "tune:tune",
    "runs": "runs:runs",
    "verify": "verify:verify_run",
    "reveal": "reveal:reveal_run",
    "gc": "gc:collect",
    "ratings": "ratings:ratings",
    "metagame": "metagame:meta_game",
    "faults": "faults:faults",
    "tactics": "tactics:tactics",
    "skill": "skill:skill_and_luck",
    "report": "report:report",
    "solve": "solve:solve",
    "bench": "bench:bench",
}
"""Where each command is: its module here, and its function."""


def assembled(names: Iterable[str]) -> typer.Typer:
    """The application with these commands; each brings its own imports, some of them slow."""
    app = typer.Typer(
        name="fairdeal",
        help="Tournament simulation and bot competitions for card games.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_every_command_has_a_name)
    for name in names:
        module, _, function = COMMANDS[name].partition(":")
        app.command(name)(_stopped(getattr(import_module(f"harness.cli.{module}"), function)))
    return app


def _stopped(command: Callable[..., None]) -> Callable[..., None]:
    """Says of Ctrl-C in a word what typer itself makes an exit code of alone."""

    @wraps(command)
    def run(**given: Any) -> None:
        try:
            command(**given)
        except KeyboardInterrupt:
            print("fairdeal: stopped", file=sys.stderr)
            raise typer.Exit(130) from None

    return run


def _every_command_has_a_name() -> None:
    pass


def run(arguments: list[str] | None = None) -> int:
    """Runs a command line and returns its exit code; without a command, shows the help."""
    if arguments is None:
        arguments = sys.argv[1:] or ["--help"]
    wanted = [arguments[0]] if arguments[0] in COMMANDS else COMMANDS
    try:
        code = assembled(wanted)(args=arguments, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.Exit as stop:
        return stop.exit_code
    except UserError as error:
        return _say(str(error))
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        where = f" (see {context.command_path} --help)" if context is not None else ""
        return _say(error.format_message().rstrip(".") + where)
    except (KeyboardInterrupt, typer.Abort):
        print("fairdeal: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output has gone, which is its good right.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # Results that lie elsewhere may be out of reach at any moment.
        where = f"{error.filename}: " if error.filename else ""
        return _say(f"{where}{reason_of(error)}")


def _say(message: str) -> int:
    line = " ".join(message.split())
    print(f"fairdeal: {line}", file=sys.stderr)
    return 2
