"""The supervisor restarts and stops programs; the scheduler survives outages; a home has one running Palace;
a used port is reported with advice."""

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from unittest.mock import Mock

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


@contextmanager
def running(*programs):
    """Run a supervisor; yields what it says, the last being the error that ended it."""
    messages: list[str] = []
    stop = threading.Event()

    def run():
        try:
            Supervisor(programs, messages.append).run(stop)
        except ProgramKeepsFailing as error:
            messages.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield messages
    finally:
        stop.set()
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch):
    for name, seconds in {"FIRST_PAUSE_S": 0.01, "CHECK_EVERY_S": 0.01, "GRACE_S": 1}.items():
        monkeypatch.setattr(supervisor, name, seconds)


def test_killed_programs_are_restarted_and_all_stop_even_if_they_ignore_it(tmp_path):
    marks = [tmp_path / "listens", tmp_path / "ignores"]
    with running(program("worker", STAYS, marks[0]), program("web", IGNORES_TERM, marks[1])) as messages:
        eventually(lambda: all(pid(mark) for mark in marks), 60)
        first = pid(marks[0])
        os.kill(first, signal.SIGKILL)
        eventually(lambda: pid(marks[0]) not in {0, first}, 60)
        assert any("The worker was killed by signal 9" in each for each in messages)
    assert [mark for mark in marks if not has_ended(pid(mark))] == []


def test_repeatedly_failing_program_stops_all_if_it_is_essential(tmp_path):
    marks = [tmp_path / "web", tmp_path / "worker"]
    essential = program("web server", ENDS, marks[0], essential=True)
    with running(essential, program("worker", STAYS, marks[1])) as messages:
        eventually(lambda: any("The web server keeps failing" in each for each in messages), 60)
        assert "The web server exited with status 3; restarting it in 0 s." in messages
    assert has_ended(pid(marks[1]))
    with running(program("scheduler", ENDS, tmp_path / "mark")) as messages:
        eventually(lambda: len(messages) > supervisor.MAX_EARLY_EXITS + 2, 60)
        assert [each for each in messages if "keeps failing" in each] == []


def test_scheduler_sweeps_through_outages_until_stopped_and_ends_with_other_errors(tmp_path):
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
    assert [moment for moment in moments if moment.tzinfo is None] == []
    assert (tmp_path / "alive").exists()
    with pytest.raises(ZeroDivisionError):
        run_scheduler(Mock(side_effect=ZeroDivisionError), threading.Event(), every=0.01)


@pytest.mark.parametrize(
    ("worked", "every", "pauses"),
    [
        (1.0, 10, [10.0]),
        (5.0, 10, [5.0 * REST_RATIO]),
        (0.0, 600, [scheduler.TOUCH_EVERY_S] * 3),
    ],
)
def test_scheduler_pauses_longer_after_long_sweeps_and_touches_its_life_file_meanwhile(
    monkeypatch, tmp_path, worked, every, pauses
):
    now = [1000.0]
    touched: list[Path | None] = []
    monkeypatch.setattr(scheduler, "monotonic", lambda: now[0])
    monkeypatch.setattr(scheduler, "touch", touched.append)

    def sweep(_):
        now[0] += worked

    stop = Mock()
    stop.wait.side_effect = [*[False] * (len(pauses) - 1), True]
    run_scheduler(sweep, stop, every=every, life=tmp_path / "alive")
    assert [call.args[0] for call in stop.wait.call_args_list] == pauses
    assert touched == [tmp_path / "alive"] * len(pauses)


HERE = "http://127.0.0.1:8000"
THERE = "http://127.0.0.1:9000"
KILLED = (
    "import os, sys; from pathlib import Path\n"
    "from palace.processes.instance_lock import single_instance\n"
    "with single_instance(Path(sys.argv[1]), 'http://127.0.0.1:8000'): os._exit(9)\n"
)


def test_second_instance_is_refused_until_the_first_ends_or_is_killed(tmp_path):
    with single_instance(tmp_path, HERE) as recovering:
        assert recovering is False
        for address, same in ((HERE, True), (THERE, False)):
            refused = pytest.raises(AlreadyRunning, match=f"is already running at {HERE}")
            with refused as refusal, single_instance(tmp_path, address):
                pass
            assert refusal.value.same_address is same
    with single_instance(tmp_path, THERE) as recovering:
        assert recovering is False
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=environment(tmp_path), check=False)
    with single_instance(tmp_path, HERE) as recovering:
        assert recovering is True


def test_unusable_port_is_reported_with_advice_unless_a_killed_instance_still_has_it(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=f"Another program uses port {port}: .*PORT={port % 60_000 + 1} "):
            bound_socket("127.0.0.1", port)
        monkeypatch.setattr(instance_lock.time, "sleep", lambda seconds: other.close())
        with bound_socket("127.0.0.1", port, recovering=True) as mine:
            assert mine.getsockname()[1] == port
    refusal = Mock(side_effect=PermissionError(errno.EACCES, "Permission denied"))
    monkeypatch.setattr("socket.socket.bind", refusal)
    with pytest.raises(PortTaken, match=r"may not use port 80: .*PORT=8000 "):
        bound_socket("127.0.0.1", 80)
