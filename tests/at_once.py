"""Run work in several threads that start at the same moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connections

T = TypeVar("T")


def at_once(work: Callable[[int], T], times: int) -> list[T]:
    """The results of `work` in that many threads, each with its own database connection."""
    start = Barrier(times)

    def one(number: int) -> T:
        start.wait(60)
        try:
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))
