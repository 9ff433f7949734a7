"""What crosses between the runner and a bot's host: views and events as plain tuples, actions as
numbers.

Requests are `marshal`ed plain data, which the host alone reads. Replies are fixed-width integers
and capped text; the runner never unmarshals anything that a host wrote.
"""

import marshal
import types
import typing
from collections.abc import Callable, Sequence
from functools import partial
from struct import Struct
from typing import Any, Protocol, cast

from games.game import Action, Game

Convert = Callable[[Any], Any]
Codes = tuple[int, ...]

LENGTH = Struct("<I")
"""Before each request: its length."""
REPLY = Struct("<qii")
"""Before each reply: the request's number, how many answers follow, and bytes of text."""

ILLEGAL, CRASH, LOAD, MEMORY = -1, -2, -3, -4
"""Answers that are no index: what went wrong, the text says how."""
KIND_OF = {ILLEGAL: "illegal", CRASH: "crash", LOAD: "load", MEMORY: "memory"}

TEXT_CAP = 500
"""Bytes of text for each answer that is no index."""

LARGEST_MEMO = 20_000
"""Entries that a table of what has been sent may have before it begins afresh."""


def framed(request: Any) -> bytes:
    """A request as bytes."""
    body = marshal.dumps(request)
    return LENGTH.pack(len(body)) + body


# --- What is said once --------------------------------------------------------------------------


class Numbers:
    """The runner's numbers for what a host needs to be told only once.

    Actions; and parts: NamedTuples that come in tuples, such as the cards of a pile with what was
    claimed of each. Actions are found by identity, which never changes its meaning, since whatever
    has a number is kept. Tuples of legal actions are sent as their numbers each time: to number
    them too costs more where most are new.

    `news` has what the host must learn before it can read what is sent: an action's notation; a
    part, as (its kind's number, plain data); None, at the beginning, makes it forget all of them.
    """

    def __init__(self) -> None:
        self.news: list[Any] = []
        self.actions: dict[int, int] = {}
        self.kept: list[Action] = []
        self.parts: list[dict[Any, int]] = []

    def begin(self) -> list[Any]:
        """Before a request: an empty list of news, which the request will carry."""
        self.news = []
        tables: list[dict[Any, int]] = [self.actions, *self.parts]
        if max(map(len, tables)) >= LARGEST_MEMO:
            for table in tables:
                table.clear()
            self.kept.clear()
            self.news.append(None)
        return self.news

    def choice(self, legal: tuple[Action, ...]) -> Codes:
        """The numbers of a tuple of legal actions."""
        codes = tuple(map(self.actions.get, map(id, legal)))
        if None in codes:
            for action in legal:
                if id(action) not in self.actions:
                    self.actions[id(action)] = len(self.kept)
                    self.kept.append(action)
                    self.news.append(str(action))
            codes = tuple(map(self.actions.get, map(id, legal)))
        return cast(Codes, codes)

    def tuples(self, convert: Convert) -> Convert:
        """A function from tuples of parts to their numbers; `convert` makes plain a new one."""
        known: dict[Any, int] = {}
        self.parts.append(known)
        converter = len(self.parts) - 1

        def number(values: tuple[Any, ...]) -> Codes:
            numbers = tuple(map(known.get, values))
            if None in numbers:
                for value in values:
                    if value not in known:
                        plain = convert(value)
                        self.news.append((converter, plain))
                        known[value] = len(known)
                numbers = tuple(map(known.get, values))
            return cast(Codes, numbers)

        return number

    def action(self, action: Action) -> str:
        """An action in a field, as plain data."""
        return str(action)

    def fields(self, kind: Any) -> Convert:
        """How values of a NamedTuple become plain tuples."""
        special = _special(kind, self)
        if not special:
            return tuple

        def flatten(value: Any) -> tuple[Any, ...]:
            fields = list(value)
            for i, convert in special:
                fields[i] = convert(fields[i])
            return tuple(fields)

        return flatten


class Meanings:
    """The host's side of it: what each number means."""

    def __init__(self, parse: Callable[[str], Action]) -> None:
        self.parse = parse
        self.actions: list[Action] = []
        self.parts: list[tuple[Convert, list[Any]]] = []

    def learn(self, news: Sequence[Any]) -> None:
        """Takes in what a request brings."""
        for new in news:
            if isinstance(new, str):
                self.actions.append(self.parse(new))
            elif new is None:
                self.actions.clear()
                for _, known in self.parts:
                    known.clear()
            else:
                convert, known = self.parts[new[0]]
                known.append(convert(new[1]))

    def choice(self, codes: Codes) -> tuple[Action, ...]:
        """The legal actions that these numbers mean."""
        return tuple(map(self.actions.__getitem__, codes))

    def tuples(self, convert: Convert) -> Convert:
        """A function from numbers to tuples of parts; `convert` makes one from plain data."""
        known: list[Any] = []
        self.parts.append((convert, known))
        return lambda numbers: tuple(map(known.__getitem__, numbers))

    def action(self, text: str) -> Action:
        """An action in a field."""
        return self.parse(text)

    def fields(self, kind: Any) -> Convert:
        """How plain tuples become values of a NamedTuple again."""
        special = _special(kind, self)
        if not special:
            return partial(tuple.__new__, kind)

        def build(plain: tuple[Any, ...]) -> Any:
            fields = list(plain)
            for i, convert in special:
                fields[i] = convert(fields[i])
            return tuple.__new__(kind, fields)

        return build


# --- Views and events ---------------------------------------------------------------------------


def view_type(game: Game) -> Any:
    """The NamedTuple of a game's views, from what `State.view` says it returns."""
    return typing.get_type_hints(game.state.view)["return"]


class Side(Protocol):
    """What the two sides do differently."""

    def tuples(self, convert: Convert) -> Convert:
        """How a tuple of parts crosses, given how one would."""

    def fields(self, kind: Any) -> Convert:
        """How a NamedTuple crosses."""

    def action(self, action: Any, /) -> Any:
        """How an action in a field crosses."""


def _special(kind: Any, side: Side) -> list[tuple[int, Convert]]:
    """The fields that need something done, from the annotations: those of numbers, texts and tuples
    of them are sent as they are. Both sides find the same ones, in the same order.
    """
    hints = typing.get_type_hints(kind)
    found = [_converter(hints[name], side) for name in kind._fields]
    return [(i, convert) for i, convert in enumerate(found) if convert is not None]


def _converter(hint: Any, side: Side) -> Convert | None:
    """How a value of this type crosses, or None where it is plain already.

    NamedTuples in tuples are parts.
    """
    inner = [arg for arg in typing.get_args(hint) if arg is not type(None)]
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        found = [convert for arg in inner if (convert := _converter(arg, side)) is not None]
        if not found:
            return None
        first = found[0]
        return lambda value: None if value is None else first(value)
    if isinstance(hint, type) and issubclass(hint, Action):
        return side.action
    if hasattr(hint, "_fields"):
        return side.fields(hint)
    if origin is tuple and inner and inner[-1] is Ellipsis:
        if hasattr(inner[0], "_fields"):
            return side.tuples(side.fields(inner[0]))
        each = _converter(inner[0], side)
        return None if each is None else lambda values: tuple([each(value) for value in values])
    if origin is tuple:
        several = [_converter(arg, side) for arg in typing.get_args(hint)]
        if not any(several):
            return None
        return lambda values: tuple(
            [v if c is None else c(v) for c, v in zip(several, values, strict=True)]
        )
    return None
