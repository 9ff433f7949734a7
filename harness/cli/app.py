"""Puts the commands together, and turns errors into one line and an exit code."""

import os
import sys

import typer

from harness.cli import (
    bench,
    check,
    duel,
    lists,
    match,
    metagame,
    ratings,
    report,
    run_config,
    skill,
    solve,
    spar,
    tactics,
)
from harness.errors import UserError

app = typer.Typer(
    name="fairdeal",
    help="Tournament simulation and bot competitions for card games.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("games")(lists.games)
app.command("bots")(lists.bots)
app.command("match")(match.match)
app.command("replay")(match.replay)
app.command("new-bot")(check.new_bot)
app.command("check")(check.check_bot)
app.command("run")(run_config.run)
app.command("runs")(run_config.runs)
app.command("ratings")(ratings.ratings)
app.command("metagame")(metagame.meta_game)
app.command("tactics")(tactics.tactics)
app.command("skill")(skill.skill_and_luck)
app.command("report")(report.report)
app.command("duel")(duel.duel)
app.command("solve")(solve.solve)
app.command("spar")(spar.spar)
app.command("bench")(bench.bench)


def run(arguments: list[str] | None = None) -> int:
    """Runs a command line and returns its exit code; without a command, shows the help."""
    if arguments is None:
        arguments = sys.argv[1:] or ["--help"]
    try:
        code = app(args=arguments, standalone_mode=False)
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


def _say(message: str) -> int:
    line = " ".join(message.split())
    print(f"fairdeal: {line}", file=sys.stderr)
    return 2
