"""One file of rows: is it what its name says, what does it say, and which rows are a chunk's?"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness.errors import UserError
from harness.files import Place
from harness.merged import about_span, rows_of
from harness.play import SCHEMA
from harness.spans import Span


class BadChunk(UserError):
    """A file of the store that can't be read, or isn't what its name says."""


def whole(path: Place, file: Span) -> pa.Table:
    """All its rows, with its metadata as it stands there."""
    with _opened(path, file) as opened:
        rows = opened.read(use_threads=False)
        return rows.replace_schema_metadata({b"fairdeal": opened.metadata.metadata[b"fairdeal"]})


def part(path: Place, file: Span, wanted: Span, columns: Sequence[str] | None) -> pa.Table:
    """The rows of some of its deals; a column that an older schema hadn't got is null."""
    # Not read_table, no threads: for files as small as chunks they take twice as long.
    with _opened(path, file) as opened:
        said = json.loads(opened.metadata.metadata[b"fairdeal"])
        there = opened.schema_arrow.names
        known = None if columns is None else [name for name in columns if name in there]
        rows = opened.read(known, use_threads=False)
    for name in columns or ():
        if name not in there:
            if said.get("schema", SCHEMA) == SCHEMA:
                raise ValueError(f"there is no column {name}")
            rows = rows.append_column(name, pa.nulls(len(rows)))
    if file == wanted and "parts" not in said:
        return rows
    said = about_span(said, wanted, lambda: _faulted(path, file, wanted))
    return rows_of(rows, file, wanted).replace_schema_metadata({"fairdeal": json.dumps(said)})


def about(path: Place, file: Span, wanted: Span) -> dict[str, Any]:
    """What it says of some of its deals."""
    with _opened(path, file) as opened:
        said = json.loads(opened.metadata.metadata[b"fairdeal"])
    if not {"faulted", "parts"} & set(said):
        raise ValueError("it doesn't say what it is")
    return about_span(said, wanted, lambda: _faulted(path, file, wanted))


def columns_of(path: Place, file: Span) -> list[str]:
    """The names of its columns."""
    with _opened(path, file) as opened:
        return list(opened.schema_arrow.names)


def _faulted(path: Place, file: Span, wanted: Span) -> dict[str, int]:
    """The faults in these deals by bot, counted in the rows."""
    with _opened(path, file) as opened:
        rows = opened.read(["bot", "fault"], use_threads=False)
    rows = rows_of(rows, file, wanted)
    return dict(Counter(rows.filter(rows["fault"].is_valid())["bot"].to_pylist()))


def _opened(path: Place, file: Span) -> pq.ParquetFile:
    """The file, which says that it is what its name says; BadChunk if it says otherwise."""
    # From elsewhere its content comes in one request; pyarrow would make three.
    source = path if isinstance(path, Path) else pa.BufferReader(path.read_bytes())
    opened = pq.ParquetFile(source, page_checksum_verification=True)
    try:
        said = json.loads(opened.metadata.metadata[b"fairdeal"])
        if said["table"] != file.table or said["deals"] != [file.first, file.last]:
            raise BadChunk(f"{path}: this chunk of results is another table's")
        if said.get("schema", SCHEMA) > SCHEMA:
            raise UserError(
                f"{path}: these results are of a newer Fairdeal (schema {said['schema']});"
                f" this one reads up to schema {SCHEMA}"
            )
    except BaseException:
        opened.close()
        raise
    return opened
