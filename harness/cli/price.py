"""What `fairdeal run --dry-run` prints: what is reused and to play, and what it costs."""

from collections import defaultdict
from typing import Any

from harness.cli.tables import Output, console, say, show, warn
from harness.errors import UserError
from harness.play.tables import table_size
from harness.playing import Missing
from harness.price import Prices
from harness.tournament import Plan, PlannedContest
from reports.names import short_names


def show_prices(plan: Plan, found: Missing, prices: Prices, workers: int) -> None:
    """Prints both tables."""
    rows, total = [], 0.0
    for index, (contest, course) in enumerate(zip(plan.contests, found.courses, strict=True)):
        seconds = sum(bot_seconds(found, prices, index).values())
        total += seconds
        wide = {"seats": contest.players, "bots": len(contest.entrants)}
        rows.append(
            {
                "": index + 1,
                "game": contest.game.name,
                **(wide if console.width >= 100 else {}),
                "tables": len(contest.tables),
                "schedule": contest.schedule,
                "deals": contest.deals,
                "reused": course.reused,
                "to play": course.left,
                "min": round(seconds / 60 / workers, 2),
            }
        )
    name = plan.config.name
    show(
        rows,
        Output.table,
        f"{name}: what would be played, in matches and minutes (workers: {workers})",
    )
    show(
        _bots(plan, found, prices),
        Output.table,
        "Time by bot, of one worker: µs a decision, decisions a match, seconds in all",
    )
    for _, why in found.damaged:
        warn(why)
    say(
        f"{found.reused:,} matches are there already, {found.matches:,} would be played in"
        f" {found.chunks:,} chunks, in about {duration(total / workers)}."
    )
    for number, (contest, course) in enumerate(zip(plan.contests, found.courses, strict=True), 1):
        if not course.over:
            say(f"Contest {number} goes on from there{until(plan, contest)}.")


def until(plan: Plan, contest: PlannedContest) -> str:
    """What ends a contest that doesn't say what it plays, in words."""
    ends = ["until all neighbours are told apart"] if contest.schedule == "adaptive" else []
    if contest.deals is not None:
        ends.append(f"up to {contest.deals:,} deals a table")
    if contest.most is not None:
        ends.append(f"up to {contest.most:,} matches")
    if plan.config.minutes is not None:
        ends.append(f"for {plan.config.minutes:g} minutes of the whole run at most")
    return ", " + ", ".join(ends) if ends else ""


def check_minutes(plan: Plan, found: Missing, prices: Prices, workers: int | None) -> None:
    """UserError if what the contests' `deals` ask for takes longer than the config's minutes.

    Not where the number of workers isn't known. Contests without `deals` play as long as they may.
    """
    limit = plan.config.minutes
    if limit is None or workers is None:
        return
    seconds = sum(
        sum(bot_seconds(found, prices, index).values())
        for index, contest in enumerate(plan.contests)
        if contest.promised
    )
    minutes = seconds / 60 / workers
    if minutes > limit:
        raise UserError(
            f"{plan.path}: what its deals ask for takes about {minutes:.3g} minutes here, more than"
            f" its minutes = {limit:g} (workers: {workers}): lower deals, or leave them out to play"
            " as many as there is time for"
        )


def bot_seconds(found: Missing, prices: Prices, index: int) -> dict[str, float]:
    """The seconds of one worker that a contest's chunks to play take, by the bots' labels."""
    seconds: dict[str, float] = defaultdict(float)
    for chunk in found.courses[index].queue:
        for label, own in prices.by_bot(index, chunk):
            seconds[label] += own
    return seconds


def _bots(plan: Plan, found: Missing, prices: Prices) -> list[dict[str, Any]]:
    """A row a contest and bot, the most expensive first."""
    rows = []
    for index, contest in enumerate(plan.contests):
        seconds = bot_seconds(found, prices, index)
        names = short_names([entrant.label for entrant in contest.entrants])
        for label in sorted(names, key=lambda label: (-seconds.get(label, 0.0), label)):
            cost = prices.costs[index][label]
            rows.append(
                {
                    "": index + 1,
                    "bot": names[label],
                    "µs": float(f"{cost.us:.3g}"),
                    "by": "earlier matches" if cost.measured else "its weight",
                    "decisions": round(
                        cost.decisions
                        * contest.players
                        / table_size(contest.game, contest.players),
                        1,
                    ),
                    "seconds": round(seconds.get(label, 0.0), 1),
                }
            )
    return rows


def duration(seconds: float) -> str:
    """A length of time, as one would say it."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:,.0f} minutes"
