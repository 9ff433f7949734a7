"""A digest of fixed matches: `python -m tests.golden` writes the present one.

It must only be written together with a higher `ENGINE` (harness/play) or rules number (the game's
`GAME`): nights reuse stored rows as long as neither has gone up.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from games.game import Game
from harness.entrants import find_one
from harness.games import builtin_names, find_game
from harness.play import ENGINE
from harness.play.chunk import TIMING, play_chunk
from harness.play.seeds import run_key
from harness.play.tables import Chunk, make_table, table_size

FILE = Path(__file__).parent / "data" / "golden.json"


def digest(game: Game, players: int) -> str:
    """The rows of 20 deals between random bots, and of variants of the rules."""
    bot = find_one("random_legal", game, Path())
    entrants = [bot] * table_size(game, players)
    found = hashlib.blake2b(digest_size=16)
    table = make_table(game.name, game, game.rules(), players, entrants, "inprocess")
    rows = play_chunk(Chunk(table, 0, 19, run_key(2026))).rows.drop_columns([*TIMING, "bot"])
    found.update(json.dumps(rows.to_pylist()).encode())
    return found.hexdigest()


def present() -> dict[str, Any]:
    """The digests as they are now."""
    games = [find_game(name) for name in builtin_names()]
    return {
        game.name: {
            "engine": ENGINE,
            "rules_number": game.number,
            "digests": {str(players): digest(game, players) for players in game.players},
        }
        for game in games
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(present(), indent=1) + "\n")
