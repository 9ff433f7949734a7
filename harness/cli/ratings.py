"""`fairdeal ratings`: rating tables and crosstables of a run, or of results from elsewhere."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from harness.cli.left import run_left, show_ratings_left
from harness.cli.lists import OutputOption, ResultsOption
from harness.cli.order import show_order
from harness.cli.standings import (
    PAIR_COLUMNS,
    RATING_COLUMNS,
    heading,
    pair_rows,
    rating_rows,
    short_names,
    show_bounds,
    show_crosstable,
    show_pairs,
    show_ratings,
    show_unexplained,
)
from harness.cli.tables import Output, say, show, warn
from harness.errors import UserError
from harness.store import existing_store
from reports.counts import Source
from reports.elsewhere import SUFFIXES, read_elsewhere
from reports.errors import errors_of_points
from reports.pairs import bounds, pair_up
from reports.ratings import Ratings, rate
from reports.results import Array, Contest, Matches, Player, contests
from reports.views import by_seat, full_orders, without_faults

__all__ = [
    "RATING_COLUMNS",
    "ResultsOption",
    "heading",
    "rating_rows",
    "ratings",
    "short_names",
    "show_crosstable",
    "show_ratings",
]


class Fitted(StrEnum):
    """What a rating is fitted to."""

    points = "points"
    full_order = "full-order"


class Results(NamedTuple):
    """Matches to rate, wherever they come from."""

    title: str
    about: dict[str, Any]
    """What the rows of machine-readable output begin with."""
    players: Sequence[Player]
    matches: Source
    places: Callable[[], Iterable[tuple[Matches, Array]]]
    contest: Contest | None = None
    """Where they are a run's."""


def ratings(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN|FILE", help="NAME (its newest), NAME/0007, a folder, latest; or a file."
        ),
    ],
    anchor: Annotated[
        str | None, typer.Option(metavar="BOT", help="The bot whose rating is 0; else the mean.")
    ] = None,
    model: Annotated[
        Fitted, typer.Option(help="Fit who scored the points, or all places (Plackett-Luce).")
    ] = Fitted.points,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Every pair: points, blocks, difference of ratings.")
    ] = False,
    seats: Annotated[
        bool, typer.Option("--by-seat", help="Points and rating of each bot in each seat.")
    ] = False,
    results: ResultsOption = Path("results"),
    output: OutputOption = Output.table,
) -> None:
    """The ratings of a run, with intervals, and who scored what against whom.

    Also of results from elsewhere: a .csv or .parquet file with the columns match, deal, seat, bot,
    points, and where wanted role, place, fault. With --output csv, json or markdown, --pairs and
    --by-seat print their own table instead of the ratings.

    Example: fairdeal ratings smoke --pairs
    """
    if pairs and seats:
        raise UserError("--pairs and --by-seat are two tables: give one")
    if seats and (anchor is not None or model is not Fitted.points):
        raise UserError("--by-seat goes with neither --anchor nor --model full-order")
    if Path(run).suffix.lower() in SUFFIXES:
        found = [_of_file(Path(run))]
    elif Path(run).is_file():
        raise UserError(f"{run}: a file of results must be {' or '.join(SUFFIXES)}")
    else:
        store = existing_store(results)
        folder = store.find_run(run)
        asked = {
            "--pairs": pairs,
            "--by-seat": seats,
            "--anchor": anchor is not None,
            "--model full-order": model is Fitted.full_order,
        }
        left = run_left(store, folder, [option for option, given in asked.items() if given])
        if left is not None:
            show_ratings_left(left, contests(store, folder), output)
            return
        found = [_of_contest(contest) for contest in contests(store, folder)]
    if anchor is not None:
        _check_anchor(found, anchor)
    if seats:
        _by_seat(found, output)
    elif output is Output.table:
        for each in found:
            _show(each, anchor, model, pairs)
    elif pairs:
        rows = []
        for each in found:
            table = _rate(each, anchor, model)
            rows += [each.about | row for row in pair_rows(table, pair_up(table, each.matches))]
        show(rows, output, columns=(*found[0].about, *PAIR_COLUMNS))
    elif output is Output.json and Path(run).suffix.lower() in SUFFIXES:
        _print_object(found[0], anchor, model)
    else:
        rows = []
        for each in found:
            table = _rate(each, anchor, model)
            rows += [
                each.about | row for row in rating_rows(table, _clean(each, table, anchor, model))
            ]
        show(rows, output, columns=(*found[0].about, *RATING_COLUMNS))


def _of_contest(contest: Contest) -> Results:
    about = {"contest": contest.number, "game": contest.about["game"]}
    title = heading(contest)
    return Results(title, about, contest.players, contest.matches, contest.places, contest)


def _of_file(path: Path) -> Results:
    found = read_elsewhere(path)
    return Results(str(path), {}, found.players, found.matches, found.places)


def _rate(results: Results, anchor: str | None, model: Fitted, clean: bool = False) -> Ratings:
    """The ratings, or (`clean`) those of the matches without a fault."""
    matches = without_faults(results.matches) if clean else results.matches
    orders: Source | None = None
    if model is Fitted.full_order:

        def fitted() -> Iterable[Matches]:
            return full_orders(results.places())

        orders = without_faults(fitted) if clean else fitted
    label = _label(results, anchor)
    try:
        return rate(results.players, matches, fitted=orders, anchor=label)
    except ValueError as error:
        raise UserError(f"{results.title}: {error}") from error


def _label(results: Results, anchor: str | None) -> str | None:
    """The label of the bot with this name or label; None where there is none."""
    names = short_names([player.bot for player in results.players])
    return next((bot for bot, name in names.items() if anchor in (bot, name)), None)


def _check_anchor(found: Sequence[Results], anchor: str) -> None:
    """UserError unless the bot is somewhere; where it isn't, ratings keep their mean."""
    without = [each.title for each in found if _label(each, anchor) is None]
    if len(without) == len(found):
        bots = [player.bot for each in found for player in each.players]
        known = ", ".join(sorted(set(short_names(bots).values()))[:20])
        raise UserError(f"there is no bot {anchor!r} to anchor ratings on; there are: {known}")
    for title in without:
        warn(f"{title}: {anchor} isn't there, so that ratings have mean zero")


def _clean(results: Results, table: Ratings, anchor: str | None, model: Fitted) -> Ratings | None:
    """The ratings without the matches that had a fault, if any had."""
    if not any(line.faults for line in table.rated):
        return None
    return _rate(results, anchor, model, clean=True)


def _show(results: Results, anchor: str | None, model: Fitted, pairs: bool) -> None:
    table = _rate(results, anchor, model)
    show_ratings(results.title, table, _clean(results, table, anchor, model))
    found = pair_up(table, results.matches)
    show_bounds(table, bounds(table, found))
    show_crosstable(table, found)
    if pairs:
        show_pairs(table, found)
    show_unexplained(table, found)
    if results.contest is not None:
        show_order(results.contest)


def _print_object(results: Results, anchor: str | None, model: Fitted) -> None:
    """For programs: whatever the status, one object."""
    table = _rate(results, anchor, model)
    found = bounds(table, pair_up(table, results.matches)) if table.status != "ok" else []

    def named(index: int) -> dict[str, str]:
        player = table.players[index]
        return {"bot": player.bot} | ({"role": player.role} if player.role else {})

    said = {
        "status": table.status,
        "model": table.model,
        "deals": table.deals,
        "matches": table.matches,
        "ratings": rating_rows(table, _clean(results, table, anchor, model)),
        "edge": None if table.edge is None else table.edge._asdict(),
        "groups": [[named(index) for index in group] for group in table.groups],
        "bounds": [
            {
                **named(bound.player),
                "above" if bound.above else "below": named(bound.opponent),
                "deals": bound.deals,
                "elo": bound.elo,
            }
            for bound in found
        ],
    }
    json.dump(said, sys.stdout, indent=1, ensure_ascii=False, allow_nan=False)
    print()


SEAT_COLUMNS = (
    *("bot", "seat", "points", "points_error", "rating", "error", "low", "high", "matches"),
    "standing",
)


def _by_seat(found: Sequence[Results], output: Output) -> None:
    tables = []
    for each in found:
        status, rows = _seat_rows(each)
        tables.append((each, rows))
        if status != "ok":
            _warn_of_seats(each, status, rows)
    if output is not Output.table:
        rows = [each.about | row for each, rows in tables for row in rows]
        show(rows, output, columns=(*found[0].about, *SEAT_COLUMNS))
        return
    for each, rows in tables:
        names = short_names([player.bot for player in each.players])
        shown = [
            {
                "bot": names[row["bot"]],
                "seat": row["seat"],
                "points a match": row["points"],
                "± error": row["points_error"],
                "Elo": None if row["rating"] is None else f"{row['rating']:+.0f}",
                "95 % interval": None
                if row["low"] is None
                else f"{row['low']:+.0f} to {row['high']:+.0f}",
                "matches": row["matches"],
            }
            for row in rows
        ]
        show(shown, Output.table, f"{each.title}: by seat")
    say("Ratings by seat have mean zero over all bots in all seats: they hold the seats' worth.")


def _warn_of_seats(results: Results, status: str, rows: Sequence[dict[str, Any]]) -> None:
    """Says why bots in seats have no rating."""
    why = "not every bot in a seat scored against every other, even by way of others"
    if status == "disconnected":
        why = "some bots in some seats never met the others, even by way of others"
    if len(results.players) == 2:
        why = "with two bots each meets only the other in the other seat: points alone compare them"
    without = sum(row["rating"] is None for row in rows)
    warn(
        f"warning: {results.title}: by seat {status.replace('_', ' ')}: {why}; {without} of"
        f" {len(rows)} have no rating"
    )


def _seat_rows(results: Results) -> tuple[str, list[dict[str, Any]]]:
    """The status, and a row a bot and seat; UserError where seats have roles.

    Where some never met others no group is rated: none of them is the one to compare with.
    """
    if len({player.role for player in results.players}) > 1:
        raise UserError(f"{results.title}: seats have roles here, and each has its rating already")
    width = max((chunk.side.shape[1] for chunk in results.matches()), default=0)
    players, matches = by_seat(results.players, results.matches, width)
    table = rate(players, matches, together=True)
    errors = dict(zip(players, errors_of_points(matches(), len(players)), strict=True))
    rows = []
    for line in table.rated:
        apart = table.status == "disconnected"
        rows.append(
            {
                "bot": line.player.bot,
                "seat": int(line.player.role.removeprefix("seat ")),
                "points": line.points / line.matches,
                "points_error": errors[line.player],
                "rating": None if apart else line.rating.value,
                "error": None if apart else line.rating.error,
                "low": None if apart else line.rating.low,
                "high": None if apart else line.rating.high,
                "matches": line.matches,
                "standing": "apart" if apart else line.standing or None,
            }
        )
    return table.status, sorted(rows, key=lambda row: (row["seat"], -row["points"], row["bot"]))
