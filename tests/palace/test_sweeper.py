"""The sweep goes on through a database that is away, and ends when told."""

import threading
from datetime import datetime
from pathlib import Path

import pytest
from django.db import OperationalError

from palace.sweeper import sweep_for_ever

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
