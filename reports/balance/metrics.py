"""Which metrics a study of a game has: their names, what each means, and what bounds it."""

from collections.abc import Sequence
from typing import NamedTuple

SHARE = (0.0, 1.0)


class Subject(NamedTuple):
    """What is studied: what the metrics of a game depend on."""

    game: str
    roles: Sequence[str]
    """By seat; `""` where seats are alike."""
    teams: Sequence[int]
    """By seat."""
    tactics: Sequence[str]
    chances: Sequence[str]
    """Those tactics whose opportunities the game counts."""
    ends: Sequence[str]
    """The words for why a match ended."""
    stalls: Sequence[str]
    """Those of them that mean that a match was cut short."""
    standing: bool
    """Whether the game says who leads."""
    elimination: bool
    """Whether a seat can be out before the end."""
    bots: Sequence[str]
    """The entrants' labels; their order is that of the contests."""
    names: Sequence[str]
    """The entrants' names, without versions where no two are then alike."""
    pace: float
    """Seconds that a person takes for a decision."""

    @property
    def seats(self) -> int:
        """How many there are."""
        return len(self.teams)

    @property
    def kinds(self) -> list[str]:
        """The roles, each once; none where seats are alike."""
        return [role for role in dict.fromkeys(self.roles) if role]


class Metric(NamedTuple):
    """One figure of a variant."""

    name: str
    group: str
    meaning: str
    bounds: tuple[float, float] | None = None
    """What it can't be beyond, where there is such."""
    headline: bool = False
    """Whether it is shown unless all are asked for."""
    judged: bool = True
    """Whether its interval has a known coverage, so that it may be a target."""


def metrics(subject: Subject) -> dict[str, Metric]:
    """All metrics of a study, by name, in the order in which they are shown."""
    found = [
        *_results(subject),
        *_lengths(subject),
        *_course(subject),
        *_tactics(subject),
        *_field(subject),
    ]
    return {metric.name: metric for metric in found}


RESULTS = (
    ("points", "points a match"),
    ("win", "share of matches won alone"),
    ("draw", "share of matches with a part of the win"),
    ("loss", "share of matches without a point"),
)


def _results(subject: Subject) -> list[Metric]:
    owners = [(f"role.{role}", role) for role in subject.kinds]
    owners += [(f"seat.{seat}", f"seat {seat}") for seat in range(subject.seats)]
    return [
        Metric(
            f"{owner}.{what}",
            "results",
            f"{whose}: {meaning}",
            SHARE,
            what == "points" and (not subject.kinds or owner.startswith("role.")),
        )
        for owner, whose in owners
        for what, meaning in RESULTS
    ]


def _lengths(subject: Subject) -> list[Metric]:
    found = [
        Metric("length.decisions", "length", "decisions that a bot was asked, a match"),
        Metric("length.turns", "length", "turns a match", headline=True),
        Metric("length.minutes", "length", f"minutes a match, {subject.pace:g} s a decision"),
        Metric("draws", "length", "share of matches without a sole winner", SHARE, True),
    ]
    if subject.stalls:
        found.append(Metric("stalls", "length", "share of matches cut short", SHARE, True))
    if len(subject.ends) > 1:
        found += [
            Metric(f"end.{end}", "length", f"share of matches that end by {end}", SHARE)
            for end in subject.ends
        ]
    return found


def _course(subject: Subject) -> list[Metric]:
    """Taken from a sample of matches that are watched."""
    found = [
        Metric("forced", "course", "share of decisions with one legal action", SHARE),
        Metric("branching", "course", "legal actions at a decision that is asked", None, True),
        Metric("wait.longest", "course", "longest wait of any seat, in others' decisions"),
        Metric("wait.minutes", "course", "the same in minutes"),
    ]
    if subject.standing:
        found += [
            Metric(
                "lead.settled",
                "course",
                "share of a match after which its winner leads for good",
                SHARE,
                True,
            ),
            Metric("lead.changes", "course", "how often the lead passes to another, a match"),
            Metric("lead.level_at_half", "course", "share of matches level at half-time", SHARE),
        ]
    if subject.elimination:
        found += [
            Metric("eliminated.share", "course", "share of a match for which a seat is out", SHARE),
            Metric("eliminated.minutes", "course", "minutes a match for which a seat is out"),
        ]
    return found


def _tactics(subject: Subject) -> list[Metric]:
    found = []
    for tactic in subject.tactics:
        found.append(Metric(f"tactic.{tactic}.per_match", "tactics", "times a match, all seats"))
        if tactic in subject.chances:
            name = f"tactic.{tactic}.when_possible"
            found.append(Metric(name, "tactics", "times an opportunity", SHARE))
    return found


COMPONENTS = {
    "skill.share": "share of the variance of results that is the bots'",
    "luck.seat": "share that is the seat's",
    "skill.by_opponent": "share that is how bots suit each other",
    "luck.deal": "share that is the deal's",
    "luck.rest": "share that is all else",
}
"""In the order of `reports.skill.COMPONENTS`."""


def _field(subject: Subject) -> list[Metric]:
    """Of all bots together."""
    found = [
        Metric(name, "skill", meaning, None, name == "skill.share")
        for name, meaning in COMPONENTS.items()
    ]
    found.append(Metric("rating.spread", "skill", "standard deviation of the ratings, in Elo"))
    found += [
        Metric(f"bot.{name}.points", "bots", "points a match of its side", SHARE)
        for name in subject.names
    ]
    meaning = "share of pairs of bots in the baseline's order, by points"
    found.append(Metric("order.kept", "bots", meaning, SHARE, judged=False))
    meaning = "weight in the equilibrium mixture, with its range over resampled deals"
    found += [Metric(name, "bots", meaning, SHARE, judged=False) for name in mixture_names(subject)]
    return found


def mixture_names(subject: Subject) -> list[str]:
    """The metrics of the mixture: by bot, and by role first where there are any."""
    owners = [f"mixture.{role}" for role in subject.kinds] or ["mixture"]
    return [f"{owner}.{name}" for owner in owners for name in subject.names]
