"""The store: chunks, runs and the files of bots that played, in one results folder.

chunks/<table key>/<seed id>-<first>-<last>.parquet    rows; written whole, or not at all
runs/<name>/<number>/manifest.json                     what was played, and its ratings
runs/<name>/<number>/summary.json.gz                   all figures of its report
bots/<version>/                                        the files of every version that played
"""

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from harness.chunk_file import BadChunk, about, columns_of, part, whole
from harness.entrants import Entrant
from harness.errors import UserError
from harness.spans import Span, block_of, holder, joined, span_of

__all__ = [
    "MANIFEST",
    "BadChunk",
    "Entry",
    "Span",
    "Store",
    "block_of",
    "existing_store",
    "locked",
    "open_store",
    "read_manifest",
    "span_of",
    "write_manifest",
]


class Entry(NamedTuple):
    """A file of the store, or a folder of files."""

    path: str
    """Below the root."""
    size: int
    """In bytes."""
    modified: float
    """In seconds since 1970."""


# --- Chunks -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Store:
    """A results folder."""

    root: Path
    checked: dict[str, tuple[int, list[str]]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """Files of several chunks that have been read whole: their rows and columns."""

    def chunk_path(self, name: str) -> Path:
        """Where a chunk with this name is, or would be."""
        return self.root / "chunks" / name

    def write_chunk(self, name: str, rows: pa.Table) -> int:
        """Writes a chunk in one step (aside, synced, renamed), and returns its size in bytes."""
        path = self.chunk_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
        try:
            with pq.ParquetWriter(
                aside,
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
            with open(aside, "rb") as file:
                os.fsync(file.fileno())
            size = aside.stat().st_size
            os.replace(aside, path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
        return size

    def read_chunk(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A chunk's rows, its metadata with them; BadChunk, naming the file, if it is damaged.

        It may stand in a file of its own or be part of a longer one, and `name` may be any range
        of deals that one file holds. A column that rows of an older schema lack is null.
        """
        return self._found(
            name, lambda file: part(self.chunk_path(file), span_of(file), span_of(name), columns)
        )

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

    def tables(self) -> list[str]:
        """The keys of all tables that have a folder here, sorted."""
        return sorted(_entries(self.root / "chunks"))

    def held(self, table: str) -> list[Span]:
        """The files of rows that there are of a table."""
        found = []
        for file in _files(self.chunk_path(table)):
            try:
                found.append(span_of(f"{table}/{file}"))
            except ValueError:
                continue  # half written, or set aside
        return sorted(found)

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
        except (
            OSError,
            pa.ArrowInvalid,
            pa.ArrowException,
            KeyError,
            TypeError,
            ValueError,
        ) as error:
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise BadChunk(
                f"{path}: this chunk of results is damaged ({first[:120]}); run again to replace it"
            ) from error

    def set_aside(self, name: str) -> Path | None:
        """Renames the damaged file that a chunk is in so that no reader takes it for results.

        None if there is none: another chunk that was in it came first.
        """
        file = self.holder(name)
        if file is None:
            return None
        path = self.chunk_path(file)
        aside = path.with_name(f"{path.name}.damaged")
        number = 1
        while aside.exists():
            number += 1
            aside = path.with_name(f"{path.name}.damaged-{number}")
        os.replace(path, aside)
        self.checked.pop(file, None)
        return aside

    def read_whole(self, name: str) -> pa.Table:
        """A file's rows, its metadata as it stands there; BadChunk if it is damaged."""
        return self._found(name, lambda file: whole(self.chunk_path(file), span_of(file)))

    # --- What is there --------------------------------------------------------------------------

    def entry(self, path: str) -> Entry:
        """A file, or a folder with all that is in it, by its path below the root."""
        there = self.root / path
        files = [each for each in there.rglob("*") if each.is_file()] if there.is_dir() else [there]
        size = sum(file.lstat().st_size for file in files)
        return Entry(path, size, there.lstat().st_mtime)

    def kept_bots(self) -> list[Entry]:
        """The folders of the versions that are kept."""
        names = [name for name in sorted(_entries(self.root / "bots")) if name[0] != "."]
        return [self.entry(f"bots/{name}") for name in names]

    def leftovers(self, before: float) -> list[Entry]:
        """What was set aside as damaged, or left half written, and is older than this."""
        paths = [
            *self.root.glob("chunks/*/.*.part"),
            *self.root.glob("chunks/*/*.damaged*"),
            *self.root.glob("bots/.*.part"),
            *self.root.glob("runs/*/*/.*.part"),
        ]
        found = [self.entry(str(path.relative_to(self.root))) for path in sorted(paths)]
        return [entry for entry in found if entry.modified < before]

    def remove(self, path: str) -> None:
        """Removes a file or folder below the root, and a table's folder with its last file."""
        there = self.root / path
        if there.is_dir():
            # Aside first: half of a folder is never taken for the whole.
            aside = there.with_name(f".{there.name.strip('.')}.{secrets.token_hex(4)}.part")
            os.replace(there, aside)
            shutil.rmtree(aside)
        else:
            there.unlink(missing_ok=True)
        if path.startswith("chunks/"):
            with suppress(OSError):  # there are others in it
                there.parent.rmdir()

    # --- Bots -----------------------------------------------------------------------------------

    def keep_bot(self, entrant: Entrant) -> None:
        """Keeps the files of this version, so that it can play again."""
        folder = self.root / "bots" / entrant.version
        if folder.exists():
            return
        aside = folder.with_name(f".{entrant.version}.{secrets.token_hex(4)}.part")
        aside.mkdir(parents=True)
        for index, (name, content) in enumerate(entrant.bot.files):
            own = index < entrant.bot.own
            path = aside / name if own else aside / "project" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        about = {
            "label": entrant.label,
            "class": entrant.bot.class_name,
            "parameters": dict(entrant.parameters),
            "file": entrant.bot.files[0][0],
        }
        (aside / "bot.json").write_text(json.dumps(about, indent=2))
        try:
            aside.rename(folder)
        except OSError:
            if not folder.exists():  # else somebody else kept the same version just now
                raise

    # --- Runs -----------------------------------------------------------------------------------

    def run_folders(self, name: str | None = None) -> list[Path]:
        """The folders of all runs, or of those with this name, oldest first."""
        runs = self.root / "runs"
        names = [name] if name is not None else sorted(_entries(runs))
        found = []
        for each in names:
            numbers = [number for number in _entries(runs / each) if number.isdecimal()]
            found += [runs / each / number for number in sorted(numbers, key=int)]
        return [folder for folder in found if (folder / "manifest.json").exists()]

    def new_run(self, name: str) -> Path:
        """Makes the next run's folder: `runs/NAME/0007`."""
        base = self.root / "runs" / name
        base.mkdir(parents=True, exist_ok=True)
        numbers = [int(number) for number in _entries(base) if number.isdecimal()]
        folder = base / f"{max(numbers, default=0) + 1:04d}"
        folder.mkdir()
        return folder

    def find_run(self, text: str) -> Path:
        """The folder of the run that RUN means; UserError if there is none.

        RUN is a run's name (its newest), `NAME/0007`, a folder, or `latest`.
        """
        as_folder = Path(text)
        if (as_folder / "manifest.json").exists():
            return as_folder
        if text == "latest":
            begun = {}
            for folder in self.run_folders():
                with suppress(UserError, KeyError):  # `fairdeal runs` names damaged manifests
                    begun[folder] = read_manifest(folder)["started"]
            if begun:
                return max(begun, key=lambda folder: begun[folder])
            raise UserError(f"{self.root}: there is no run here yet")
        name, slash, number = text.partition("/")
        found = self.run_folders(name) if name and ".." not in text else []
        if slash:
            found = [folder for folder in found if folder.name == number]
        if not found:
            names = sorted({folder.parent.name for folder in self.run_folders()})
            there = f"; there are: {', '.join(names)}" if names else " yet"
            raise UserError(f"there is no run {text!r} in {self.root}{there}")
        return found[-1]


def _entries(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(folder) if entry.is_dir()]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _files(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(folder) if entry.is_file()]
    except (FileNotFoundError, NotADirectoryError):
        return []


def read_manifest(folder: Path) -> dict[str, Any]:
    """A run's manifest; UserError, naming the file, if it is damaged."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text())
        if not isinstance(manifest, dict) or manifest.get("manifest") != MANIFEST:
            raise ValueError("it is no manifest that this version knows")
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: this run's manifest is damaged ({error})") from error
    return manifest


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Writes a run's manifest in one step."""
    path = folder / "manifest.json"
    aside = path.with_name(".manifest.json.part")
    with open(aside, "w") as file:
        json.dump(manifest, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)
    sync_folder(folder)


MANIFEST = 1
"""The number of the manifest's form."""


def open_store(root: Path) -> Store:
    """The store in this folder, made if need be; UserError if it can't be written."""
    store = Store(root)
    try:
        for part in ("chunks", "runs", "bots"):
            (root / part).mkdir(parents=True, exist_ok=True)
        probe = root / f".probe-{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise UserError(f"results can't be written to {root}: {error.strerror}") from error
    return store


def existing_store(root: Path) -> Store:
    """The store in this folder, to be read; UserError if there is none."""
    if not (root / "runs").is_dir():
        raise UserError(f"there are no results in {root} (--results names another folder)")
    return Store(root)


@contextmanager
def locked(store: Store) -> Iterator[None]:
    """Holds the store for one run at a time; UserError if another holds it."""
    with open(store.root / ".lock", "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"another run is writing to {store.root}; wait for it, or name another folder"
                " with --results"
            ) from None
        yield


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
