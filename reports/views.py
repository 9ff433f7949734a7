"""Other ways to look at the same matches: without faults, by seat, as full orders."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from reports.counts import Source
from reports.results import Array, Matches, Player


def without_faults(source: Source) -> Source:
    """The matches in which nobody broke the API."""

    def kept() -> Iterator[Matches]:
        for chunk in source():
            sound = chunk.fault < 0
            yield chunk if sound.all() else Matches(*(column[sound] for column in chunk))

    return kept


def by_seat(players: Sequence[Player], source: Source, seats: int) -> tuple[list[Player], Source]:
    """Each bot in each seat that it ever had as a player of its own, and their matches.

    For matches whose columns are seats, without roles.
    """
    every = [Player(player.bot, f"seat {seat}") for seat in range(seats) for player in players]

    def seated() -> Iterator[Matches]:
        for chunk in source():
            column = np.arange(chunk.side.shape[1])
            side = np.where(chunk.side >= 0, chunk.side + len(players) * column, -1)
            yield chunk._replace(side=side)

    there = np.zeros(len(every) + 1, dtype=bool)  # the last is for -1
    for chunk in seated():
        there[chunk.side] = True
    index = np.where(there, np.cumsum(there) - 1, -1)
    index[-1] = -1

    def compact() -> Iterator[Matches]:
        for chunk in seated():
            yield chunk._replace(side=index[chunk.side])

    return [player for player, seen in zip(every, there[:-1], strict=True) if seen], compact


# --- Full orders ----------------------------------------------------------------------------------


def full_orders(chunks: Iterable[tuple[Matches, Array]]) -> Iterator[Matches]:
    """Plackett and Luce's whole model, as choices: who is first, who of the rest is second, ...

    A chunk comes with its sides' places, (m, k). Sides that share a place count as the mean, in
    log-likelihood, over all orders of them: of two in a tie, each is chosen before the other by
    half. After a fault only the side at fault is known, as ever. Each choice is given as a match
    with the weight that its points add up to, and columns that end in -1.
    """
    for chunk, place in chunks:
        ranked = np.where(chunk.side >= 0, place, 0)
        ranked[chunk.fault >= 0] = -1  # one pattern, which stands for itself
        patterns, which = np.unique(ranked, axis=0, return_inverse=True)
        parts = []
        for number, pattern in enumerate(patterns):
            here = Matches(*(column[which.ravel() == number] for column in chunk))
            if pattern[0] < 0:
                parts.append(here)
            else:
                parts += [_chosen(here, *choice) for choice in _choices(tuple(pattern.tolist()))]
        if parts:
            yield Matches(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _chosen(matches: Matches, among: tuple[int, ...], points: tuple[float, ...]) -> Matches:
    """One choice of these matches, between the sides in these columns."""
    number, width = matches.side.shape
    side = np.full((number, width), -1)
    side[:, : len(among)] = matches.side[:, among]
    scored = np.zeros((number, width))
    scored[:, : len(among)] = points
    return Matches(matches.deal, side, scored, np.full(number, -1))


@cache
def _choices(places: tuple[int, ...]) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
    """The choices that an order consists of: among which columns, and what each scored.

    A place of 0 is no side.
    """
    found = []
    for place in sorted({place for place in places if place}):
        tied = [column for column, each in enumerate(places) if each == place]
        below = [column for column, each in enumerate(places) if each > place]
        for taken in range(len(tied)):
            # Each set of so many of the tied is as likely as another to have been chosen already.
            weight = 1 / comb(len(tied), taken) / (len(tied) - taken)
            for gone in combinations(tied, taken):
                among = [column for column in tied if column not in gone] + below
                if len(among) > 1:
                    points = [weight if column in tied else 0.0 for column in among]
                    found.append((tuple(among), tuple(points)))
    return found
