"""Watches over a run's driver, and ends what it started and left behind, however it ended.

Run as a file it is the watchdog itself: it follows the driver's children and theirs, and kills
those that are left when the driver is gone. Ray's own processes would linger for half a minute.
Should the watchdog be killed too, the next run's `guard` does it, from the watchdog's notes.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

MARK = "FAIRDEAL_DRIVER"
"""Names, in the environment of what a driver starts, that driver."""
EVERY_SECONDS = 0.5
"""How often it looks; what was born since the last look is found by its mark or its parent."""

IN_ORDER = b"."
"""What a driver says at its good end."""

Process = tuple[int, str]
"""A process for certain: its number, and when it began in the kernel's ticks."""


@contextmanager
def guard() -> Iterator[None]:
    """Sees to it that nothing this process starts from here on outlives it for long.

    Left by an exception, nothing of that outlives the guard itself: what was interrupted while it
    started may not be known to those who would end it.
    """
    folder = Path(tempfile.gettempdir()) / f"fairdeal-drivers-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.lstat().st_uid != os.getuid():
        raise PermissionError(f"{folder} is another user's")
    _sweep(folder)
    table = _table()
    driver = (os.getpid(), table[os.getpid()][1])
    name = _spelled(driver)
    os.environ[MARK] = name
    watching = subprocess.Popen(
        [
            *(sys.executable, "-I", "-S", __file__, name, str(folder / name)),
            *map(_spelled, _below({driver}, table)),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C isn't meant for it
        env={},
    )
    last = IN_ORDER
    try:
        yield
    except GeneratorExit:
        raise
    except BaseException:
        last = b""
        raise
    finally:
        os.environ.pop(MARK, None)
        assert watching.stdin is not None
        with contextlib.suppress(OSError):  # it may have been killed
            watching.stdin.write(last)
            watching.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            watching.wait(timeout=10)


def _sweep(folder: Path) -> None:
    """Ends what is left of drivers that are gone and whose watchdogs are gone too."""
    table = _table()
    for notes in folder.iterdir():
        driver, _, began = notes.name.partition("-")
        if not driver.isdecimal() or _same(table, (int(driver), began)):
            continue
        with contextlib.suppress(OSError, ValueError):
            noted = _read(notes)
            if not noted or _same(table, noted[0]):
                continue
            _end(set(noted[1:]), notes.name)
            notes.unlink()


def _read(notes: Path) -> list[Process]:
    return [(int(pid), began) for pid, began in map(str.split, notes.read_text().splitlines())]


# --- The watchdog -------------------------------------------------------------------------------


def main() -> None:
    """Looks every half second until its standard input ends, which is when the driver has."""
    driver_name, notes, *before = sys.argv[1:]
    driver, others = _read_one(driver_name), set(map(_read_one, before))
    itself = (os.getpid(), _table()[os.getpid()][1])
    known: set[Process] = set()
    written: set[Process] | None = None
    while True:
        table = _table()
        known = {each for each in known if _same(table, each)} | _below({driver}, table)
        known -= {driver, itself, *others, *_below(others, table)}
        if known != written:
            lines = [f"{pid} {began}\n" for pid, began in [itself, *sorted(known)]]
            Path(notes).write_text("".join(lines))
            written = known
        if select.select([0], [], [], EVERY_SECONDS)[0]:
            break
    # A driver that has ended its Ray in good order lives, and so may other children of its. One
    # that was killed closes its pipe a moment before it is dead: the process table wouldn't tell.
    table = _table()
    newest = _below({driver}, table)
    kept = newest if os.read(0, 1) == IN_ORDER else others | _below(others, table)
    _end((known | newest) - kept - {itself}, driver_name, spared=kept | {driver, itself})
    Path(notes).unlink(missing_ok=True)


def _spelled(process: Process) -> str:
    return f"{process[0]}-{process[1]}"


def _read_one(spelled: str) -> Process:
    pid, began = spelled.split("-")
    return int(pid), began


def _end(known: set[Process], mark: str, spared: Iterable[Process] = ()) -> None:
    """Kills these processes, all that they started, and all that carry the driver's mark."""
    spared = set(spared)
    stop = time.monotonic() + 10
    while time.monotonic() < stop:
        table = _table()
        known |= {each for each in _marked(mark, table) if each not in spared}
        known = {each for each in known | _below(known, table) if _same(table, each)} - spared
        if not known:
            return
        for pid, _ in known:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def _table() -> dict[int, tuple[int, str]]:
    """The parent and the beginning of every process that isn't dead yet, by its number."""
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                # The name, in brackets, may hold anything.
                stat = Path(entry.path, "stat").read_bytes().rpartition(b")")[2].split()
                if stat[0] not in (b"Z", b"X"):
                    found[int(entry.name)] = (int(stat[1]), stat[19].decode())
    return found


def _same(table: dict[int, tuple[int, str]], process: Process) -> bool:
    """Whether this process, and not another that got its number, is there."""
    pid, began = process
    return pid in table and table[pid][1] == began


def _below(roots: set[Process], table: dict[int, tuple[int, str]]) -> set[Process]:
    """The children of these processes, theirs, and so on."""
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found: set[Process] = set()
    left = [pid for pid, began in roots if _same(table, (pid, began))]
    while left:
        for child in children.get(left.pop(), ()):
            found.add((child, table[child][1]))
            left.append(child)
    return found


def _marked(mark: str, table: dict[int, tuple[int, str]]) -> set[Process]:
    wanted = f"{MARK}={mark}".encode()
    found = set()
    for pid, (_, began) in table.items():
        with contextlib.suppress(OSError):
            if wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                found.add((pid, began))
    return found


if __name__ == "__main__":
    main()
