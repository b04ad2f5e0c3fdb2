"""How far a run is, and how much longer it will take."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

Report = Callable[[str], None]


@dataclass(slots=True)
class Progress:
    """Counts `total` things of a kind; `done` were there before this run began."""

    report: Report
    what: str
    total: int
    done: int = 0
    _began: float = field(default_factory=monotonic)
    _here: int = 0

    def step(self, note: str = "") -> None:
        """One more is done."""
        self.done += 1
        self._here += 1
        left = (monotonic() - self._began) / self._here * max(0, self.total - self.done)
        ending = f" ({note})" if note else ""
        self.report(f"{self.what} {self.done} of {self.total}, {_span(left)} left{ending}")


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"about {round(seconds)} s"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min"
    return f"about {seconds / 3600:.1f} h"
