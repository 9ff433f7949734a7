"""Files of several chunks, and rows of other schemas: what each reader gets of them."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from harness.merged import merge, same_rows
from harness.spans import Span, block_of, holder, joined, span_of
from harness.store import Store
from reports.ratings import rate
from reports.rows import span, uncounted
from reports.tactics import behaviour, frequencies
from tests.stored import contest


def s(first: int, last: int) -> Span:
    return Span("t", "e", first, last)


def test_a_name_says_which_deals() -> None:
    assert span_of("ab/cd-16-31.parquet") == Span("ab", "cd", 16, 31)
    assert span_of("ab/c-d-16-31.parquet").name == "ab/c-d-16-31.parquet"
    for wrong in ("ab/cd-16.parquet", "ab/.cd-0-1.parquet.part", "ab/cd-0-1.parquet.damaged"):
        with pytest.raises(ValueError, match="no chunk's name"):
            span_of(wrong)


def test_a_chunk_is_read_from_its_own_file_or_the_shortest_that_holds_it() -> None:
    files = [s(0, 63), s(0, 1023), s(16, 31)]
    assert holder(s(16, 31), files) == s(16, 31)
    assert holder(s(0, 15), files) == s(0, 63)
    assert holder(s(64, 127), files) == s(0, 1023)
    assert holder(s(1000, 1024), files) is None
    assert holder(Span("t", "other", 0, 15), files) is None


def test_chunks_in_one_file_are_read_at_once() -> None:
    wanted = [s(0, 15), s(16, 31), s(32, 63), s(64, 127), s(128, 255)]
    assert joined(wanted, wanted) == wanted
    assert joined(wanted, [s(0, 127), s(128, 255)]) == [s(0, 127), s(128, 255)]
    # Of a longer file only what is wanted; what is nowhere stays, to be named.
    assert joined(wanted[:3], [s(0, 1023)]) == [s(0, 63)]
    assert joined(wanted, [s(0, 31)]) == [s(0, 31), *wanted[2:]]
    # In the middle of merging both are there.
    assert joined(wanted[:2], [s(0, 15), s(0, 31)]) == [s(0, 15), s(16, 31)]


@pytest.mark.parametrize(
    ("first", "last", "block"),
    [(0, 0, 1), (0, 15, 16), (16, 31, 16), (0, 99, 128), (64, 99, 64), (31, 32, 64)],
)
def test_the_aligned_block_of_a_span(first: int, last: int, block: int) -> None:
    assert block_of(s(first, last)) == block


def chunk(first: int, last: int, faults: dict[int, str] | None = None) -> tuple[Span, pa.Table]:
    """Deals of two matches of two seats; by deal, whose fault its first match was."""
    rows = []
    for deal in range(first, last + 1):
        for seating in (0, 1):
            for seat in (0, 1):
                bot = "ab"[seat ^ seating]
                fault = "crash" if not seating and (faults or {}).get(deal) == bot else None
                rows.append({"deal": deal, "seat": seat, "bot": bot, "fault": fault, "time_us": 1})
    seen = [{"bot": bot, "deal": deal} for deal, bot in (faults or {}).items()]
    about = {
        "table": "t",
        "deals": [first, last],
        "game": "g",
        "faults": seen,
        "faulted": {
            bot: [*(faults or {}).values()].count(bot) for bot in {*(faults or {}).values()}
        },
        "looks": seen[:1],
    }
    shape = pa.schema(
        [("deal", pa.int64()), ("seat", pa.int8()), ("bot", pa.string()), ("fault", pa.string())]
    ).append(pa.field("time_us", pa.int32()))
    table = pa.Table.from_pylist(rows, schema=shape)
    return s(first, last), table.replace_schema_metadata({"fairdeal": json.dumps(about)})


def about(table: pa.Table) -> Any:
    return json.loads(table.schema.metadata[b"fairdeal"])


def test_any_range_of_a_merged_file_says_what_its_own_file_would(tmp_path: Path) -> None:
    chunks = [chunk(0, 15, {3: "a", 4: "b"}), chunk(16, 31), chunk(32, 41, {40: "b"})]
    whole, rows = merge(chunks)
    assert whole == s(0, 41)
    again, twice = merge([(whole, rows), chunk(42, 63, {50: "a"})])
    assert again == s(0, 63)
    store = Store(tmp_path)
    store.write_chunk(again.name, twice)
    for each, alone in (*chunks, chunk(42, 63, {50: "a"})):
        assert store.read_chunk(each.name).equals(alone)
        assert store.chunk_metadata(each.name) == about(alone)
    # A range that never was a chunk: its faults are counted in the rows.
    said = store.chunk_metadata(s(4, 45).name)
    assert said["faulted"] == {"b": 2}
    assert [fault["deal"] for fault in said["faults"]] == [4, 40]
    assert store.read_chunk(s(4, 45).name, ["deal"])["deal"].to_pylist()[::4] == [*range(4, 46)]


def test_overlapping_chunks_are_merged_once_and_both_stay_what_they_were(tmp_path: Path) -> None:
    short, long = chunk(16, 25, {20: "a"}), chunk(16, 31, {20: "a", 30: "b"})
    whole, rows = merge([chunk(0, 15), short, long])
    assert (whole, len(rows)) == (s(0, 31), 32 * 4)
    store = Store(tmp_path)
    store.write_chunk(whole.name, rows)
    for each, alone in (short, long):
        assert store.chunk_metadata(each.name) == about(alone)
        assert store.read_chunk(each.name).equals(alone)
    assert store.chunk_metadata(whole.name)["faulted"] == {"a": 1, "b": 1}


def test_what_does_not_fit_is_not_merged() -> None:
    with pytest.raises(ValueError, match="deals 16 to 31 are missing"):
        merge([chunk(0, 15), chunk(32, 47)])
    span, rows = chunk(16, 31)
    other = rows.replace_schema_metadata({"fairdeal": json.dumps(about(rows) | {"game": "h"})})
    with pytest.raises(ValueError, match="isn't as what comes before it"):
        merge([chunk(0, 15), (span, other)])
    late = rows.set_column(4, "time_us", pa.array([7] * len(rows), pa.int32()))
    assert same_rows((span, rows), (span, late), ["time_us"])
    assert not same_rows((span, rows), (span, late), [])
    assert not same_rows((span, rows), chunk(0, 19, {17: "a"}), ["time_us"])


# --- Rows of other schemas ----------------------------------------------------------------------


def rows(first: int, last: int, bots: str, counts: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {"deal": deal, "seat": seat, "bot": bot, "points": float(seat == deal % 2), **counts}
        for deal in range(first, last + 1)
        for seat, bot in enumerate(bots)
    ]


def test_a_tactic_that_older_rows_lack_is_counted_where_it_is(tmp_path: Path) -> None:
    """At the table of a and b, once each match; at that of a and c nobody knows."""
    found = contest(
        tmp_path,
        ["a", "b", "c"],
        [
            ("new/s-0-15.parquet", rows(0, 15, "ab", {"old": 1, "late": 1})),
            ("aged/s-0-15.parquet", rows(0, 15, "ac", {"old": 1, "gone": 2})),
        ],
    )
    first, second = found.about["tables"][0]["chunks"]
    found.about["tables"] = [{"entrants": [], "chunks": [each]} for each in (first, second)]
    assert uncounted(found) == {"late": 1, "gone": 1}
    lines = {(line.tactic, line.group.bot): line for line in frequencies(behaviour(found))}
    assert {key: (line.matches, line.times) for key, line in lines.items()} == {
        ("old", "a"): (32, 32),
        ("old", "b"): (16, 16),
        ("old", "c"): (16, 16),
        ("late", "a"): (16, 16),
        ("late", "b"): (16, 16),
        ("gone", "a"): (16, 32),
        ("gone", "c"): (16, 32),
    }
    assert lines["late", "a"].rate.value == 1


def test_a_column_that_an_older_schema_lacks_is_null(tmp_path: Path) -> None:
    found = contest(tmp_path, ["a", "b"], [("t/s-0-63.parquet", rows(0, 63, "ab", {}))])
    [name] = found.about["tables"][0]["chunks"]
    before = rate(found.players, found.matches)
    table = found.store.read_chunk(name)
    said = about(table) | {"schema": 0}
    old = table.drop_columns(["fault"]).replace_schema_metadata({"fairdeal": json.dumps(said)})
    found.store.write_chunk(name, old)
    assert found.store.read_chunk(name, ["fault"])["fault"].to_pylist() == [None] * 128
    assert [line.rating for line in rate(found.players, found.matches).rated] == [
        line.rating for line in before.rated
    ]


def test_reading_goes_by_spans_that_hold_merged_files(tmp_path: Path) -> None:
    found = contest(
        tmp_path,
        ["a", "b", "c"],
        [
            ("x/s-0-99.parquet", rows(0, 99, "ab", {"t": 1})),
            ("y/s-0-63.parquet", rows(0, 63, "ac", {"t": 1})),
            ("y/s-64-99.parquet", rows(64, 99, "ac", {"t": 1})),
        ],
    )
    assert span([found]) == 128
    table = rate(found.players, found.matches)
    assert (table.deals, table.matches) == (100, 200)
