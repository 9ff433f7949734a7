"""What commands show of a run whose chunks are gone: its summary, and that it is one."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.cli.order import show_neighbours
from harness.cli.standings import heading, rating_rows, short_names, show_ratings
from harness.cli.tables import Output, show, warn
from harness.errors import UserError
from harness.store import Place, Store
from reports.estimates import Estimate
from reports.faults import Case, Faults
from reports.ratings import Rated, Ratings, Totals
from reports.results import Contest, Player
from reports.summary import Left, left_of
from reports.tactics import Frequency, Group, Pair


def run_left(store: Store, folder: Place, cannot: Sequence[str] = ()) -> Left | None:
    """What is left of a run, which is said on stderr; None if its chunks are there.

    UserError if nothing is, or if any option in `cannot` asks for what no summary has.
    """
    left = left_of(store, folder)
    if left is None:
        return None
    when = f"were removed on {left.since[:10]}" if left.since else "are gone"
    if cannot:
        asked = " and ".join(cannot)
        raise UserError(f"{left.name}: its chunks {when}, and its summary has nothing for {asked}")
    warn(f"{left.name}: its chunks {when}; this is from its summary")
    return left


def contests_left(left: Left) -> Sequence[dict[str, Any]]:
    """The contests of a summary; UserError where only ratings are left."""
    if left.contests is None:
        raise UserError(f"{left.name}: its chunks are gone, and only its ratings were kept")
    return left.contests


# --- Ratings --------------------------------------------------------------------------------------


def ratings_left(left: Left) -> list[tuple[Ratings, Ratings | None]]:
    """The ratings of each contest, and those without faults where there were any."""
    if left.ratings is None:
        raise UserError(f"{left.name}: its chunks are gone, and its ratings were not kept")
    return [(_ratings(each), _clean(each)) for each in left.ratings]


def _ratings(kept: dict[str, Any]) -> Ratings:
    rows = kept["ratings"]
    players = [Player(row["bot"], row["role"] or "") for row in rows]
    lines = [
        Rated(
            player,
            Estimate(row["rating"], row["error"], row["low"], row["high"]),
            row["matches"],
            row["points"],
            row["faults"],
            row["design_effect"],
            None if row["rank_low"] is None else (row["rank_low"], row["rank_high"]),
            row["standing"] or "",
        )
        for player, row in zip(players, rows, strict=True)
    ]
    groups = [[players.index(Player(**each)) for each in group] for group in kept.get("groups", ())]
    edge = None if kept["edge"] is None else Estimate(**kept["edge"])
    nothing = np.zeros(0)
    totals = Totals(nothing, nothing, nothing, nothing, nothing)
    return Ratings(
        kept["status"], lines, kept["deals"], kept["matches"], edge, totals, players, groups=groups
    )


def _clean(kept: dict[str, Any]) -> Ratings | None:
    if not any(row["faults"] for row in kept["ratings"]):
        return None
    table = _ratings(kept)
    lines = [
        line._replace(rating=Estimate(row["without_faults"], row["without_faults_error"]))
        for line, row in zip(table.rated, kept["ratings"], strict=True)
    ]
    return table._replace(rated=lines)


def show_ratings_left(left: Left, found: Sequence[Contest], output: Output) -> None:
    """Prints the ratings of a summary, and for people the crosstable."""
    tables = ratings_left(left)
    if output is not Output.table:
        rows = [
            {"contest": contest.number, "game": contest.about["game"], **row}
            for contest, (table, clean) in zip(found, tables, strict=True)
            for row in rating_rows(table, clean)
        ]
        show(rows, output)
        return
    for at, (contest, (table, clean)) in enumerate(zip(found, tables, strict=True)):
        show_ratings(heading(contest), table, clean)
        if left.contests is not None:
            _show_crosstable(left.contests[at]["crosstable"])
            show_neighbours(contest, left.contests[at].get("order", ()))


def _show_crosstable(kept: dict[str, Any]) -> None:
    players = [Player(each["bot"], each["role"] or "") for each in kept["players"]]
    names = short_names([player.bot for player in players])
    rows = []
    for line, (player, shares) in enumerate(zip(players, kept["share"], strict=True), start=1):
        row: dict[str, Any] = {"": line, "bot": names[player.bot]}
        if player.role:
            row["role"] = player.role
        for place, share in enumerate(shares, start=1):
            row[str(place)] = None if share is None else f"{100 * share:.1f}"
        rows.append(row)
    show(rows, Output.table, "Points in per cent, against (by place)")


# --- Tactics --------------------------------------------------------------------------------------

FIGURES = ("rate", "taken", "points_with", "points_without", "gain")


def frequencies_left(left: Left, by_seat: bool) -> list[list[Frequency]]:
    """The frequencies of each contest, by bot or by seat."""
    kind = "tactics_by_seat" if by_seat else "tactics"
    return [[_frequency(line) for line in contest[kind]] for contest in contests_left(left)]


def _frequency(line: dict[str, Any]) -> Frequency:
    rate, taken, with_it, without, gain = (Estimate(**line[name]) for name in FIGURES)
    return Frequency(
        Group(line["bot"], line["role"] or "", line["seat"], None),
        line["tactic"],
        line["matches"],
        line["times"],
        rate,
        line["chances"],
        taken,
        with_it,
        without,
        gain,
    )


def clones_left(left: Left) -> list[list[Pair]]:
    """How alike the bots of each contest are."""
    return [[Pair(**pair) for pair in contest["clones"]] for contest in contests_left(left)]


# --- Faults ---------------------------------------------------------------------------------------


def faults_left(left: Left) -> list[Faults]:
    """The faults of each contest: how many, and the first of each bot and kind."""
    return [
        Faults(
            Counter({(line["bot"], line["kind"]): line["matches"] for line in contest["faults"]}),
            [_case(contest["contest"], line) for line in contest["faults"] if line["first"]],
            Counter(),
        )
        for contest in contests_left(left)
    ]


def _case(number: int, line: dict[str, Any]) -> Case:
    first = line["first"]
    where = (first["deal"], first["seating"], first["seat"], first["detail"])
    return Case(number, line["bot"], line["kind"], (), *where, (), ())
