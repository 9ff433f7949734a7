"""The lock of a store: one run writes to it at a time.

In a folder it is a lock of the kernel's, which ends with its holder. Object stores have none, so
there it is a lease: an object that its holder writes anew again and again, and that counts for
nothing once it is old.
"""

import fcntl
import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.errors import UserError
from harness.files import Place, Remote, write_whole

LEASE_SECONDS = 60.0
"""A lease that nobody has renewed for so long is nobody's."""
RENEW_SECONDS = 15.0
SETTLE_SECONDS = 1.0
"""A put, and the look before it, take less than this: of two who take a free lease at once, both
see after it who was the last (Fischer's algorithm, in Lamport, A fast mutual exclusion algorithm,
1987). Should they not, both play the same chunks, which are the same bytes but for timing."""


@dataclass
class Held:
    """A store that is held; `check` raises UserError if it has been lost since."""

    where: str
    lost: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """UserError once another run has taken the lease that we could not renew in time."""
        if self.lost.is_set():
            raise UserError(
                f"{self.where}: another run took over while this store was out of reach; this one"
                " stops, and the same command goes on from there"
            )


@contextmanager
def hold(
    root: Place, wait: bool = False, say: Callable[[str], None] | None = None
) -> Iterator[Held]:
    """Holds the store until it is left; UserError if another run does, unless we wait for it."""
    said = False
    while True:
        attempt = _lease(root) if isinstance(root, Remote) else _flock(root)
        try:
            held = attempt.__enter__()
        except _Taken as taken:
            if not wait:
                raise UserError(
                    f"another run is writing to {root}{taken}; wait for it (--wait), or name"
                    " another folder with --results"
                ) from None
            if say is not None and not said:
                say(f"another run is writing to {root}{taken}; waiting for its end")
            said = True
            time.sleep(1.0)
            continue
        break
    try:
        yield held
    finally:
        attempt.__exit__(None, None, None)


class _Taken(Exception):
    """Another run holds it; what is known of that one, in brackets."""


@contextmanager
def _flock(root: Place) -> Iterator[Held]:
    assert isinstance(root, Path)
    with open(root / ".lock", "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _Taken from None
        yield Held(str(root))


# --- Leases -------------------------------------------------------------------------------------


@contextmanager
def _lease(root: Remote) -> Iterator[Held]:
    file = root / ".lock"
    token = secrets.token_hex(16)
    ours = json.dumps(
        {"token": token, "host": socket.gethostname(), "process": os.getpid(), "began": _began()}
    ).encode()
    try:
        _check_free(root, file)
        write_whole(file, ours)
        time.sleep(SETTLE_SECONDS)
        if _token(file) != token:
            raise _Taken
    except OSError as error:
        raise UserError(f"results can't be written to {root}: {error}") from error
    held, ended = Held(str(root)), threading.Event()
    renewing = threading.Thread(
        target=_renew, args=(file, token, ours, held, ended), name="lease", daemon=True
    )
    renewing.start()
    try:
        yield held
    finally:
        ended.set()
        renewing.join()
        with suppress(OSError):
            if _token(file) == token:
                file.unlink(missing_ok=True)


def _check_free(root: Remote, file: Remote) -> None:
    """_Taken if there is a lease that counts, by the store's own clock."""
    written = file.info.mtime
    if written is None:
        return
    with suppress(OSError, ValueError, KeyError, TypeError):
        about = json.loads(file.read_text())
        if about["host"] == socket.gethostname() and not _runs(about["process"], about["began"]):
            return
    clock = root / f".clock-{secrets.token_hex(4)}"
    write_whole(clock, b"now")
    try:
        age = (clock.info.mtime - written).total_seconds()
    finally:
        clock.unlink(missing_ok=True)
    if age < LEASE_SECONDS:
        raise _Taken(
            f" (its last sign of life is {max(0.0, age):.0f} s old, and counts for"
            f" {LEASE_SECONDS:.0f})"
        )


def _renew(file: Remote, token: str, ours: bytes, held: Held, ended: threading.Event) -> None:
    while not ended.wait(RENEW_SECONDS):
        try:
            if _token(file) not in (token, None):
                held.lost.set()
                return
            write_whole(file, ours)
        except OSError:
            continue  # out of reach for now; whoever takes over meanwhile leaves a token of its own


def _token(file: Remote) -> Any:
    """Whose lease it is; None if there is none."""
    try:
        return json.loads(file.read_text())["token"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _began(pid: int | None = None) -> str:
    """When a process of this machine began, in the kernel's ticks: with its number a name."""
    stat = Path(f"/proc/{pid or os.getpid()}/stat").read_text()
    return stat.rpartition(")")[2].split()[19]


def _runs(pid: int, began: str) -> bool:
    try:
        return _began(pid) == began
    except OSError:
        return False
