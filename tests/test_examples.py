"""Worked hands: the records in each game's `examples/` folder, replayed step by step.

A line there is a record with more fields, which records may have:

- `story`: what happens, in a sentence;
- `legal`: by entry, what the seat to act there may do, all of it and in order;
- `views`: by entry, by seat, fields of that seat's view just before the entry;
- `told`: by entry, by seat, the events that the entry (with its outcomes of chance) brings;
- `hidden`: by entry, by seat, by zone, the cards that the seat can't tell;
- `tactics`: for each seat the tactics counted by the end, those that aren't 0;
- `standing`: by entry, each seat's standing.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import games
from games.game import Game
from games.spelled import spelled
from harness.games import find_game
from harness.records import Replay, verify

HANDS = [
    pytest.param(json.loads(line), id=f"{path.parent.parent.name}-{path.stem}-{number}")
    for root in games.__path__
    for path in sorted(Path(root).glob("*/examples/*.jsonl"))
    for number, line in enumerate(path.read_text().splitlines(), start=1)
]


@pytest.mark.parametrize("hand", HANDS)
def test_a_worked_hand(hand: dict[str, Any]) -> None:
    assert hand["story"]
    verify(json.dumps(hand))
    game = find_game(hand["game"])
    rules = game.rules.read(hand["rules"])
    replay = Replay(game, rules, hand["players"], hand["moves"], listeners=range(hand["players"]))
    checked = 0
    while True:
        entry = str(replay.chance.position)
        checked += check(game, replay, hand, entry)
        if replay.over:
            break
        clear(replay)
        replay.step()
        for seat, events in hand.get("told", {}).get(entry, {}).items():
            checked += 1
            assert heard(game, replay, int(seat)) == events, f"told seat {seat} at {entry}"
    wanted = sum(
        len(by_seat)
        for field in ("views", "told", "hidden")
        for by_seat in hand.get(field, {}).values()
    )
    wanted += len(hand.get("legal", {})) + len(hand.get("standing", {}))
    assert checked == wanted, "an entry named in the hand isn't a decision"
    if "tactics" in hand:
        names = [tactic.name for tactic in game.tactics]
        counted = [
            {name: n for name, n in zip(names, counts, strict=True) if n}
            for counts in replay.state.counts
        ]
        assert counted == hand["tactics"]


def check(game: Game, replay: Replay, hand: dict[str, Any], entry: str) -> int:
    state = replay.state
    checked = 0
    if entry in hand.get("legal", {}):
        checked += 1
        assert [str(action) for action in state.legal()] == hand["legal"][entry]
    if entry in hand.get("standing", {}):
        checked += 1
        standing = [state.standing(seat) for seat in range(hand["players"])]
        assert standing == hand["standing"][entry]
    for seat, fields in hand.get("views", {}).get(entry, {}).items():
        checked += 1
        view = spelled(game.pack, state.view(int(seat)))
        assert {name: view[name] for name in fields} == fields, f"view of seat {seat} at {entry}"
    for seat, zones in hand.get("hidden", {}).get(entry, {}).items():
        checked += 1
        hidden = {zone: game.pack.spell(cards) for zone, cards in state.hidden(int(seat)).items()}
        assert hidden == zones, f"hidden from seat {seat} at {entry}"
    return checked


def clear(replay: Replay) -> None:
    for heard in replay.state.heard or []:
        if heard is not None:
            heard.clear()


def heard(game: Game, replay: Replay, seat: int) -> list[Any]:
    assert replay.state.heard is not None
    return [
        {type(event).__name__: spelled(game.pack, event)}
        for event in replay.state.heard[seat] or []
    ]
