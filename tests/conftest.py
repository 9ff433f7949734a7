"""Matches are played under one hash seed, in tests too."""

import sys

import pytest


def pytest_configure(config: pytest.Config) -> None:
    if sys.flags.hash_randomization:
        pytest.exit("run the tests with PYTHONHASHSEED=0 (make test does)", returncode=2)
