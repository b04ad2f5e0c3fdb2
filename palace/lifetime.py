"""When a process of Palace has to end: on a signal, or with the process that started it."""

import os
import signal
import threading
import time
from pathlib import Path
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOK_EVERY_S = 0.5
GRACE_S = 10
TERMINAL = 0  # the standard input


def stop_on_signals() -> threading.Event:
    """An event that is set when somebody asks this process to end. Call it in the main thread.

    A hang-up that is ignored, as `nohup` arranges, stays ignored.
    """
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)
    return stop


def end_with_parent(parent: int | None) -> None:
    """Ask this process to end when the process `parent` has gone, and insist after a while.

    A parent that was killed cannot tell its children, and not every system tells them.
    """
    if parent is not None:
        threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def end_with_terminal() -> None:
    """Ask this process to end when the terminal closes in whose foreground it was started.

    The system tells only the first process of a terminal, which may not pass it on; `make` does
    not.
    """
    if _is_in_foreground() and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        threading.Thread(target=_watch_terminal, name="terminal", daemon=True).start()


def _is_in_foreground() -> bool:
    try:
        return os.tcgetpgrp(TERMINAL) == os.getpgrp()
    except OSError:
        return False


def _watch_terminal() -> None:
    while True:
        try:
            os.tcgetpgrp(TERMINAL)
        except OSError:
            os.kill(os.getpid(), signal.SIGTERM)
            return
        time.sleep(LOOK_EVERY_S)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY_S)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_S)
    os._exit(1)


def show_life(file: Path | None) -> None:
    """Touch the file by which a health check sees that this process still goes round."""
    if file is not None:
        file.touch()
