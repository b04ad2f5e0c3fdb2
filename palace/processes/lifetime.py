"""Ends a process of Palace on a signal, or together with its parent or its terminal."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CHECK_EVERY_S = 0.5
GRACE_S = 10
STDIN = 0


def stop_on_signals() -> threading.Event:
    """An event that is set when a signal asks this process to end. Call it in the main thread.

    An ignored hang-up, as `nohup` arranges, stays ignored.
    """
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)
    return stop


def end_with_parent(parent: int | None) -> None:
    """Terminate this process when the process `parent` has ended, and kill it if that takes too long.

    A killed parent cannot tell its children, and not every operating system does.
    """
    if parent is not None:
        _watch(lambda: os.getppid() == parent)


def end_with_terminal() -> None:
    """Terminate this process when the terminal it was started from closes.

    The system tells only the terminal's first process, and `make` does not pass that on.
    """
    if _in_foreground() and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        _watch(_has_terminal)


def touch(file: Path | None) -> None:
    """Touch the file that tells a health check that this process is alive."""
    if file is not None:
        file.touch()


def _watch(holds: Callable[[], bool]) -> None:
    threading.Thread(target=_terminate_unless, args=(holds,), daemon=True).start()


def _terminate_unless(holds: Callable[[], bool]) -> None:
    while holds():
        time.sleep(CHECK_EVERY_S)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_S)
    os._exit(1)


def _in_foreground() -> bool:
    try:
        return os.tcgetpgrp(STDIN) == os.getpgrp()
    except OSError:
        return False


def _has_terminal() -> bool:
    try:
        os.tcgetpgrp(STDIN)
    except OSError:
        return False
    return True
