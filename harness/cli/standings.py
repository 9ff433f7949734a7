"""Rating tables, crosstables and pairs as rows, and as people read them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from harness.cli.tables import Output, console, say, show, warn
from reports.pairs import Bound, Pair, circles, unexplained
from reports.ratings import FULL_ORDERS, Ratings, crosstable, differences
from reports.results import Contest, Player

RATING_COLUMNS = (
    *("bot", "role", "rating", "error", "low", "high", "rank_low", "rank_high"),
    *("design_effect", "matches", "points", "faults"),
    *("without_faults", "without_faults_error", "standing"),
)

WIDEST = 10
"""Crosstables of more players show points alone."""


def rating_rows(ratings: Ratings, clean: Ratings | None = None) -> list[dict[str, Any]]:
    """A rating table as rows; null where a rating isn't finite. `clean` is without faults."""
    sound = {} if clean is None else {line.player: line.rating for line in clean.rated}
    rows = []
    for line in ratings.rated:
        value, error, low, high = line.rating
        best, worst = line.ranks or (None, None)
        other = sound.get(line.player, line.rating)
        rows.append(
            {
                "bot": line.player.bot,
                "role": line.player.role or None,
                "rating": value,
                "error": error,
                "low": low,
                "high": high,
                "rank_low": best,
                "rank_high": worst,
                "design_effect": line.design,
                "matches": line.matches,
                "points": line.points,
                "faults": line.faults,
                "without_faults": other.value,
                "without_faults_error": other.error,
                "standing": line.standing or None,
            }
        )
    return rows


def short_names(labels: Sequence[str]) -> dict[str, str]:
    """For people: labels without their versions, where no two are then alike."""
    short = {label: label.rpartition("@")[0] or label for label in labels}
    names = Counter(short[label] for label in set(labels))
    return {label: name if names[name] == 1 else label for label, name in short.items()}


def heading(contest: Contest) -> str:
    """What a contest is, for titles."""
    return f"Contest {contest.number}: {contest.title}"


def show_ratings(what: str, ratings: Ratings, clean: Ratings | None = None) -> None:
    """Prints a rating table for people, and what must be known to read it."""
    roles = any(line.player.role for line in ratings.rated)
    names = short_names([player.bot for player in ratings.players])
    sound = {} if clean is None else {line.player: line.rating for line in clean.rated}
    narrow = console.width < 100  # then what can be done without is left out
    any_faults = any(line.faults for line in ratings.rated)
    rows = []
    for place, line in enumerate(ratings.rated, start=1):
        value, error, low, high = line.rating
        row: dict[str, Any] = {
            "": place,
            "bot": names[line.player.bot],
            **({"role": line.player.role} if roles else {}),
            "Elo": _signed(value),
            **({} if narrow else {"error": None if error is None else f"{error:.1f}"}),
            "95 % interval": None if low is None else f"{low:+.0f} to {high:+.0f}",
            "rank": _span(line.ranks),
            "points": f"{100 * line.points / max(1, line.matches):.1f} %",
            "matches": line.matches,
            **({"faults": line.faults} if any_faults or not narrow else {}),
        }
        if sound:
            row["without faults"] = _signed(sound[line.player].value)
        rows.append(row)
    model = ", fitted to full orders (Plackett-Luce)" if ratings.model == FULL_ORDERS else ""
    title = f"{what}; {ratings.matches:,} matches of {ratings.deals:,} deals{model}"
    show(rows, Output.table, title)
    effects = [line.design for line in ratings.rated if line.design is not None]
    if effects:
        say(
            f"Design effect {min(effects):.2f} to {max(effects):.2f}: variances against those of as"
            " many independent matches."
        )
    if ratings.edge is not None and ratings.edge.value is not None:
        value, _, low, high = ratings.edge
        interval = "" if low is None else f" ({low:+.0f} to {high:+.0f})"
        kinds = list(dict.fromkeys(player.role for player in ratings.players))
        over = kinds[1] if len(kinds) == 2 else "the others"
        say(f"Edge of {kinds[0]} over {over}: {value:+.0f} Elo{interval}.")
    if ratings.status != "ok":
        _warn_of_groups(ratings, names)


def _warn_of_groups(ratings: Ratings, names: dict[str, str]) -> None:
    unrated = [line.player.bot for line in ratings.rated if line.rating.value is None]
    warn(
        f"warning: {ratings.status.replace('_', ' ')}: not everybody scored against everybody,"
        f" even by way of others; without a finite rating: {', '.join(unrated)}"
    )
    groups = [
        ", ".join(_named(ratings.players[i], names) for i in group) for group in ratings.groups
    ]
    say("Groups who scored against each other: " + " | ".join(groups) + ".")
    for line in ratings.rated:
        if line.standing:
            where = {
                "above": "above the rated ones, who never scored against it, even by way of others",
                "below": "below the rated ones, having never scored against them",
                "apart": "apart from the rated ones: nothing compares them",
            }[line.standing]
            say(f"{_named(line.player, names)} stands {where}.")


def show_bounds(ratings: Ratings, found: Sequence[Bound]) -> None:
    """Prints what is sure where no rating is finite."""
    names = short_names([player.bot for player in ratings.players])
    rows = [
        {
            "bot": _named(ratings.players[bound.player], names),
            "deals, all won": bound.deals,
            "against": _named(ratings.players[bound.opponent], names),
            "Elo above it, at least": _signed(bound.elo),
        }
        for bound in found
        if bound.above
    ]
    if rows:
        show(rows, Output.table, "Bounds (exact, one-sided, 95 %; a deal counts once)")


def _named(player: Player, names: dict[str, str]) -> str:
    return f"{names[player.bot]} ({player.role})" if player.role else names[player.bot]


def _signed(value: float | None) -> str | None:
    return None if value is None else f"{value:+.0f}"


def _span(ranks: tuple[int, int] | None) -> str | None:
    if ranks is None:
        return None
    best, worst = ranks
    return str(best) if best == worst else f"{best} to {worst}"


def show_crosstable(ratings: Ratings, pairs: Sequence[Pair] = ()) -> None:
    """Prints what each scored of the points against each other, in per cent.

    With `pairs`, and few players, also the blocks won, drawn and lost.
    """
    players = list(ratings.players)
    matches, points = crosstable(ratings.totals, len(players))
    order = [players.index(line.player) for line in ratings.rated]
    names = short_names([player.bot for player in players])
    roles = list(dict.fromkeys(player.role for player in players))
    places = {i: place for place, i in enumerate(order, start=1)}
    # Of two roles, who never meet their own kind, one has the lines and the other the columns.
    across = [i for i in order if len(roles) != 2 or players[i].role == roles[1]]
    down = [i for i in order if len(roles) != 2 or players[i].role == roles[0]]
    blocks: dict[tuple[int, int], str] = {}
    if len(players) <= WIDEST:
        for pair in pairs:
            won, drawn, lost = pair.blocks
            blocks[pair.first, pair.second] = f"\n+{won} ={drawn} −{lost}"
            blocks[pair.second, pair.first] = f"\n+{lost} ={drawn} −{won}"
    rows = []
    for i in down:
        row: dict[str, Any] = {"": places[i], "bot": names[players[i].bot]}
        for j in across:
            n = matches[i, j]
            text = f"{100 * points[i, j] / n:.1f}" if n else None
            row[str(places[j])] = text and text + blocks.get((i, j), "")
        rows.append(row)
    below = "; below, blocks won, drawn, lost" if blocks else ""
    whose = f" of each {roles[0]}" if len(roles) == 2 else ""
    whom = f"each {roles[1]}, by place" if len(roles) == 2 else "by place"
    show(rows, Output.table, f"Points{whose} in per cent, against ({whom}){below}")


def pair_rows(ratings: Ratings, pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Each pair both ways: what was scored, the difference of ratings, and what it leaves."""
    players = ratings.players
    together = len({player.role for player in players}) > 1
    found = {(each.first, each.second): each for each in differences(ratings, together=together)}
    rows = []
    for pair in pairs:
        won, drawn, lost = pair.blocks
        for turned in (False, True):
            a, b = (pair.second, pair.first) if turned else (pair.first, pair.second)
            sign = -1 if turned else 1
            each = found.get((a, b))
            value, error, low, high = each.difference if each is not None else (None,) * 4
            excess, deviation = pair.excess, pair.deviation
            rows.append(
                {
                    "bot": players[a].bot,
                    "role": players[a].role or None,
                    "against": players[b].bot,
                    "against_role": players[b].role or None,
                    "matches": pair.matches,
                    "points": pair.points[turned],
                    "draws": pair.draws,
                    "blocks_won": lost if turned else won,
                    "blocks_drawn": drawn,
                    "blocks_lost": won if turned else lost,
                    "difference": value,
                    "error": error,
                    "low": low,
                    "high": high,
                    "superiority": None if each is None else each.superiority,
                    "excess": None if excess is None else sign * excess,
                    "excess_in_errors": None if deviation is None else sign * deviation,
                }
            )
    return rows


PAIR_COLUMNS = (
    *("bot", "role", "against", "against_role", "matches", "points", "draws", "blocks_won"),
    *("blocks_drawn", "blocks_lost", "difference", "error", "low", "high", "superiority"),
    *("excess", "excess_in_errors"),
)


def show_pairs(ratings: Ratings, pairs: Sequence[Pair]) -> None:
    """Prints every pair with the difference of its ratings, each once, the better one first."""
    names = short_names([player.bot for player in ratings.players])
    rows = []
    for row in pair_rows(ratings, pairs):
        value, low = row["difference"], row["low"]
        if value is None or value < 0 or (value == 0 and row["bot"] > row["against"]):
            continue
        deviation, superiority = row["excess_in_errors"], row["superiority"]
        rows.append(
            {
                "bot": _named(Player(row["bot"], row["role"] or ""), names),
                "against": _named(Player(row["against"], row["against_role"] or ""), names),
                "points": f"{row['points']:,.1f} of {row['matches']:,}",
                "draws": row["draws"],
                "blocks": f"+{row['blocks_won']} ={row['blocks_drawn']} −{row['blocks_lost']}",
                "difference": _signed(value),
                "95 % interval": None if low is None else f"{low:+.0f} to {row['high']:+.0f}",
                "is better": None if superiority is None else f"{100 * superiority:.1f} %",
                "unexplained": None if deviation is None else f"{deviation:+.1f} errors",
            }
        )
    if rows:
        show(rows, Output.table, "Pairs: differences of ratings")


def show_unexplained(ratings: Ratings, pairs: Sequence[Pair]) -> None:
    """Prints the pairs that the ratings don't explain, and who beats whom in a circle."""
    names = short_names([player.bot for player in ratings.players])
    strong = unexplained(pairs)
    rows = []
    for pair in strong[:10]:
        sign = 1 if (pair.excess or 0) > 0 else -1
        first, second = (pair.first, pair.second)[::sign]
        rows.append(
            {
                "bot": _named(ratings.players[first], names),
                "against": _named(ratings.players[second], names),
                "matches": pair.matches,
                "points": f"{pair.points[::sign][0]:,.1f}",
                "expected": f"{pair.points[::sign][0] - abs(pair.excess or 0):,.1f}",
                "errors": f"{abs(pair.deviation or 0):.1f}",
            }
        )
    if rows:
        more = f" (the worst 10 of {len(strong)})" if len(strong) > 10 else ""
        show(rows, Output.table, f"What the ratings don't explain{more}")
    found = circles(pairs)
    for circle in found[:5]:
        a, b, c = (_named(ratings.players[i], names) for i in circle)
        say(f"In a circle: {a} beats {b}, {b} beats {c}, {c} beats {a} (blocks won).")
    if len(found) > 5:
        say(f"… and {len(found) - 5:,} more circles.")
