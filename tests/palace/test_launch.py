"""`manage.py run` as a whole, stopped and killed in every way; error messages of commands when something is
missing."""

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import InterfaceError
from redis import RedisError

from palace import command_line
from palace.embedded.cluster import is_alive
from palace.embedded.location import EmbeddedDatabase
from tests.browser.site import free_port
from tests.palace.processes import (
    TIMEOUT_S,
    environment,
    eventually,
    family,
    has_ended,
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
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)) as connection:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def child(self, command):
        return next(each for each in family(self.process.pid) if command in each.cmdline())

    def postmaster(self):
        return int((self.home / "postgres/data/postmaster.pid").read_text().split()[0])

    def check_stopped(self, processes):
        """Wait until these processes and the database have ended."""
        eventually(lambda: all(has_ended(each.pid) for each in processes))
        eventually(lambda: not servers(self.home / "postgres" / "data"))


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
        for name in ("worker", "scheduler"):
            works = f'"name": "{name}", "state": "up"'
            eventually(lambda works=works: works in palace.get("/readyz", Accept="application/json")[1], 60)
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

    def test_killed_programs_and_the_database_are_restarted(self, palace):
        palace.child("worker").kill()
        eventually(lambda: palace.printed("The worker was killed by signal 9"))
        palace.child("web").kill()
        eventually(lambda: palace.printed("The web server was killed by signal 9"))
        assert palace.get("/healthz") == (200, "ok\n")  # meanwhile the request waits in the open socket
        eventually(lambda: palace.child("worker").is_running())
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
        palace.check_stopped(processes)

    def test_run_ends_with_its_parent(self, env):
        with running("-c", STARTER, env=env) as palace:
            processes = palace.wait_until_ready()
            assert len(processes) == 4
            palace.process.kill()
            palace.process.wait()
            palace.check_stopped(processes)

    def test_run_ends_with_its_terminal(self, env):
        with running("-c", TERMINAL, env=env, stdin=subprocess.PIPE) as palace:
            processes = palace.wait_until_ready()
            palace.process.stdin.write("close\n")
            palace.process.stdin.flush()
            assert palace.process.wait(TIMEOUT_S) == 0
            palace.check_stopped(processes)


def check_stop(palace, number):
    processes = family(palace.process.pid)
    assert len(processes) == 3
    palace.process.send_signal(number)
    assert palace.process.wait(TIMEOUT_S) == 0
    palace.check_stopped(processes)
    assert (palace.home / "run.lock").read_text() == ""


NOWHERE = "postgresql://nobody@127.0.0.1:9/none"


@pytest.fixture
def home(tmp_path):
    return reachable(tmp_path) / "home"


def check_failure(words, *command, env):
    """Check that a command fails with one sentence."""
    done = run_process(*command, env=env)
    assert done.returncode == 1
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.drill
def test_missing_parts_are_reported_in_one_sentence(home):
    env = environment(home, DATABASE_URL=NOWHERE, PALACE_MIGRATION_DATABASE_URL=NOWHERE)
    check_failure("The database cannot be used: ", "manage.py", "migrate", env=env)
    env = environment(home, EMBEDDING_MODEL="no-such-model")
    check_failure("Palace cannot run: EMBEDDING_MODEL", "manage.py", "check", env=env)
    unprepared = ("manage.py", "scheduler", "--once")
    check_failure("run `manage.py migrate` first", *unprepared, env=environment(home))
    env = environment(home, REDIS_URL="redis://127.0.0.1:9/0")
    env["DJANGO_SETTINGS_MODULE"] = "tests.palace.queued.settings"
    send = "from tests.palace.queued.actors import wait_for_go; wait_for_go.send('x')"
    done = run_process("manage.py", "shell", "-c", send, env=env)
    assert done.returncode == 1
    assert done.stderr.startswith("The job queue cannot be used: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InterfaceError("it is closed"), "The database cannot be used: it is closed"),
        (ImproperlyConfigured("PORT must be a port."), "Palace cannot run: PORT must be a port."),
        (RedisError("no answer\nat all"), "The job queue cannot be used: no answer"),
    ],
)
def test_failures_are_reported_in_one_sentence(monkeypatch, error, said):
    monkeypatch.setattr(command_line, "_prepare", Mock())
    monkeypatch.setattr(command_line, "execute_from_command_line", Mock(side_effect=error))
    with pytest.raises(SystemExit, match=f"^{said}$"):
        command_line.run(["manage.py", "mine", "--wait"])


@pytest.mark.parametrize(("shared", "prepares"), [(True, 0), (False, 1)])
def test_commands_do_not_migrate_a_database_that_another_process_uses(
    settings, monkeypatch, shared, prepares
):
    settings.EMBEDDED_DATABASE = object()
    prepare, execute = Mock(), Mock()
    monkeypatch.setattr(command_line, "is_ready", Mock(return_value=False))
    monkeypatch.setattr(command_line, "is_shared", Mock(return_value=shared))
    monkeypatch.setattr(command_line, "prepare_database", prepare)
    monkeypatch.setattr(command_line, "execute_from_command_line", execute)
    refused = pytest.raises(SystemExit, match=r"in use .* run `manage.py migrate`")
    with refused if shared else nullcontext():
        command_line.run(["manage.py", "stats"])
    assert (prepare.call_count, execute.call_count) == (prepares, prepares)


def test_commands_ask_for_missing_migrations_of_an_external_database(settings, monkeypatch):
    settings.EMBEDDED_DATABASE = None
    monkeypatch.setattr(command_line, "missing_migrations", Mock(return_value=2))
    with pytest.raises(SystemExit, match=r"run `manage.py migrate`"):
        command_line.run(["manage.py", "stats"])


def test_scrub_is_refused_for_an_external_database(settings):
    settings.EMBEDDED_DATABASE = None
    with pytest.raises(CommandError, match=r"`ANALYZE`.*wal_recycle.*pg_switch_wal"):
        call_command("scrub")


def test_command_whose_output_nobody_reads_ends_quietly(monkeypatch):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        with pytest.raises(SystemExit):
            command_line.run(["manage.py", "help"])


@pytest.mark.drill
def test_command_prepares_and_stops_the_embedded_database(home):
    env = environment(home)
    shown = run_process("manage.py", "run", "--help", env=env)
    assert (shown.returncode, "usage:" in shown.stdout) == (0, True)
    assert not (home / "postgres" / "data").exists()
    for email, prepares in (("zoe@example.org", True), ("yan@example.org", False)):
        done = run_process("manage.py", "add_user", email, "--password", "long-enough-1", env=env)
        assert done.returncode == 0, done.stderr
        assert ("Preparing the database" in done.stderr) is prepares
    assert not is_alive(EmbeddedDatabase(home / "postgres"))
