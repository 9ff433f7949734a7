"""What `fairdeal tune` may change: the grid of a study's `[tune]`, each point one variant.

A point's rules are those of the study's first variant, the present ones, with other values of the
options that are tuned.
"""

from collections.abc import Sequence
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from games.game import Game, spell
from harness.errors import UserError
from harness.games import find_game
from harness.study import StudyConfig, VariantKeys

MOST = 400
"""Points of a grid."""


class Grid(NamedTuple):
    """The values that are tried."""

    options: dict[str, tuple[Any, ...]]
    points: list[dict[str, Any]]
    """Each a value an option; the present rules first, whether or not they are on the grid."""
    present: str
    """The name of the present rules."""
    on_grid: bool
    """Whether the present rules are among the values to be tried."""
    left_out: list[str]
    """Points that are no rules of the game, and why."""


def read_grid(said: StudyConfig, path: Path) -> Grid:
    """The grid of a study; UserError, in one line, for anything wrong with it."""
    if said.tune is None:
        raise UserError(f"{path}: there is no [tune] in it: options and a target")
    base = said.variant[0]
    game = _game(base.game or said.game, path.parent)
    given = said.rules | base.rules
    try:
        rules = game.rules.read(given)
    except ValueError as error:
        raise UserError(f"{path}: {error}") from error
    players = game.usual if said.players is None else said.players
    options = {}
    for name, values in said.tune.options.items():
        where = f"{path}: tune: options: {name}"
        known = [field.name for field in fields(rules)]
        if name not in known:
            has = ", ".join(known)
            raise UserError(f"{where}: {game.name} has no such option; there are: {has}")
        options[name] = _values(values, where)
    wanted = [dict(zip(options, values, strict=True)) for values in product(*options.values())]
    if len(wanted) > MOST:
        raise UserError(
            f"{path}: tune: options: {len(wanted):,} points; there may be {MOST}: take larger steps"
        )
    present = {name: getattr(rules, name) for name in options}
    points, left_out = [present], []
    for point in wanted:
        try:
            game.check_players(players, game.rules.read(given | point))
        except (UserError, ValueError) as error:
            left_out.append(f"{named(point)}: {error}")
            continue
        if point != present:
            points.append(point)
    if len(points) < 2:
        out = f" (left out: {'; '.join(left_out)})" if left_out else ""
        raise UserError(
            f"{path}: tune: options: there is nothing to try but the present rules{out}"
        )
    return Grid(options, points, base.name, present in wanted, left_out)


def _game(text: str, base: Path) -> Game:
    built_in = "/" not in text and not text.startswith(".")
    return find_game(text if built_in else str((base / text).resolve()))


def _values(given: Any, where: str) -> tuple[Any, ...]:
    """A list of values, or `{ min, max, step }`, both ends included."""
    if (
        isinstance(given, list)
        and given
        and all(isinstance(v, bool | int | float | str) for v in given)
    ):
        return tuple(dict.fromkeys(given))
    if isinstance(given, dict) and {"min", "max"} <= set(given) <= {"min", "max", "step"}:
        low, high, step = given["min"], given["max"], given.get("step", 1)
        numbers = all(type(value) in (int, float) for value in (low, high, step))
        if numbers and low < high and step > 0:
            count = int((high - low) / step + 1e-9) + 1
            if count > MOST:
                raise UserError(
                    f"{where}: {count:,} values; there may be {MOST}: take larger steps"
                )
            values = [low + step * number for number in range(count)]
            return tuple(round(v, 9) if isinstance(v, float) else v for v in values)
    raise UserError(
        f"{where} must be a list of values, or a table of min, max and step, not {given!r}"
    )


def named(point: dict[str, Any]) -> str:
    """A point's name: `draw_max = 2, dealer_take_max = 1`."""
    return ", ".join(f"{name} = {spell(value)}" for name, value in point.items())


def as_study(said: StudyConfig, points: Sequence[dict[str, Any]], present: str) -> StudyConfig:
    """The study whose variants are these points, the first being the present rules."""
    base = said.variant[0]
    variants = [base.model_copy(update={"name": present})]
    for point in points[1:]:
        variants.append(
            VariantKeys(
                name=named(point)[:80],
                game=base.game,
                rules=base.rules | point,
                forbid=base.forbid,
                withhold=base.withhold,
            )
        )
    name = f"{said.name[:75]} tune"
    return said.model_copy(update={"name": name, "variant": variants, "targets": {}})
