"""The scheduler survives a database that is away, and stops when told."""

import threading
from datetime import datetime
from pathlib import Path

import pytest
from django.db import OperationalError

from palace.processes import scheduler
from palace.processes.scheduler import REST, run_scheduler

pytestmark = pytest.mark.django_db


class Rests(threading.Event):
    """A stop event that records how long it is waited for, without waiting, and sets itself in the end."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.waits: list[float] = []
        self.most = most

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout or 0.0)
        if len(self.waits) == self.most:
            self.set()
        return self.is_set()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The scheduler's clock, to be set by hand."""
    now = [1000.0]
    monkeypatch.setattr(scheduler, "monotonic", lambda: now[0])
    return now


def test_it_sweeps_through_outages_until_told_to_stop(tmp_path: Path) -> None:
    stop = threading.Event()
    moments: list[datetime] = []

    def sweep(now: datetime) -> None:
        moments.append(now)
        if len(moments) == 2:
            raise OperationalError("my sister is called Zoé")
        if len(moments) == 4:
            stop.set()

    run_scheduler(sweep, stop, every=0.01, life=tmp_path / "alive")
    assert len(moments) == 4
    assert moments == sorted(moments)
    assert all(moment.tzinfo is not None for moment in moments)
    assert (tmp_path / "alive").exists()


def test_a_bug_in_a_sweep_ends_the_process() -> None:
    def sweep(now: datetime) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_scheduler(sweep, threading.Event(), every=0.01)


@pytest.mark.parametrize(("worked", "rested"), [(1.0, 10.0), (5.0, 5.0 * REST)])
def test_it_rests_longer_than_it_works(clock: list[float], worked: float, rested: float) -> None:
    def sweep(now: datetime) -> None:
        clock[0] += worked

    stop = Rests(1)
    run_scheduler(sweep, stop, every=10)
    assert stop.waits == [rested]


def test_it_shows_that_it_is_alive_while_it_rests(
    clock: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched: list[Path | None] = []
    monkeypatch.setattr(scheduler, "touch", touched.append)
    stop = Rests(3)
    run_scheduler(lambda now: None, stop, every=600, life=tmp_path / "alive")
    assert stop.waits == [scheduler.TOUCH_EVERY_S] * 3
    assert touched == [tmp_path / "alive"] * 3
