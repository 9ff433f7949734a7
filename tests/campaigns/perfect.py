"""Does `perfect` ever get less than the exact value? `python -m tests.campaigns.perfect [DEALS]`.

Every other built-in bot of Forest Fox is its opponent, in both seatings of every deal, under both
values of `leader`.
"""

import os
import sys
from collections import Counter
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from games.chance import Chance
from games.forest_fox.rules import GAME, PACK, ForestFox, Rules
from games.forest_fox.solver import Solver
from harness.cli.tables import Output, show
from harness.entrants import find_bots, find_one
from harness.play.chunk import play_chunk
from harness.play.seeds import deal_seed, run_key
from harness.play.tables import Chunk, make_table

KEY = run_key(2026)
LEADERS = ("first_player", "trick_winner")
CHUNK = 100


class Job(NamedTuple):
    """So many deals against one opponent."""

    leader: str
    opponent: str
    first: int
    last: int


class Line(NamedTuple):
    """What is counted apart."""

    leader: str
    opponent: str
    seat: int


def opponents() -> list[str]:
    """Every built-in bot of the game but `perfect`."""
    entrants, _ = find_bots("*", GAME, Path())
    return [entrant.name for entrant in entrants if entrant.name != "perfect"]


@cache
def exact(leader: str, deal: int) -> float:
    """The points of seat 0 if both play perfectly."""
    rules = Rules(leader=leader)
    chance = Chance(PACK, deal_seed(KEY, GAME.name, 2, deal))
    return Solver(rules).points(ForestFox(rules, 2, chance), 0)


def played(job: Job) -> dict[Line, Counter[str]]:
    """Plays a job's matches: those that were `won` or `lost` from the start, won `kept`, lost
    `turned`, and `faults` by either bot.
    """
    rules = Rules(leader=job.leader)
    entrants = [find_one(name, GAME, Path()) for name in ("perfect", job.opponent)]
    table = make_table("forest_fox", GAME, rules, 2, entrants, "inprocess")
    rows = play_chunk(Chunk(table, job.first, job.last, KEY)).rows
    columns = ["deal", "seat", "bot", "points", "end"]
    found: dict[Line, Counter[str]] = {}
    for row in rows.select(columns).to_pylist():
        if not row["bot"].startswith("perfect@"):
            continue
        first = exact(job.leader, row["deal"])
        value = first if row["seat"] == 0 else 1 - first
        counts = found.setdefault(Line(job.leader, job.opponent, row["seat"]), Counter())
        counts["won" if value else "lost"] += 1
        counts["kept" if value else "turned"] += row["points"] == 1
        counts["faults"] += row["end"] == "fault"
    return found


def campaign(deals: int, found: dict[Line, Counter[str]]) -> None:
    """Plays all jobs on all cores, and adds what they count to `found` as they end."""
    jobs = [
        Job(leader, opponent, first, min(first + CHUNK, deals) - 1)
        for first in range(0, deals, CHUNK)
        for leader in LEADERS
        for opponent in opponents()
    ]
    with get_context("spawn").Pool(len(os.sched_getaffinity(0))) as pool:
        for number, each in enumerate(pool.imap_unordered(played, jobs), start=1):
            for line, counts in each.items():
                found.setdefault(line, Counter()).update(counts)
            print(f"\r{number} of {len(jobs)} jobs", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def failed(found: dict[Line, Counter[str]]) -> bool:
    """Whether a won position was ever lost, or a match ended by a fault."""
    return any(counts["kept"] < counts["won"] or counts["faults"] for counts in found.values())


def main(deals: int) -> int:
    """Prints what was found, also if it is stopped; exit code 1 if a won position was lost."""
    found: dict[Line, Counter[str]] = {}
    try:
        campaign(deals, found)
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
    kinds = ("won", "kept", "lost", "turned", "faults")
    rows = [
        {**line._asdict(), **{kind: counts[kind] for kind in kinds}}
        for line, counts in sorted(found.items())
    ]
    show(rows, Output.table, "Won positions kept, and lost ones turned, by perfect")
    return int(failed(found))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000))
