"""The in-process driver: bots are called directly. For one's own bots; it holds nothing back."""

from collections.abc import Callable, Sequence
from time import perf_counter_ns
from typing import Any

from games.game import Game, State
from harness.bot import Bot, Setup
from harness.play.faults import Fault, shortened
from harness.play.match import Ended, illegal, match

Maker = Callable[[Setup], Bot] | Fault
"""Makes a bot, or is why that can't be done (it can't be imported)."""


def play(
    game: Game,
    state: State,
    makers: Sequence[Maker],
    seeds: Sequence[int],
    moves: list[str] | None = None,
) -> tuple[Ended, list[int]]:
    """Plays a match between the bots that these makers make, one a seat, with these seeds.

    A bot is made, hears what it has missed and decides at its seat's next asked decision, and what
    goes wrong in any of that is charged there. Returns also the time that each seat's bot took, in
    nanoseconds.
    """
    players = state.players
    bots: list[Bot | None] = [None] * players
    acts: list[Callable[..., Any] | None] = [None] * players
    time_ns = [0] * players
    send = match(game, state, moves).send
    clock = perf_counter_ns
    answer: Any = None
    try:
        while True:
            seat, view, legal, events = send(answer)
            start = clock()
            act = acts[seat]
            try:
                if act is None:
                    maker = makers[seat]
                    if isinstance(maker, Fault):
                        answer = maker
                        continue
                    setup = (game.name, state.rules, players, seat, seeds[seat])
                    bot = bots[seat] = maker(tuple.__new__(Setup, setup))
                    act = acts[seat] = bot.act
                if events:
                    observe = bots[seat].observe  # type: ignore[union-attr]
                    for event in events:
                        observe(event)
                answer = act(view, legal)
                if type(answer) is Fault:  # a bot's own: only a driver says what is one
                    answer = illegal(answer)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                memory = isinstance(error, MemoryError)
                kind = "memory" if memory else "load" if act is None else "crash"
                answer = Fault(kind, shortened(error))
            time_ns[seat] += clock() - start
    except StopIteration as stop:
        return stop.value, time_ns
