"""The program in a host: runs one bot's code for one seat, and knows nothing of the engine's state.

Started by `hosts.py` as `python -s -P -S host.py REQUESTS REPLIES PROGRESS` (file descriptors).
It locks itself in, says hello, loads the bot, and answers decisions until its requests end.
"""

import marshal
import mmap
import os
import resource
import signal
import sys
from collections.abc import Callable
from struct import Struct
from typing import Any

PLACE = Struct("<qq")
"""What is in the shared page: the request's number, and how many of its decisions were begun."""


def main() -> None:
    """Serves one runner."""
    requests, replies, progress = (int(number) for number in sys.argv[1:4])
    page = mmap.mmap(progress, mmap.PAGESIZE)
    read = _reader(requests)
    setting = read()
    for path in reversed(setting["path"]):
        sys.path.insert(0, path)
    # All that the harness itself needs is imported before the lock falls.
    from harness.games import find_game
    from harness.play.serve import Server

    game = find_game(setting["game"])
    lock(setting)
    os.write(replies, b"hello\n")
    server = Server(game, setting, page, replies)
    server.load(read())
    while True:
        server.answer(read())


def _reader(handle: int) -> Callable[[], Any]:
    """Reads the next request; ends the process where the runner has gone."""
    stream = os.fdopen(handle, "rb", buffering=1 << 16)

    def read() -> Any:
        head = stream.read(4)
        if len(head) < 4:
            os._exit(0)
        body = stream.read(int.from_bytes(head, "little"))
        return marshal.loads(body)

    return read


def lock(setting: dict[str, Any]) -> None:
    """Takes limits, gives up other identities and system calls, as the setting says."""
    memory = setting["memory_mb"] << 20
    limits = [
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ]
    for kind, value in limits:
        resource.setrlimit(kind, (value, value))
    if setting["uid"] is not None:
        os.setgroups([])
        os.setresgid(setting["uid"], setting["uid"], setting["uid"])
        os.setresuid(setting["uid"], setting["uid"], setting["uid"])
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    _die_with(setting["runner"])
    if setting["filter"] is not None:
        _filter_calls(setting["filter"])


def _die_with(runner: int | None) -> None:
    """Has the kernel end this process with the runner (PR_SET_PDEATHSIG).

    Only outside the sandbox, where bubblewrap does that; and only after the identity is settled,
    since a change of it takes the signal back.
    """
    if runner is not None:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != runner:
            os._exit(0)


def _filter_calls(program: bytes) -> None:
    """Installs a compiled seccomp filter: the one thing that no library in reach does in here."""
    import ctypes

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    library = ctypes.CDLL(None, use_errno=True)
    code = ctypes.create_string_buffer(program, len(program))
    whole = Program(len(program) // 8, ctypes.addressof(code))
    no_new_privs, set_seccomp, mode_filter = 38, 22, 2
    if library.prctl(no_new_privs, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if library.prctl(set_seccomp, mode_filter, ctypes.byref(whole), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


if __name__ == "__main__":
    main()
