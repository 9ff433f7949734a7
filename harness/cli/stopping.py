"""Which signals stop a command as Ctrl-C does, so that it can say how far it got."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

STOPS = (signal.SIGTERM, signal.SIGHUP)
"""By the first services are stopped; with the second a terminal goes."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Lets them raise KeyboardInterrupt, unless they are ignored, as under nohup.

    Not by way of SIGINT, which a shell's scripts ignore in what they start by `&`.
    """
    before = {number: signal.getsignal(number) for number in STOPS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
