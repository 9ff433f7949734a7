"""The command line: the one place that knows everyone."""

import os
import sys


def main() -> None:
    """Runs a command; exit code 2, and one line on stderr, for a user's mistake."""
    if sys.flags.hash_randomization:
        # Matches are played under one hash seed, which only a new interpreter can have.
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    from harness.cli.app import run

    sys.exit(run())
