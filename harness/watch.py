"""Watches a sample of matches: what a row doesn't say of their course, block by block.

The matches are a run's own, played again with the same seeds and then replayed from their record,
so that bots in hosts can be watched too. Each figure is a pair (above, below), to be summed and
divided; `reports.balance.metrics` says what it means.
"""

from functools import cache
from itertools import pairwise

from games.game import Action, Game, State
from harness.play.series import MatchPlayed, Series, played
from harness.play.tables import Table
from harness.records import Replay
from harness.tournament import PlannedContest

Figures = dict[str, tuple[float, float]]
"""By name, (above, below)."""

SAMPLE = 1000
"""So many matches a variant are watched where nothing else is said, roughly."""
FEWEST = 10
"""The fewest deals of a table that are then watched."""


def sample_deals(contest: PlannedContest, deals: int | None) -> int:
    """How many deals of each table are watched: as given, or about `SAMPLE` matches in all."""
    wanted = deals
    if wanted is None:
        wanted = max(FEWEST, SAMPLE // (len(contest.tables) * contest.size))
    assert contest.deals is not None
    return min(wanted, contest.deals)


def watch(
    contest: PlannedContest, key: bytes, deals: range, pace: float
) -> dict[tuple[int, int], Figures | None]:
    """By table and deal, a block's figures; None where a match of it ended by a fault.

    `pace` is in seconds a decision.
    """
    found: dict[tuple[int, int], Figures | None] = {}
    for number, table in enumerate(contest.tables):
        for one in played(_series(contest, table, key, deals), []):
            at = number, one.deal
            before = found.setdefault(at, {})
            if before is None or one.ended.fault is not None:
                found[at] = None
                continue
            found[at] = _added(before, course(contest.game, one, pace))
    return found


def _series(contest: PlannedContest, table: Table, key: bytes, deals: range) -> Series:
    return Series(
        game=contest.game,
        path=table.game,
        rules=contest.rules,
        players=table.players,
        entrants=table.entrants,
        key=key,
        deals=deals,
        isolation=table.isolation,
        budgets=table.budgets,
        restrictions=table.restrictions,
        moves=True,
    )


def _added(one: Figures, other: Figures) -> Figures:
    return {
        name: (one.get(name, (0.0, 0.0))[0] + above, one.get(name, (0.0, 0.0))[1] + below)
        for name, (above, below) in other.items()
    }


# --- One match ------------------------------------------------------------------------------------


def course(game: Game, one: MatchPlayed, pace: float) -> Figures:
    """The figures of one match."""
    players = one.state.players
    moves = one.moves or []
    replay = Replay(game, one.state.rules, players, moves)
    state, chance = replay.state, replay.chance
    parsed = _spelled(game)
    standing, elimination = has_standing(game), has_elimination(game)
    teams = game.teams(players)
    steps = asked = choices = 0
    leaders: list[int | None] = []
    waits = [0] * players
    longest = 0
    out_steps = out_asked = 0
    while (seat := state.to_act) is not None:
        number = len(state.legal())
        was_out = [place is not None for place in state.out()] if elimination else [False] * players
        steps += 1
        if number > 1:
            asked += 1
            choices += number
            waits = [
                0 if other == seat or was_out[other] else wait + 1
                for other, wait in enumerate(waits)
            ]
            longest = max(longest, *waits)
        out_steps += sum(was_out)
        out_asked += sum(was_out) * (number > 1)
        # The match has just been played, so nothing in its record needs to be checked.
        said = moves[chance.position].partition(" ")[2]
        chance.position += 1
        if said not in parsed:
            parsed[said] = game.parse(said)
        state.apply(parsed[said])
        if standing:
            leaders.append(_leader(state, teams))
    minutes = pace / 60
    figures = {
        "forced": (float(steps - asked), float(steps)),
        "branching": (float(choices), float(asked)),
        "wait.longest": (float(longest), 1.0),
        "wait.minutes": (longest * minutes, 1.0),
    }
    if elimination:
        figures["eliminated.share"] = (float(out_steps), float(steps * players))
        figures["eliminated.minutes"] = (out_asked * minutes, float(players))
    if standing and leaders:
        figures |= _lead(leaders, _winner(one, teams))
    return figures


@cache
def _spelled(game: Game) -> dict[str, Action]:
    """The actions of a game read so far, by their notation."""
    return {}


def _lead(leaders: list[int | None], winner: int | None) -> Figures:
    """What the course of the lead says; `leaders` has after each decision who led, if one did."""
    alone = [leader for leader in leaders if leader is not None]
    changes = sum(one != other for one, other in pairwise(alone))
    figures = {
        "lead.changes": (float(changes), 1.0),
        "lead.level_at_half": (float(leaders[(len(leaders) - 1) // 2] is None), 1.0),
    }
    if winner is None:
        figures["lead.settled"] = (0.0, 0.0)
    else:
        since = len(leaders)
        while since > 0 and leaders[since - 1] == winner:
            since -= 1
        figures["lead.settled"] = (since / len(leaders), 1.0)
    return figures


def _leader(state: State, teams: tuple[int, ...]) -> int | None:
    """The team that stands best, or None where several do; a team stands as its best seat."""
    best: dict[int, int] = {}
    for seat, team in enumerate(teams):
        value = state.standing(seat)
        if value is not None and value > best.get(team, value - 1):
            best[team] = value
    if not best:
        return None
    top = max(best.values())
    leaders = [team for team, value in best.items() if value == top]
    return leaders[0] if len(leaders) == 1 else None


def _winner(one: MatchPlayed, teams: tuple[int, ...]) -> int | None:
    """The team that won alone."""
    places = one.ended.result.places
    first = {team for team, place in zip(teams, places, strict=True) if place == 1}
    return first.pop() if len(first) == 1 else None


def has_standing(game: Game) -> bool:
    """Whether the game says who leads."""
    return game.state.standing is not State.standing


def has_elimination(game: Game) -> bool:
    """Whether a seat can be out before the end."""
    return game.state.out is not State.out
