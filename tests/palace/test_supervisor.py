"""Programs that end are restarted; all of them stop together."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from palace.processes import supervisor
from palace.processes.supervisor import GaveUp, Program, Supervisor
from tests.palace.processes import eventually, gone

STARTS = "import pathlib, sys, time, os; pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))\n"
STAYS = STARTS + "time.sleep(600)"
IGNORES_TERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + STAYS
ENDS = STARTS + "sys.exit(3)"


def program(name: str, source: str, mark: Path, *, essential: bool = False) -> Program:
    return Program(name, (sys.executable, "-c", source, str(mark)), essential=essential)


def pid(mark: Path) -> int:
    return int(mark.read_text() or 0) if mark.exists() else 0


class Run(threading.Thread):
    """A supervisor at work."""

    def __init__(self, *programs: Program) -> None:
        super().__init__()
        self.said: list[str] = []
        self.stop = threading.Event()
        self.error: Exception | None = None
        self.supervisor = Supervisor(programs, self.said.append)

    def run(self) -> None:
        try:
            self.supervisor.run(self.stop)
        except GaveUp as error:
            self.error = error


@contextmanager
def running(*programs: Program) -> Iterator[Run]:
    run = Run(*programs)
    run.start()
    try:
        yield run
    finally:
        run.stop.set()
        run.join(30)
        assert not run.is_alive()


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"FIRST_PAUSE_S": 0.01, "CHECK_EVERY_S": 0.01, "GRACE_S": 1}.items():
        monkeypatch.setattr(supervisor, name, seconds)


def test_killed_programs_are_restarted_and_reported(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with running(program("worker", STAYS, mark)) as run:
        eventually(lambda: pid(mark), 60)
        first = pid(mark)
        os.kill(first, signal.SIGKILL)
        eventually(lambda: pid(mark) not in {0, first}, 60)
        assert any("The worker was killed by signal 9" in sentence for sentence in run.said)
    assert gone(pid(mark))


def test_all_programs_stop_even_if_they_ignore_it(tmp_path: Path) -> None:
    marks = [tmp_path / "listens", tmp_path / "ignores"]
    with running(program("web", STAYS, marks[0]), program("worker", IGNORES_TERM, marks[1])):
        eventually(lambda: all(pid(mark) for mark in marks), 60)
    assert all(gone(pid(mark)) for mark in marks)


def test_an_essential_program_that_keeps_failing_ends_the_rest(tmp_path: Path) -> None:
    marks = [tmp_path / "web", tmp_path / "worker"]
    essential = program("web server", ENDS, marks[0], essential=True)
    with running(essential, program("worker", STAYS, marks[1])) as run:
        run.join(60)
        assert "The web server keeps failing" in str(run.error)
        assert "The web server exited with status 3; restarting it in 0 s." in run.said
    assert gone(pid(marks[1]))


def test_other_programs_are_restarted_for_ever(tmp_path: Path) -> None:
    with running(program("scheduler", ENDS, tmp_path / "mark")) as run:
        eventually(lambda: len(run.said) > supervisor.MAX_EARLY_ENDS + 2, 60)
        assert run.error is None
