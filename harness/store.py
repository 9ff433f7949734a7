"""The store: chunks, runs and the files of bots that played, in one results folder.

The folder is here or on any file system that pyarrow opens; harness/files.py reads and writes.

chunks/<table key>/<seed id>-<first>-<last>.parquet    rows; written whole, or not at all
runs/<name>/<number>/manifest.json                     what was played, and its summary
bots/<version>/own/, project/, bot.json                the files of every version that played
"""

import ast
import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from harness.entrants import Entrant
from harness.errors import UserError, reason_of
from harness.files import Place as Place
from harness.files import folders_in, move, place, write_whole
from harness.locks import Held, hold


class BadChunk(UserError):
    """A file of the store that can't be read, or isn't what its name says."""


class KeptBot(NamedTuple):
    """A version of a bot as the store keeps it."""

    label: str
    name: str
    module: str | None
    """Where it was imported from, if it was a built-in bot."""
    folder: bool
    parameters: dict[str, Any]
    own: tuple[tuple[str, bytes], ...]
    """Its own files, by name, in the order in which its hash takes them."""
    project: tuple[tuple[str, bytes], ...]
    """The project's modules that it imported, by module."""


# --- Chunks -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Store:
    """A results folder."""

    root: Place

    def chunk_path(self, name: str) -> Place:
        """Where a chunk with this name is, or would be."""
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
        whole = content.getvalue().to_pybytes()
        write_whole(self.chunk_path(name), whole)
        return len(whole)

    def read_chunk(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A chunk's rows, its metadata with them; BadChunk, naming the file, if it is damaged.

        OSError where the store can't be read.
        """
        path = self.chunk_path(name)
        try:
            source = _source(path)
        except FileNotFoundError:
            raise _gone(path) from None
        try:
            # Not read_table, no threads: for files as small as chunks they take twice as long.
            with pq.ParquetFile(source, page_checksum_verification=True) as file:
                self._check_name(name, json.loads(file.metadata.metadata[b"fairdeal"]))
                rows = file.read(None if columns is None else list(columns), use_threads=False)
        except FileNotFoundError:
            raise _gone(path) from None
        except DAMAGE as error:
            _damaged(path, error)
        return rows

    def sound(
        self, name: str, matches: int, players: int, schema: pa.Schema
    ) -> dict[str, Any] | None:
        """What this chunk says of itself, if it is here with all its rows, or None if it isn't
        here; BadChunk if it is here but damaged.
        """
        if not self.chunk_path(name).exists():
            return None
        rows = self.read_chunk(name)
        if len(rows) != matches * players or rows.schema.names != schema.names:
            raise BadChunk(
                f"{self.chunk_path(name)}: this chunk of results has {len(rows)} rows of "
                f"{len(rows.schema.names)} columns, not {matches * players} of {len(schema.names)}"
            )
        return self.chunk_metadata(name)

    def _check_name(self, name: str, about: dict[str, Any]) -> None:
        """BadChunk unless this is the table and the deals that the name says."""
        key, _, span = name.partition("/")
        first, last = about["deals"]
        if about["table"] != key or not span.endswith(f"-{first}-{last}.parquet"):
            raise BadChunk(f"{self.chunk_path(name)}: this chunk of results is another table's")

    def chunk_metadata(self, name: str) -> dict[str, Any]:
        """What this chunk says of itself; BadChunk if that can't be read."""
        path = self.chunk_path(name)
        try:
            source = _source(path)
        except FileNotFoundError:
            raise _gone(path) from None
        try:
            about = json.loads(pq.read_metadata(source).metadata[b"fairdeal"])
        except FileNotFoundError:
            raise _gone(path) from None
        except DAMAGE as error:
            _damaged(path, error)
        if not isinstance(about, dict) or not {"table", "deals", "faulted"} <= set(about):
            raise BadChunk(f"{path}: this chunk of results doesn't say what it is")
        return about

    def seeds_of(self, table: str) -> set[str]:
        """The ids of the seeds under which a table, by its key, has rows here."""
        names = [path.name for path in self.chunk_path(table).glob("*.parquet")]
        return {name.split("-")[0] for name in names} - {""}

    def set_aside(self, name: str) -> Place:
        """Renames a damaged chunk so that no reader takes it for results."""
        path = self.chunk_path(name)
        aside = path.parent / f"{path.name}.damaged"
        number = 1
        while aside.exists():
            number += 1
            aside = path.parent / f"{path.name}.damaged-{number}"
        move(path, aside)
        return aside

    # --- Bots -----------------------------------------------------------------------------------

    def keep_bot(self, entrant: Entrant) -> None:
        """Keeps the files of this version, so that it can play again."""
        folder = self.root / "bots" / entrant.version
        # What says whose files they are comes last: where it is, they are all there.
        if (folder / "bot.json").exists():
            return
        own = dict(entrant.bot.files[: entrant.bot.own])
        project = dict(entrant.bot.files[entrant.bot.own :])
        for name, content in own.items():
            write_whole(folder / "own" / name, content)
        for name, content in project.items():
            write_whole(folder / "project" / f"{name}.py", content)
        about = {
            "label": entrant.label,
            "name": entrant.bot.name,
            "module": entrant.bot.module,
            "class": entrant.bot.class_name,
            "folder": entrant.bot.folder,
            "parameters": {name: repr(value) for name, value in entrant.parameters},
            "own": list(own),
            "project": list(project),
        }
        write_whole(folder / "bot.json", json.dumps(about, indent=2).encode())

    def bot_path(self, version: str) -> Place:
        """Where the files of a version are, or would be."""
        return self.root / "bots" / version

    def bot_labels(self) -> dict[str, str]:
        """The versions whose files are here, with their labels."""
        found = {}
        for version in folders_in(self.root / "bots"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                about = (self.bot_path(version) / "bot.json").read_text()
                found[version] = str(json.loads(about)["label"])
        return found

    def kept_bot(self, version: str) -> KeptBot:
        """The files of a version; UserError if they aren't here, or damaged."""
        folder = self.bot_path(version)
        try:
            about = json.loads((folder / "bot.json").read_text())
            if any(Path(name).is_absolute() or ".." in Path(name).parts for name in about["own"]):
                raise ValueError("a file outside the folder")
            return KeptBot(
                label=about["label"],
                name=about["name"],
                module=about["module"],
                folder=about["folder"],
                parameters={
                    name: ast.literal_eval(value) for name, value in about["parameters"].items()
                },
                own=tuple((name, (folder / "own" / name).read_bytes()) for name in about["own"]),
                project=tuple(
                    (name, (folder / "project" / f"{name}.py").read_bytes())
                    for name in about["project"]
                ),
            )
        except FileNotFoundError as error:
            raise UserError(f"{error.filename}: the files of this version aren't here") from error
        except (OSError, ValueError, SyntaxError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"{folder}: the files of this version are damaged ({error})") from error

    # --- Runs -----------------------------------------------------------------------------------

    def run_folders(self, name: str | None = None) -> list[Place]:
        """The folders of all runs, or of those with this name, oldest first."""
        runs = self.root / "runs"
        names = [name] if name is not None else sorted(folders_in(runs))
        found = []
        for each in names:
            numbers = [number for number in folders_in(runs / each) if number.isdecimal()]
            found += [runs / each / number for number in sorted(numbers, key=int)]
        return [folder for folder in found if (folder / "manifest.json").exists()]

    def new_run(self, name: str) -> Place:
        """Makes the next run's folder: `runs/NAME/0007`."""
        base = self.root / "runs" / name
        base.mkdir(parents=True, exist_ok=True)
        numbers = [int(number) for number in folders_in(base) if number.isdecimal()]
        folder = base / f"{max(numbers, default=0) + 1:04d}"
        folder.mkdir()
        return folder

    def find_run(self, text: str) -> Place:
        """The folder of the run that RUN means; UserError if there is none.

        RUN is a run's name (its newest), `NAME/0007`, a folder, or `latest`.
        """
        as_folder = place(text)
        if (as_folder / "manifest.json").exists():
            return as_folder
        if text == "latest":
            runs = self.run_folders()
            if runs:
                return max(runs, key=lambda folder: read_manifest(folder)["started"])
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


def deals_of(name: str) -> tuple[int, int]:
    """The first and last deal of a chunk, from its name."""
    first, last = name.removesuffix(".parquet").rsplit("-", 2)[1:]
    return int(first), int(last)


def read_manifest(folder: Place) -> dict[str, Any]:
    """A run's manifest; UserError, naming the file, if it is damaged."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text())
        if not isinstance(manifest, dict) or manifest.get("manifest") != MANIFEST:
            raise ValueError("it is no manifest that this version knows")
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: this run's manifest is damaged ({error})") from error
    return manifest


def write_manifest(folder: Place, manifest: Mapping[str, Any]) -> None:
    """Writes a run's manifest in one step."""
    write_whole(folder / "manifest.json", json.dumps(manifest, indent=1).encode())


MANIFEST = 1
"""The number of the manifest's form."""


def open_store(root: Place) -> Store:
    """The store in this folder, made if need be; UserError if it can't be written."""
    try:
        for part in ("chunks", "runs", "bots"):
            (root / part).mkdir(parents=True, exist_ok=True)
        probe(root)
    except OSError as error:
        raise UserError(f"results can't be written to {root}: {reason_of(error)}") from error
    return Store(root)


def probe(root: Place) -> None:
    """OSError unless files can be written to this folder."""
    file = root / f".probe-{os.getpid()}-{secrets.token_hex(4)}"
    write_whole(file, b"probe")
    file.unlink()


def existing_store(root: Place) -> Store:
    """The store in this folder, to be read; UserError if there is none."""
    try:
        there = (root / "runs").is_dir()
    except OSError as error:
        raise UserError(f"results can't be read from {root}: {reason_of(error)}") from error
    if not there:
        raise UserError(f"there are no results in {root} (--results names another folder)")
    return Store(root)


def locked(
    store: Store, wait: bool = False, say: Callable[[str], None] | None = None
) -> AbstractContextManager[Held]:
    """Holds the store for one run at a time; UserError if another holds it, unless we wait."""
    return hold(store.root, wait, say)


DAMAGE = (OSError, pa.ArrowException, KeyError, TypeError, ValueError)
"""What reading a damaged chunk may raise."""


def _source(path: Place) -> Any:
    """A file for pyarrow: a path, or its content, which from elsewhere comes in one request."""
    return path if isinstance(path, Path) else pa.BufferReader(path.read_bytes())


def _gone(path: Place) -> BadChunk:
    return BadChunk(f"{path}: this chunk of results is gone; run again to play it")


def _damaged(path: Place, error: BaseException) -> NoReturn:
    """BadChunk; but OSError where not the file is at fault, but the way to it."""
    if isinstance(error, OSError) and error.errno is not None:
        raise error
    first = str(error).splitlines()[0]
    raise BadChunk(
        f"{path}: this chunk of results is damaged ({first[:120]}); run again to replace it"
    ) from error
