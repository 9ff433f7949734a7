"""What is studied: what the metrics of a planned study depend on."""

from typing import Any

from games.game import chances
from harness.tournament import Plan
from harness.watch import has_elimination, has_standing
from reports.balance.metrics import Subject
from reports.names import short_names


def subject_of(planned: Plan, pace: float) -> Subject:
    """What the metrics of a planned study depend on."""
    contest = planned.contests[0]
    game, players = contest.game, contest.players
    games = [each.game for each in planned.contests]
    names = [tactic.name for tactic in game.tactics]
    counted = [column.removesuffix("_chances") for column in chances(game.tactics)]
    everywhere = [name for name in names if all(_counts(each, name) for each in games)]
    labels = [entrant.label for entrant in contest.entrants]
    short = short_names(labels)
    return Subject(
        game=game.name,
        roles=game.roles(players),
        teams=game.teams(players),
        tactics=everywhere,
        chances=[name for name in counted if name in everywhere],
        ends=tuple(dict.fromkeys(end for each in games for end in each.ends)),
        stalls=tuple(dict.fromkeys(end for each in games for end in each.stalls)),
        standing=all(has_standing(each) for each in games),
        elimination=all(has_elimination(each) for each in games),
        bots=labels,
        names=[short[label] for label in labels],
        pace=pace,
    )


def _counts(game: Any, name: str) -> bool:
    return any(tactic.name == name for tactic in game.tactics)
