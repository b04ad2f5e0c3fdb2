"""Start real processes of Palace, and make sure that none is left running."""

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
    """This process's environment with another PALACE_HOME, no endpoint and a long time limit of recall."""
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
    """A Python process in a new session; it and its children are killed at the end. It receives SIGHUP
    even if the tests run under nohup."""
    previous = signal.signal(signal.SIGHUP, signal.SIG_DFL)
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
    signal.signal(signal.SIGHUP, previous)
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
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def run_process(
    *arguments: str, env: Mapping[str, str], within: float = TIMEOUT_S
) -> subprocess.CompletedProcess[str]:
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
    """Wait until a condition is true; fail if it never is."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "the condition never became true"
        time.sleep(0.1)


def has_ended(pid: int) -> bool:
    """Whether the process has ended; a zombie has."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def servers(folder: Path) -> list[psutil.Process]:
    """The PostgreSQL processes with this working directory."""
    return [
        process
        for process in psutil.process_iter(["name", "cwd"])
        if process.info["name"] == "postgres" and process.info["cwd"] == str(folder.resolve())
    ]


def reachable(folder: Path) -> Path:
    """Make a folder accessible to other accounts: as root, the server runs as another one.

    pytest makes its folders private, including the one for each xdist process.
    """
    temporary = Path(tempfile.gettempdir()).resolve()
    for each in (folder.resolve(), *folder.resolve().parents):
        if each.is_relative_to(temporary) and each != temporary:
            each.chmod(0o755)
    return folder
