"""What runs without a terminal says from time to time how far it is."""

import time

import pytest

from harness.cli.heartbeat import heartbeat


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
