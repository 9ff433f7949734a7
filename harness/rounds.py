"""Draws rounds: in each every bot sits at equally many tables, and pairs are balanced over all.

A round has as many tables as there are bots, so a bot sits at as many as a table has places,
however many bots there are; where there are no more tables than that, a round has them all. Rounds
drawn before are kept as far as their bots are still there, so that their rows need not be played
again.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import combinations
from math import comb
from random import Random
from typing import Any

Seated = tuple[int, ...]
"""The indices of a table's bots, ascending."""

TRIES = 200
"""How often a round is drawn again that came to two equal tables."""


def draw(
    names: Sequence[str], size: int, rounds: int, before: Sequence[Sequence[Sequence[str]]] = ()
) -> list[list[Seated]]:
    """So many rounds for these bots, tables of `size`; `before` are earlier ones, by names.

    The same names and earlier rounds give the same rounds; and drawn after itself it is unchanged.
    """
    index = {name: number for number, name in enumerate(names)}
    met = [[0] * len(names) for _ in names]
    found = []
    for number in range(rounds):
        if comb(len(names), size) <= len(names):
            found.append(list(combinations(range(len(names)), size)))
            continue
        old = before[number] if number < len(before) else ()
        kept = [
            tuple(sorted(index[name] for name in table))
            for table in old
            if len(table) == size and all(name in index for name in table)
        ]
        tables = _round(
            len(names), size, _feasible(kept, len(names), size, met), met, number, names
        )
        for table in tables:
            _meet(table, met, 1)
        found.append(tables)
    return found


def _feasible(kept: list[Seated], bots: int, size: int, met: list[list[int]]) -> list[Seated]:
    """As many of these tables as leave a round in which the rest can be seated.

    It can exactly if nobody still needs more places than there are tables left.
    """
    kept = list(dict.fromkeys(kept))
    for bot in range(bots):
        mine = [table for table in kept if bot in table]
        for table in mine[size:]:
            kept.remove(table)
    while True:
        needs = _needs(kept, bots, size)
        if max(needs) <= bots - len(kept):
            return kept
        kept.remove(max(kept, key=lambda table: (_familiar(table, met), table)))


def _needs(tables: Sequence[Seated], bots: int, size: int) -> list[int]:
    needs = [size] * bots
    for table in tables:
        for bot in table:
            needs[bot] -= 1
    return needs


def _round(
    bots: int,
    size: int,
    kept: Sequence[Seated],
    met: list[list[int]],
    number: int,
    names: Sequence[str],
) -> list[Seated]:
    """A round that has these tables; the others seat together those who met least."""
    for attempt in range(TRIES):
        text = "\n".join([str(number), str(attempt), *names])
        rng = Random(int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big"))
        tables = list(kept)
        for table in tables:
            _meet(table, met, 1)
        needs = _needs(tables, bots, size)
        while len(tables) < bots:
            table = _table(needs, bots - len(tables), size, met, rng)
            for bot in table:
                needs[bot] -= 1
            _meet(table, met, 1)
            tables.append(table)
        for table in tables:
            _meet(table, met, -1)
        if len(set(tables)) == len(tables):
            return tables
    raise AssertionError("no round of different tables was found")


def _table(needs: list[int], left: int, size: int, met: list[list[int]], rng: Random) -> Seated:
    """One table: whoever must sit at all that are left, then who met those least."""
    seated = [bot for bot, need in enumerate(needs) if need == left]
    open_ = [bot for bot, need in enumerate(needs) if 0 < need < left]
    rng.shuffle(open_)
    while len(seated) < size:
        best = min(open_, key=lambda bot: (sum(met[bot][other] for other in seated), -needs[bot]))
        open_.remove(best)
        seated.append(best)
    return tuple(sorted(seated))


def _familiar(table: Seated, met: list[list[int]]) -> int:
    return sum(met[a][b] for a, b in combinations(table, 2))


def _meet(table: Seated, met: list[list[int]], times: int) -> None:
    for a, b in combinations(table, 2):
        met[a][b] += times
        met[b][a] += times


# --- In manifests ---------------------------------------------------------------------------------


def written(
    rounds: Sequence[Sequence[Sequence[str]]], labels: Sequence[str], deals: int
) -> dict[str, Any] | None:
    """Rounds as a manifest has them: each table as the numbers of its entrants; None without."""
    if not rounds:
        return None
    number = {label: i for i, label in enumerate(labels)}
    drawn = [[sorted(number[label] for label in table) for table in each] for each in rounds]
    return {"deals": deals, "drawn": drawn}


def drawn_before(
    manifest: Mapping[str, Any] | None, about: Mapping[str, Any], deals: int, index: int
) -> list[list[list[str]]]:
    """The rounds, of so many deals, that a manifest has of a contest that agrees with `about`; by
    labels. Of several the one with this index, else the first.
    """
    found = []
    for number, contest in enumerate(manifest["contests"] if manifest else []):
        rounds = contest.get("rounds")
        agrees = all(contest[key] == value for key, value in about.items())
        if rounds and agrees and rounds["deals"] == deals:
            labels = [entrant["label"] for entrant in contest["entrants"]]
            drawn = [[[labels[i] for i in table] for table in each] for each in rounds["drawn"]]
            found.append((number != index, drawn))
    return min(found, key=lambda each: each[0])[1] if found else []
