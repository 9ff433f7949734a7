"""Reads results from elsewhere: any table with the columns match, deal, seat, bot, points.

`role` and `place` are read where they are, and `fault` too (anything but nothing, 0 or false: the
bot in that seat broke the rules).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv
import pyarrow.parquet as pq

from harness.errors import UserError
from reports.results import Array, Matches, Player

NEEDED = ("match", "deal", "seat", "bot", "points")
OPTIONAL = ("role", "place", "fault")
SUFFIXES = (".csv", ".parquet")

NO = ("", "0", "0.0", "false", "no", "none", "null", "nan")
"""What says that there was no fault, however it is written."""

SPAN = 1 << 15
"""How many deals are given out at a time."""


@dataclass(frozen=True)
class Elsewhere:
    """A file's matches: their sides in the order of seats, compactly."""

    path: Path
    players: list[Player]
    """Those who played, in the order of `Matches.side`."""
    all: Matches
    """Sorted by deal."""
    place: Array | None
    """(m, k) where the file says."""

    def matches(self) -> Iterator[Matches]:
        """All matches, a span of deals at a time."""
        for part in self._parts():
            yield Matches(*(column[part] for column in self.all))

    def places(self) -> Iterator[tuple[Matches, Array]]:
        """As `matches`, with the sides' places; UserError where the file has none."""
        if self.place is None:
            raise UserError(f"{self.path}: there is no column 'place', which full orders need")
        for part in self._parts():
            yield Matches(*(column[part] for column in self.all)), self.place[part]

    def _parts(self) -> Iterator[slice]:
        deals = self.all.deal
        starts = np.searchsorted(deals, np.arange(0, int(deals[-1]) + 1, SPAN))
        for start, end in zip(starts, [*starts[1:], len(deals)], strict=True):
            if end > start:
                yield slice(int(start), int(end))


def read_elsewhere(path: Path) -> Elsewhere:
    """The matches of this file; UserError, in one line, for the first thing wrong with it."""
    rows = _read(path)
    columns = _columns(path, rows)
    if not _sorted(columns):
        order = np.lexsort((columns["seat"], columns["match"], columns["deal"]))
        columns = {name: column[order] for name, column in columns.items()}
    return _gathered(path, rows, columns)


def _sorted(columns: dict[str, Array]) -> bool:
    """Whether rows come by deal, match and seat already, as they mostly do."""
    deal, match, seat = (np.diff(columns[name]) for name in ("deal", "match", "seat"))
    later = (deal > 0) | ((deal == 0) & ((match > 0) | ((match == 0) & (seat >= 0))))
    return bool(later.all())


def _read(path: Path) -> pa.Table:
    """The file's columns that matter, words as dictionaries."""
    try:
        path.open("rb").close()
        if path.suffix.lower() == ".parquet":
            file = pq.ParquetFile(path)
            names = file.schema_arrow.names
            _check_names(path, names)
            wanted = [name for name in (*NEEDED, *OPTIONAL) if name in names]
            return pq.read_table(path, columns=wanted, partitioning=None)
        with pcsv.open_csv(path) as reader:
            names = reader.schema.names
        _check_names(path, names)
        wanted = [name for name in (*NEEDED, *OPTIONAL) if name in names]
        try:
            return _read_csv(path, wanted, ("bot", "role", "fault"))
        except pa.ArrowInvalid:
            # What names deals and matches is guessed from the beginning; now all of it are words.
            return _read_csv(path, wanted, ("bot", "role", "fault", "match", "deal"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or _first(error)}") from error
    except (pa.ArrowException, ValueError) as error:
        kind = path.suffix.lower().removeprefix(".")
        raise UserError(f"{path}: this can't be read as {kind} ({_first(error)})") from error


def _read_csv(path: Path, wanted: list[str], words: Sequence[str]) -> pa.Table:
    kinds = {name: pa.dictionary(pa.int32(), pa.string()) for name in words if name in wanted}
    return pcsv.read_csv(
        path,
        convert_options=pcsv.ConvertOptions(
            include_columns=wanted,
            column_types=kinds,
            strings_can_be_null=True,
            null_values=[""],
        ),
    )


def _first(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0][:200] if lines else type(error).__name__


def _check_names(path: Path, names: list[str]) -> None:
    missing = [name for name in NEEDED if name not in names]
    if missing:
        said = ", ".join(names[:20])[:200]
        raise UserError(
            f"{path}: there is no column {missing[0]!r}; needed are {', '.join(NEEDED)}, and there"
            f" are: {said}"
        )
    for name in (*NEEDED, *OPTIONAL):
        if names.count(name) > 1:
            raise UserError(f"{path}: column {name!r} is there {names.count(name)} times")


def _columns(path: Path, rows: pa.Table) -> dict[str, Array]:
    """Each column as numbers, checked by itself."""
    if not len(rows):
        raise UserError(f"{path}: there are no rows")
    for name in rows.column_names:
        if name != "fault" and rows[name].null_count:
            row = int(np.flatnonzero(rows[name].is_null().to_numpy())[0]) + 1
            raise UserError(f"{path}: row {row}: {name} is missing")
    found: dict[str, Array] = {name: _codes(rows[name]) for name in ("match", "deal", "bot")}
    found["seat"] = _numbers(path, rows, "seat", pa.int64(), "a whole number from 0", 0)
    found["points"] = _numbers(path, rows, "points", pa.float64(), "a number from 0", 0)
    if "role" in rows.column_names:
        found["role"] = _codes(rows["role"])
    if "place" in rows.column_names:
        found["place"] = _numbers(path, rows, "place", pa.int64(), "a whole number from 1", 1)
    if "fault" in rows.column_names:
        found["fault"] = _faulty(rows["fault"])
    return found


def _faulty(column: pa.ChunkedArray) -> Array:
    """Where anything is said but "no"."""
    encoded = _encoded(column)
    no = np.array([str(word).strip().lower() in NO for word in encoded.dictionary.to_pylist()])
    there = encoded.is_valid().to_numpy(zero_copy_only=False)
    index = encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)
    return np.asarray(there & ~no[index] if len(no) else there)


def _codes(column: pa.ChunkedArray) -> Array:
    """Whatever names things, as integers from 0."""
    return np.asarray(_encoded(column).indices.to_numpy(zero_copy_only=False))


def _encoded(column: pa.ChunkedArray) -> Any:
    whole = column.unify_dictionaries().combine_chunks()
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def _words(column: pa.ChunkedArray) -> list[str]:
    return [str(word) for word in _encoded(column).dictionary.to_pylist()]


def _numbers(
    path: Path, rows: pa.Table, name: str, kind: pa.DataType, wanted: str, least: int
) -> Array:
    try:
        column = rows[name]
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        values = np.asarray(pc.cast(column, kind).to_numpy())
    except (pa.ArrowException, ValueError) as error:
        raise UserError(f"{path}: {name} must be {wanted} everywhere ({_first(error)})") from error
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= least)))
    if len(wrong):
        row = int(wrong[0])
        raise UserError(f"{path}: row {row + 1}: {name} must be {wanted}, not {values[row]}")
    return values


def _gathered(path: Path, rows: pa.Table, columns: dict[str, Array]) -> Elsewhere:
    """Rows, sorted by deal, match and seat, as matches between sides."""
    match = np.empty(len(rows), dtype=bool)
    match[0] = True
    match[1:] = (np.diff(columns["match"]) != 0) | (np.diff(columns["deal"]) != 0)
    number = np.cumsum(match) - 1
    starts = np.flatnonzero(match)

    def named(which: int) -> str:
        return f"match {rows['match'][int(order_of(which))].as_py()}"

    def order_of(which: int) -> int:
        # Sorted rows have lost their place in the file: find any row of the same match.
        code = columns["match"][starts[which]]
        return int(np.flatnonzero(_codes(rows["match"]) == code)[0])

    again = np.flatnonzero(~match[1:] & (np.diff(columns["seat"]) == 0))
    if len(again):
        which = int(number[again[0]])
        raise UserError(f"{path}: {named(which)}: seat {columns['seat'][again[0]]} is there twice")
    bots = _words(rows["bot"])
    roles = _words(rows["role"]) if "role" in columns else [""]
    side = columns["bot"].astype(np.int64) + len(bots) * columns.get("role", 0)
    if len(roles) > 1:
        # Seats of one bot in one role are a team, one side, which scored what each of them did.
        place_in = _team_order(number, side)
    else:
        place_in = np.arange(len(rows)) - starts[number]
    width = int(place_in.max()) + 1
    matches = len(starts)
    sides = np.full((matches, width), -1, dtype=np.int64)
    points, place = np.zeros((matches, width)), np.zeros((matches, width), dtype=np.int64)
    # In reverse, so that a team's first seat is what stays.
    back = slice(None, None, -1)
    at = (number[back], place_in[back])
    sides[at], points[at] = side[back], columns["points"][back]
    if "place" in columns:
        place[at] = columns["place"][back]
    fault = np.full(matches, -1)
    if "fault" in columns:
        faulty = np.flatnonzero(columns["fault"])[back]
        fault[number[faulty]] = place_in[faulty]
    few = np.flatnonzero((sides >= 0).sum(axis=1) < 2)
    if len(few):
        raise UserError(
            f"{path}: {named(int(few[0]))} has one side; a match is between two or more"
        )
    different = np.flatnonzero(points[number, place_in] != columns["points"])
    if len(different):
        which = int(number[different[0]])
        raise UserError(f"{path}: {named(which)}: seats of one team have different points")
    with np.errstate(over="ignore"):
        sums = points.sum(axis=1)
    if not np.isfinite(sums).all():
        which = int(np.flatnonzero(~np.isfinite(sums))[0])
        raise UserError(f"{path}: {named(which)}: the sum of its points is too large a number")
    uneven = np.flatnonzero(np.abs(sums - sums[0]) > 1e-6 * sums[0])
    if sums[0] <= 0 or len(uneven):
        which = int(uneven[0]) if len(uneven) else 0
        raise UserError(
            f"{path}: every match must have the same sum of points, more than 0; {named(0)} has"
            f" {sums[0]:g}, {named(which)} has {sums[which]:g}"
        )
    deal = columns["deal"][starts]
    found = Matches(deal, sides, points / sums[0], fault)
    return _who_played(path, bots, roles, found, place if "place" in columns else None)


def _team_order(number: Array, side: Array) -> Array:
    """For each row the column of its side: sides in the order of their first seats."""
    _, first, back = np.unique(
        number * (int(side.max()) + 1) + side, return_index=True, return_inverse=True
    )
    begins = np.zeros(len(side), dtype=np.int64)
    begins[first] = 1
    seen = np.cumsum(begins)
    start = np.searchsorted(number, number)
    return np.asarray(seen[first][back.ravel()] - seen[start])


def _who_played(
    path: Path, bots: list[str], roles: list[str], found: Matches, place: Array | None
) -> Elsewhere:
    """With the players who are there, by role and name, and indices to match."""
    present = sorted(
        (int(side) for side in np.unique(found.side) if side >= 0),
        key=lambda side: (side // len(bots), bots[side % len(bots)]),
    )
    index = np.full(len(bots) * len(roles) + 1, -1)  # the last is for -1
    index[present] = np.arange(len(present))
    players = [Player(bots[side % len(bots)], roles[side // len(bots)]) for side in present]
    return Elsewhere(path, players, found._replace(side=index[found.side]), place)
