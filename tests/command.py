"""Runs the command line as a user does: in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

MARK = "FAIRDEAL_TESTS"
os.environ[MARK] = str(os.getpid())
"""Marks what these tests start, so that what is left of it can be found."""

BASE = [sys.executable, "-m", "harness.cli"]


def fairdeal(
    *arguments: str | Path, code: int = 0, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """The finished command; it must exit with `code`."""
    done = subprocess.run(
        [*BASE, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=180
    )
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done


def refused(*arguments: str | Path, cwd: Path | None = None) -> str:
    """The one line with which the command refuses a user's mistake."""
    done = fairdeal(*arguments, code=2, cwd=cwd)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("fairdeal: ")
    return lines[0].removeprefix("fairdeal: ")
