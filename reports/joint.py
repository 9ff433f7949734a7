"""Two fits side by side: the covariance of the strengths of two contests that may share deals.

Each deal's part in a fit is its scores times the inverse information (the sandwich of
reports/errors.py, for two fits at once). What a deal does to one is set against what it does to the
other before anything is squared, so rows that both have, and deals that both played, are neither
counted twice nor taken for independent. Times G/(G-1) for G deals of either.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from reports.counts import count, kinds, leaving_out, restrict
from reports.errors import Span, residuals
from reports.fit import free, information
from reports.ratings import rate
from reports.results import Array, Contest, Matches, in_order


class Fit(NamedTuple):
    """A contest's fit, and what turns a deal's scores into what it does to the strengths."""

    contest: Contest
    rated: Array
    below: Array
    strength: Array
    bread: Array
    """(players, players) the inverse information."""

    def kept(self, chunk: Matches) -> Iterator[Matches]:
        """The matches, or sides, that were fitted, if there are any."""
        for part in leaving_out([chunk], self.below) if self.below.any() else [chunk]:
            inside = ((part.side < 0) | self.rated[part.side]).all(axis=1)
            if inside.any():
                yield part if inside.all() else Matches(*(column[inside] for column in part))


def fit_of(contest: Contest) -> Fit | None:
    """None where nobody has a finite rating."""
    table = rate(contest.players, contest.matches)
    rated = ~np.isnan(table.strength)
    if rated.sum() < 2 or table.spread is None:
        return None
    standing = {line.player: line.standing for line in table.rated}
    below = np.array([standing[player] == "below" for player in contest.players])
    source = leaving_out(contest.matches(), below) if below.any() else contest.matches()
    strength = np.nan_to_num(table.strength)
    basis = free(rated, np.array([contest.roles.index(p.role) for p in contest.players]))
    known = basis.T @ information(restrict(count(source), rated), strength) @ basis
    return Fit(contest, rated, below, strength, basis @ np.linalg.inv(known) @ basis.T)


def covariance(old: Fit, new: Fit) -> tuple[Array, int, int]:
    """Of all strengths before and after, jointly; the deals of either, and of both."""
    width = len(old.strength)
    size = width + len(new.strength)
    meat = np.zeros((size, size))
    deals = shared = 0
    for span, common in _by_span(old, new, size):
        meat += span.sums.T @ span.sums
        deals += len(span.deals)
        shared += common
    bread = np.zeros((size, size))
    bread[:width, :width], bread[width:, width:] = old.bread, new.bread
    return bread @ meat @ bread.T * (deals / max(1, deals - 1)), deals, shared


def _by_span(old: Fit, new: Fit, size: int) -> Iterator[tuple[Span, int]]:
    """Both runs' scores by deal, a span of deals at a time, and how many deals are in both."""
    columns = ["deal", "bot", "points", "fault"]
    whose = _whose(old.contest, new.contest)
    span, reach = Span(size), -1
    seen: list[list[Array]] = [[], []]
    for name, start in in_order(whose):
        fits = [(which, (old, new)[which]) for which in whose[name]]
        rows = fits[0][1].contest.read(name, columns)
        for which, fit in fits:
            for chunk in fit.kept(fit.contest.sides(rows, start)):
                if int(chunk.deal.min()) > reach and len(span.deals):
                    yield span, _common(seen)
                    span, seen = Span(size), [[], []]
                reach = max(reach, int(chunk.deal.max()))
                side = np.where(chunk.side < 0, -1, chunk.side + which * len(old.strength))
                span.add(chunk.deal, side, residuals(chunk, kinds(chunk), fit.strength))
                seen[which].append(np.unique(chunk.deal))
    yield span, _common(seen)


def _whose(old: Contest, new: Contest) -> dict[str, tuple[int, ...]]:
    """What is to be read of two contests, each once, and of which of the two it is."""
    before, after = (
        {name for table in contest.about["tables"] for name in table["chunks"]}
        for contest in (old, new)
    )
    parts = ((before - after, (0,)), (after - before, (1,)), (before & after, (0, 1)))
    return {name: who for names, who in parts for name in old.store.joined(sorted(names))}


def _common(seen: Sequence[Sequence[Array]]) -> int:
    if not seen[0] or not seen[1]:
        return 0
    return len(np.intersect1d(np.concatenate(seen[0]), np.concatenate(seen[1])))
