"""Stops asking something that keeps failing, and tries again after a rest."""

import threading
from collections.abc import Callable
from typing import Literal

BreakerState = Literal["closed", "open", "half-open"]


class Breaker:
    """Opens after `failures` in a row and rests for `rest_s` seconds; then admits one trial.

    `clock` gives seconds that never go back. A trial that reports nothing (its thread was ended)
    counts as failed, so that the next one comes after another rest. Safe to share by threads.
    """

    def __init__(
        self, *, clock: Callable[[], float], failures: int = 3, rest_s: float = 30.0
    ) -> None:
        self._clock = clock
        self._limit = failures
        self._rest_s = rest_s
        self._failed = 0
        self._rests_until: float | None = None
        self._lock = threading.Lock()

    @property
    def state(self) -> BreakerState:
        """`closed` admits all, `open` none, `half-open` the next one as a trial."""
        with self._lock:
            return self._state()

    def admits(self) -> bool:
        """Whether to ask now; report with `succeeded` or `failed` when it says yes."""
        with self._lock:
            state = self._state()
            if state == "half-open":
                self._rests_until = self._clock() + self._rest_s
            return state != "open"

    def succeeded(self) -> None:
        """Close: it works."""
        with self._lock:
            self._failed = 0
            self._rests_until = None

    def failed(self) -> None:
        """Count one more failure in a row; the last one allowed opens the breaker."""
        with self._lock:
            self._failed += 1
            if self._failed >= self._limit:
                self._rests_until = self._clock() + self._rest_s

    def _state(self) -> BreakerState:
        if self._rests_until is None:
            return "closed"
        return "open" if self._clock() < self._rests_until else "half-open"
