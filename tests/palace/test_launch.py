"""`manage.py run` as a whole, stopped and killed in every way; error messages of commands when something is
missing."""

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import psutil
import pytest
from django.db import InterfaceError

from palace import command_line
from palace.embedded.cluster import is_alive
from palace.embedded.location import EmbeddedDatabase
from tests.browser.site import free_port
from tests.palace.processes import (
    TIMEOUT_S,
    environment,
    eventually,
    family,
    reachable,
    run_process,
    servers,
    started,
)

STARTER = (
    "import os, subprocess, sys, time\n"
    "subprocess.Popen([sys.executable, 'manage.py', 'run', '--parent', str(os.getpid())])\n"
    "time.sleep(600)\n"
)
TERMINAL = (
    "import os, pty, signal, subprocess, sys\n"
    "pid, terminal = pty.fork()\n"
    "if pid == 0:\n"
    "    signal.signal(signal.SIGHUP, lambda *_: None)\n"
    "    subprocess.call([sys.executable, 'manage.py', 'run'])\n"
    "    os._exit(0)\n"
    "said = b''\n"
    "while b'is running at' not in said:\n"
    "    said += os.read(terminal, 4096)\n"
    "print(said.decode(), flush=True)\n"
    "sys.stdin.readline()\n"
    "os.close(terminal)\n"
    "os.waitpid(pid, 0)\n"
)


class Palace:
    """A running Palace, and its output so far."""

    def __init__(self, process, env):
        self.process = process
        self.home = Path(env["PALACE_HOME"])
        self.port = int(env["PORT"])
        self.lines: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def printed(self, words):
        return any(words in line for line in self.lines)

    def wait_until_ready(self):
        """Wait until it serves requests; returns its child processes."""
        eventually(lambda: self.printed("Palace is running at") or self.process.poll() is not None)
        assert self.process.poll() is None, self.lines
        return family(self.process.pid)

    def get(self, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def child(self, command):
        return next(each for each in family(self.process.pid) if command in each.cmdline())

    def postmaster(self):
        return int((self.home / "postgres/data/postmaster.pid").read_text().split()[0])

    def has_stopped(self, processes):
        alive = [each for each in processes if each.is_running()]
        alive = [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]
        return not alive and not servers(self.home / "postgres" / "data")


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    home = reachable(tmp_path_factory.mktemp("palace"))
    return environment(home, PORT=str(free_port()))


@contextmanager
def running(*command, env, **options):
    with started(*(command or ("manage.py", "run")), env=env, **options) as process:
        yield Palace(process, env)


@pytest.fixture(scope="module")
def palace(env):
    """Palace with an empty home, started once for several tests."""
    with running(env=env) as palace:
        palace.wait_until_ready()
        yield palace


@pytest.mark.drill
class TestRun:
    def test_start_prints_its_steps_and_serves_pages(self, palace):
        assert palace.get("/healthz") == (200, "ok\n")
        assert palace.get("/")[0] == 302
        status, body = palace.get("/readyz", Accept="application/json")
        assert status == 200
        assert '"ready": true' in body
        stylesheet = re.search(r"/static/[^\"]+\.css", palace.get("/accounts/sign-up/")[1])
        assert stylesheet
        assert palace.get(stylesheet[0])[0] == 200
        assert palace.lines == [
            "Preparing the database…",
            "Collecting static files…",
            "Starting Palace…",
            f"Palace is running at http://127.0.0.1:{palace.port} (press Ctrl-C to stop).",
        ]

    def test_second_start_reports_the_running_instance(self, palace, env):
        sentence = f"Palace is already running at http://127.0.0.1:{palace.port}"
        again = run_process("manage.py", "run", env=env)
        assert (again.returncode, again.stdout.strip()) == (0, f"{sentence}.")
        elsewhere = run_process("manage.py", "run", env={**env, "PORT": str(free_port())})
        assert elsewhere.returncode == 1
        assert sentence in elsewhere.stderr
        assert palace.get("/healthz")[0] == 200

    def test_killed_programs_are_restarted(self, palace):
        palace.child("worker").kill()
        eventually(lambda: palace.printed("The worker was killed by signal 9"))
        palace.child("web").kill()
        eventually(lambda: palace.printed("The web server was killed by signal 9"))
        assert palace.get("/healthz") == (200, "ok\n")  # meanwhile the request waits in the open socket
        eventually(lambda: palace.child("worker").is_running())

    def test_killed_database_is_restarted(self, palace):
        before = palace.postmaster()
        os.kill(before, signal.SIGKILL)
        eventually(lambda: palace.get("/readyz")[0] == 200 and palace.postmaster() != before)

    def test_ctrl_c_stops_everything(self, palace):
        check_stop(palace, signal.SIGINT)

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
    def test_other_signals_stop_everything(self, env, number):
        with running(env=env) as palace:
            palace.wait_until_ready()
            check_stop(palace, number)

    def test_children_end_with_a_killed_run_and_the_next_one_recovers(self, env):
        with running(env=env) as killed:
            processes = killed.wait_until_ready()
            killed.process.kill()
            killed.process.wait()
            with running(env=env) as palace:
                palace.wait_until_ready()
                assert palace.get("/healthz")[0] == 200
                eventually(lambda: not any(each.is_running() for each in processes))
                palace.process.send_signal(signal.SIGINT)
                assert palace.process.wait(TIMEOUT_S) == 0
        eventually(lambda: palace.has_stopped(processes))

    def test_run_ends_with_its_parent(self, env):
        with running("-c", STARTER, env=env) as palace:
            processes = palace.wait_until_ready()
            assert len(processes) == 4
            palace.process.kill()
            palace.process.wait()
            eventually(lambda: palace.has_stopped(processes))

    def test_run_ends_with_its_terminal(self, env):
        with running("-c", TERMINAL, env=env, stdin=subprocess.PIPE) as palace:
            processes = palace.wait_until_ready()
            assert palace.process.stdin is not None
            palace.process.stdin.write("close\n")
            palace.process.stdin.flush()
            assert palace.process.wait(TIMEOUT_S) == 0
            eventually(lambda: palace.has_stopped(processes))


def check_stop(palace, number):
    processes = family(palace.process.pid)
    assert len(processes) == 3
    palace.process.send_signal(number)
    assert palace.process.wait(TIMEOUT_S) == 0
    eventually(lambda: palace.has_stopped(processes))
    assert (palace.home / "run.lock").read_text() == ""


NOWHERE = "postgresql://nobody@127.0.0.1:9/none"


@pytest.fixture
def home(tmp_path):
    return reachable(tmp_path) / "home"


@pytest.mark.drill
def test_unreachable_database_is_reported_in_one_sentence(home):
    env = environment(home, DATABASE_URL=NOWHERE, PALACE_MIGRATION_DATABASE_URL=NOWHERE)
    done = run_process("manage.py", "migrate", env=env)
    assert done.returncode == 1
    assert done.stderr.startswith("The database cannot be used: ")
    assert len(done.stderr.strip().splitlines()) == 1


def test_lost_database_connection_is_reported_in_one_sentence(monkeypatch):
    lost = Mock(side_effect=InterfaceError("the connection is closed"))
    monkeypatch.setattr(command_line, "_prepare", Mock())
    monkeypatch.setattr(command_line, "execute_from_command_line", lost)
    with pytest.raises(SystemExit, match=r"^The database cannot be used: the connection is closed$"):
        command_line.run(["manage.py", "mine", "--wait"])


def test_command_whose_output_nobody_reads_ends_quietly(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "manage.py", "help"]
    done = subprocess.run(
        command, env=environment(tmp_path), stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert done.stderr == ""


@pytest.mark.drill
def test_unreachable_queue_is_reported_in_one_sentence(home):
    env = environment(home, REDIS_URL="redis://127.0.0.1:9/0")
    env["DJANGO_SETTINGS_MODULE"] = "tests.palace.queued.settings"
    done = run_process(
        "manage.py",
        "shell",
        "-c",
        "from tests.palace.queued.actors import wait_for_go; wait_for_go.send('x')",
        env=env,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("The job queue cannot be used: ")
    assert "Traceback" not in done.stderr


@pytest.mark.drill
def test_command_prepares_and_stops_the_embedded_database(home):
    env = environment(home)
    shown = run_process("manage.py", "run", "--help", env=env)
    assert (shown.returncode, "usage:" in shown.stdout) == (0, True)
    assert not (home / "postgres" / "data").exists()
    done = run_process("manage.py", "add_user", "zoe@example.org", "--password", "long-enough-1", env=env)
    assert done.returncode == 0, done.stderr
    assert "Preparing the database" in done.stderr
    again = run_process("manage.py", "add_user", "yan@example.org", "--password", "long-enough-1", env=env)
    assert again.returncode == 0, again.stderr
    assert "Preparing" not in again.stderr
    assert not is_alive(EmbeddedDatabase(home / "postgres"))


@pytest.mark.drill
def test_unprepared_database_names_the_command_to_run(home):
    done = run_process("manage.py", "scheduler", "--once", env=environment(home))
    assert done.returncode == 1
    assert "run `manage.py migrate` first" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
