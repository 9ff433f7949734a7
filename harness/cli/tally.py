"""What is known of one bot from the chunks played so far: points and tactics, with intervals."""

import json
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from games.game import Game
from harness.cli.ratings import short_names
from harness.play.chunk import Played
from harness.play.tables import Chunk

Array = np.ndarray[Any, np.dtype[Any]]


class Mean(NamedTuple):
    """A mean a match, and its 95 % interval; without one where there is but one deal."""

    value: float
    low: float | None
    high: float | None
    deals: int
    matches: int


class ByDeal:
    """Sums of something, and how often it was looked at, by deal."""

    def __init__(self) -> None:
        self.sums: Array = np.zeros(0)
        self.times: Array = np.zeros(0)

    def add(self, deal: Array, value: Array) -> None:
        """Takes in a value for each of these deals, which may repeat."""
        size = max(len(self.sums), int(deal.max()) + 1)
        for name, weights in (("sums", value), ("times", None)):
            grown = np.bincount(deal, weights, minlength=size).astype(float)
            before = getattr(self, name)
            grown[: len(before)] += before
            setattr(self, name, grown)

    def mean(self) -> Mean:
        """The mean, and its interval: residuals are summed within each deal before they are
        squared, times G/(G-1), with Student's t of G-1 degrees of freedom for G deals.
        """
        times = self.times.sum()
        value = self.sums.sum() / times
        deals = int((self.times > 0).sum())
        if deals < 2:
            return Mean(float(value), None, None, deals, int(times))
        residuals = self.sums - value * self.times
        error = np.sqrt(deals / (deals - 1) * (residuals**2).sum()) / times
        reach = float(stdtrit(deals - 1, 0.975) * error)
        return Mean(float(value), float(value - reach), float(value + reach), deals, int(times))


class Tally:
    """What is known so far of the bot with this label."""

    def __init__(self, game: Game, label: str) -> None:
        self.game = game
        self.label = label
        self.matches = 0
        self.points: dict[tuple[str, str], ByDeal] = {}
        """By kind (all, against, seat, role) and name, its points a match."""
        self.tactics = {tactic.name: ByDeal() for tactic in game.tactics}
        self.field: Counter[str] = Counter()
        """How often the field's seats did each tactic, together."""
        self.field_seats = 0
        self.lost: Counter[tuple[str, str]] = Counter()
        """Its faults, by kind and name as in `points`."""
        self.faults: Counter[tuple[str, str]] = Counter()
        """Everybody's, by label and kind of fault."""
        self.firsts: dict[tuple[str, str], dict[str, Any]] = {}

    def add(self, chunk: Chunk, played: Played) -> None:
        """Takes in a chunk's rows."""
        rows, players = played.rows, chunk.table.players
        deal = rows["deal"].to_numpy()
        points = rows["points"].to_numpy()
        seat = rows["seat"].to_numpy()
        mine = np.array([bot == self.label for bot in rows["bot"].to_pylist()])
        faulty = mine & rows["fault"].is_valid().to_numpy()
        # In a team it has several seats, which share one result: the first stands for the match.
        firsts = np.flatnonzero(mine)
        firsts = firsts[np.unique(firsts // players, return_index=True)[1]]
        once = np.zeros(len(mine), dtype=bool)
        once[firsts] = True
        broken = np.repeat(faulty.reshape(-1, players).any(axis=1), players)
        groups = [("all", "", once)]
        others = sorted({label for label in chunk.table.labels if label != self.label})
        groups += [("against", label, once) for label in others]
        groups += [("seat", str(s), mine & (seat == s)) for s in range(players)]
        roles = self.game.roles(players)
        if self.game.has_roles(players):
            held = np.array(roles)[seat]
            groups += [("role", role, once & (held == role)) for role in dict.fromkeys(roles)]
        for kind, name, chosen in groups:
            if chosen.any():
                group = self.points.setdefault((kind, name), ByDeal())
                group.add(deal[chosen], points[chosen])
                at_fault = faulty if kind == "seat" else broken
                self.lost[kind, name] += int((chosen & at_fault).sum())
        for tactic, counted in self.tactics.items():
            column = rows[tactic].to_numpy()
            counted.add(deal[mine], column[mine])
            self.field[tactic] += int(column[~mine].sum())
        self.field_seats += int((~mine).sum())
        self.matches += played.counts.matches
        self.faults.update(played.counts.faults)
        for fault in json.loads(rows.schema.metadata[b"fairdeal"])["faults"]:
            self.firsts.setdefault((fault["bot"], fault["kind"]), fault)

    def rows(self) -> list[dict[str, Any]]:
        """The points a match as rows: all, then by opponent (hardest first), seat and role."""
        kinds = ("all", "against", "seat", "role")
        means = {group: by_deal.mean() for group, by_deal in self.points.items()}
        names = short_names([name for kind, name in means if kind == "against"])
        rows = []
        for kind, name in sorted(
            means,
            key=lambda group: (
                kinds.index(group[0]),
                means[group].value if group[0] == "against" else 0.0,
                group[1].zfill(9) if group[0] == "seat" else "",
            ),
        ):
            shown = names[name] if kind == "against" else name
            row = {"kind": kind, "name": shown, **means[kind, name]._asdict()}
            rows.append({**row, "field": None, "faults": self.lost[kind, name]})
        return rows

    def tactic_rows(self) -> list[dict[str, Any]]:
        """How often a match it did each tactic, and a seat of the field did."""
        return [
            {
                "kind": "tactic",
                "name": tactic,
                **by_deal.mean()._asdict(),
                "field": self.field[tactic] / max(1, self.field_seats),
                "faults": None,
            }
            for tactic, by_deal in self.tactics.items()
        ]
