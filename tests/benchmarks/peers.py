"""Other projects' card games beside ours, in one run on one core: `make peers`.

Each plays at random between seats, with an observation and a legality check at every decision, as
Fairdeal does; counted are decisions with more than one legal action. Figures are medians of several
rounds in which all take turns, so a machine that slows down slows everyone down.
"""

import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable

warnings.simplefilter("ignore")

ROUNDS = 7
SECONDS = 1.0

Play = Callable[[float], tuple[int, float]]
"""Plays for so many seconds; the decisions asked, and the seconds it took."""


def open_spiel(name: str) -> Play:
    import pyspiel

    game = pyspiel.load_game(name)
    rng = random.Random(1)

    def play(seconds: float) -> tuple[int, float]:
        asked = 0
        start = time.perf_counter()
        while (now := time.perf_counter()) - start < seconds:
            for _ in range(5):
                state = game.new_initial_state()
                while not state.is_terminal():
                    if state.is_chance_node():
                        outcomes = state.chance_outcomes()
                        state.apply_action(outcomes[int(rng.random() * len(outcomes))][0])
                        continue
                    legal = state.legal_actions()
                    player = state.current_player()
                    state.information_state_tensor(player)
                    action = legal[int(rng.random() * len(legal))]
                    if action not in legal:
                        raise ValueError
                    asked += len(legal) > 1
                    state.apply_action(action)
        return asked, now - start

    return play


def rlcard(name: str) -> Play:
    import rlcard as library

    env = library.make(name, config={"seed": 1})
    rng = random.Random(1)

    def play(seconds: float) -> tuple[int, float]:
        asked = 0
        start = time.perf_counter()
        while (now := time.perf_counter()) - start < seconds:
            state, _ = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                action = legal[int(rng.random() * len(legal))]
                if action not in state["legal_actions"]:
                    raise ValueError
                asked += len(legal) > 1
                state, _ = env.step(action)
        return asked, now - start

    return play


def pettingzoo(name: str) -> Play:
    import importlib

    env = importlib.import_module(f"pettingzoo.classic.{name}").env()
    env.reset(seed=1)
    rng = random.Random(1)

    def play(seconds: float) -> tuple[int, float]:
        asked = 0
        start = time.perf_counter()
        while (now := time.perf_counter()) - start < seconds:
            env.reset()
            while True:
                observation, _, ended, cut, _ = env.last()
                if ended or cut:
                    break
                legal = observation["action_mask"].nonzero()[0]
                action = int(legal[int(rng.random() * len(legal))])
                if not observation["action_mask"][action]:
                    raise ValueError
                asked += len(legal) > 1
                env.step(action)
        return asked, now - start

    return play


def fairdeal(name: str) -> Play:
    from pathlib import Path

    from harness.entrants import find_one
    from harness.games import find_game
    from harness.play.chunk import play_chunk
    from harness.play.seeds import run_key
    from harness.play.tables import Chunk, make_table, table_size

    game = find_game(name)
    bot = find_one("random_legal", game, Path())
    size = table_size(game, game.usual)
    table = make_table(name, game, game.rules(), game.usual, [bot] * size, "inprocess")
    key = run_key(1)
    first = 0

    def play(seconds: float) -> tuple[int, float]:
        nonlocal first
        asked = 0
        start = time.perf_counter()
        while (now := time.perf_counter()) - start < seconds:
            asked += play_chunk(Chunk(table, first, first + 1023, key)).counts.decisions
            first += 1024
        return asked, now - start

    return play


def main() -> None:
    from harness.games import builtin_names

    makers: list[tuple[str, str, Callable[[], Play]]] = [
        ("Fairdeal", name, lambda name=name: fairdeal(name))  # type: ignore[misc]
        for name in builtin_names()
    ]
    for name in ("leduc_poker", "hearts", "gin_rummy", "crazy_eights", "python_liars_poker"):
        makers.append(("OpenSpiel", name, lambda name=name: open_spiel(name)))  # type: ignore[misc]
    for name in ("leduc-holdem", "uno", "gin-rummy", "doudizhu"):
        makers.append(("RLCard", name, lambda name=name: rlcard(name)))  # type: ignore[misc]
    for name in ("leduc_holdem_v4", "gin_rummy_v4", "hanabi_v5"):
        makers.append(("PettingZoo", name, lambda name=name: pettingzoo(name)))  # type: ignore[misc]
    plays: list[tuple[str, str, Play]] = []
    for library, name, make in makers:
        try:
            play = make()
            play(0.2)
        except Exception as error:
            print(f"left out: {library} {name}: {type(error).__name__}: {error}", file=sys.stderr)
        else:
            plays.append((library, name, play))
    rates: dict[int, list[float]] = {i: [] for i in range(len(plays))}
    for _ in range(ROUNDS):
        for i, (_, _, play) in enumerate(plays):
            asked, seconds = play(SECONDS)
            rates[i].append(asked / seconds)
    ours = [i for i, (library, _, _) in enumerate(plays) if library == "Fairdeal"]
    heads = "".join(f" {'x ' + plays[i][1]:>18}" for i in ours)
    print(f"{'library':<11} {'game':<19} {'decisions/s':>12}{heads}")
    for i, (library, name, _) in enumerate(plays):
        ratios = "".join(
            f" {statistics.median(a / b for a, b in zip(rates[k], rates[i], strict=True)):>18.1f}"
            for k in ours
        )
        print(f"{library:<11} {name:<19} {statistics.median(rates[i]):>12,.0f}{ratios}")


if __name__ == "__main__":
    main()
