"""`fairdeal metagame`: which mixture of a run's bots would survive."""

from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.left import run_left
from harness.cli.lists import OutputOption
from harness.cli.ratings import ResultsOption, short_names
from harness.cli.tables import Output, say, show, warn
from harness.store import existing_store
from reports.metagame import ALPHA, POPULATION, MetaGame, metagame
from reports.results import Contest, contests

COLUMNS = (
    "bot",
    "role",
    "weight",
    "low",
    "high",
    "kept",
    "payoff",
    "alpha_rank",
    "replicator",
)


def meta_game(
    run: Annotated[str, typer.Argument(help="NAME (its newest), NAME/0007, a folder, or latest.")],
    resamples: Annotated[
        int, typer.Option(min=0, max=10000, help="Bootstrap resamples of the deals.")
    ] = 200,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the resamples.")] = 0,
    alpha: Annotated[
        float, typer.Option(min=0.0, max=1e6, help="Alpha-rank's intensity of selection.")
    ] = ALPHA,
    population: Annotated[
        int, typer.Option(min=2, max=100000, help="Alpha-rank's population, its m.")
    ] = POPULATION,
    results: ResultsOption = Path("results"),
    output: OutputOption = Output.table,
) -> None:
    """Which mixture of the bots would survive: the Nash mixture of greatest entropy.

    Beside it stand its range over resampled deals, alpha-rank and the replicator's time average.

    Example: fairdeal metagame smoke --resamples 500
    """
    store = existing_store(results)
    folder = store.find_run(run)
    run_left(store, folder, ["`fairdeal metagame` (`fairdeal report` has what there is)"])
    found = contests(store, folder)
    games = [
        metagame(contest.players, contest.matches, resamples, seed, alpha, population)
        for contest in found
    ]
    for contest, game in zip(found, games, strict=True):
        if game.status != "ok":
            warn(f"warning: contest {contest.number}: {_incomplete(game)}")
    if output is not Output.table:
        rows = [
            {"contest": contest.number, "game": contest.about["game"], **row}
            for contest, game in zip(found, games, strict=True)
            for row in share_rows(game)
        ]
        show(rows, output, columns=("contest", "game", *COLUMNS))
        return
    for contest, game in zip(found, games, strict=True):
        if game.status == "ok":
            _show(contest, game, alpha, population)


def share_rows(game: MetaGame) -> list[dict[str, Any]]:
    """A mixture as rows, the heaviest first."""
    return [
        {
            "bot": share.player.bot,
            "role": share.player.role or None,
            "weight": share.weight,
            "low": share.low,
            "high": share.high,
            "kept": share.kept,
            "payoff": share.payoff,
            "alpha_rank": share.alpha_rank,
            "replicator": share.replicator,
        }
        for share in game.shares
    ]


def _incomplete(game: MetaGame) -> str:
    payoff = game.payoffs.payoff
    apart = int((game.payoffs.matches == 0).sum()) - (
        len(payoff) if game.payoffs.rows == game.payoffs.columns else 0
    )
    return f"no mixture: {apart:,} pairs of bots never met"


def _show(contest: Contest, game: MetaGame, alpha: float, population: int) -> None:
    names = short_names(contest.bots)
    show(
        [_line(row, names, len(contest.roles) > 1) for row in share_rows(game)],
        Output.table,
        f"Contest {contest.number}: {contest.title}; {game.payoffs.deals:,} deals",
    )
    if len(contest.roles) > 1 and game.value is not None:
        say(
            f"With these mixtures {contest.roles[0]} scores {50 + 100 * game.value:.1f} % of the"
            " points."
        )
    if game.exploitability_high is not None:
        say(
            "The best reply to the mixture gains"
            f" {100 * (game.exploitability or 0):.2f} points in 100 matches by the payoffs as"
            f" measured, and in 95 % of the resamples at most {100 * game.exploitability_high:.2f}."
        )
    say(
        "All in per cent. Range: 95 % of the resampled deals; kept: in how many it has any weight;"
        " payoff: what it gets against the mixture, in points of 100 matches."
        f" Alpha-rank: alpha {alpha:g}, m {population}, pairwise comparison."
    )


def _line(row: dict[str, Any], names: dict[str, str], roles: bool) -> dict[str, Any]:
    low, high, kept = row["low"], row["high"], row["kept"]
    return {
        "bot": names[row["bot"]],
        **({"role": row["role"]} if roles else {}),
        "weight": percent(row["weight"]),
        "range": None if low is None else f"{100 * low:.0f} to {100 * high:.0f}",
        "kept": None if kept is None else percent(kept),
        "payoff": f"{100 * row['payoff']:+.1f}",
        "alpha-rank": percent(row["alpha_rank"]),
        "replicator": percent(row["replicator"]),
    }


def percent(share: float) -> str:
    """A share in per cent, for a column whose title says so."""
    return f"{100 * share:.1f}"
