"""Cores: a worker with hosts stays on one core with them, which nearly doubles what two play.

Each process that plays with hosts claims a core by a lock that ends with it.
"""

import fcntl
import os
import tempfile
from pathlib import Path

_claimed: list[int] = []
"""The lock that this process holds, if it has claimed a core."""


def claim_core() -> None:
    """Pins this process, and all that it starts from now on, to a core nobody else has claimed.

    Where all are claimed it stays as it is. Only where it is done once is it of any use, so a
    process that has a core keeps it.
    """
    if _claimed:
        return
    folder = Path(tempfile.gettempdir()) / f"fairdeal-cores-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.lstat().st_uid != os.getuid():
            return
        for core in sorted(os.sched_getaffinity(0)):
            handle = os.open(folder / str(core), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                continue
            _claimed.append(handle)
            os.sched_setaffinity(0, {core})
            return
    except OSError:
        return  # pinning is for speed alone
