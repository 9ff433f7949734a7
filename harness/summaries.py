"""The summary that stays when a run's chunks go: all figures of its report, beside its manifest."""

import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import UserError
from harness.files import Place, write_whole

SUMMARY = 1
"""The number of the summary's form."""


def write_summary(folder: Place, contests: Sequence[Mapping[str, Any]]) -> None:
    """Writes all figures of a run's report in one step: JSON, compressed."""
    text = json.dumps({"summary": SUMMARY, "contests": contests}, allow_nan=False)
    write_whole(folder / "summary.json.gz", gzip.compress(text.encode(), mtime=0))


def read_summary(folder: Place) -> list[dict[str, Any]] | None:
    """The contests of a run's summary, or None if it has none; UserError if that is damaged."""
    path = folder / "summary.json.gz"
    try:
        summary = json.loads(gzip.decompress(path.read_bytes()))
        if summary["summary"] != SUMMARY:
            raise ValueError(f"its form is {summary['summary']!r}, not {SUMMARY}")
        contests: list[dict[str, Any]] = summary["contests"]
    except FileNotFoundError:
        return None
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: this run's summary is damaged ({error})") from error
    return contests
