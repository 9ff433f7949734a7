"""Tragedy's rulings, as stories at the table, and recorded matches of other programs."""

from pathlib import Path

import pytest

from harness.records import verify

RECORDS = (Path(__file__).parent / "data" / "examples_tragedy.jsonl").read_text().splitlines()


@pytest.mark.parametrize("line", RECORDS)
def test_a_recorded_match_replays(line: str) -> None:
    verify(line)
