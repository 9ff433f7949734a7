"""Everything that is said of a contest, as plain values: what its page shows and its JSON holds."""

from typing import Any

import numpy as np

from reports.metagame import metagame
from reports.names import harmless, short_names
from reports.order import deals_by_table, order_rows
from reports.ratings import Ratings, crosstable, rate
from reports.results import Contest, Player
from reports.rows import uncounted
from reports.skill import skill
from reports.tactics import By, Frequency, behaviour, frequencies, pairs, weighted

Plain = dict[str, Any]


def overview(contest: Contest, rated: Ratings | None = None) -> Plain:
    """A contest's ratings, crosstable, meta-game, tactics, clones, skill and faults.

    Its rows are read several times, once less where it is `rated` already. All figures are
    unrounded; None stands for what isn't known.
    """
    about = contest.about
    names = {label: harmless(name) for label, name in short_names(contest.bots).items()}
    rated = rated or rate(contest.players, contest.matches)
    order = [line.player for line in rated.rated]
    by_bot = behaviour(contest)
    game = _metagame(contest)
    weights = {(share["bot"], share["role"] or ""): share["weight"] for share in game["shares"]}
    return {
        "contest": contest.number,
        "game": about["game"],
        "title": contest.title,
        "players": about["players"],
        "rules": about["rules"],
        "roles": about["roles"],
        "deals": rated.deals,
        "matches": rated.matches,
        "schedule": about.get("schedule"),
        "deals_by_table": [
            {"bots": bots, "deals": deals} for bots, deals in deals_by_table(contest)
        ],
        "order": order_rows(contest),
        "status": rated.status,
        "left_out": [harmless(line) for line in about["left_out"]],
        "bots": [
            {
                "bot": entrant["label"],
                "name": names[entrant["label"]],
                "about": harmless(entrant["about"]),
            }
            for entrant in about["entrants"]
        ],
        "ratings": [
            {
                **_player(line.player),
                **line.rating._asdict(),
                "matches": line.matches,
                "points": line.points,
                "faults": line.faults,
            }
            for line in rated.rated
        ],
        "edge": None if rated.edge is None else rated.edge._asdict(),
        "crosstable": _crosstable(contest, order, *crosstable(rated.totals, len(contest.players))),
        "metagame": game,
        "tactics": [_frequency(line) for line in frequencies(by_bot)],
        "tactics_by_seat": [_frequency(line) for line in frequencies(behaviour(contest, By.seat))],
        "tactics_by_mixture": [
            {"tactic": tactic, **{k: None if np.isnan(v) else v for k, v in rates.items()}}
            for tactic, rates in zip(by_bot.tactics, weighted(by_bot, weights), strict=True)
        ]
        if weights
        else [],
        "uncounted": uncounted(contest),
        "clones": [pair._asdict() for pair in pairs(by_bot)],
        "skill": _skill(contest),
        "faults": _faults(contest),
    }


def _player(player: Player) -> Plain:
    return {"bot": player.bot, "role": player.role or None}


def _crosstable(contest: Contest, order: list[Player], matches: Any, points: Any) -> Plain:
    """By rating: who met whom how often, and the share of the points that they scored."""
    at = [contest.players.index(player) for player in order]
    played, scored = matches[np.ix_(at, at)], points[np.ix_(at, at)]
    return {
        "players": [_player(player) for player in order],
        "matches": played.astype(int).tolist(),
        "share": [
            [float(p / n) if n else None for p, n in zip(ps, ns, strict=True)]
            for ps, ns in zip(scored, played, strict=True)
        ],
    }


def _metagame(contest: Contest) -> Plain:
    found = metagame(contest.players, contest.matches)
    return {
        "status": found.status,
        "value": found.value,
        "exploitability": found.exploitability,
        "exploitability_high": found.exploitability_high,
        "shares": [
            {**_player(share.player), **{k: v for k, v in share._asdict().items() if k != "player"}}
            for share in found.shares
        ],
    }


def _frequency(line: Frequency) -> Plain:
    return {
        "tactic": line.tactic,
        "bot": line.group.bot,
        "role": line.group.role or None,
        "seat": line.group.seat,
        "matches": line.matches,
        "times": line.times,
        "chances": line.chances,
        **{
            name: getattr(line, name)._asdict()
            for name in ("rate", "taken", "points_with", "points_without", "gain")
        },
    }


def _skill(contest: Contest) -> Plain:
    found = skill(contest.players, contest.matches)
    return {
        "status": found.status,
        "components": [
            {
                "name": part.name,
                "variance": part.variance._asdict(),
                "share": part.share._asdict(),
            }
            for part in found.components
        ],
        "leads": [
            {
                "better": lead.better.bot,
                "worse": lead.worse.bot,
                "gap": lead.gap,
                "deals": lead.deals,
                "matches": lead.matches,
            }
            for lead in found.leads
        ],
    }


def _faults(contest: Contest) -> list[Plain]:
    """By bot and kind, the most first, with the first of each in full."""
    numbers, firsts = contest.faults()
    lines = []
    for (bot, kind), number in sorted(numbers.items(), key=lambda item: (-item[1], item[0])):
        first = firsts.get((bot, kind))
        lines.append(
            {
                "bot": bot,
                "kind": kind,
                "matches": number,
                "first": None
                if first is None
                else {
                    "deal": first["deal"],
                    "seating": first["seating"],
                    "seat": first["seat"],
                    "detail": harmless(first["detail"]),
                },
            }
        )
    return lines
