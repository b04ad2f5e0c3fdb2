"""All of Palace in separate processes: web, worker and sweep, with a database without users."""

import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.database import copied_database, variables_of
from tests.palace.processes import CHECKOUT, environment, eventually, family, run_process

STARTS_WITHIN_S = 300


def free_port() -> int:
    """A free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Site:
    """`manage.py run` with a separate home; `more` is added to its environment."""

    process: subprocess.Popen[bytes]

    def __init__(self, home: Path, **more: str) -> None:
        port = free_port()
        self.home = home
        self.address = f"http://127.0.0.1:{port}"
        self.environment = environment(
            home,
            PORT=str(port),
            PALACE_SWEEP_SECONDS="2",
            PALACE_LANGUAGES="en-gb,ar",
            PALACE_WEBHOOKS_PRIVATE="on",
            FORWARDED_ALLOW_IPS="127.0.0.1",
            **more,
        )

    def start(self) -> None:
        """Start everything and wait until the site responds."""
        with (self.home / "run.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "run"],
                cwd=CHECKOUT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        eventually(self._answers, within=STARTS_WITHIN_S)

    def stop(self) -> None:
        """Stop with Ctrl-C; fails if a process of the site survives."""
        members = family(self.process.pid)
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)
        _gone, alive = psutil.wait_procs(members, timeout=15)
        assert alive == []

    def manage(self, *command: str, **more: str) -> None:
        """Run a command of `manage.py` with the site's environment; fails with its error output."""
        done = run_process("manage.py", *command, env=self.environment | more)
        assert done.returncode == 0, done.stderr

    def kill_web(self) -> None:
        """Kill the web server; it is restarted."""
        (web,) = (each for each in family(self.process.pid) if "web" in each.cmdline())
        web.kill()

    def kill(self) -> None:
        """Kill all processes of the site if it still runs."""
        if self.process.poll() is None:
            for member in family(self.process.pid):
                member.kill()
            self.process.kill()
            self.process.wait()

    def _answers(self) -> bool:
        assert self.process.poll() is None, "the site ended while it was starting"
        try:
            with urllib.request.urlopen(f"{self.address}/healthz", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


@contextmanager
def running(home: Path, **more: str) -> Iterator[Site]:
    """A site that is killed at the end if it still runs."""
    site = Site(home, **more)
    try:
        site.start()
        yield site
    finally:
        site.kill()


@contextmanager
def fresh_site(home: Path, **more: str) -> Iterator[Site]:
    """A site without users on a copy of the template database, stopped with Ctrl-C at the end."""
    with copied_database() as name, running(home, **variables_of(name), **more) as site:
        yield site
        site.stop()
