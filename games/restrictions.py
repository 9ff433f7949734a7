"""Restrictions: what a variant forbids to a seat, kept by real and imagined states alike.

A restricted match has rules that carry a `Restriction`, and a state whose class filters `legal()`;
an unrestricted one has the game's own class, so that it pays nothing.
"""

from collections.abc import Callable, Sequence
from functools import cache, wraps
from random import Random
from typing import Any, TypeVar

from games.game import Action, Game, Restriction, Rules, State

V = TypeVar("V")
R = TypeVar("R", bound=Rules)
S = TypeVar("S", bound=State)


def may_be_forbidden(game: Game) -> list[str]:
    """All that a variant of this game may forbid: actions' first words, then tactics."""
    known = [tactic.name for tactic in game.tactics if tactic.known]
    return list(dict.fromkeys([*game.words, *known]))


def restriction(game: Game, forbidden: Sequence[Sequence[str]], withheld: str = "") -> Restriction:
    """What these names, by seat, stand for; ValueError for one that can't be forbidden.

    A name that is both an action's first word and a tactic's is the word.
    """
    allowed = may_be_forbidden(game)
    for name in (name for names in forbidden for name in names):
        if name not in allowed:
            raise ValueError(
                f"{game.name}: {name!r} can't be forbidden; what can: {', '.join(allowed)}"
            )
    tactics = [tactic.name for tactic in game.tactics]
    words = set(game.words)
    if not any(forbidden):
        return Restriction(withheld=withheld)
    return Restriction(
        tuple(tuple(sorted(set(names))) for names in forbidden),
        tuple(tuple(tactics.index(name) for name in {*names} - words) for names in forbidden),
        withheld,
    )


def state_type(game: Game, rules: Rules) -> type[State]:
    """The class of the states of a match under these rules."""
    if not rules.restriction.forbidden:
        return game.state
    return _restricted(game.state, rules.restriction)


def restrictable(imagine: Callable[[V, Random, R], S]) -> Callable[[V, Random, R], S]:
    """Lets a game's `imagine` give states that keep what its rules forbid."""

    @wraps(imagine)
    def imagined(view: V, rng: Random, rules: R) -> S:
        state = imagine(view, rng, rules)
        if rules.restriction.forbidden:
            state.__class__ = _restricted(type(state), rules.restriction)
        return state

    return imagined


@cache
def _restricted(plain: type[Any], restriction: Restriction) -> type[Any]:
    """A state class that offers nothing forbidden wherever something else is legal."""
    words = tuple(frozenset(names) for names in restriction.forbidden)
    tactics = restriction.tactics

    class Restricted(plain):  # type: ignore[misc]
        __slots__ = ()

        def legal(self) -> tuple[Action, ...]:
            legal: tuple[Action, ...] = plain.legal(self)
            seat = self.to_act
            if len(legal) == 1 or seat is None or not words[seat]:
                return legal
            kept = [
                action
                for action in legal
                if first_word(action) not in words[seat]
                and not (tactics[seat] and _counts_as(plain, self, action, tactics[seat]))
            ]
            return tuple(kept) if kept and len(kept) < len(legal) else legal

        def copy(self) -> Any:
            twin = plain.copy(self)
            twin.__class__ = Restricted
            return twin

    Restricted.__name__ = Restricted.__qualname__ = plain.__name__
    return Restricted


@cache
def first_word(action: Action) -> str:
    """The first word of an action's notation."""
    return str(action).split(" ", 1)[0]


def _counts_as(plain: type[Any], state: Any, action: Action, tactics: Sequence[int]) -> bool:
    """Whether the engine would count one of these tactics for it: tried on a copy.

    Only tactics that are known before their outcome are asked for, so the copy's luck and hidden
    cards don't matter; the conformance suite holds games to that.
    """
    seat = state.to_act
    twin = plain.copy(state)
    twin.apply(action)
    before, after = state.counts[seat], twin.counts[seat]
    return any(after[tactic] > before[tactic] for tactic in tactics)
