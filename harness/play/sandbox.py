"""How a host is shut in: its command line, what it can see, and which system calls it has."""

import atexit
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from harness.errors import UserError

ROOT = Path(__file__).parents[2]
"""The folder that has `harness`, `games` and `bots`."""

HOST = ROOT / "harness" / "play" / "host.py"

ENVIRONMENT = {
    # -I and -E would ignore the hash seed, hence -s -P -S and an environment of our own.
    "PYTHONHASHSEED": "0",
    "LC_ALL": "C.UTF-8",
    **dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
    ),
}
"""All that a host's environment has. Numeric libraries may start no threads."""

MARK = "FAIRDEAL_HOST"
"""Names, in a host's environment, the process that started it."""

INSIDE = "/fairdeal"
"""Where the project's code and the allowed packages are in the sandbox."""

BOT_FOLDER = "/bot"
GAMES = "/games"
"""Where a game that is a folder of its own lies in there."""

FIRST_UID = 1_000_000_000
"""As root every host runs under a user of its own, from here on, which no system uses."""

ALLOWED = (
    "read",
    "readv",
    "pread64",
    "write",
    "writev",
    "close",
    "fstat",
    "newfstatat",
    "stat",
    "lstat",
    "statx",
    "lseek",
    "access",
    "faccessat",
    "faccessat2",
    "open",
    "openat",
    "readlink",
    "readlinkat",
    "getdents64",
    "getcwd",
    "mmap",
    "munmap",
    "mremap",
    "mprotect",
    "brk",
    "madvise",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sigaltstack",
    "getpid",
    "gettid",
    "getppid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getrandom",
    "clock_gettime",
    "clock_getres",
    "clock_nanosleep",
    "nanosleep",
    "gettimeofday",
    "time",
    "times",
    "getrusage",
    "futex",
    "set_robust_list",
    "rseq",
    "sched_yield",
    "sched_getaffinity",
    "exit",
    "exit_group",
    "poll",
    "ppoll",
    "select",
    "pselect6",
    "uname",
    "arch_prctl",
    "membarrier",
    "getrlimit",
    "restart_syscall",
    "dup",
)
"""The system calls of the sandbox; all others fail with EPERM.

No process, thread, socket, signal, lock (hosts that can read the same file could pass hands by
locking it), memfd, or change of anything. Of fcntl only what Python asks of a file is allowed.
"""


@cache
def folders(packages: tuple[str, ...]) -> dict[str, Path]:
    """By name, what a host can import beside the standard library.

    UserError if a package isn't installed.
    """
    found = {package: ROOT / package for package in ("harness", "games", "bots")}
    for name in packages:
        try:
            files = importlib.metadata.distribution(name).files or []
        except importlib.metadata.PackageNotFoundError:
            raise UserError(f"packages: {name!r} isn't installed") from None
        for file in files:
            top = file.parts[0]
            if top not in found and not top.endswith((".dist-info", "__pycache__", "..")):
                whole = Path(str(file.locate()))
                found[top] = whole.parents[len(file.parts) - 2] if len(file.parts) > 1 else whole
    return found


@cache
def linked(packages: tuple[str, ...]) -> str:
    """A folder of links to what a host can import, for hosts that aren't shut in."""
    folder = tempfile.mkdtemp(prefix="fairdeal-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, path in folders(packages).items():
        (Path(folder) / name).symlink_to(path)
    return folder


def interpreter() -> str:
    """The Python that hosts run: the one that an environment was made from."""
    return os.path.realpath(sys.executable)


def plain_command() -> list[str]:
    """Runs a host without shutting it in."""
    return [interpreter(), "-s", "-P", "-S", str(HOST)]


def game_inside(game: str) -> str:
    """Where a game is for a host in the sandbox: its name, or its folder's place in there."""
    return f"{GAMES}/{Path(game).name}" if "/" in game else game


def bwrap_command(packages: tuple[str, ...], game: str, folder: str | None, info: int) -> list[str]:
    """Runs a host in bubblewrap: it sees Python, the project's code, the packages, and no more."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise UserError(remedies("bubblewrap isn't installed"))
    command = [bwrap, "--die-with-parent", "--new-session", "--info-fd", str(info)]
    command += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    command += ["--unshare-cgroup-try", "--cap-drop", "ALL"]
    if os.geteuid() == 0:
        # A user namespace made by root would still be uid 0 for the kernel: the host drops to a
        # user of its own instead.
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        command += ["--unshare-user", "--disable-userns"]
    seen = _system() | {f"{INSIDE}/{name}": str(path) for name, path in folders(packages).items()}
    if "/" in game:
        seen[game_inside(game)] = game
    if folder is not None:
        seen[BOT_FOLDER] = folder
    made: set[str] = set()
    for place, source in seen.items():
        for above in [str(path) for path in reversed(Path(place).parents)][1:]:
            if above not in made:  # bubblewrap itself would make them for root alone
                command += ["--perms", "0755", "--dir", above]
                made.add(above)
        command += ["--ro-bind", source, place]
    for there in map(Path, ("/lib", "/lib64")):
        if there.is_symlink():
            command += ["--symlink", str(there.readlink()), str(there)]
    for hidden in ("site-packages", "dist-packages"):
        for place in seen:
            for path in Path(place).glob(f"python3*/{hidden}"):
                command += ["--tmpfs", str(path)]
    command += ["--chdir", "/", "--remount-ro", "/"]
    inside = HOST.relative_to(ROOT)
    return [*command, interpreter(), "-s", "-P", "-S", f"{INSIDE}/{inside}"]


def _system() -> dict[str, str]:
    """What a host sees of the machine: Python, its standard library, and shared libraries."""
    prefix = os.path.realpath(sys.base_prefix)
    paths = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache"]
    paths += [interpreter(), f"{prefix}/lib"] if prefix != "/usr" else [interpreter()]
    return {path: path for path in paths if Path(path).exists() and not Path(path).is_symlink()}


@cache
def call_filter() -> bytes:
    """The system calls that are allowed, as a compiled filter."""
    try:
        import pyseccomp as seccomp
    except (ImportError, RuntimeError, OSError) as error:
        raise UserError(remedies(f"libseccomp can't be used ({error})")) from error
    import errno
    import fcntl

    rules = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    for name in ALLOWED:
        rules.add_rule(seccomp.ALLOW, name)
    for word in (fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_DUPFD_CLOEXEC):
        rules.add_rule(seccomp.ALLOW, "fcntl", seccomp.Arg(1, seccomp.EQ, word))
    # What Python asks of a file it opens: whether it is a terminal.
    rules.add_rule(seccomp.ERRNO(errno.ENOTTY), "ioctl")
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


@cache
def check(level: str) -> None:
    """UserError, naming both remedies, where this level can't be had on this machine."""
    if level != "sandbox":
        return
    call_filter()
    reading, writing = os.pipe()
    try:
        command = bwrap_command((), "", None, writing)
        start = command.index(interpreter(), command.index("--remount-ro"))
        tried = subprocess.run(
            [*command[:start], interpreter(), "-S", "-c", "pass"],
            pass_fds=(writing,),
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
        )
    finally:
        os.close(reading)
        os.close(writing)
    if tried.returncode != 0:
        said = tried.stderr.decode(errors="replace").strip().splitlines()
        raise UserError(remedies(f"bubblewrap fails ({said[-1] if said else tried.returncode})"))


def in_force(level: str) -> dict[str, Any]:
    """What held the bots of a run, for its manifest: the tools, their versions, and the user."""
    found: dict[str, Any] = {"level": level, "kernel": platform.release()}
    if level == "inprocess":
        return found
    found["limits"] = "address space, CPU time, files, processes"
    found["user"] = "one of its own a host" if os.geteuid() == 0 else "the operator's"
    if level == "sandbox":
        told = subprocess.run(
            [shutil.which("bwrap") or "bwrap", "--version"],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        found["bubblewrap"] = told.stdout.strip().removeprefix("bubblewrap ")
        found["system_calls"] = f"seccomp, {len(ALLOWED)} allowed"
        found["user"] = "one of its own a host" if os.geteuid() == 0 else "in a user namespace"
    return found


def remedies(why: str) -> str:
    """Why the sandbox can't be had, and what can be done."""
    return (
        f"the sandbox can't be had here: {why}; install bubblewrap (on Debian: apt-get install"
        ' bubblewrap), or ask for another level with isolation = "process" or "inprocess" in the'
        " config, or --isolation"
    )
