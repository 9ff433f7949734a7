"""Hosts, as the runner sees them: started, asked, timed from outside, and killed."""

import contextlib
import ctypes
import fcntl
import itertools
import json
import mmap
import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from games.game import Game, Rules
from harness.entrants import Entrant
from harness.play import sandbox
from harness.play.budgets import Budgets
from harness.play.faults import Fault
from harness.play.host import PLACE
from harness.play.restrictions import UNRESTRICTED, Restrictions, names_of
from harness.play.wire import KIND_OF, REPLY, TEXT_CAP, framed

TICK = 0.02
"""Seconds between looks at a host that hasn't answered."""

SLOWEST = 60
"""How many seconds a second of CPU time may take at most, on the busiest machine."""

MOST_READ = 1 << 16
"""Bytes that are taken from a host at once."""

HELLO_SECONDS = 60.0
"""Wall time in which a host must say hello: it runs no bot's code before."""


class HostFailure(RuntimeError):
    """A host that never came up: the machine's fault, never a bot's."""


class Broken(NamedTuple):
    """A host that had to be ended: why, and at which of the decisions that it was asked."""

    fault: Fault
    at: int


class Setting(NamedTuple):
    """What every host of a chunk needs to know."""

    game: Game
    path: str
    """The game's name, or its folder."""
    rules: Rules
    players: int
    level: str
    budgets: Budgets
    width: int = 128
    """How many matches are under way at once. Fixed, so that batches are the same everywhere."""
    hash_seed: str = "0"
    stdout: int | None = None
    """Where hosts' output goes, a file descriptor; nowhere by default."""
    restrictions: Restrictions = UNRESTRICTED


Answers = tuple[list[int], list[str]]
"""An index, or a negative word of `wire`, for each decision; and a text for each of the latter."""

_uids = itertools.count()


class Host:
    """One process that runs one bot's code."""

    def __init__(self, setting: Setting, entrant: Entrant, folder: str | None) -> None:
        self.budgets = setting.budgets
        self.number = 0
        self.pid = 0
        self.unread = b""
        try:
            self._start(setting, entrant, folder)
        except (_End, OSError, ValueError, IndexError) as error:
            if hasattr(self, "process"):
                self.kill()
            raise HostFailure(
                f"a host for {entrant.label} could not be started: {error}"
            ) from error
        self.cpu = self._cpu_clock()
        self.loaded = self._load(entrant, folder if setting.level == "process" else None, folder)
        self.cpu_loaded = self.cpu_seconds()

    # --- Starting ---------------------------------------------------------------------------------

    def _start(self, setting: Setting, entrant: Entrant, folder: str | None) -> None:
        from_runner, self.requests = os.pipe()
        self.replies, to_runner = os.pipe()
        progress = os.memfd_create("progress", os.MFD_ALLOW_SEALING)
        os.ftruncate(progress, mmap.PAGESIZE)
        # Without seals a bot could shrink it, and the runner would die of reading it.
        fcntl.fcntl(
            progress,
            fcntl.F_ADD_SEALS,
            fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL,
        )
        self.page = mmap.mmap(progress, mmap.PAGESIZE)
        inner = [from_runner, to_runner, progress]
        shut_in = setting.level == "sandbox"
        packages = setting.budgets.packages
        info = -1
        if shut_in:
            info, told = os.pipe()
            command = sandbox.bwrap_command(packages, setting.path, folder, told)
            inner.append(told)
        else:
            command = sandbox.plain_command()
        self.process = subprocess.Popen(
            [*command, *map(str, inner[:3])],
            pass_fds=inner,
            env={
                **sandbox.ENVIRONMENT,
                "PYTHONHASHSEED": setting.hash_seed,
                sandbox.MARK: str(os.getpid()),
            },
            stdin=subprocess.DEVNULL,
            stdout=setting.stdout or subprocess.DEVNULL,
            stderr=setting.stdout or subprocess.DEVNULL,
            start_new_session=True,
        )
        _live.add(self.process.pid)
        for handle in inner:
            os.close(handle)
        with contextlib.suppress(OSError):
            fcntl.fcntl(self.requests, fcntl.F_SETPIPE_SZ, 1 << 20)
        os.set_blocking(self.requests, False)
        os.set_blocking(self.replies, False)
        self.poll = select.poll()
        self.poll.register(self.replies, select.POLLIN)
        root = shut_in and os.geteuid() == 0
        told_first = {
            "path": [sandbox.INSIDE] if shut_in else [sandbox.linked(packages)],
            "game": sandbox.game_inside(setting.path) if shut_in else setting.path,
            "rules": setting.rules.changed(),
            "forbid": [
                tuple(forbid)
                for forbid in setting.restrictions.forbid
                if forbid.bot is None or forbid.bot in names_of(entrant)
            ],
            "withhold": setting.restrictions.withhold,
            "players": setting.players,
            "memory_mb": setting.budgets.memory_mb,
            "uid": sandbox.FIRST_UID + os.getpid() % 60_000 * 10_000 + next(_uids) % 10_000
            if root
            else None,
            "runner": None if shut_in else os.getpid(),
            "filter": sandbox.call_filter() if shut_in else None,
        }
        self._send(framed(told_first), time.monotonic() + HELLO_SECONDS)
        hello = self._read(6, time.monotonic() + HELLO_SECONDS)
        if hello != b"hello\n":
            self.kill()
            raise HostFailure(
                f"a host for {entrant.label} ended before it ran any of the bot's code (exit code"
                f" {self.process.returncode})"
            )
        self.pid = self._inner_pid(info) if shut_in else self.process.pid

    def _inner_pid(self, info: int) -> int:
        """The host's process behind bubblewrap's own two."""
        with os.fdopen(info, "rb") as told:
            first = int(json.loads(told.read())["child-pid"])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        return int(children[0]) if children else first

    def _cpu_clock(self) -> int:
        """The kernel's clock of that process's CPU time (see clock_getcpuclockid)."""
        return ~self.pid << 3 | 2

    def _load(self, entrant: Entrant, real: str | None, folder: str | None) -> Fault | None:
        """Lets the host import the bot; why that can't be done, or None."""
        bot = entrant.bot
        inside = None if folder is None else real or sandbox.BOT_FOLDER
        self.number += 1
        request = (
            self.number,
            bot.module,
            bot.class_name,
            dict(entrant.parameters),
            inside,
            bot.files[0],
        )
        answered = self._ask(framed(request), 1, self.budgets.load_seconds)
        if isinstance(answered, Broken):
            kind, detail = answered.fault
            return Fault("load", f"{kind} while it was loaded: {detail}")
        [answer], texts = answered
        return None if answer == 0 else Fault("load", texts[0] if texts else "it can't be loaded")

    # --- Asking -----------------------------------------------------------------------------------

    def ask(self, request: tuple[Any, ...], count: int) -> Answers | Broken:
        """Asks for so many decisions (see `Server.answer` for what a request has, beside its
        number); the host is dead if that comes back broken.
        """
        self.number += 1
        return self._ask(framed((self.number, *request)), count, self.budgets.decision_seconds)

    def _ask(self, request: bytes, count: int, cpu_seconds: float) -> Answers | Broken:
        watch = _Watch(self, count, cpu_seconds, self.budgets.idle_seconds)
        try:
            self._send(request, None, watch)
            head = self._read(REPLY.size, None, watch)
            number, answers, length = REPLY.unpack(head)
            if (
                number != self.number
                or answers != count
                or not 0 <= length <= count * (TEXT_CAP + 4)
            ):
                raise _End(Fault("died", "its host answered out of turn"))
            # An answered request is a matter of moments: nobody is to stretch it byte by byte.
            watch.answered()
            body = self._read(4 * count + length, None, watch)
        except _End as end:
            at = watch.position(count)
            self.kill()
            return Broken(end.fault, at)
        codes = list(memoryview(body)[: 4 * count].cast("i"))
        return codes, _texts(body[4 * count :], codes)

    def _send(self, data: bytes, deadline: float | None, watch: "_Watch | None" = None) -> None:
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self.requests, left) :]
            except BlockingIOError:
                waiting = select.poll()
                waiting.register(self.requests, select.POLLOUT)
                waiting.poll(TICK * 1000)
                self._wait(deadline, watch)
            except BrokenPipeError:
                raise _End(self._ended()) from None

    def _read(self, size: int, deadline: float | None, watch: "_Watch | None" = None) -> bytes:
        while len(self.unread) < size:
            if not self.poll.poll(TICK * 1000):
                if deadline is not None and time.monotonic() > deadline:
                    break
                self._wait(deadline, watch)
                continue
            if watch is not None and watch.due():
                watch.look()
            part = os.read(self.replies, max(size, MOST_READ))
            if not part:
                if watch is None:
                    break
                raise _End(self._ended())
            self.unread += part
        data, self.unread = self.unread[:size], self.unread[size:]
        return data

    def _wait(self, deadline: float | None, watch: "_Watch | None") -> None:
        if watch is not None:
            watch.look()
        elif deadline is not None and time.monotonic() > deadline:
            raise HostFailure("a host did not take its first request")

    def _ended(self) -> Fault:
        try:
            code = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return Fault("died", "its host closed its pipes")
        code = code - 128 if code > 128 else -code
        named = code in {number.value for number in signal.Signals}
        how = signal.Signals(code).name if code > 0 and named else f"exit code {-code}"
        return Fault("died", f"its process ended ({how})")

    def cpu_seconds(self) -> float:
        """CPU time of the host so far."""
        try:
            return time.clock_gettime(self.cpu)
        except OSError:
            return 0.0

    def peak_mb(self) -> float:
        """The most memory that the host has had resident, in megabytes; 0 if it is gone."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return 0.0
        lines = [line for line in status.splitlines() if line.startswith("VmHWM:")]
        return int(lines[0].split()[1]) / 1024 if lines else 0.0

    # --- Ending -----------------------------------------------------------------------------------

    def kill(self) -> None:
        """Ends the host and all that it may have started; nothing is left of it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        if self.pid not in (0, self.process.pid) and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, signal.SIGKILL)
        self.process.wait()
        _live.discard(self.process.pid)
        _kill_orphans()
        for handle in (self.requests, self.replies):
            with contextlib.suppress(OSError):
                os.close(handle)
        self.requests = self.replies = -1
        with contextlib.suppress(BufferError, ValueError):
            self.page.close()


class _End(Exception):
    """A host can't go on."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


class _Watch:
    """Times one request, from outside.

    Charged is the CPU time since the host last went on to another decision, and wall time only
    where it neither goes on nor uses CPU.
    """

    def __init__(self, host: Host, count: int, cpu_seconds: float, idle_seconds: float) -> None:
        self.host = host
        self.count = count
        self.allowed = cpu_seconds
        self.idle = idle_seconds
        self.at = -1
        self.cpu_then = self.cpu_before = host.cpu_seconds() if host.pid else 0.0
        self.moved = self.begun = self.looked = time.monotonic()
        self.replying: float | None = None

    def answered(self) -> None:
        """The reply has begun: from here on the idle seconds are all it has, whatever it does."""
        self.replying = time.monotonic()

    def due(self) -> bool:
        """Whether it is time to look, also at a host that keeps writing."""
        return time.monotonic() - self.looked > TICK

    def look(self) -> None:
        """Raises `_End` when the time is used up."""
        now, cpu = time.monotonic(), self.host.cpu_seconds()
        self.looked = now
        if self.replying is not None and now - self.replying > 2 * self.idle:
            raise _End(Fault("timeout", f"more than {2 * self.idle:g} s to write a reply"))
        number, at = PLACE.unpack_from(self.host.page)
        # The bot can write there too: only a step forward within this request is believed.
        if number == self.host.number and self.at < at < self.count:
            self.at, self.cpu_then, self.moved, self.begun = at, cpu, now, now
        if cpu > self.cpu_before:
            self.moved = now
        self.cpu_before = cpu
        if cpu - self.cpu_then > self.allowed:
            raise _End(Fault("timeout", f"more than {self.allowed:g} s of CPU time"))
        if now - self.begun > self.idle + SLOWEST * self.allowed:
            raise _End(Fault("timeout", f"{now - self.begun:.0f} s for one decision"))
        if now - self.moved > self.idle:
            raise _End(Fault("timeout", f"{self.idle:g} s without going on or using CPU"))

    def position(self, count: int) -> int:
        """At which decision of the request the host is, as far as what it says can be true."""
        number, at = PLACE.unpack_from(self.host.page)
        if number == self.host.number and 0 <= at < count:
            return int(at)
        return 0


def _texts(blob: bytes, codes: Sequence[int]) -> list[str]:
    """The texts in a reply, one for each code that is no index; missing ones are empty."""
    texts = []
    at = 0
    for _ in range(sum(code < 0 for code in codes)):
        length = min(int.from_bytes(blob[at : at + 4], "little"), TEXT_CAP)
        texts.append(blob[at + 4 : at + 4 + length].decode("utf-8", "replace"))
        at += 4 + length
    return texts


def fault_of(code: int, text: str) -> Fault:
    """The fault that a negative answer means; anything out of range is `illegal`."""
    kind = KIND_OF.get(code)
    if kind is None:
        return Fault("illegal", "answered out of range")
    return Fault(kind, text)


_live: set[int] = set()
"""The process numbers of hosts that are running."""


def adopt_orphans() -> None:
    """Makes this process the parent of whatever its hosts leave behind (PR_SET_CHILD_SUBREAPER)."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def _kill_orphans() -> None:
    """Kills children of ours that carry a host's mark and are none of our hosts."""
    mark = f"{sandbox.MARK}={os.getpid()}".encode()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            for child in map(int, (task / "children").read_text().split()):
                if child not in _live and mark in _environment(child):
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
