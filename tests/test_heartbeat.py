"""What runs without a terminal says from time to time how far it is."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.cli import run_config
from harness.cli.app import run
from harness.cli.heartbeat import heartbeat
from harness.cli.tables import warn


def test_a_line_now_and_then_and_none_afterwards(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = iter(range(1000))
    with heartbeat(lambda: f"{next(numbers)} matches are stored", first=0.05):
        time.sleep(1.0)
    said = capsys.readouterr().err.splitlines()
    # After 0.05, 0.15, 0.35 and 0.75 seconds; a busy machine may miss some.
    assert 1 <= len(said) <= 4
    assert said == [f"{number} matches are stored" for number in range(len(said))]
    time.sleep(0.2)
    assert capsys.readouterr().err == ""


def test_what_is_over_soon_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with heartbeat(lambda: "still here"):
        pass
    assert capsys.readouterr().err == ""


def test_a_run_without_a_terminal_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Here at once, where a user waits for a minute."""

    @contextmanager
    def at_the_end(line: Callable[[], str]) -> Iterator[None]:
        yield
        warn(line())

    monkeypatch.setattr(run_config, "heartbeat", at_the_end)
    config = tmp_path / "small.toml"
    config.write_text(
        'name = "small"\nseed = 4\nisolation = "inprocess"\n[[contest]]\ngame = "forest_fox"\n'
        'bots = ["humble", "one_ahead"]\ndeals = 16\n'
    )
    command = ["run", str(config), "--local", "--results", str(tmp_path / "results")]
    assert run(command) == 0
    assert "32 of 32 matches are stored after 0 s\n" in capsys.readouterr().err
