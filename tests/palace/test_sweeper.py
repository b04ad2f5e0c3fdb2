"""The sweep goes on through a database that is away, and ends when told."""

import threading
import time
from datetime import datetime
from pathlib import Path

import pytest
from django.db import OperationalError

from palace import sweeper
from palace.sweeper import REST, sweep_for_ever

pytestmark = pytest.mark.django_db


def test_it_sweeps_until_told_to_stop(tmp_path: Path) -> None:
    stop = threading.Event()
    moments: list[datetime] = []

    def sweep(now: datetime) -> None:
        moments.append(now)
        if len(moments) == 2:
            raise OperationalError("my sister is called Zoé")
        if len(moments) == 4:
            stop.set()

    sweep_for_ever(sweep, stop, every=0.01, life=tmp_path / "alive")
    assert len(moments) == 4
    assert moments == sorted(moments)
    assert all(moment.tzinfo is not None for moment in moments)
    assert (tmp_path / "alive").exists()


def test_a_mistake_in_the_sweep_ends_the_process(tmp_path: Path) -> None:
    def sweep(now: datetime) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sweep_for_ever(sweep, threading.Event(), every=0.01)


def test_it_rests_longer_than_it_works() -> None:
    stop = threading.Event()
    began: list[float] = []
    ended: list[float] = []

    def sweep(now: datetime) -> None:
        began.append(time.monotonic())
        time.sleep(0.05)
        ended.append(time.monotonic())
        if len(began) == 3:
            stop.set()

    sweep_for_ever(sweep, stop, every=0.01)
    rests = [start - end for start, end in zip(began[1:], ended[:-1], strict=True)]
    assert min(rests) >= REST * 0.05


def test_it_shows_that_it_lives_while_it_rests(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sweeper, "SIGN_OF_LIFE_S", 0.01)
    stop = threading.Event()
    signs: list[Path | None] = []

    def show(life: Path | None) -> None:
        signs.append(life)
        if len(signs) == 5:
            stop.set()

    monkeypatch.setattr(sweeper, "show_life", show)
    sweep_for_ever(lambda now: None, stop, every=60, life=tmp_path / "alive")
    assert signs == [tmp_path / "alive"] * 5
