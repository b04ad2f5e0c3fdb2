"""Keeps several programs running: restarts those that end, and stops all of them together."""

import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

CHECK_EVERY_S = 0.3
GRACE_S = 12
FIRST_PAUSE_S = 1.0
MAX_PAUSE_S = 30.0
STABLE_AFTER_S = 60.0
MAX_EARLY_EXITS = 4

Say = Callable[[str], None]


class ProgramKeepsFailing(Exception):
    """A program kept ending right after its start; the message names it."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to keep running: its name, its command, and the sockets it inherits.

    The others are useless without an `essential` program, so restarting that one has a limit.
    """

    name: str
    command: tuple[str, ...]
    essential: bool = False
    descriptors: tuple[int, ...] = ()


@dataclass(slots=True)
class _Child:
    program: Program
    process: subprocess.Popen[bytes]
    started: float
    early_exits: int = 0
    restart_at: float | None = None


@dataclass(slots=True)
class Supervisor:
    """Runs programs until stopped. Use it from the main thread only."""

    programs: Sequence[Program]
    say: Say
    _children: list[_Child] = field(default_factory=list)

    def run(self, stop: threading.Event) -> None:
        """Start all programs, keep them running until `stop` is set, then stop them.

        Raises ProgramKeepsFailing, after stopping the rest, when an essential program cannot stay up.
        """
        try:
            for program in self.programs:
                self._children.append(_Child(program, _start(program), time.monotonic()))
            while not stop.wait(CHECK_EVERY_S):
                for child in self._children:
                    self._check(child, time.monotonic())
        finally:
            self._stop_all()

    def _check(self, child: _Child, now: float) -> None:
        if child.restart_at is None and child.process.poll() is not None:
            was_stable = now - child.started > STABLE_AFTER_S
            child.early_exits = 1 if was_stable else child.early_exits + 1
            if child.program.essential and child.early_exits > MAX_EARLY_EXITS:
                raise ProgramKeepsFailing(f"The {child.program.name} keeps failing; the lines above say why.")
            pause = min(FIRST_PAUSE_S * 2 ** (child.early_exits - 1), MAX_PAUSE_S)
            child.restart_at = now + pause
            code = child.process.returncode
            cause = f"was killed by signal {-code}" if code < 0 else f"exited with status {code}"
            self.say(f"The {child.program.name} {cause}; restarting it in {pause:.0f} s.")
        if child.restart_at is not None and now >= child.restart_at:
            child.restart_at = None
            child.started = now
            child.process = _start(child.program)

    def _stop_all(self) -> None:
        for child in self._children:
            child.process.terminate()
        deadline = time.monotonic() + GRACE_S
        for child in self._children:
            with suppress(subprocess.TimeoutExpired):
                child.process.wait(max(0.1, deadline - time.monotonic()))
            if child.process.poll() is None:
                child.process.kill()
                child.process.wait()
        self._children.clear()


def _start(program: Program) -> subprocess.Popen[bytes]:
    """Start a child in its own session, so that Ctrl-C reaches only the supervisor."""
    return subprocess.Popen(  # noqa: S603 - our own commands, no shell
        program.command, stdin=subprocess.DEVNULL, pass_fds=program.descriptors, start_new_session=True
    )
