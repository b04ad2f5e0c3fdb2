"""How far a run is, and how much longer it will take."""

from collections.abc import Callable
from time import monotonic

Report = Callable[[str], None]


class Progress:
    """Counts `total` things of a kind; `done` of them need no work any more."""

    def __init__(
        self,
        report: Report,
        what: str,
        total: int,
        done: int = 0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.done = done
        self._report, self._what, self._total, self._clock = report, what, total, clock
        self._began = clock()
        self._here = 0

    def step(self, note: str = "") -> None:
        """One more is done."""
        self.done += 1
        self._here += 1
        each = (self._clock() - self._began) / self._here
        left = _span(each * max(0, self._total - self.done))
        ending = f" ({note})" if note else ""
        self._report(f"{self._what} {self.done} of {self._total}, {left} left{ending}")


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"about {round(seconds)} s"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min"
    return f"about {seconds / 3600:.1f} h"
