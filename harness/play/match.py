"""A match as a generator: it yields decisions, is sent answers, and returns how it ended.

Every way of running bots drives this one generator, so what is legal, who is asked and what a
fault does is decided here and nowhere else.
"""

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

from games.game import Action, Game, Result, State
from harness.play.faults import Fault, faulted, spelled

Decision = tuple[int, Any, tuple[Action, ...], Sequence[Any]]
"""A seat, its view, its legal actions, and the events that it has yet to hear."""


class Ended(NamedTuple):
    """How a match ended."""

    result: Result
    asked: list[int]
    """The decisions that each seat was asked."""
    fault: Fault | None
    at: int | None
    """The seat at fault."""
    legal: tuple[Action, ...] = ()
    """What the seat at fault might have done."""


def match(
    game: Game, state: State, moves: list[str] | None = None
) -> Generator[Decision, Any, Ended]:
    """Plays `state` to its end. A driver answers each decision with an action or a `Fault`.

    A seat with one legal action isn't asked. `moves`, if given, gets the record's entries; the
    state's chance must log to the same list.
    """
    asked = [0] * state.players
    heard = state.heard
    while (seat := state.to_act) is not None:
        legal = state.legal()
        if len(legal) == 1:
            action = legal[0]
        else:
            asked[seat] += 1
            events: Sequence[Any] = ()
            if heard is not None and heard[seat]:
                events, heard[seat] = heard[seat] or (), []
            answer = yield seat, state.view(seat), legal, events
            for action in legal:
                if action is answer:
                    break
            else:
                equal = equal_action(game, answer, legal)
                if equal is None:
                    fault = answer if type(answer) is Fault else illegal(answer)
                    if moves is not None:
                        moves.append(f"{seat} fault {fault.kind}")
                    return Ended(faulted(game, state, seat), asked, fault, seat, legal)
                action = equal
        if moves is not None:
            moves.append(f"{seat} {action}")
        state.apply(action)
    return tuple.__new__(Ended, (state.result(), asked, None, None, ()))


def equal_action(game: Game, answer: object, legal: Sequence[Action]) -> Action | None:
    """The engine's own action that equals this answer, if it is of the game's own types."""
    if type(answer) not in game.actions:
        return None
    try:
        return legal[legal.index(answer)]
    except Exception:  # not there; or a field of the bot's own kind that can't be compared
        return None


def illegal(answer: object) -> Fault:
    """The fault of an answer that isn't one of the legal actions."""
    return Fault("illegal", f"answered {spelled(answer)}, which is not a legal action")
