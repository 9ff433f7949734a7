"""What bots did wrong in a contest, case by case, and what came of second looks at it."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from reports.results import Contest


class Case(NamedTuple):
    """One fault, as its chunk keeps it: the first few of each bot and kind."""

    contest: int
    bot: str
    kind: str
    table: tuple[str, ...]
    """The labels of all who sat there."""
    deal: int
    seating: int
    seat: int
    detail: str
    """What it answered, or its error."""
    legal: tuple[str, ...]
    """The first few of the actions that were legal."""
    moves: tuple[str, ...]
    """The record up to the fault; empty where bots ran in-process."""


class Faults(NamedTuple):
    """The faults of a contest."""

    numbers: Counter[tuple[str, str]]
    """Matches lost, by bot and kind."""
    cases: list[Case]
    """In the order of tables, deals and seatings."""
    looks: Counter[tuple[str, str, str]]
    """Second looks, by bot, kind of fault and outcome."""


def faults_of(contest: Contest) -> Faults:
    """All that is kept of a contest's faults; BadChunk if a chunk is damaged."""
    numbers, _ = contest.faults()
    cases: list[Case] = []
    looks: Counter[tuple[str, str, str]] = Counter()
    for table in contest.about["tables"]:
        for name in table["chunks"]:
            about = contest.said(name)
            cases += [_case(contest.number, table["entrants"], fault) for fault in about["faults"]]
            looks.update((each["bot"], each["kind"], each["outcome"]) for each in about["looks"])
    return Faults(numbers, cases, looks)


def _case(number: int, table: list[str], fault: Mapping[str, Any]) -> Case:
    return Case(
        number,
        fault["bot"],
        fault["kind"],
        tuple(table),
        fault["deal"],
        fault["seating"],
        fault["seat"],
        fault["detail"],
        tuple(fault["legal"]),
        tuple(fault["moves"]),
    )
