"""Faults: how a bot can break the API, and how a match ends that way."""

import re
import traceback
from pathlib import Path
from typing import NamedTuple

from games.game import Game, Result, State, places

KINDS = ("illegal", "crash", "timeout", "memory", "died", "load", "unrepeatable")
"""Every kind of fault that a record may name."""


class Fault(NamedTuple):
    """What a bot did wrong; `detail` is its author's to read."""

    kind: str
    detail: str


def shortened(error: BaseException, lines: int = 3) -> str:
    """An exception with the innermost lines of its traceback, at most about 500 characters."""
    frames = traceback.extract_tb(error.__traceback__)[-lines:]
    where = "; ".join(
        f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames
    )
    try:
        what = f"{type(error).__name__}: {error}"
    except Exception:  # the bot's own exception class may do anything
        what = type(error).__name__
    return f"{what[:300]} ({where[-200:]})"


def faulted(game: Game, state: State, seat: int) -> Result:
    """The result after a fault by this seat.

    Its team is last, players already out keep their order above it, and the seats still in the
    game share first place.
    """
    teams = game.teams(state.players)
    out = state.out()
    keys = [
        (0, 0) if team == teams[seat] else (2, 0) if order is None else (1, order)
        for team, order in zip(teams, out, strict=True)
    ]
    order = places(keys)
    return Result(state.scores(), order, game.points(order), "fault")


def spelled(answer: object) -> str:
    """A bot's answer in words: the same each time, and short, whatever object it is."""
    try:
        return re.sub(r" at 0x[0-9a-f]+", "", repr(answer))[:100]
    except BaseException:  # the bot's own object may do anything
        return f"an unprintable {type(answer).__name__}"
