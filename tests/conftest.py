"""One hash seed, as wherever matches are played; and `--game PATH` for the conformance suite."""

import signal
import sys

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--game",
        action="append",
        default=[],
        help="the folder of a game outside the package, for the conformance suite; repeatable",
    )


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell's script ignores it in what it starts with `&`, and so would all that tests start.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.flags.hash_randomization:
        pytest.exit("run the tests with PYTHONHASHSEED=0 (make test does)", returncode=2)
    if paths := config.getoption("--game"):
        from harness.games import find_game
        from tests.strategies import GAMES

        GAMES.extend(find_game(path) for path in paths)
