"""A study: the config of `fairdeal balance`, and the plan of its variants, one contest each."""

import dataclasses
import re
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.config import BudgetKeys, Config, Contest, explain, read_toml
from harness.entrants import Older
from harness.errors import UserError
from harness.play.seeds import run_key
from harness.tournament import Plan, PlannedContest, plan_contest


class VariantKeys(BaseModel):
    """One `[[variant]]`: what it changes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field(min_length=1, max_length=80)
    game: str | None = None
    rules: dict[str, Any] = Field(default_factory=dict)
    forbid: list[Any] = Field(default_factory=list)
    withhold: Literal["events"] | None = None


class TuneKeys(BaseModel):
    """`[tune]`: which options may change, and what must hold (harness/tuning.py)."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    options: dict[str, Any] = Field(min_length=1, max_length=2)
    target: dict[str, Any]
    points: int = Field(default=24, ge=4, le=400)


AS_WRITTEN = VariantKeys(name="as written")
"""The variant of a study that names none."""


class StudyConfig(BaseModel):
    """A whole study: the keys of a contest, and the variants, the first being the baseline."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field(min_length=1, max_length=80)
    game: str
    players: int | None = None
    rules: dict[str, Any] = Field(default_factory=dict)
    bots: list[str] = Field(min_length=1)
    deals: int = Field(ge=1, le=1_000_000_000)
    seed: int
    isolation: Literal["inprocess", "process", "sandbox"] = "sandbox"
    packages: list[str] = Field(default_factory=list)
    heavy: bool = False
    budgets: BudgetKeys = Field(default_factory=BudgetKeys)
    retune: bool | list[str] = False
    retune_deals: int = Field(default=256, ge=16, le=1_000_000)
    variant: list[VariantKeys] = Field(default=[AS_WRITTEN], min_length=1)
    targets: dict[str, Any] = Field(default_factory=dict)
    tune: TuneKeys | None = None

    @property
    def run(self) -> str:
        """The name of its runs in the store: letters, digits, `.`, `_` and `-` alone."""
        return re.sub(r"[^A-Za-z0-9._-]+", "-", self.name).strip("-._") or "study"

    @property
    def variants(self) -> list[str]:
        """Their names."""
        return [variant.name for variant in self.variant]


def read_study(path: Path) -> StudyConfig:
    """The study in this file; UserError, in one line, for the first thing wrong with it."""
    values = read_toml(path)
    values.setdefault("name", path.stem)
    if "contest" in values and "variant" not in values:
        raise UserError(f"{path}: a config, with contests, not variants; see fairdeal run")
    try:
        said = StudyConfig.model_validate(values)
    except ValidationError as error:
        raise UserError(
            f"{path}: {explain(error, StudyConfig, {'variant': VariantKeys, 'tune': TuneKeys})}"
        ) from error
    for number, name in enumerate(said.variants):
        if name in said.variants[:number]:
            raise UserError(f'{path}: variant {number + 1}: there is another named "{name}"')
    return said


def plan_study(said: StudyConfig, path: Path, older: Older | None = None) -> Plan:
    """A plan with a contest for each variant, all with the same bots at the same tables; `older`
    finds older versions of bots.

    A bot that can't play one of the variants is left out of all, and listed. UserError says which
    variant is wrong.
    """
    contests = [_contest(said, variant) for variant in said.variant]
    config = Config(
        name=said.run,
        seed=said.seed,
        isolation=said.isolation,
        budgets=said.budgets,
        contest=contests,
    )
    planned: list[PlannedContest] = []
    for number in range(len(contests)):
        where = f'{path}: variant {number + 1} ("{said.variants[number]}")'
        try:
            one = plan_contest(config, number, path.parent, None, older)
        except (UserError, ValueError) as error:
            raise UserError(f"{where}: {error}") from error
        if planned:
            _check_alike(planned[0], one, where)
        planned.append(dataclasses.replace(one, schedule="staged"))
    return Plan(config, path, run_key(said.seed), tuple(_same_bots(planned, said, path)))


def _contest(said: StudyConfig, variant: VariantKeys) -> Contest:
    return Contest(
        game=variant.game or said.game,
        players=said.players,
        rules=said.rules | variant.rules,
        forbid=variant.forbid,
        withhold=variant.withhold,
        bots=said.bots,
        deals=said.deals,
        packages=said.packages,
        heavy=said.heavy,
    )


def _check_alike(base: PlannedContest, one: PlannedContest, where: str) -> None:
    """UserError unless a variant is the same game to its bots, and to the comparison."""
    game, other = base.game, one.game
    if other.name != game.name:
        raise UserError(
            f"{where}: its game is called {other.name!r}, and the baseline's {game.name!r}: bots"
            " and deals go by that name, so its GAME must have the same"
        )
    if one.players != base.players:
        raise UserError(f"{where}: it has {one.players} seats, and the baseline {base.players}")
    for what, mine, theirs in (
        ("roles", game.roles(base.players), other.roles(one.players)),
        ("teams", game.teams(base.players), other.teams(one.players)),
        ("pack", game.pack.faces, other.pack.faces),
    ):
        if mine != theirs:
            raise UserError(f"{where}: its {what} are others than the baseline's")


def _same_bots(
    planned: list[PlannedContest], said: StudyConfig, path: Path
) -> list[PlannedContest]:
    """The contests with the bots that play all of them."""
    common = set.intersection(*({e.label for e in contest.entrants} for contest in planned))
    left_out: list[str] = []
    for contest, name in zip(planned, said.variants, strict=True):
        missing = {e.label for other in planned for e in other.entrants} - {
            e.label for e in contest.entrants
        }
        left_out += [f'{label}: it doesn\'t play variant "{name}"' for label in sorted(missing)]
    found = []
    for contest in planned:
        tables = tuple(table for table in contest.tables if set(table.labels) <= common)
        if not tables:
            out = "; ".join(left_out)
            raise UserError(f"{path}: bots: too few play every variant (left out: {out})")
        entrants = tuple(entrant for entrant in contest.entrants if entrant.label in common)
        extra = (*contest.left_out, *(text for text in left_out if text not in contest.left_out))
        found.append(dataclasses.replace(contest, entrants=entrants, tables=tables, left_out=extra))
    return found
