"""Do blocks pay? Design effects of each game's roster, and the matches for ±10 Elo.

    python -m tests.campaigns.blocks --deals 1024 --check forest_fox tragedy --results DIR

prints the tables of `reports/README.md`. Each game's roster (the first contest of its config) is
played by `fairdeal run`, in one process; with `--results` it is kept there, and a stopped campaign
goes on. The first table has what the ratings' errors say of blocks and of independent deals, and
beside it the rule of thumb that they replace. The second is the direct check: blocks, and as many
matches each on a deal of its own, are cut into batches that are rated one by one; how far those
ratings spread doesn't depend on any error that was computed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy.stats import norm

from harness.cli.tables import Output, show
from harness.entrants import find_one
from harness.games import builtin_names, find_game
from harness.play.budgets import Budgets
from harness.play.seeds import run_key
from harness.play.series import Series, played
from harness.play.tables import table_size
from harness.schedule import all_tables
from harness.store import existing_store
from reports.ratings import ELO, Ratings, Source, rate
from reports.results import Array, Contest, Matches, Player, contests, sides

CONFIGS = Path(__file__).parents[2] / "configs"
SEED = 2026
WANTED = 10.0
"""Elo on each side of a rating, at 95 %."""
WITHOUT = {"tragedy": ("random_legal",)}
"""Who never scores, and so has no rating."""
ONCE = (float(norm.ppf(0.975)) * ELO / WANTED) ** 2
"""Matches for that, where one match gave an error of one unit of natural-log strength."""

# --- Blocks ---------------------------------------------------------------------------------------


def blocks(name: str, deals: int, results: Path, bots: Sequence[str] = ()) -> Contest:
    """The game's roster (or some of its bots), played by `fairdeal run`."""
    text = tomllib.loads((CONFIGS / f"{name}.toml").read_text())
    contest = text["contest"][0] | {"deals": deals}
    without = WITHOUT.get(name, ())
    contest["bots"] = list(bots) or [bot for bot in contest["bots"] if bot not in without]
    lines = [f'name = "blocks-{name}"', f"seed = {SEED}", 'isolation = "inprocess"', "[[contest]]"]
    lines += [f"{key} = {_toml(value)}" for key, value in contest.items()]
    results.mkdir(parents=True, exist_ok=True)
    config = results / f"blocks-{name}.toml"
    config.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "harness.cli", "run", str(config), "--local"]
    subprocess.run(
        [*command, "--results", str(results)],
        env=os.environ | {"PYTHONHASHSEED": "0"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    store = existing_store(results)
    return contests(store, store.find_run(f"blocks-{name}"))[0]


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }"
    return repr(value).replace("'", '"')


# --- Independent deals ----------------------------------------------------------------------------


def independent(contest: Contest, deals: int) -> Iterator[Matches]:
    """As many matches as so many blocks have, each on a deal of its own.

    Deals go round the tables and seatings, so that any range of them has all of these equally. Each
    has a cyclic order of its own too: matches that shared neighbours would be related by that.
    """
    about = contest.about
    game, players = find_game(about["game"]), about["players"]
    rules = game.rules.read(about["rules"])
    entrants = [
        find_one(bot.rpartition("@")[0], game, Path(), players, rules) for bot in contest.bots
    ]
    index = {bot: number for number, bot in enumerate(contest.bots)}
    rng = np.random.default_rng(SEED)
    size = table_size(game, players)
    numbers = count()
    for _ in range(deals):
        rows = []
        for table in all_tables(game, players, entrants):
            for turn in range(size):
                order = [table[i] for i in (0, *rng.permutation(range(1, size)))]
                deal = next(numbers)
                series = Series(
                    game=game,
                    path=game.name,
                    rules=rules,
                    players=players,
                    entrants=(*order[turn:], *order[:turn]),
                    key=run_key(SEED + 1),
                    deals=range(deal, deal + 1),
                    isolation="inprocess",
                    budgets=Budgets(),
                    as_given=True,
                )
                rows.append(_rows(series))
        yield sides(pa.concat_tables(rows), game.teams(players), about["roles"], index)


def _rows(series: Series) -> pa.Table:
    """A series as the store has it, as far as ratings need it."""
    rows: dict[str, list[Any]] = {"deal": [], "bot": [], "points": [], "fault": []}
    for one in played(series, []):
        fault, at = one.ended.fault, one.ended.at
        for seat, points in enumerate(one.ended.result.points):
            rows["deal"].append(one.deal)
            rows["bot"].append(series.entrants[one.order[seat]].label)
            rows["points"].append(points)
            rows["fault"].append(fault.kind if fault is not None and seat == at else None)
    return pa.table(rows, schema=SCHEMA)


SCHEMA = pa.schema(
    [
        ("deal", pa.int64()),
        ("bot", pa.string()),
        ("points", pa.float64()),
        ("fault", pa.string()),
    ]
)

# --- What the errors say --------------------------------------------------------------------------


class Luck(NamedTuple):
    """What the rule of thumb needs."""

    draws: float
    """The part of the points' variance that sharing takes: with two seats, the share of draws."""
    correlation: float | None
    """Of a bot's scores within a deal at a table; None with roles, each of which plays it once."""


def luck(source: Source, roles: bool = False) -> Luck:
    """As measured, from deviations from each bot's mean at its table."""
    whole = joined(source)
    width = whole.side.shape[1]
    spread = ((whole.points - 1 / width) ** 2).sum(axis=1).mean() / (1 - 1 / width)
    if roles:
        return Luck(1 - float(spread), None)
    size = int(whole.side.max()) + 1
    _, table = np.unique(np.sort(whole.side, axis=1), axis=0, return_inverse=True)
    player = (table.reshape(-1, 1) * size + whole.side).ravel()
    points = whole.points.ravel()
    _, player = np.unique(player, return_inverse=True)
    deviation = points - (np.bincount(player, points) / np.bincount(player))[player]
    deal = np.repeat(whole.deal, width)
    _, block = np.unique(np.column_stack([player, deal]), axis=0, return_inverse=True)
    block = block.ravel()
    number = np.bincount(block)
    sums, squares = np.bincount(block, deviation), np.bincount(block, deviation**2)
    pairs = float(((number - 1) * squares / number).sum())
    found = float(((sums**2 - squares) / number).sum()) / pairs if pairs > 0 else None
    return Luck(1 - float(spread), found)


def joined(source: Source) -> Matches:
    """All matches at once."""
    return Matches(*(np.concatenate(column) for column in zip(*source(), strict=True)))


def rule_of_thumb(found: Luck, sides: int, bots: int, roles: bool) -> tuple[float, float | None]:
    """Matches a bot for the wanted interval, on independent deals and in blocks, between equals.

    Of k sides each wins the point with 1/k; a rating is relative to the mean of n bots. With two
    of them, for the difference between the two: 4,640 (1 - draws) (1 + correlation).
    """
    whole = ONCE * sides**2 / (sides - 1) * (1 - 1 / bots) ** (1 if roles else 2)
    alone = whole * (1 - found.draws)
    if found.correlation is None:
        return alone, None
    return alone, alone * (1 + (sides - 1) * found.correlation)


def needed(rated: Ratings) -> tuple[Array, Array]:
    """By bot, matches for the wanted interval: in blocks, and on independent deals."""
    within, alone = [], []
    for line in rated.rated:
        if line.rating.error and line.design:
            within.append(ONCE * line.matches * (line.rating.error / ELO) ** 2)
            alone.append(within[-1] / line.design)
    return np.array(within), np.array(alone)


def apart(chunks: Iterable[Matches]) -> Iterator[Matches]:
    """The same matches as if each table had deals of its own: blocks, and nothing shared."""
    whole = joined(lambda: chunks)
    _, table = np.unique(np.sort(whole.side, axis=1), axis=0, return_inverse=True)
    deals = int(whole.deal.max()) + 1
    yield whole._replace(deal=table.ravel() * deals + whole.deal)


def row(contest: Contest) -> dict[str, Any]:
    """What the errors of a game's ratings say."""
    rated = rate(contest.players, contest.matches)
    shared, alone = needed(rated)
    own, _ = needed(rate(contest.players, lambda: apart(contest.matches())))
    roles = len(contest.roles) > 1
    found = luck(contest.matches, roles)
    thumb = rule_of_thumb(found, rated.totals.side.shape[1], len(contest.bots), roles)
    return {
        "game": contest.about["game"],
        "seats": contest.about["players"],
        "bots": len(contest.bots),
        "matches": f"{rated.matches:,}",
        "design effect": _effects(shared / alone),
        "a table's own deals": _effects(own / alone),
        "for ±10 Elo": f"{median(shared):,.0f}",
        "own": f"{median(own):,.0f}",
        "independent": f"{median(alone):,.0f}",
        "draws": f"{100 * found.draws:.0f} %",
        "correlation": None if found.correlation is None else f"{found.correlation:+.2f}",
        "rule, own": None if thumb[1] is None else f"{thumb[1]:,.0f}",
        "rule, independent": f"{thumb[0]:,.0f}",
    }


def _effects(effects: Array) -> str:
    return f"{median(effects):.2f} ({effects.min():.2f} to {effects.max():.2f})"


# --- The direct check -----------------------------------------------------------------------------


def by_spread(
    players: Sequence[Player], whole: Matches, rated: Sequence[Player], batches: int
) -> tuple[float | None, int]:
    """Matches a bot for the wanted interval, the mean over the rated ones, from how far the ratings
    of batches of deals spread; and in how many batches all of them had one.
    """
    _, at = np.unique(whole.deal, return_inverse=True)
    batch = at * batches // (int(at.max()) + 1)
    found, matches = [], []
    for number in range(batches):
        part = Matches(*(column[batch == number] for column in whole))
        table = rate(players, partial(iter, [part]))
        lines = {line.player: line for line in table.rated}
        values = [lines[player].rating.value for player in rated]
        if None not in values:
            found.append(values)
            matches.append([lines[player].matches for player in rated])
    if len(found) < 2:
        return None, len(found)
    variance = np.var(np.array(found, dtype=float), axis=0, ddof=1) / ELO**2
    return ONCE * float((variance * np.mean(matches, axis=0)).mean()), len(found)


def check(contest: Contest, deals: int, batches: int) -> list[dict[str, Any]]:
    """Blocks beside independent deals: what errors predict, and what is seen."""
    table = rate(contest.players, contest.matches)
    rated = [line.player for line in table.rated if line.rating.value is not None]
    shared, predicted = needed(table)
    alone = joined(lambda: independent(contest, deals))
    own, _ = needed(rate(contest.players, lambda: iter([alone])))
    rows = []
    for name, whole, errors in (
        ("blocks", joined(contest.matches), (shared, shared)),
        ("independent", alone, (predicted, own)),
    ):
        spread, number = by_spread(contest.players, whole, rated, batches)
        rows.append(
            {
                "game": contest.about["game"],
                "deals": name,
                "matches": f"{len(whole.deal):,}",
                "by the blocks' errors": f"{errors[0].mean():,.0f}",
                "by their own": f"{errors[1].mean():,.0f}",
                "by the spread of batches": None
                if spread is None
                else f"{spread:,.0f} ± {200 * (2 / (number - 1) / (len(rated) - 1)) ** 0.5:.0f} %",
                "batches": number,
            }
        )
    return rows


def main() -> None:
    """Plays, then prints each table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--game", nargs="+", choices=builtin_names(), default=builtin_names())
    parser.add_argument("--deals", type=int, default=1024)
    parser.add_argument("--check", nargs="*", choices=builtin_names(), default=[])
    parser.add_argument("--batches", type=int, default=64)
    parser.add_argument("--bots", nargs="*", default=[], help="only these, instead of the roster")
    parser.add_argument("--results", type=Path, help="where matches are kept")
    parser.add_argument("--output", type=Output, choices=list(Output), default=Output.markdown)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = given.results or Path(folder)
        names = dict.fromkeys([*given.game, *given.check])
        found = {name: blocks(name, given.deals, results, given.bots) for name in names}
        show([row(found[name]) for name in given.game], given.output)
        rows = [check(found[name], given.deals, given.batches) for name in given.check]
        if rows:
            show([line for part in rows for line in part], given.output)


if __name__ == "__main__":
    main()
