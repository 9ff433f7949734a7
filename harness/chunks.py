"""The chunks of a store: written whole, read from their own file or a longer one, checked, removed.

chunks/<table key>/<seed id>-<first>-<last>.parquet    rows
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from harness.chunk_file import BadChunk, about, columns_of, part, whole
from harness.errors import UserError
from harness.files import Place, files_below, move, names_in, remove_tree, write_whole
from harness.spans import Span, holder, joined, span_of


@dataclass(frozen=True)
class Chunks:
    """The chunks below a results folder."""

    root: Place
    checked: dict[str, tuple[int, list[str]]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """Files of several chunks that have been read whole: their rows and columns."""

    def chunk_path(self, name: str) -> Place:
        """Where a chunk with this name has its own file, or would have."""
        return self.root / "chunks" / name

    def write_chunk(self, name: str, rows: pa.Table) -> int:
        """Writes a chunk in one step, and returns its size in bytes; OSError if it can't be."""
        content = pa.BufferOutputStream()
        with pq.ParquetWriter(
            content,
            rows.schema.remove_metadata(),
            compression="zstd",
            write_statistics=False,
            store_schema=False,
            write_page_checksum=True,
            use_dictionary=[column for column in rows.column_names if column != "deal"],
            column_encoding={"deal": "DELTA_BINARY_PACKED"},
        ) as writer:
            writer.write_table(rows)
            writer.add_key_value_metadata(rows.schema.metadata)
        written = content.getvalue().to_pybytes()
        write_whole(self.chunk_path(name), written)
        return len(written)

    # --- Reading --------------------------------------------------------------------------------

    def read_chunk(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A chunk's rows, its metadata with them; BadChunk, naming the file, if it is damaged.

        It may stand in a file of its own or be part of a longer one, and `name` may be any range
        of deals that one file holds. A column that rows of an older schema lack is null. OSError
        where the store can't be read.
        """
        return self._found(
            name, lambda file: part(self.chunk_path(file), span_of(file), span_of(name), columns)
        )

    def read_whole(self, name: str) -> pa.Table:
        """A file's rows, its metadata as it stands there; BadChunk if it is damaged."""
        return self._found(name, lambda file: whole(self.chunk_path(file), span_of(file)))

    def chunk_metadata(self, name: str) -> dict[str, Any]:
        """What this chunk says of itself; BadChunk if that can't be read."""
        said: dict[str, Any] = self._found(
            name, lambda file: about(self.chunk_path(file), span_of(file), span_of(name))
        )
        return said

    def column_names(self, name: str) -> list[str]:
        """The columns that this chunk's rows have; BadChunk if that can't be read."""
        found: list[str] = self._found(
            name, lambda file: columns_of(self.chunk_path(file), span_of(file))
        )
        return found

    def sound(
        self, name: str, matches: int, players: int, schema: pa.Schema
    ) -> dict[str, Any] | None:
        """What this chunk says of itself, if it is here with all its rows, or None if it isn't
        here; BadChunk if it is here but damaged.
        """
        file = self.holder(name)
        if file is None:
            return None
        if file not in self.checked:
            rows = self.read_chunk(file)
            said = (len(rows), rows.schema.names)
            if file != name:  # other chunks are in it too, and ask next
                self.checked[file] = said
        else:
            said = self.checked[file]
        number, names = said
        deals = span_of(file).deals
        expected = matches * players * deals // span_of(name).deals
        if number != expected or names != schema.names:
            raise BadChunk(
                f"{self.chunk_path(file)}: this chunk of results has {number} rows of "
                f"{len(names)} columns, not {expected} of {len(schema)}"
            )
        return self.chunk_metadata(name)

    def _found(self, name: str, read: Callable[[str], Any]) -> Any:
        """What `read` makes of the file that a chunk is in; BadChunk, in one line."""
        path = self.chunk_path(name)
        try:
            try:
                return read(name)
            except FileNotFoundError:
                file = self.holder(name)
                if file is None:
                    raise
                path = self.chunk_path(file)
                return read(file)
        except FileNotFoundError:
            raise BadChunk(f"{path}: this chunk of results is gone; run again to play it") from None
        except UserError:
            raise
        except DAMAGE as error:
            _damaged(path, error)

    # --- What is there --------------------------------------------------------------------------

    def holder(self, name: str) -> str | None:
        """The name of the file that this chunk is in; None if it isn't here."""
        if self.chunk_path(name).exists():
            return name
        span = span_of(name)
        found = holder(span, self.held(span.table))
        return None if found is None else found.name

    def joined(self, names: Sequence[str]) -> list[str]:
        """The same deals as these chunks in as few names as there are files to read."""
        by_table: dict[str, list[Span]] = {}
        for name in names:
            span = span_of(name)
            by_table.setdefault(span.table, []).append(span)
        return [
            span.name
            for table, wanted in by_table.items()
            for span in (joined(wanted, self.held(table)) if len(wanted) > 1 else wanted)
        ]

    def held(self, table: str) -> list[Span]:
        """The files of rows that there are of a table."""
        names = [f"{table}/{name}" for name in names_in(self.chunk_path(table))]
        return sorted(span for name in names if (span := _span(name)) is not None)

    def files(self) -> dict[Span, int]:
        """All files of rows, by table, with their bytes."""
        found = {
            span: file.size
            for file in files_below(self.root / "chunks")
            if (span := _span(file.path)) is not None
        }
        return dict(sorted(found.items()))

    def seeds_of(self, table: str) -> set[str]:
        """The ids of the seeds under which a table, by its key, has rows here."""
        return {span.seed for span in self.held(table)}

    # --- What goes ------------------------------------------------------------------------------

    def set_aside(self, name: str) -> Place | None:
        """Renames the damaged file that a chunk is in so that no reader takes it for results.

        None if there is none: another chunk that was in it came first.
        """
        file = self.holder(name)
        if file is None:
            return None
        path = self.chunk_path(file)
        aside = path.parent / f"{path.name}.damaged"
        number = 1
        while aside.exists():
            number += 1
            aside = path.parent / f"{path.name}.damaged-{number}"
        move(path, aside)
        self.checked.pop(file, None)
        return aside

    def remove_empty(self, table: str) -> None:
        """Removes a table's folder, if nothing lies in it."""
        folder = self.chunk_path(table)
        with suppress(FileNotFoundError):
            if not any(folder.iterdir()):
                remove_tree(folder)


DAMAGE = (OSError, pa.ArrowException, KeyError, TypeError, ValueError)
"""What reading a damaged chunk may raise."""


def _damaged(path: Place, error: BaseException) -> NoReturn:
    """BadChunk; but OSError where not the file is at fault, but the way to it."""
    if isinstance(error, OSError) and error.errno is not None:
        raise error
    first = str(error).splitlines()[0] if str(error) else type(error).__name__
    raise BadChunk(
        f"{path}: this chunk of results is damaged ({first[:120]}); run again to replace it"
    ) from error


def _span(name: str) -> Span | None:
    """What a file's name says; None of one that is half written, or set aside."""
    try:
        return span_of(name)
    except ValueError:
        return None
