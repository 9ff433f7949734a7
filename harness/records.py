"""Match records: written, read, and verified by replaying them. The format is in README.md here."""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from games.cards import Card, Pack
from games.chance import Chance
from games.game import Game, Result, Rules, State
from games.restrictions import restriction, state_type
from harness.errors import UserError
from harness.games import builtin_names, find_game
from harness.play.faults import KINDS, faulted

FORMAT = "fairdeal/1"

T = TypeVar("T")


class RecordError(Exception):
    """A record that is wrong; `entry` is the index of the move at fault, or None."""

    def __init__(self, what: str, entry: int | None = None) -> None:
        super().__init__(what if entry is None else f"entry {entry}: {what}")
        self.entry = entry


def record(
    game: Game,
    rules: Rules,
    players: int,
    bots: Sequence[str],
    seed: int | None,
    moves: Sequence[str],
    result: Result,
) -> str:
    """One match as one line of JSON."""
    return json.dumps(
        {
            "format": FORMAT,
            "game": game.name,
            "rules": rules.changed(),
            **_taken(rules),
            "players": players,
            "bots": list(bots),
            "seed": seed,
            "moves": list(moves),
            "result": result._asdict(),
        }
    )


def verify(line: str, game: Game | None = None) -> State:
    """Replays a record and returns the state at its end; RecordError if anything in it is wrong.

    `game` is given where records of a game outside the package are read.
    """
    fields = _parse(line)
    if game is None or game.name != fields["game"]:
        if fields["game"] not in builtin_names():
            raise RecordError(f"there is no game {fields['game']!r}")
        game = find_game(fields["game"])
    players = fields["players"]
    try:
        rules = game.rules.read(fields["rules"])
        game.check_players(players, rules)
        rules = _restricted(game, rules, players, fields)
    except ValueError as error:
        raise RecordError(str(error)) from error
    if len(fields["bots"]) != players:
        raise RecordError(f"bots: {len(fields['bots'])} for {players} seats")
    moves = fields["moves"]
    replay = Replay(game, rules, players, moves)
    result = replay.result()
    _check_result(fields["result"], result)
    return replay.state


def _taken(rules: Rules) -> dict[str, Any]:
    """The fields of a restricted match alone."""
    fields: dict[str, Any] = {}
    if rules.restriction.forbidden:
        fields["forbid"] = [list(names) for names in rules.restriction.forbidden]
    if rules.restriction.withheld:
        fields["withhold"] = rules.restriction.withheld
    return fields


def _restricted(game: Game, rules: Rules, players: int, fields: dict[str, Any]) -> Rules:
    """The rules with what a record says was taken; ValueError, or RecordError, if that can't be."""
    forbid, withhold = fields.get("forbid", []), fields.get("withhold", "")
    if not forbid and not withhold:
        return rules
    if forbid and (
        not isinstance(forbid, list)
        or len(forbid) != players
        or not all(isinstance(names, list) for names in forbid)
        or not all(isinstance(name, str) for names in forbid for name in names)
    ):
        raise RecordError(f"forbid must be {players} lists of names, one a seat")
    if withhold not in ("", "events"):
        raise RecordError(f"withhold must be 'events', not {_short(str(withhold))}")
    return rules.restricted(restriction(game, forbid, withhold))


class Replay:
    """A record's moves, replayed one after the other.

    `state` follows; `position` is the next entry's index. RecordError names the first entry that
    is wrong.
    """

    def __init__(
        self,
        game: Game,
        rules: Rules,
        players: int,
        moves: Sequence[str],
        listeners: Sequence[int] = (),
    ) -> None:
        self.game = game
        self.chance = Scripted(game.pack, moves)
        self.moves = moves
        self.state = state_type(game, rules)(rules, players, self.chance, listeners)
        self.fault_at: int | None = None

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.state.to_act is None or self.fault_at is not None

    def step(self) -> None:
        """Replays the next decision, with the outcomes of chance that it brings."""
        position = self.chance.position
        seat = self.state.to_act
        if position >= len(self.moves):
            raise RecordError("the moves stop before the match has ended", position)
        entry = self.moves[position]
        start = f"{seat} "
        if not entry.startswith(start):
            raise RecordError(f"{entry!r}: seat {seat} is to act", position)
        said = entry[len(start) :]
        legal = self.state.legal()
        for action in legal:
            if str(action) == said:
                self.chance.position += 1
                self.state.apply(action)
                return
        if said.startswith("fault "):
            self._fault(said, len(legal), position)
            return
        few = ", ".join(str(action) for action in legal[:12])
        more = "" if len(legal) <= 12 else f" and {len(legal) - 12} more"
        raise RecordError(f"{entry!r} is not legal here; legal: {few}{more}", position)

    def _fault(self, said: str, choices: int, position: int) -> None:
        kind = said.removeprefix("fault ")
        if kind not in KINDS:
            raise RecordError(f"{kind!r} is no kind of fault: {', '.join(KINDS)}", position)
        if choices == 1:
            raise RecordError("a seat with one legal action isn't asked: no fault here", position)
        self.chance.position += 1
        self.fault_at = self.state.to_act

    def result(self) -> Result:
        """Replays what is left, and returns the result."""
        while not self.over:
            self.step()
        if self.chance.position < len(self.moves):
            entry = self.moves[self.chance.position]
            raise RecordError(f"{entry!r} after the end of the match", self.chance.position)
        if self.fault_at is not None:
            return faulted(self.game, self.state, self.fault_at)
        return self.state.result()


class Scripted(Chance):
    """Chance as a record has it: each outcome is the next entry, if that is possible."""

    __slots__ = ("moves", "position")

    def __init__(self, pack: Pack, moves: Sequence[str]) -> None:
        super().__init__(pack, 0)
        self.moves = moves
        self.position = 0

    def shuffle(self, word: str, cards: Sequence[Card]) -> Sequence[Card]:
        """The cards in the entry's order, which must be these cards."""
        order = self._cards(word)
        if sorted(order) != sorted(cards):
            raise RecordError(f"!{word}: these are not the {len(cards)} cards", self.position)
        self.position += 1
        return order

    def take(self, word: str, cards: Sequence[Card], number: int) -> tuple[Card, ...]:
        """The entry's cards, which must be so many of these."""
        taken = self._cards(word)
        if len(taken) != number or list(taken) != sorted(taken) or not _within(taken, cards):
            raise RecordError(
                f"!{word}: not {number} of these cards, in order: {self.pack.spell(sorted(cards))}",
                self.position,
            )
        self.position += 1
        return taken

    def some(self, word: str, seats: Sequence[int], percent: int) -> tuple[int, ...]:
        """The entry's seats, which must be possible."""
        named = self._words(word)
        chosen = tuple(seat for seat in sorted(seats) if str(seat) in named)
        impossible = (percent == 0 and named) or (percent == 100 and len(named) != len(seats))
        if [str(seat) for seat in chosen] != named or impossible:
            raise RecordError(f"!{word}: impossible seats {' '.join(named)!r}", self.position)
        self.position += 1
        return chosen

    def _cards(self, word: str) -> tuple[Card, ...]:
        try:
            return self.pack.read(self._words(word))
        except ValueError as error:
            raise RecordError(f"!{word}: {error}", self.position) from error

    def _words(self, word: str) -> list[str]:
        if self.position >= len(self.moves):
            raise RecordError(f"the moves stop where !{word} must be", self.position)
        entry = self.moves[self.position]
        first, *rest = entry.split(" ")
        if first != f"!{word}":
            raise RecordError(f"{_short(entry)} where !{word} must be", self.position)
        return rest


def _within(taken: Sequence[T], cards: Sequence[T]) -> bool:
    left = list(cards)
    for card in taken:
        if card not in left:
            return False
        left.remove(card)
    return True


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


# --- Fields -------------------------------------------------------------------------------------


def _parse(line: str) -> dict[str, Any]:
    """The record's fields, each of the right type."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise RecordError("a record is one JSON object")
    wanted = {
        "format": str,
        "game": str,
        "rules": dict,
        "players": int,
        "bots": list,
        "moves": list,
        "result": dict,
    }
    for name, kind in wanted.items():
        if name not in fields:
            raise RecordError(f"there is no {name!r}")
        if type(fields[name]) is not kind:
            raise RecordError(f"{name} must be {_kind(kind)}, not {_short(str(fields[name]))}")
    if fields["format"] != FORMAT:
        raise RecordError(f"format must be {FORMAT!r}, not {_short(fields['format'])}")
    if "seed" not in fields:
        raise RecordError("there is no 'seed'")
    if fields["seed"] is not None and type(fields["seed"]) is not int:
        raise RecordError(f"seed must be an integer or null, not {_short(str(fields['seed']))}")
    for name in ("bots", "moves"):
        for index, text in enumerate(fields[name]):
            if not isinstance(text, str):
                raise RecordError(
                    f"{name}: {_short(str(text))} is no string", index if name == "moves" else None
                )
    return fields


def _kind(kind: type) -> str:
    names = {str: "a string", dict: "an object", int: "an integer", list: "a list"}
    return names[kind]


def _check_result(said: dict[str, Any], result: Result) -> None:
    """RecordError unless `said` is just this result."""
    wanted = result._asdict()
    if set(said) != set(wanted):
        raise RecordError(f"result must have just {', '.join(wanted)}, not {', '.join(said)}")
    for name in ("scores", "places"):
        values = said[name]
        if not isinstance(values, list) or any(type(value) is not int for value in values):
            raise RecordError(f"result: {name} must be integers, not {_short(str(values))}")
        if values != list(wanted[name]):
            raise RecordError(f"result: {name} are {list(wanted[name])}, not {values}")
    points = said["points"]
    if not isinstance(points, list) or any(type(value) not in (int, float) for value in points):
        raise RecordError(f"result: points must be numbers, not {_short(str(points))}")
    if len(points) != len(result.points) or any(
        not (-1 <= value <= 2 and abs(value - other) <= 1e-9)
        for value, other in zip(points, result.points, strict=True)
    ):
        raise RecordError(f"result: points are {list(result.points)}, not {points}")
    if said["end"] != result.end:
        raise RecordError(f"result: end is {result.end!r}, not {_short(str(said['end']))}")


def read_lines(path: str) -> list[str]:
    """The lines of a file of records; UserError if it can't be read or has none."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: it isn't text in UTF-8 (byte {error.start})") from error
    if not any(line.strip() for line in lines):
        raise UserError(f"{path}: there is no record in it")
    return lines
