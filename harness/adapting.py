"""Bots that adapt: tuned to each variant of a study, on deals of their own, before they compare.

A bot with declared `ranges` is tried with values from them, one candidate at a table with the rest
of the field as it is written; the seed of these trials is another than the study's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import combinations, product
from random import Random
from typing import NamedTuple

from harness.entrants import Entrant, enter
from harness.errors import UserError
from harness.play.seeds import run_key
from harness.play.tables import Table
from harness.study import StudyConfig
from harness.tournament import Plan, PlannedContest

CANDIDATES = 24
"""So many sets of values of a bot are tried at most, beside its defaults."""


class Trial(NamedTuple):
    """One bot and one variant."""

    variant: int
    entrant: Entrant
    """As it is written."""
    candidates: list[Entrant]
    """Itself first."""


def adapting(said: StudyConfig, entrants: Sequence[Entrant]) -> list[Entrant]:
    """The study's bots that adapt: all with ranges that its config leaves open, or those named.

    UserError for a name that isn't among them.
    """
    if said.retune is False:
        return []
    able = [entrant for entrant in entrants if _open(entrant)]
    if said.retune is True:
        return able
    found = []
    for name in said.retune:
        named = [entrant for entrant in able if name in (entrant.name, entrant.bot.name)]
        if not named:
            have = ", ".join(sorted(entrant.name for entrant in able)) or "none"
            raise UserError(f"retune: {name!r} has no ranges to be tuned; there are: {have}")
        found += [entrant for entrant in named if entrant not in found]
    return found


def _open(entrant: Entrant) -> list[str]:
    """The parameters with ranges that its config doesn't set."""
    given = dict(entrant.parameters)
    return [name for name in entrant.bot.ranges if name not in given]


def candidates(entrant: Entrant, others: Sequence[Entrant]) -> list[Entrant]:
    """The bot as it is written, then with other values; never one of the others."""
    names = _open(entrant)
    sets = list(product(*(entrant.bot.ranges[name] for name in names)))
    if len(sets) > CANDIDATES:
        sets = sorted(Random(0).sample(sets, CANDIDATES), key=sets.index)
    found = {entrant.label: entrant}
    taken = {other.label for other in others}
    for values in sets:
        given = dict(entrant.parameters) | dict(zip(names, values, strict=True))
        one = enter(entrant.bot, given)
        if one.label not in taken:
            found.setdefault(one.label, one)
    return list(found.values())


def trial_seed(seed: int) -> int:
    """The seed of the trials of a study with this seed."""
    digest = blake2b(str(seed).encode(), digest_size=6, person=b"fairdeal retune").digest()
    return int.from_bytes(digest, "big")


def plan_trials(planned: Plan, said: StudyConfig) -> tuple[Plan, list[Trial]]:
    """A contest a variant and bot that adapts: each of its candidates with all sets of others."""
    contests, trials = [], []
    for variant, contest in enumerate(planned.contests):
        try:
            bots = adapting(said, contest.entrants)
        except UserError as error:
            raise UserError(f"{planned.path}: {error}") from error
        for entrant in bots:
            others = [other for other in contest.entrants if other is not entrant]
            tried = candidates(entrant, others)
            seated = list(combinations(others, contest.size - 1))
            if len(tried) < 2 or not seated:
                continue
            tables = [_table(contest, (one, *rest)) for one in tried for rest in seated]
            contests.append(
                replace(
                    contest,
                    deals=said.retune_deals,
                    entrants=(*tried, *others),
                    tables=tuple(tables),
                )
            )
            trials.append(Trial(variant, entrant, tried))
    seed = trial_seed(said.seed)
    config = planned.config.model_copy(update={"name": f"{said.run[:70]}-retune", "seed": seed})
    return Plan(config, planned.path, run_key(seed), tuple(contests)), trials


def adapted(planned: Plan, chosen: Sequence[Mapping[str, Entrant]]) -> Plan:
    """The study with these entrants, by variant and the label of the one whose place they take.

    Tables keep their places, so that those of all variants still correspond.
    """
    contests = []
    for contest, instead in zip(planned.contests, chosen, strict=True):
        tables = [
            _table(contest, [instead.get(entrant.label, entrant) for entrant in table.entrants])
            for table in contest.tables
        ]
        entrants = [instead.get(entrant.label, entrant) for entrant in contest.entrants]
        contests.append(replace(contest, entrants=tuple(entrants), tables=tuple(tables)))
    return replace(planned, contests=tuple(contests))


def _table(contest: PlannedContest, entrants: Sequence[Entrant]) -> Table:
    """A table of a contest with these entrants."""
    return replace(
        contest.tables[0],
        entrants=tuple(sorted(entrants, key=lambda entrant: entrant.label)),
        restrictions=contest.restrictions.at(entrants),
    )
