"""Keeps a few programs running: starts them again when they end, and ends them together."""

import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

LOOK_EVERY_S = 0.3
GRACE_S = 12
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
SETTLED_AFTER_S = 60.0
MOST_EARLY_ENDS = 4

Say = Callable[[str], None]


class GaveUp(Exception):
    """A program ended again and again right after its start; the text names it."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to keep running: what to call it, its command, and sockets to hand over.

    Without an essential program the others are of no use; it is not tried for ever.
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
    early_ends: int = 0
    start_again_at: float | None = None


@dataclass(slots=True)
class Supervisor:
    """Runs programs until told to stop. Use it from the main thread only."""

    programs: Sequence[Program]
    say: Say
    _children: list[_Child] = field(default_factory=list)

    def run(self, stop: threading.Event) -> None:
        """Start everything, look after it until `stop` is set, end everything.

        Raises GaveUp, after ending the rest, when an essential program cannot stay up.
        """
        try:
            for program in self.programs:
                self._children.append(_Child(program, _start(program), time.monotonic()))
            while not stop.wait(LOOK_EVERY_S):
                for child in self._children:
                    self._look_after(child, time.monotonic())
        finally:
            self._end_all()

    def _look_after(self, child: _Child, now: float) -> None:
        if child.start_again_at is None and child.process.poll() is not None:
            settled = now - child.started > SETTLED_AFTER_S
            child.early_ends = 1 if settled else child.early_ends + 1
            if child.program.essential and child.early_ends > MOST_EARLY_ENDS:
                raise GaveUp(f"The {child.program.name} cannot stay up; the lines above say why.")
            pause = min(FIRST_PAUSE_S * 2 ** (child.early_ends - 1), LONGEST_PAUSE_S)
            child.start_again_at = now + pause
            how = _how_it_ended(child.process.returncode)
            self.say(f"The {child.program.name} {how}; starting it again in {pause:.0f} s.")
        if child.start_again_at is not None and now >= child.start_again_at:
            child.start_again_at = None
            child.started = now
            child.process = _start(child.program)

    def _end_all(self) -> None:
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
    """A child in a session of its own, so that Ctrl-C reaches the supervisor alone."""
    return subprocess.Popen(  # noqa: S603 - our own commands, no shell
        program.command,
        stdin=subprocess.DEVNULL,
        pass_fds=program.descriptors,
        start_new_session=True,
    )


def _how_it_ended(code: int) -> str:
    return f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
