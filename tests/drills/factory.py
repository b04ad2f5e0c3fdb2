"""Start commands of the product quickly, by forking a process that has loaded their imports.
`python -m tests.drills.factory` reads one command per line and prints its pid.

Django is not set up before the fork: each child runs `manage.py` from the start, with separate connections,
threads and queue.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module

import psutil

from tests.palace.processes import CHECKOUT

PRELOADED = (
    "django.contrib.admin.sites",
    "django.contrib.postgres.fields",
    "django.core.management",
    "django.db.backends.postgresql.base",
    "django.forms",
    "django.template.defaulttags",
    "dramatiq.brokers.stub",
    "dramatiq_postgres",
    "genai_prices",
    "tests.fake_gateway",
    "memory.text.tokenization",
    "memory.mining.reader.network",
    "onnxruntime",
    "openai",
    "pgvector.psycopg",
    "psycopg_pool",
    "redis",
    "structlog",
    "tokenizers",
)
COMMANDS = {
    "web": ("web",),
    "worker": ("worker", "--threads", "2"),
    "second worker": ("worker", "--threads", "2"),
    "scheduler": ("scheduler", "--every", "0.5"),
}


@dataclass(frozen=True, slots=True)
class Factory:
    """Starts commands of `manage.py`, and ends them."""

    process: subprocess.Popen[str]

    def start(self, *command: str) -> int:
        """Start a process of this command; returns its pid."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{' '.join(command)} --parent {self.process.pid}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


def kill(pid: int, *, wait: bool = True) -> bool:
    """Kill a process, and wait until it has ended; returns whether it was alive."""
    try:
        process = psutil.Process(pid)
        process.kill()
    except psutil.NoSuchProcess:
        return False
    if wait:
        process.wait()
    return True


def alive(pid: int) -> bool:
    """Whether the process exists."""
    return psutil.pid_exists(pid)


@contextmanager
def factory(environment: Mapping[str, str]) -> Iterator[Factory]:
    """A factory whose commands run in this environment and end with it."""
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        env=dict(environment),
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield Factory(process)
    finally:
        for child in psutil.Process(process.pid).children():
            kill(child.pid)
        process.kill()
        process.communicate()


def main() -> None:
    """Fork a child for each line that is read."""
    for name in PRELOADED:
        import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _become(line.split())
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


def _become(command: list[str]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    status = 1
    try:
        import_module("django.core.management").execute_from_command_line(["manage.py", *command])
        status = 0
    finally:
        os._exit(status)


if __name__ == "__main__":
    main()
