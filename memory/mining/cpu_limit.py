"""Interrupt work on user text that takes far more CPU time than an ordinary window."""

import ctypes
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

CPU_LIMIT_S = 60.0

_lock = threading.Lock()
_limits: dict[int, float] = {}
"""The CPU time of each thread at which its work is interrupted."""


class TooMuchWork(Exception):
    """The work exceeded its CPU time limit."""


@contextmanager
def cpu_limit() -> Iterator[None]:
    """Limit this thread to `CPU_LIMIT_S` seconds of CPU time inside, as long as `interrupt_overdue` is
    called regularly. Raises TooMuchWork."""
    thread = threading.get_ident()
    with _lock:
        _limits[thread] = time.thread_time() + CPU_LIMIT_S
    try:
        yield
    finally:
        with _lock:
            _limits.pop(thread)


def interrupt_overdue() -> int:
    """Raise TooMuchWork in every thread over its limit, and return their number. A call into C is
    interrupted when it returns."""
    with _lock:
        overdue = [thread for thread, limit in _limits.items() if _cpu_time(thread) > limit]
        for thread in overdue:
            _limits[thread] = float("inf")
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TooMuchWork))
    return len(overdue)


def _cpu_time(thread: int) -> float:
    if sys.platform == "darwin":  # has no such clock; the time limit of the job still applies
        return 0.0
    return time.clock_gettime(time.pthread_getcpuclockid(thread))
