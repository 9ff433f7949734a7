"""The store: chunks, runs and the files of bots that played, in one results folder.

The folder is here or on any file system that pyarrow opens; harness/files.py reads and writes.

chunks/<table key>/<seed id>-<first>-<last>.parquet    rows; written whole, or not at all
runs/<name>/<number>/manifest.json                     what was played, and its ratings
runs/<name>/<number>/summary.json.gz                   all figures of its report
bots/<version>/own/, project/, bot.json                the files of every version that played
"""

import os
import re
import secrets
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple

from harness.chunk_file import BadChunk
from harness.chunks import Chunks
from harness.errors import UserError, reason_of
from harness.files import File, Place, files_below, folders_in, remove_tree, write_whole
from harness.kept_bots import KeptBot, KeptBots
from harness.locks import Held, hold
from harness.runs import MANIFEST, Runs, read_manifest, write_manifest
from harness.spans import Span, block_of, span_of

__all__ = [
    "MANIFEST",
    "BadChunk",
    "Entry",
    "KeptBot",
    "Place",
    "Span",
    "Store",
    "block_of",
    "existing_store",
    "locked",
    "open_store",
    "probe",
    "read_manifest",
    "span_of",
    "write_manifest",
]

LEFT = re.compile(
    r"^(chunks|runs|bots)/.*/\.[^/]+\.\d+-[0-9a-f]+\.part$|^chunks/[^/]+/[^/]+\.damaged(-\d+)?$"
)
"""What was left half written, or set aside as damaged, by its path below the root."""


class Entry(NamedTuple):
    """A file of the store, or a folder of files."""

    path: str
    """Below the root."""
    size: int
    """In bytes."""


@dataclass(frozen=True)
class Store(Chunks, Runs, KeptBots):
    """A results folder."""

    def kept_versions(self) -> list[Entry]:
        """The folders of the versions that are kept."""
        sizes = dict.fromkeys(sorted(folders_in(self.root / "bots")), 0)
        for file in files_below(self.root / "bots"):
            version = file.path.partition("/")[0]
            if version in sizes:
                sizes[version] += file.size
        return [Entry(f"bots/{version}", size) for version, size in sizes.items()]

    def leftovers(self, before: float) -> list[Entry]:
        """What was set aside as damaged, or left half written, and is older than this."""
        found: Iterable[File] = files_below(self.root)
        return sorted(
            Entry(file.path, file.size)
            for file in found
            if file.modified < before and LEFT.search(file.path)
        )

    def remove(self, path: str) -> None:
        """Removes a file, or the folder of a bot, by its path below the root."""
        there = self.root / path
        if there.is_dir():
            # What says whose files they are goes first: half of a folder is never taken for one.
            (there / "bot.json").unlink(missing_ok=True)
            remove_tree(there)
        else:
            there.unlink(missing_ok=True)


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
