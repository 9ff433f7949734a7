"""What crosses between the runner and a bot's host: views and events as plain tuples, actions as
numbers.

Requests are `marshal`ed plain data, which the host alone reads. Replies are fixed-width integers
and capped text; the runner never unmarshals anything that a host wrote.
"""

import marshal
import types
import typing
from collections.abc import Callable, Sequence
from struct import Struct
from typing import Any

from games.game import Action, Game

Convert = Callable[[Any], Any]

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


# --- Views and events ---------------------------------------------------------------------------


def view_type(game: Game) -> Any:
    """The NamedTuple of a game's views, from what `State.view` says it returns."""
    return typing.get_type_hints(game.state.view)["return"]


class Shape:
    """How values of one NamedTuple become plain tuples, and plain tuples become them again.

    Which fields need anything done is read from the annotations once: fields of ints, texts and
    tuples of them are sent as they are.
    """

    def __init__(self, kind: Any, parse: Callable[[str], Action]) -> None:
        hints = typing.get_type_hints(kind)
        self.kind = kind
        pairs = [_converters(hints[name], parse) for name in kind._fields]
        self.special = [(i, pair[0], pair[1]) for i, pair in enumerate(pairs) if pair is not None]

    def flatten(self, value: Any) -> tuple[Any, ...]:
        """The value's fields as plain data."""
        if not self.special:
            return tuple(value)
        fields = list(value)
        for i, flatten, _ in self.special:
            fields[i] = flatten(fields[i])
        return tuple(fields)

    def build(self, plain: tuple[Any, ...]) -> Any:
        """The value again."""
        if not self.special:
            return tuple.__new__(self.kind, plain)
        fields = list(plain)
        for i, _, build in self.special:
            fields[i] = build(fields[i])
        return tuple.__new__(self.kind, fields)


def _converters(hint: Any, parse: Callable[[str], Action]) -> tuple[Convert, Convert] | None:
    """How a field is flattened and built, or None where it is plain already."""
    inner = [arg for arg in typing.get_args(hint) if arg is not type(None)]
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        found = [pair for pair in (_converters(arg, parse) for arg in inner) if pair is not None]
        if not found:
            return None
        flatten, build = found[0]
        return (
            lambda value: None if value is None else flatten(value),
            lambda plain: None if plain is None else build(plain),
        )
    if isinstance(hint, type) and issubclass(hint, Action):
        return str, parse
    if hasattr(hint, "_fields"):
        shape = Shape(hint, parse)
        return _remembered(shape.flatten), _remembered(shape.build)
    if origin is tuple and inner and inner[-1] is Ellipsis:
        pair = _converters(inner[0], parse)
        if pair is None:
            return None
        flatten, build = pair
        return (
            _remembered(lambda values: tuple([flatten(value) for value in values])),
            _remembered(lambda plains: tuple([build(plain) for plain in plains])),
        )
    if origin is tuple:
        pairs = [_converters(arg, parse) or (_same, _same) for arg in typing.get_args(hint)]
        if all(pair == (_same, _same) for pair in pairs):
            return None
        return (
            lambda values: tuple([p[0](v) for p, v in zip(pairs, values, strict=True)]),
            lambda plains: tuple([p[1](v) for p, v in zip(pairs, plains, strict=True)]),
        )
    return None


def _same(value: Any) -> Any:
    return value


def _remembered(convert: Convert) -> Convert:
    """Views repeat most of their parts: each part is converted once."""
    memo: dict[Any, Any] = {}

    def remembered(value: Any) -> Any:
        found = memo.get(value)
        if found is None:
            if len(memo) >= LARGEST_MEMO:
                memo.clear()
            found = memo[value] = convert(value)
        return found

    return remembered


class Shapes:
    """Shapes by type, numbered as they are met; the host is told each new type's name."""

    def __init__(self, parse: Callable[[str], Action]) -> None:
        self.parse = parse
        self.known: dict[type, tuple[int, Shape]] = {}

    def flatten(self, events: Sequence[Any], news: list[str]) -> tuple[tuple[int, Any], ...]:
        """Events as (type's number, plain data); names of new types are added to `news`."""
        plain = []
        for event in events:
            kind = type(event)
            entry = self.known.get(kind)
            if entry is None:
                entry = self.known[kind] = (len(self.known), Shape(kind, self.parse))
                news.append(f"{kind.__module__}:{kind.__qualname__}")
            plain.append((entry[0], entry[1].flatten(event)))
        return tuple(plain)


# --- Actions ------------------------------------------------------------------------------------


class Choices:
    """Numbers for tuples of legal actions: each tuple is spelled to the host once.

    Games reuse most of these tuples, so most are found by identity; of the rest, equal ones are
    found by their actions.
    """

    def __init__(self) -> None:
        self.by_identity: dict[int, tuple[tuple[Action, ...], int]] = {}
        self.by_actions: dict[tuple[int, ...], int] = {}
        self.actions: dict[int, tuple[Action, int]] = {}
        self.spelled = 0

    def begin(self, news: list[Any]) -> None:
        """Before a request: begins afresh where there are too many, never in the middle of one."""
        if len(self.by_actions) >= LARGEST_MEMO:
            self.by_actions.clear()
            self.by_identity.clear()
            news.append(None)

    def number(self, legal: tuple[Action, ...], news: list[Any]) -> int:
        """A tuple's number; what the host must learn first is added to `news`.

        An entry of `news` is an action's notation, or a tuple of actions' numbers; None, at its
        beginning, makes the host forget all tuples.
        """
        found = self.by_identity.get(id(legal))
        if found is not None and found[0] is legal:
            return found[1]
        codes = tuple([self._code(action, news) for action in legal])
        number = self.by_actions.get(codes)
        if number is None:
            number = self.by_actions[codes] = len(self.by_actions)
            news.append(codes)
        if len(self.by_identity) >= LARGEST_MEMO:
            self.by_identity.clear()
        self.by_identity[id(legal)] = (legal, number)
        return number

    def _code(self, action: Action, news: list[Any]) -> int:
        known = self.actions.get(id(action))
        if known is not None and known[0] is action:
            return known[1]
        code = self.spelled
        self.spelled += 1
        self.actions[id(action)] = (action, code)
        news.append(str(action))
        return code
