"""The supervisor restarts and stops programs; the scheduler survives outages; a home has one running Palace;
a used port is reported with advice."""

import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest
from django.db import OperationalError

from palace.management.commands import scheduler
from palace.management.commands.scheduler import REST_RATIO, run_scheduler
from palace.processes import instance_lock, supervisor
from palace.processes.instance_lock import AlreadyRunning, PortTaken, bound_socket, single_instance
from palace.processes.supervisor import Program, ProgramKeepsFailing, Supervisor
from tests.palace.processes import environment, eventually, has_ended

pytestmark = pytest.mark.django_db

STARTS = "import pathlib, sys, time, os; pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))\n"
STAYS = STARTS + "time.sleep(600)"
IGNORES_TERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + STAYS
ENDS = STARTS + "sys.exit(3)"


def program(name, source, mark, *, essential=False):
    return Program(name, (sys.executable, "-c", source, str(mark)), essential=essential)


def pid(mark):
    return int(mark.read_text() or 0) if mark.exists() else 0


class Run(threading.Thread):
    """A running supervisor."""

    def __init__(self, *programs):
        super().__init__()
        self.messages: list[str] = []
        self.stop = threading.Event()
        self.error: Exception | None = None
        self.supervisor = Supervisor(programs, self.messages.append)

    def run(self):
        try:
            self.supervisor.run(self.stop)
        except ProgramKeepsFailing as error:
            self.error = error


@contextmanager
def running(*programs):
    run = Run(*programs)
    run.start()
    try:
        yield run
    finally:
        run.stop.set()
        run.join(30)
        assert not run.is_alive()


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch):
    for name, seconds in {"FIRST_PAUSE_S": 0.01, "CHECK_EVERY_S": 0.01, "GRACE_S": 1}.items():
        monkeypatch.setattr(supervisor, name, seconds)


def test_killed_programs_are_restarted_and_reported(tmp_path):
    mark = tmp_path / "mark"
    with running(program("worker", STAYS, mark)) as run:
        eventually(lambda: pid(mark), 60)
        first = pid(mark)
        os.kill(first, signal.SIGKILL)
        eventually(lambda: pid(mark) not in {0, first}, 60)
        assert any("The worker was killed by signal 9" in sentence for sentence in run.messages)
    assert has_ended(pid(mark))


def test_all_programs_stop_even_if_they_ignore_it(tmp_path):
    marks = [tmp_path / "listens", tmp_path / "ignores"]
    with running(program("web", STAYS, marks[0]), program("worker", IGNORES_TERM, marks[1])):
        eventually(lambda: all(pid(mark) for mark in marks), 60)
    assert all(has_ended(pid(mark)) for mark in marks)


def test_repeatedly_failing_essential_program_stops_all(tmp_path):
    marks = [tmp_path / "web", tmp_path / "worker"]
    essential = program("web server", ENDS, marks[0], essential=True)
    with running(essential, program("worker", STAYS, marks[1])) as run:
        run.join(60)
        assert "The web server keeps failing" in str(run.error)
        assert "The web server exited with status 3; restarting it in 0 s." in run.messages
    assert has_ended(pid(marks[1]))


def test_other_programs_are_restarted_without_limit(tmp_path):
    with running(program("scheduler", ENDS, tmp_path / "mark")) as run:
        eventually(lambda: len(run.messages) > supervisor.MAX_EARLY_EXITS + 2, 60)
        assert run.error is None


class RecordingEvent(threading.Event):
    """A stop event that records timeouts instead of waiting, and sets itself after the last one."""

    def __init__(self, most):
        super().__init__()
        self.waits: list[float] = []
        self.most = most

    def wait(self, timeout=None):
        self.waits.append(timeout or 0.0)
        if len(self.waits) == self.most:
            self.set()
        return self.is_set()


@pytest.fixture
def clock(monkeypatch):
    """The scheduler's clock, set by the test."""
    now = [1000.0]
    monkeypatch.setattr(scheduler, "monotonic", lambda: now[0])
    return now


def test_scheduler_sweeps_through_outages_until_stopped(tmp_path):
    stop = threading.Event()
    moments: list[datetime] = []

    def sweep(now):
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


def test_unexpected_error_in_a_sweep_ends_the_scheduler():
    def sweep(now):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_scheduler(sweep, threading.Event(), every=0.01)


@pytest.mark.parametrize(("worked", "rested"), [(1.0, 10.0), (5.0, 5.0 * REST_RATIO)])
def test_scheduler_pauses_longer_after_long_sweeps(clock, worked, rested):
    def sweep(now):
        clock[0] += worked

    stop = RecordingEvent(1)
    run_scheduler(sweep, stop, every=10)
    assert stop.waits == [rested]


def test_scheduler_touches_its_life_file_during_pauses(clock, tmp_path, monkeypatch):
    touched: list[Path | None] = []
    monkeypatch.setattr(scheduler, "touch", touched.append)
    stop = RecordingEvent(3)
    run_scheduler(lambda now: None, stop, every=600, life=tmp_path / "alive")
    assert stop.waits == [scheduler.TOUCH_EVERY_S] * 3
    assert touched == [tmp_path / "alive"] * 3


HERE = "http://127.0.0.1:8000"
THERE = "http://127.0.0.1:9000"
KILLED = (
    "import os, sys; from pathlib import Path\n"
    "from palace.processes.instance_lock import single_instance\n"
    "with single_instance(Path(sys.argv[1]), 'http://127.0.0.1:8000'): os._exit(9)\n"
)


@pytest.mark.parametrize(("address", "same"), [(HERE, True), (THERE, False)])
def test_second_instance_is_given_the_address_of_the_first(tmp_path, address, same):
    with single_instance(tmp_path, HERE) as recovering:
        assert recovering is False
        refused = pytest.raises(AlreadyRunning, match=f"is already running at {HERE}")
        with refused as refusal, single_instance(tmp_path, address):
            pass
        assert refusal.value.same_address is same
    with single_instance(tmp_path, THERE) as recovering:
        assert recovering is False


def test_killed_instance_is_detected_and_does_not_block(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=environment(tmp_path), check=False)
    with single_instance(tmp_path, HERE) as recovering:
        assert recovering is True


def test_used_port_is_reported_with_advice():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=f"Another program uses port {port}: .*PORT="):
            bound_socket("127.0.0.1", port)


def test_recovering_instance_waits_for_the_port(monkeypatch):
    other = socket.create_server(("127.0.0.1", 0))
    port = other.getsockname()[1]
    waited = threading.Event()

    def pause(seconds):
        waited.set()
        other.close()

    monkeypatch.setattr(instance_lock.time, "sleep", pause)
    with bound_socket("127.0.0.1", port, recovering=True) as mine:
        assert mine.getsockname()[1] == port
    assert waited.is_set()
