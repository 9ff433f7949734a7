"""Who stops a run, even while Ray starts or with Ctrl-C ignored, is told how it goes on."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness import cluster
from tests.command import BASE
from tests.test_run import config, wait_for_chunk


@pytest.mark.parametrize("isolation", ["inprocess", "process"])
def test_a_run_that_a_script_began_in_the_background_can_be_stopped(
    tmp_path: Path, isolation: str
) -> None:
    """A shell without job control starts such a command with SIGINT ignored."""
    path = config(tmp_path, ["humble", "one_ahead"], deals=1_000_000)
    command = [*BASE, "run", str(path), "--local", "--isolation", isolation]
    running = subprocess.Popen(
        [*command, "--results", str(tmp_path / "results")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    try:
        wait_for_chunk(running, tmp_path / "results")
        running.terminate()
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130
    assert "matches are stored; `fairdeal run" in said
    assert "Traceback" not in said


def test_sigterm_while_ray_starts_is_no_silent_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray's own handler leaves with SystemExit; ours is back afterwards."""
    before = signal.getsignal(signal.SIGTERM)

    def init(**_: Any) -> None:
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(number))
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(cluster, "_imported", lambda: SimpleNamespace(init=init))
    with pytest.raises(KeyboardInterrupt):
        cluster._init(num_cpus=1)
    assert signal.getsignal(signal.SIGTERM) is before
