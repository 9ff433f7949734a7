"""Puts the commands together, and turns errors into one line and an exit code."""

import os
import sys

import click
import typer
from click.exceptions import Exit

from harness.cli import bench, lists, match, ratings, run_config
from harness.errors import UserError

app = typer.Typer(
    name="fairdeal",
    help="Tournament simulation and bot competitions for card games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("games")(lists.games)
app.command("bots")(lists.bots)
app.command("match")(match.match)
app.command("replay")(match.replay)
app.command("run")(run_config.run)
app.command("runs")(run_config.runs)
app.command("ratings")(ratings.ratings)
app.command("bench")(bench.bench)


def run(arguments: list[str] | None = None) -> int:
    """Runs a command line and returns its exit code."""
    try:
        code = app(args=arguments, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except Exit as stop:
        return stop.exit_code
    except UserError as error:
        return _say(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return 2
    except click.ClickException as error:
        where = ""
        if isinstance(error, click.UsageError) and error.ctx is not None:
            where = f" (see {error.ctx.command_path} --help)"
        return _say(error.format_message().rstrip(".") + where)
    except (KeyboardInterrupt, click.Abort):
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
