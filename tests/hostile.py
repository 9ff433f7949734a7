"""Bots that attack: what each does, and which fault it must get at each level that holds it.

`None` means that the bot plays on unharmed and nobody else notices anything.
"""

from typing import NamedTuple

ANY = "any"
"""Whatever it gets, it is its own matches that pay."""


class Hostile(NamedTuple):
    """A bot's `act`, and what is run at its import."""

    act: str
    process: str | None
    sandbox: str | None
    head: str = ""
    short: bool = False
    """Whether it is quick, and so part of `make test`."""


BOTS = {
    "hangs": Hostile("while len(view.hand) == 5: pass", "timeout", "timeout"),
    "sleeps": Hostile("import time; time.sleep(600)", "timeout", "timeout"),
    "regular_expression": Hostile("import re; re.match('(a+)+b', 'a' * 60)", "timeout", "timeout"),
    "big_numbers": Hostile("x = 7 ** (10 ** 8)", "timeout", "timeout"),
    "raises": Hostile("raise ValueError('on purpose')", "crash", "crash", short=True),
    "interrupts": Hostile("raise KeyboardInterrupt", "crash", "crash", short=True),
    "quits": Hostile("raise SystemExit(0)", "crash", "crash", short=True),
    "exits": Hostile("import os; os._exit(0)", "died", "died", short=True),
    "segfaults": Hostile("import ctypes; ctypes.string_at(0)", "died", "died"),
    "aborts": Hostile("import os; os.abort()", "died", "died"),
    "recurses": Hostile("f = lambda: f(); f()", "crash", "crash", short=True),
    "eats_memory": Hostile("x = bytearray(1 << 33)", "memory", "memory", short=True),
    "eats_slowly": Hostile(
        "x = []\n        while True: x.append(bytearray(1 << 24))",
        "memory or timeout",
        "memory or timeout",
    ),
    "forks": Hostile("import os; os.fork()", ANY, "crash", short=True),
    "leaves_a_child": Hostile(
        "import os, time\n        if os.fork() == 0:\n            os.setsid(); time.sleep(600)",
        ANY,
        "crash",
    ),
    "starts_threads": Hostile(
        "import threading; threading.Thread(target=print).start()", ANY, "crash"
    ),
    "runs_programs": Hostile("import subprocess; subprocess.run(['/bin/true'])", ANY, "crash"),
    "prints": Hostile("print('x' * 1_000_000)", None, None, short=True),
    "reads_files": Hostile("open('/etc/passwd').read()", None, "crash", short=True),
    "lists_homes": Hostile(
        "import os\n        if os.path.exists('/etc/hostname') or os.path.exists('/home') or"
        " os.path.exists('/proc/1'): raise OSError('seen')",
        ANY,
        None,
    ),
    "writes_files": Hostile("open('/tmp/fairdeal-mark', 'w')", "skip", "crash"),
    "uses_the_network": Hostile("import socket; socket.socket()", None, "crash", short=True),
    "signals_its_runner": Hostile("import os; os.kill(os.getppid(), 0)", None, "crash"),
    "signals_everybody": Hostile("import os; os.kill(-1, 9)", "skip", "crash"),
    "locks_a_shared_file": Hostile(
        "import fcntl, games.game as g; fcntl.lockf(open(g.__file__), fcntl.LOCK_SH)",
        ANY,
        "crash",
    ),
    "flocks_a_shared_file": Hostile(
        "import fcntl, games.game as g; fcntl.flock(open(g.__file__), fcntl.LOCK_SH)",
        ANY,
        "crash",
    ),
    "looks_for_the_engine": Hostile(
        "import gc\n        from games.game import State\n"
        "        if any(isinstance(x, State) for x in gc.get_objects()): raise OSError('seen')",
        None,
        None,
        short=True,
    ),
    "walks_the_frames": Hostile(
        "import sys\n        f = sys._getframe()\n        while f:\n"
        "            if any(k in f.f_locals for k in ('state', 'key')): raise OSError('seen')\n"
        "            f = f.f_back",
        None,
        None,
    ),
    "patches_the_engine": Hostile(
        "import games.forest_fox.rules as r, harness.play.match as m\n"
        "        r.ForestFox.result = None; m.match = None; r.TAKES.clear()",
        None,
        None,
        short=True,
    ),
    "returns_garbage": Hostile("return object()", "illegal", "illegal", short=True),
    "returns_another_games_action": Hostile(
        "from games.fraser_island.moves import PASS; return PASS", "illegal", "illegal"
    ),
    "claims_equality": Hostile(
        "class L:\n            __eq__ = lambda s, o: True\n            __hash__ = lambda s: 0\n"
        "        return L()",
        "illegal",
        "illegal",
        short=True,
    ),
    "truncates_everything": Hostile(
        "import os\n        for fd in range(3, 64):\n            try: os.ftruncate(fd, 0)\n"
        "            except OSError: pass",
        None,
        None,
    ),
    "writes_to_every_handle": Hostile(
        "import os\n        for fd in range(3, 64):\n            try: os.write(fd, b'x' * 99)\n"
        "            except OSError: pass",
        "died",
        "died",
    ),
    "closes_every_handle": Hostile("import os; os.closerange(0, 64)", "died", "died"),
    "falsifies_its_progress": Hostile(
        "import gc, mmap\n        for x in gc.get_objects():\n"
        "            if isinstance(x, mmap.mmap): x[:] = b'\\xff' * len(x)\n"
        "        while len(view.hand) == 5: pass",
        ANY,
        ANY,
    ),
    "imports_for_minutes": Hostile("pass", "load", "load", head="while True: pass"),
    "exits_at_import": Hostile("pass", "load", "load", head="import os; os._exit(1)", short=True),
    "raises_at_import": Hostile("pass", "load", "load", head="raise SystemExit", short=True),
    "wants_a_package": Hostile("pass", "load", "load", head="import numpy"),
    "raises_without_text": Hostile(
        "class E(Exception):\n            def __str__(self): raise ValueError\n        raise E",
        "crash",
        "crash",
    ),
    "changes_its_priority": Hostile("import os; os.setpriority(0, 0, -10)", ANY, "crash"),
    "unpins_itself": Hostile("import os; os.sched_setaffinity(0, {0})", None, "crash"),
    "makes_memfds": Hostile("import os; os.memfd_create('x')", None, "crash"),
    "lifts_its_limits": Hostile(
        "import resource as r; r.setrlimit(r.RLIMIT_NPROC, (99, 99))", ANY, "crash"
    ),
}


def source(bot: Hostile) -> str:
    """The bot's file: it does what it does, then plays the first legal action."""
    return f"""{bot.head}
from harness.bot import Bot

class Attacker(Bot):
    def act(self, view, legal):
        {bot.act}
        return legal[0]
"""
