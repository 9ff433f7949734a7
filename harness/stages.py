"""Stages: a contest played up to a number of deals, and further when whoever looks says so."""

from collections.abc import Iterable, Iterator, Sequence

from harness.play.tables import SMALLEST_CHUNK, Chunk, chunk_deals
from harness.schedule import KeyOf
from harness.tournament import PlannedContest


class Stages:
    """Every table plays the deals up to the first of `ends`, then those up to the next, and so on.

    With one stage the chunks are those of a round-robin; a stage that ends within one of them cuts
    it, so the same ends find the same chunks.
    """

    reacts = False
    endless = False

    def __init__(self, contest: PlannedContest, ends: Iterable[int], key_of: KeyOf) -> None:
        self.contest = contest
        self.key_of = key_of
        self.spans = _spans(ends)

    def next(self, stored: Sequence[Chunk]) -> Sequence[Chunk]:
        """A stage."""
        span = next(self.spans, None)
        if span is None:
            return []
        return sorted(self._chunks(*span), key=lambda chunk: chunk.first)

    def _chunks(self, first: int, end: int) -> Iterator[Chunk]:
        for table in self.contest.tables:
            largest, start = chunk_deals(self.contest.game, table), first
            while start < end:
                aligned = start & -start if start else SMALLEST_CHUNK
                size = min(largest, aligned, end - start)
                yield Chunk(table, start, start + size - 1, self.key_of(table))
                start += size


def _spans(ends: Iterable[int]) -> Iterator[tuple[int, int]]:
    first = 0
    for end in ends:
        if end > first:
            yield first, end
            first = end
