"""Which deals are in which file of the store? By names alone, `<table>/<seed>-<first>-<last>`.

A chunk is a range of deals of a table and seed, and is there if a file of theirs holds that range:
its own, or one that several chunks were merged into.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

NAME = re.compile(r"([^/]+)/([^/]+)-(\d+)-(\d+)\.parquet")


class Span(NamedTuple):
    """A range of a table's deals under a seed, `first` to `last`, both included."""

    table: str
    """The table's key."""
    seed: str
    first: int
    last: int

    @property
    def name(self) -> str:
        """Of the file that holds just this, below `chunks/`."""
        return f"{self.table}/{self.seed}-{self.first}-{self.last}.parquet"

    @property
    def deals(self) -> int:
        """How many."""
        return self.last - self.first + 1

    def holds(self, other: "Span") -> bool:
        """Whether all of the other's deals are among these."""
        return (
            (self.table, self.seed) == (other.table, other.seed)
            and self.first <= other.first
            and other.last <= self.last
        )


def span_of(name: str) -> Span:
    """What a chunk's name says; ValueError if it is none."""
    found = NAME.fullmatch(name)
    if found is None:
        raise ValueError(f"{name!r} is no chunk's name")
    table, seed, first, last = found.groups()
    return Span(table, seed, int(first), int(last))


def holder(wanted: Span, files: Iterable[Span]) -> Span | None:
    """The file that a chunk is read from: its own, else the shortest that holds it."""
    found = [file for file in files if file.holds(wanted)]
    return min(found, key=lambda file: (file.deals, file.first), default=None)


def joined(wanted: Iterable[Span], files: Sequence[Span]) -> list[Span]:
    """The fewest ranges that can each be read from one file, for these chunks of a table.

    Those that no file holds stand for themselves.
    """
    own = set(files)
    found: list[tuple[Span | None, Span]] = []
    for span in sorted(wanted):
        file = span if span in own else holder(span, files)
        if found and file is not None:
            before, reach = found[-1]
            if before == file and span.first <= reach.last + 1:
                found[-1] = (file, reach._replace(last=max(reach.last, span.last)))
                continue
        found.append((file, span))
    return [span for _, span in found]


def block_of(span: Span) -> int:
    """The size of the smallest aligned block of 2^k deals that holds the span."""
    return 1 << (span.first ^ span.last).bit_length()
