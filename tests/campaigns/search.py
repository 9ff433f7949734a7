"""How strong is `search`? Plays it, block by block, against each other bot of a game.

    python -m tests.campaigns.search --game GAME --blocks 50 --iterations 1000
    python -m tests.campaigns.search --game GAME --blocks 200 --tenfold

Two seats, or two teams: a block is a deal in both seatings. More seats: one bot is `search`, the
others are copies of one other bot, and a block is a deal in all rotations, with `search` once in
each seat; equals would have one point in so many seats. `--tenfold` asks in the same way what ten
times as many iterations are worth, 200 against 20. Each block is a line of JSON in `--results`, so
a campaign may be stopped and goes on there; lines of other versions of the bots count no more.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from math import log10, sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

from games.game import Game
from harness.cli.tables import Output, show, warn
from harness.entrants import Entrant, find_bots, find_one
from harness.games import builtin_names, find_game
from harness.play.budgets import Budgets
from harness.play.seeds import run_key
from harness.play.series import Series, played
from harness.play.tables import table_size
from reports.estimates import Estimate, interval

KEY = run_key(2026)
TENFOLD = 20, 200


class Pairing(NamedTuple):
    """Who meets: one `search`, and enough copies of another bot to fill the table."""

    game: Game
    players: int
    search: Entrant
    other: Entrant

    @property
    def par(self) -> float:
        """What the one would score among equals."""
        return 1 / table_size(self.game, self.players)

    @property
    def key(self) -> tuple[str, int, str, str]:
        """What a line of results says of it."""
        return self.game.name, self.players, self.search.label, self.other.label


def pairings(game: Game, players: int, given: argparse.Namespace) -> list[Pairing]:
    """With each bot of the roster, or, tenfold, with itself at fewer iterations."""
    few, many = TENFOLD if given.tenfold else (0, given.iterations)
    search = find_one(f"search(iterations={many})", game, Path(), players)
    if given.tenfold:
        others = [find_one(f"search(iterations={few})", game, Path(), players)]
    else:
        found, _ = find_bots("*", game, Path(), players, game.rules())
        others = [entrant for entrant in found if entrant.bot.name != "search"]
        if given.against:
            others = [entrant for entrant in others if entrant.bot.name in given.against]
    return [Pairing(game, players, search, other) for other in others]


# --- Playing --------------------------------------------------------------------------------------


def block(pairing: Pairing, deal: int) -> dict[str, Any]:
    """Plays a deal in all seatings: what `search` scored on average, and how long it thought."""
    game, players, search, other = pairing
    size = table_size(game, players)
    series = Series(
        game=game,
        path=game.name,
        rules=game.rules(),
        players=players,
        entrants=(search, *[other] * (size - 1)),
        key=KEY,
        deals=range(deal, deal + 1),
        isolation="inprocess",
        budgets=Budgets(),
    )
    points, decisions, time_ns, all_ns, faults = [], 0, 0, 1, 0
    start = time.process_time()
    for match in played(series, []):
        seats = [seat for seat, index in enumerate(match.order) if index == 0]
        points.append(match.ended.result.points[seats[0]])
        decisions += sum(match.ended.asked[seat] for seat in seats)
        time_ns += sum(match.time_ns[seat] for seat in seats)
        all_ns += sum(match.time_ns)
        faults += match.ended.fault is not None
    # Wall time says little on a busy machine; so CPU time, by each bot's part of the wall time.
    used = (time.process_time() - start) * time_ns / all_ns
    return {
        "game": game.name,
        "players": players,
        "search": search.label,
        "other": other.label,
        "deal": deal,
        "points": mean(points),
        "decisions": decisions,
        "ms": 1000 * used,
        "faults": faults,
    }


def play(given: argparse.Namespace, wanted: Sequence[Pairing], file: Path) -> None:
    """Plays the blocks that aren't there yet, deal by deal over all pairings."""
    done = {(key_of(line), line["deal"]) for line in lines(file)}
    for deal in range(given.blocks):
        for pairing in wanted:
            if (pairing.key, deal) not in done:
                line = json.dumps(block(pairing, deal))
                with open(file, "a") as stream:
                    stream.write(line + "\n")


def lines(file: Path) -> Iterator[dict[str, Any]]:
    """The blocks played so far."""
    if file.exists():
        with open(file) as stream:
            yield from map(json.loads, stream)


def key_of(line: dict[str, Any]) -> tuple[str, int, str, str]:
    """Whose block it is."""
    return line["game"], line["players"], line["search"], line["other"]


# --- What came out --------------------------------------------------------------------------------


def summed(pairing: Pairing, blocks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A row of the table; the interval is Student's, over deals."""
    points = [line["points"] for line in blocks]
    found = Estimate(mean(points))
    if len(points) > 1:
        found = interval(mean(points), stdev(points) / sqrt(len(points)), len(points))
    low, high = found.low, found.high
    decisions = sum(line["decisions"] for line in blocks)
    return {
        "game": pairing.game.name,
        "seats": pairing.players,
        "search": pairing.search.name,
        "against": pairing.other.name,
        "blocks": len(points),
        "points": f"{100 * mean(points):.1f} %",
        "95 %": "" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f}",
        "par": f"{100 * pairing.par:.0f} %",
        "Elo": elo(mean(points), pairing.par),
        "Elo 95 %": ""
        if low is None or high is None
        else f"{elo(low, pairing.par)} to {elo(high, pairing.par)}",
        "ms a decision": f"{sum(line['ms'] for line in blocks) / decisions:.1f}",
        "faults": sum(line["faults"] for line in blocks),
    }


def elo(score: float, par: float) -> str:
    """The difference in strength from equals, where each wins in proportion to exp(strength)."""
    if score <= 0 or score >= 1:
        return "-∞" if score <= 0 else "∞"
    return f"{400 * log10(score / (1 - score) * (1 - par) / par):+.0f}"


def main() -> None:
    """Plays what is missing, then prints the table; also if it is stopped."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--game", choices=builtin_names(), required=True)
    parser.add_argument("--players", type=int, help="seats; else the usual")
    parser.add_argument("--blocks", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--against", nargs="*", help="only these bots of the roster")
    parser.add_argument("--tenfold", action="store_true", help="200 iterations against 20")
    parser.add_argument("--results", type=Path, default=Path("search.jsonl"))
    parser.add_argument("--output", type=Output, choices=list(Output), default=Output.table)
    given = parser.parse_args()
    game = find_game(given.game)
    wanted = pairings(game, given.players or game.usual, given)
    try:
        play(given, wanted, given.results)
    except KeyboardInterrupt:
        warn("stopped")
    rows = []
    for pairing in wanted:
        blocks = [line for line in lines(given.results) if key_of(line) == pairing.key]
        if blocks:
            rows.append(summed(pairing, blocks))
    show(rows, given.output)


if __name__ == "__main__":
    main()
