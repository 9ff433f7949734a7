"""Views and events in words: cards as faces, actions as records write them."""

import types
import typing
from typing import Any

from games.cards import Card, Pack
from games.game import Action


def spelled(pack: Pack, value: Any) -> dict[str, Any]:
    """A view or an event (a NamedTuple) as plain JSON data, by field; cards become faces.

    Which ints are cards is read from the annotations (`Card`, `tuple[Card, ...]`, …).
    """
    hints = typing.get_type_hints(type(value))
    return {name: _spell(pack, getattr(value, name), hints[name]) for name in value._fields}


def _spell(pack: Pack, value: Any, hint: Any) -> Any:
    if value is None:
        return None
    if hint is Card:
        return pack.faces[value]
    if isinstance(value, Action):
        return str(value)
    if hasattr(value, "_fields"):
        return spelled(pack, value)
    inner = typing.get_args(hint)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        choices = [choice for choice in inner if choice is not type(None)]
        return _spell(pack, value, next(c for c in choices if _fits(value, c)))
    if isinstance(value, tuple):
        if len(inner) == 2 and inner[1] is Ellipsis:
            return [_spell(pack, part, inner[0]) for part in value]
        return [_spell(pack, part, kind) for part, kind in zip(value, inner, strict=True)]
    return value


def _fits(value: Any, hint: Any) -> bool:
    plain = typing.get_origin(hint) or (int if hint is Card else hint)
    return isinstance(value, plain)
