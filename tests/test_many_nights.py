"""Six nights in one store, as the campaign of ninety has them (tests/campaigns/nights.py)."""

import re
import subprocess
import sys


def test_six_nights_play_and_reuse_what_they_should() -> None:
    command = [sys.executable, "-m", "tests.campaigns.nights", "--nights", "6", "--keep", "2"]
    done = subprocess.run([*command, "--every", "1"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    nights = [line.split("|") for line in done.stdout.splitlines() if re.match(r"\| \d", line)]
    assert len(nights) == 6
    expected, played = ([int(night[column]) for night in nights] for column in (3, 4))
    assert played == expected
    assert 0 in played, "a night on which nothing is new"
    files = [int(night[6]) for night in nights]
    assert max(files) <= 16 + 16, "one file a table of the last two nights"
