"""Starts real processes of Palace for tests, and makes sure that none stays behind."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil

CHECKOUT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 600


def environment(home: Path, **more: str) -> dict[str, str]:
    """This process's environment, with a PALACE_HOME of its own, no endpoint, and recall that a busy
    machine does not cut short."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OPENAI_", "PALACE_", "DJANGO_"))
        and name not in {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "PORT"}
    }
    usual = {"PALACE_HOME": str(home), "PALACE_RECALL_PATIENCE": "20", "PYTHONPATH": str(CHECKOUT)}
    return {**kept, **usual, **more}


@contextmanager
def started(*arguments: str, env: Mapping[str, str], **options: object) -> Iterator[subprocess.Popen[str]]:
    """A Python process in a session of its own; it and its children are killed at the end. It hears
    SIGHUP, though these tests were started with nohup."""
    deaf = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=dict(env),
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        **options,  # type: ignore[call-overload]
    )
    signal.signal(signal.SIGHUP, deaf)
    try:
        yield process
    finally:
        for each in family(process.pid):
            each.send_signal(signal.SIGKILL)
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def family(pid: int) -> list[psutil.Process]:
    """The living descendants of a process."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def finished(
    *arguments: str, env: Mapping[str, str], within: float = TIMEOUT_S
) -> subprocess.CompletedProcess[str]:
    """A Python process run to its end."""
    return subprocess.run(
        [sys.executable, *arguments],
        env=dict(env),
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=within,
        check=False,
    )


def eventually(condition: Callable[[], object], within: float = TIMEOUT_S) -> None:
    """Wait until the condition holds; fails the test when it does not."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.1)


def gone(pid: int) -> bool:
    """Whether the process has ended; an unreaped one has."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def servers(folder: Path) -> list[psutil.Process]:
    """The PostgreSQL processes that work in a folder."""
    return [
        process
        for process in psutil.process_iter(["name", "cwd"])
        if process.info["name"] == "postgres" and process.info["cwd"] == str(folder.resolve())
    ]


def reachable(folder: Path) -> Path:
    """The folder, once other accounts may enter it: as root the server runs as another one.

    pytest closes its folders, and has one more between for each of several processes.
    """
    temporary = Path(tempfile.gettempdir()).resolve()
    for each in (folder.resolve(), *folder.resolve().parents):
        if each.is_relative_to(temporary) and each != temporary:
            each.chmod(0o755)
    return folder
