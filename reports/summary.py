"""A run's summary: what is kept of its results when their rows go."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from harness.errors import UserError
from harness.store import Place, Store, read_manifest, span_of
from harness.summaries import read_summary
from reports.overview import overview
from reports.ratings import Ratings
from reports.results import Contest

Plain = dict[str, Any]


def summarise(contest: Contest, rated: Ratings) -> Plain:
    """All that a report says of a contest, what its decisions cost, and what its tables played."""
    return {**overview(contest, rated), "costs": costs(contest), "tables": tables(contest)}


def costs(contest: Contest) -> list[Plain]:
    """By bot, how many decisions it was asked for and the time it took, in microseconds."""
    index = {bot: number for number, bot in enumerate(contest.bots)}
    decisions, time = np.zeros(len(index), dtype=np.int64), np.zeros(len(index), dtype=np.int64)
    for name in contest.chunks():
        rows = contest.read(name, ["bot", "decisions", "time_us"])
        each = rows.group_by("bot").aggregate([("decisions", "sum"), ("time_us", "sum")])
        for bot, asked, took in zip(*(column.to_pylist() for column in each), strict=True):
            decisions[index[bot]] += asked or 0
            time[index[bot]] += took or 0
    return [
        {
            "bot": bot,
            "decisions": int(asked),
            "time_us": int(took),
            "us_a_decision": float(took / asked) if asked else None,
        }
        for bot, asked, took in zip(contest.bots, decisions, time, strict=True)
    ]


def tables(contest: Contest) -> list[Plain]:
    """By table, its deals and matches."""
    size = len(set(contest.about["teams"]))
    found = []
    for table in contest.about["tables"]:
        deals = sum(span_of(name).deals for name in table["chunks"])
        line = {"entrants": table["entrants"], "deals": deals, "matches": deals * size}
        found.append(line | ({"suspended": table["suspended"]} if "suspended" in table else {}))
    return found


class Left(NamedTuple):
    """What is left of a run whose chunks are gone."""

    name: str
    since: str | None
    """When they were removed, where that is known."""
    ratings: Sequence[Plain] | None
    """By contest, as the manifest of a run that was rated has them; None if they weren't kept."""
    contests: Sequence[Plain] | None
    """By contest, as `summarise` has them; None if no summary was kept."""


def left_of(store: Store, folder: Place) -> Left | None:
    """What is left of a run; None if its chunks are there, or may yet be.

    UserError if neither ratings nor a summary are.
    """
    manifest = read_manifest(folder)
    if manifest["status"] == "unfinished" or not gone(store, manifest):
        return None
    name = f"{folder.parent.name}/{folder.name}"
    ratings = kept_ratings(folder, manifest)
    left = Left(name, manifest.get("rows_removed"), ratings, read_summary(folder))
    if left.ratings is None and left.contests is None:
        rest = (
            "of a study's metrics its manifest tells" if manifest["summary"] else "nothing is left"
        )
        raise UserError(f"{name}: its chunks are gone, and no summary was kept: {rest}")
    return left


def kept_ratings(folder: Place, manifest: Plain) -> list[Plain] | None:
    """The ratings of a run by contest, from its manifest; of studies, and of runs that were closed,
    its summary alone has them. None if nothing has.
    """
    known = manifest["summary"] or []
    if known and all("ratings" in each for each in known):
        return list(known)
    found = [each["rated"] for each in read_summary(folder) or () if "rated" in each]
    return found or None


def gone(store: Store, manifest: Plain) -> bool:
    """Whether a run's chunks were removed, or none of them is there."""
    if manifest.get("rows_removed") is not None:
        return True
    names = [
        name
        for contest in manifest["contests"]
        for table in contest["tables"]
        for name in table["chunks"]
    ]
    return bool(names) and all(store.holder(name) is None for name in names)
