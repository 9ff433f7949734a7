"""A config: the TOML file that says what a run plays. Everything in it is checked before play."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import UserError
from harness.play.budgets import HEAVY, Budgets


class Contest(BaseModel):
    """One `[[contest]]`: a game, its rules, the bots, and how they meet."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    game: str
    players: int | None = None
    rules: dict[str, Any] = Field(default_factory=dict)
    forbid: list[Any] = Field(default_factory=list)
    withhold: Literal["events"] | None = None
    bots: list[str] = Field(min_length=1)
    schedule: Literal["round-robin", "rounds", "gauntlet", "adaptive"] = "round-robin"
    reference: list[str] | None = Field(default=None, min_length=1)
    deals: int | None = Field(default=None, ge=1, le=1_000_000_000)
    matches: int | None = Field(default=None, ge=1, le=1_000_000_000_000)
    round: int | None = Field(default=None, ge=1, le=65536)
    packages: list[str] = Field(default_factory=list)
    heavy: bool = False


class BudgetKeys(BaseModel):
    """`[budgets]`: what a hosted bot may use, in seconds and megabytes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    decision_seconds: float = Field(default=1.0, gt=0, le=3600)
    match_seconds: float = Field(default=60.0, gt=0, le=86400)
    load_seconds: float = Field(default=10.0, gt=0, le=3600)
    idle_seconds: float = Field(default=5.0, gt=0, le=3600)
    memory_mb: int = Field(default=512, ge=64, le=65536)


class Config(BaseModel):
    """A whole config."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)
    seed: int | Literal["secret"]
    isolation: Literal["inprocess", "process", "sandbox"] = "sandbox"
    max_fault_share: float = Field(default=0.02, ge=0, le=1)
    minutes: float | None = Field(default=None, gt=0, le=100_000)
    budgets: BudgetKeys = Field(default_factory=BudgetKeys)
    contest: list[Contest] = Field(min_length=1)


def read_config(path: Path) -> Config:
    """The config in this file; UserError, in one line, for the first thing wrong with it."""
    values = read_toml(path)
    values.setdefault("name", path.stem)
    if "variant" in values and "contest" not in values:
        raise UserError(f"{path}: a study, with variants, not contests; see fairdeal balance")
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        raise UserError(f"{path}: {explain(error, Config, {'contest': Contest})}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds; UserError if it can't be read."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: it isn't text in UTF-8 (byte {error.start})") from error
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: not TOML: {error}") from error


def explain(
    error: ValidationError, whole: type[BaseModel], lists: Mapping[str, type[BaseModel]]
) -> str:
    """The first thing wrong, in one line: where, what is allowed, and what was given.

    `whole` is the model that was validated, `lists` has those of its tables and lists of tables.
    """
    # An unknown key explains a missing one: `deal` for `deals`.
    errors = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    first = errors[0]
    *where, last = first["loc"] or ("config",)
    place = ""
    model = whole
    parts = [*where, last]
    if parts[0] in lists and len(parts) > 1 and isinstance(parts[1], int):
        place = f"{parts[0]} {parts[1] + 1}: "
        model = lists[str(parts[0])]
        parts = parts[2:] or [parts[0]]
    elif (nested := ({"budgets": BudgetKeys} | dict(lists)).get(str(parts[0]))) and len(parts) > 1:
        place, model = f"{parts[0]}: ", nested
        parts = parts[1:]
    name = ".".join(str(part) for part in parts)
    given = _short(first["input"])
    if parts[0] == "seed" and first["type"] != "missing":
        return f'seed must be a whole number or "secret", not {given}'
    match first["type"]:
        case "extra_forbidden":
            known = ", ".join(model.model_fields)
            return f"{place}there is no key {name!r}; there are: {known}"
        case "missing":
            return f"{place}{name} must be given"
        case "literal_error":
            return f"{place}{name} must be {first['ctx']['expected']}, not {given}"
        case "greater_than_equal":
            return f"{place}{name} must be at least {first['ctx']['ge']}, not {given}"
        case "greater_than":
            return f"{place}{name} must be above {first['ctx']['gt']:g}, not {given}"
        case "less_than_equal":
            return f"{place}{name} must be at most {first['ctx']['le']}, not {given}"
        case "too_short":
            return f"{place}{name} must not be empty"
        case "string_pattern_mismatch":
            return f"{place}{name} must be letters, digits, '.', '_' or '-', not {given}"
        case "int_type":
            return f"{place}{name} must be a whole number, not {given}"
        case "float_type":
            return f"{place}{name} must be a number, not {given}"
        case "bool_type":
            return f"{place}{name} must be true or false, not {given}"
        case "string_type":
            return f"{place}{name} must be text, not {given}"
        case "list_type":
            return f"{place}{name} must be a list, not {given}"
        case "dict_type" | "model_type":
            return f"{place}{name} must be a table, not {given}"
        case _:
            return f"{place}{name}: {first['msg']}, not {given}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def check_contest(contest: Contest, minutes: float | None) -> None:
    """UserError where a contest's keys don't go together."""
    kind = contest.schedule
    if contest.deals is None and contest.matches is None and minutes is None:
        raise UserError("deals must be given, or matches, or the config's minutes")
    if contest.reference is not None and kind != "gauntlet":
        raise UserError(f'reference goes with schedule = "gauntlet", not {kind!r}')
    if contest.reference is None and kind == "gauntlet":
        raise UserError('schedule = "gauntlet": reference must be given, the bots to be met')
    if contest.round is not None:
        if kind != "rounds":
            raise UserError(f'round goes with schedule = "rounds", not {kind!r}')
        if contest.round & (contest.round - 1):
            raise UserError(
                f"round must be a power of two, the deals of a round, not {contest.round}"
            )


def budgets_of(config: Config, contest: Contest) -> Budgets:
    """What bots may use in this contest; with `heavy`, what the config doesn't say is larger."""
    values = config.budgets.model_dump()
    if contest.heavy:
        said = config.budgets.model_fields_set
        values |= {name: value for name, value in HEAVY.items() if name not in said}
    return Budgets(**values, packages=tuple(contest.packages))
