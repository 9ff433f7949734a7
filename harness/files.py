"""Places: folders and files of a store, here or on any file system that pyarrow opens."""

import contextlib
import os
import pickle
import posixpath
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from harness.errors import UserError


class Place(Protocol):
    """What is asked of a folder or file, in pathlib's words: a `Path` is one."""

    @property
    def name(self) -> str:
        """Its last part."""

    @property
    def parent(self) -> Self:
        """The folder that it is in."""

    def __truediv__(self, name: str, /) -> Self: ...

    def exists(self) -> bool:
        """Whether there is such a file or folder."""

    def is_dir(self) -> bool:
        """Whether it is a folder."""

    def iterdir(self) -> Iterator[Self]:
        """What lies in it; FileNotFoundError if it isn't there."""

    def glob(self, pattern: str, /) -> Iterator[Self]:
        """What lies below it and fits the pattern."""

    def read_bytes(self) -> bytes:
        """The content of a file; FileNotFoundError if it isn't there."""

    def read_text(self) -> str:
        """The same as text in UTF-8."""

    def unlink(self, missing_ok: bool = False) -> None:
        """Deletes a file."""

    def mkdir(self, *, parents: bool = False, exist_ok: bool = False) -> None:
        """Makes the folder; object stores have none to make."""


def _fs() -> Any:
    """Pyarrow's file systems; imported on use, since most commands are done before that is."""
    import pyarrow.fs

    return pyarrow.fs


OBJECT_STORES = ("s3", "gcs", "abfs")
"""File systems on which a file appears whole when it is closed, and in which folders are names."""


@dataclass(frozen=True)
class Remote:
    """A place on a file system of pyarrow's."""

    system: Any = field(repr=False, compare=False)
    """The pyarrow.fs.FileSystem."""
    path: str
    """Within it, `bucket/folder/file`."""
    shown: str
    """The same as people write it, without keys and options."""

    def __str__(self) -> str:
        return self.shown

    def __reduce__(self) -> tuple[Any, ...]:
        return _connected, (pickle.dumps(self.system), self.path, self.shown)

    @property
    def name(self) -> str:
        """Its last part."""
        return posixpath.basename(self.path)

    @property
    def parent(self) -> "Remote":
        """The folder that it is in."""
        return Remote(self.system, posixpath.dirname(self.path), posixpath.dirname(self.shown))

    def __truediv__(self, name: str) -> "Remote":
        return Remote(
            self.system, posixpath.join(self.path, name), posixpath.join(self.shown, name)
        )

    @property
    def info(self) -> Any:
        """Pyarrow's FileInfo: type, size, when it was written."""
        return self.system.get_file_info(self.path)

    @property
    def whole_when_closed(self) -> bool:
        """Whether no reader sees half a file."""
        return self.system.type_name in OBJECT_STORES

    def exists(self) -> bool:
        """Whether there is such a file or folder."""
        return bool(self.info.type != _fs().FileType.NotFound)

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return bool(self.info.type == _fs().FileType.Directory)

    def iterdir(self) -> "Iterator[Remote]":
        """What lies in it; FileNotFoundError if it isn't there."""
        for info in self.system.get_file_info(_fs().FileSelector(self.path)):
            yield self / info.base_name

    def glob(self, pattern: str) -> "Iterator[Remote]":
        """What lies below it and fits the pattern, part by part."""
        parts = pattern.split("/")
        deep = "**" in parts or len(parts) > 1
        selector = _fs().FileSelector(self.path, allow_not_found=True, recursive=deep)
        for info in self.system.get_file_info(selector):
            below = posixpath.relpath(info.path, self.path)
            if below.count("/") == len(parts) - 1 and all(map(fnmatch, below.split("/"), parts)):
                yield self / below

    def read_bytes(self) -> bytes:
        """The content of a file, in one go; FileNotFoundError if it isn't there."""
        with self.system.open_input_stream(self.path) as stream:
            return bytes(stream.read())

    def read_text(self) -> str:
        """The same as text in UTF-8."""
        return self.read_bytes().decode()

    def unlink(self, missing_ok: bool = False) -> None:
        """Deletes a file."""
        with contextlib.suppress(*([FileNotFoundError] if missing_ok else [])):
            self.system.delete_file(self.path)

    def mkdir(self, *, parents: bool = False, exist_ok: bool = False) -> None:
        """Makes the folder; object stores have none to make."""
        if not exist_ok and self.exists():
            raise FileExistsError(f"{self}: this folder is there already")
        if not self.whole_when_closed:
            self.system.create_dir(self.path, recursive=parents)


def _connected(system: bytes, path: str, shown: str) -> Remote:
    """A place that comes from another process."""
    return Remote(_loaded(system), path, shown)


@cache
def _loaded(system: bytes) -> Any:
    """One connection a process, not one a chunk."""
    return pickle.loads(system)


def place(text: str | Path) -> Place:
    """The place that somebody names: a folder, or a URI such as `s3://bucket/results`.

    Options of a file system are in the URI's query, as pyarrow reads them
    (`?endpoint_override=127.0.0.1:5000&scheme=http`). UserError where pyarrow has no such thing.
    """
    if isinstance(text, Path) or "://" not in text:
        return Path(text)
    system, path = _file_system(text)
    if system.type_name == "local":
        return Path(path)
    scheme = text.partition("://")[0]
    path = path.rstrip("/")
    return Remote(system, path, f"{scheme}://{path}")


@cache
def _file_system(uri: str) -> tuple[Any, str]:
    """One connection a process; UserError says what pyarrow has against the URI."""
    try:
        system, path = _fs().FileSystem.from_uri(uri)
    except (OSError, ValueError, TypeError) as error:
        shown = uri.partition("?")[0]
        scheme, _, rest = shown.partition("://")
        shown = f"{scheme}://{rest.rpartition('@')[2]}"
        first = str(error).splitlines()[0].replace(uri, shown)
        raise UserError(f"--results: {shown} can't be opened: {first}") from None
    return system, path


def write_whole(path: Place, content: bytes) -> None:
    """Writes a file in one step: whoever reads it finds all of it, or what was there before.

    Here it is written aside, synced and renamed; an object store gets it in one put. OSError where
    it can't be written.
    """
    if isinstance(path, Remote) and path.whole_when_closed:
        _put(path, content)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.parent / f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part"
    try:
        if isinstance(path, Remote):
            _put(path.parent / aside.name, content)
        elif isinstance(aside, Path):
            with open(aside, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        move(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
        raise


def _put(path: Remote, content: bytes) -> None:
    # Nothing is sent before all is handed over, so a failure on the way leaves nothing behind.
    with path.system.open_output_stream(path.path) as stream:
        stream.write(content)


def move(path: Place, target: Place) -> None:
    """Renames a file of one file system, replacing what is there."""
    if isinstance(path, Remote) and isinstance(target, Remote):
        path.system.move(path.path, target.path)
    elif isinstance(path, Path) and isinstance(target, Path):
        os.replace(path, target)
        handle = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def size_of(path: Place) -> int:
    """The bytes of a file."""
    if isinstance(path, Remote):
        return int(path.info.size or 0)
    assert isinstance(path, Path)
    return path.stat().st_size


class File(NamedTuple):
    """A file that lies somewhere below a folder."""

    path: str
    """Below that folder, `table/file`."""
    size: int
    """In bytes."""
    modified: float
    """In seconds since 1970."""


def files_below(folder: Place) -> Iterator[File]:
    """All files in a folder and those below it; none where there is no such folder."""
    if isinstance(folder, Remote):
        selector = _fs().FileSelector(folder.path, allow_not_found=True, recursive=True)
        for info in folder.system.get_file_info(selector):
            if info.type == _fs().FileType.File:
                below = posixpath.relpath(info.path, folder.path)
                yield File(below, info.size or 0, info.mtime_ns / 1e9 if info.mtime_ns else 0.0)
        return
    assert isinstance(folder, Path)
    for path, _, names in os.walk(folder):
        for name in names:
            file = Path(path) / name
            with contextlib.suppress(FileNotFoundError):  # gone since
                about = file.lstat()
                yield File(str(file.relative_to(folder)), about.st_size, about.st_mtime)


def names_in(folder: Place) -> list[str]:
    """The names of the files in a folder; none where there is no such folder."""
    return _names(folder, folders=False)


def folders_in(folder: Place) -> list[str]:
    """The names of the folders in a folder; none where there is no such folder."""
    return _names(folder, folders=True)


def _names(folder: Place, folders: bool) -> list[str]:
    if isinstance(folder, Remote):
        wanted = _fs().FileType.Directory if folders else _fs().FileType.File
        selector = _fs().FileSelector(folder.path, allow_not_found=True)
        found = folder.system.get_file_info(selector)
        return [info.base_name for info in found if info.type == wanted]
    assert isinstance(folder, Path)
    try:
        found = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [entry.name for entry in found if (entry.is_dir() if folders else entry.is_file())]


def remove_tree(path: Place) -> None:
    """Deletes a folder and all that is in it."""
    if isinstance(path, Remote):
        path.system.delete_dir(path.path)
    elif isinstance(path, Path):
        shutil.rmtree(path)
