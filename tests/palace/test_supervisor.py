"""Programs that end are started again; all end together."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from palace import supervisor
from palace.supervisor import GaveUp, Program, Supervisor
from tests.palace.processes import eventually, gone

STAYS = "import pathlib, sys, time, os; pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))\n"
SLEEPS = STAYS + "time.sleep(600)"
IGNORES_TERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + SLEEPS
ENDS = STAYS + "sys.exit(3)"


def program(name: str, source: str, mark: Path, *, essential: bool = False) -> Program:
    return Program(name, (sys.executable, "-c", source, str(mark)), essential=essential)


def pid(mark: Path) -> int:
    return int(mark.read_text() or 0) if mark.exists() else 0


class Run:
    """A supervisor at work in a thread."""

    def __init__(self, *programs: Program) -> None:
        self.said: list[str] = []
        self.stop = threading.Event()
        self.error: Exception | None = None
        self.supervisor = Supervisor(programs, self.said.append)
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.supervisor.run(self.stop)
        except GaveUp as error:
            self.error = error

    def end(self) -> None:
        self.stop.set()
        self.thread.join(20)
        assert not self.thread.is_alive()


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE_S", 0.1)
    monkeypatch.setattr(supervisor, "LOOK_EVERY_S", 0.05)
    monkeypatch.setattr(supervisor, "GRACE_S", 1)


def test_a_killed_program_is_started_again_and_said_so(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    run = Run(program("worker", SLEEPS, mark))
    try:
        eventually(lambda: pid(mark), 60)
        first = pid(mark)
        os.kill(first, signal.SIGKILL)
        eventually(lambda: pid(mark) not in {0, first}, 60)
        assert any("The worker was killed by signal 9" in sentence for sentence in run.said)
    finally:
        run.end()
    assert gone(pid(mark))


def test_everything_ends_with_the_supervisor_even_what_does_not_listen(tmp_path: Path) -> None:
    marks = [tmp_path / "listens", tmp_path / "does-not"]
    run = Run(program("web", SLEEPS, marks[0]), program("worker", IGNORES_TERM, marks[1]))
    eventually(lambda: all(pid(mark) for mark in marks), 60)
    began = time.monotonic()
    run.end()
    assert time.monotonic() - began < 30
    assert all(gone(pid(mark)) for mark in marks)


def test_an_essential_program_that_never_stays_up_ends_the_rest(tmp_path: Path) -> None:
    marks = [tmp_path / "web", tmp_path / "worker"]
    run = Run(
        program("web server", ENDS, marks[0], essential=True),
        program("worker", SLEEPS, marks[1]),
    )
    run.thread.join(20)
    assert "The web server cannot stay up" in str(run.error)
    assert "The web server ended with status 3; starting it again in 0 s." in run.said
    assert gone(pid(marks[1]))


def test_another_program_is_tried_for_ever_with_longer_pauses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE_S", 0.01)
    run = Run(program("sweep", ENDS, tmp_path / "mark"))
    try:
        eventually(lambda: len(run.said) > supervisor.MOST_EARLY_ENDS + 2, 20)
        assert run.error is None
    finally:
        run.end()
