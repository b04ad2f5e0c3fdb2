"""All of Palace started as `make run` does, then stopped or killed in every way."""

import http.client
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from palace.launch import own_address
from tests.palace.processes import (
    PATIENCE_S,
    environment,
    eventually,
    family,
    finished,
    reachable,
    servers,
    started,
)

Process = subprocess.Popen[str]


class Palace:
    """A running Palace, with what it has said so far."""

    def __init__(self, process: Process, home: Path, port: int) -> None:
        self.process = process
        self.home = home
        self.port = port
        self.lines: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)

    def said(self, words: str) -> bool:
        return any(words in line for line in self.lines)

    def wait_until_ready(self) -> None:
        eventually(lambda: self.said("Palace is ready at") or self.process.poll() is not None)
        assert self.process.poll() is None, self.lines

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def child(self, command: str) -> psutil.Process:
        return next(each for each in family(self.process.pid) if command in each.cmdline())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reachable(tmp_path_factory.mktemp("palace"))


@pytest.fixture(scope="module")
def env(home: Path) -> dict[str, str]:
    return environment(home, PORT=str(free_port()))


@pytest.fixture(scope="module")
def palace(home: Path, env: dict[str, str]) -> Iterator[Palace]:
    with started("manage.py", "run", env=env) as process:
        running = Palace(process, home, int(env["PORT"]))
        running.wait_until_ready()
        yield running


def nothing_is_left(home: Path, processes: list[psutil.Process]) -> bool:
    alive = [each for each in processes if each.is_running()]
    alive = [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]
    return not alive and not servers(home / "postgres" / "data")


def test_the_site_answers_and_everything_is_up(palace: Palace) -> None:
    assert palace.get("/healthz") == (200, "ok\n")
    status, _ = palace.get("/")
    assert status == 302
    status, body = palace.get("/readyz", Accept="application/json")
    assert status == 200
    assert '"ready": true' in body
    assert palace.said(f"Palace is ready at http://127.0.0.1:{palace.port}")


def test_a_second_start_says_where_it_runs(palace: Palace, env: dict[str, str]) -> None:
    again = finished("manage.py", "run", env=env)
    sentence = f"Palace already runs at http://127.0.0.1:{palace.port}"
    assert (again.returncode, again.stdout.strip()) == (0, sentence)
    elsewhere = finished("manage.py", "run", env={**env, "PORT": str(free_port())})
    assert elsewhere.returncode == 1
    assert sentence in elsewhere.stderr
    assert palace.get("/healthz")[0] == 200


def test_killed_programs_are_started_again(palace: Palace) -> None:
    palace.child("worker").kill()
    eventually(lambda: palace.said("The worker was killed by signal 9"))
    palace.child("web").kill()
    eventually(lambda: palace.said("The web server was killed by signal 9"))
    assert palace.get("/healthz") == (200, "ok\n")  # waits in the open socket meanwhile
    eventually(lambda: palace.child("worker").is_running())


def test_a_killed_database_is_started_again(palace: Palace) -> None:
    before = postmaster(palace)
    os.kill(before, signal.SIGKILL)
    eventually(lambda: palace.get("/readyz")[0] == 200 and postmaster(palace) != before)
    assert '"ready": true' in palace.get("/readyz", Accept="application/json")[1]


def postmaster(palace: Palace) -> int:
    return int((palace.home / "postgres/data/postmaster.pid").read_text().split()[0])


def test_ctrl_c_stops_everything(palace: Palace) -> None:
    stops_on(palace, signal.SIGINT)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_do_the_same(home: Path, env: dict[str, str], number: signal.Signals) -> None:
    with started("manage.py", "run", env=env) as process:
        running = Palace(process, home, int(env["PORT"]))
        running.wait_until_ready()
        stops_on(running, number)


def stops_on(palace: Palace, number: signal.Signals) -> None:
    processes = family(palace.process.pid)
    assert len(processes) == 3
    palace.process.send_signal(number)
    assert palace.process.wait(PATIENCE_S) == 0
    eventually(lambda: nothing_is_left(palace.home, processes))
    assert (palace.home / "run.lock").read_text() == ""


def test_a_killed_run_takes_everything_with_it_and_the_next_one_recovers(
    home: Path, env: dict[str, str]
) -> None:
    with started("manage.py", "run", env=env) as process:
        Palace(process, home, int(env["PORT"])).wait_until_ready()
        processes = family(process.pid)
        process.kill()
        process.wait()
        with started("manage.py", "run", env=env) as again:
            running = Palace(again, home, int(env["PORT"]))
            running.wait_until_ready()
            assert running.get("/healthz")[0] == 200
            eventually(lambda: not any(each.is_running() for each in processes))
            again.send_signal(signal.SIGINT)
            assert again.wait(PATIENCE_S) == 0
    eventually(lambda: nothing_is_left(home, processes))


def test_it_ends_with_the_program_that_started_it(home: Path, env: dict[str, str]) -> None:
    starter = (
        "import os, subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, 'manage.py', 'run', '--parent', str(os.getpid())])\n"
        "time.sleep(600)\n"
    )
    with started("-c", starter, env=env) as process:
        Palace(process, home, int(env["PORT"])).wait_until_ready()
        processes = family(process.pid)
        assert len(processes) == 4
        process.kill()
        process.wait()
        eventually(lambda: nothing_is_left(home, processes))


def test_it_ends_with_its_terminal_though_nobody_passes_it_on(
    home: Path, env: dict[str, str]
) -> None:
    in_a_terminal = (
        "import os, pty, signal, subprocess, sys\n"
        "pid, terminal = pty.fork()\n"
        "if pid == 0:\n"
        "    signal.signal(signal.SIGHUP, lambda *_: None)\n"
        "    subprocess.call([sys.executable, 'manage.py', 'run'])\n"
        "    os._exit(0)\n"
        "said = b''\n"
        "while b'ready at' not in said:\n"
        "    said += os.read(terminal, 4096)\n"
        "print(said.decode(), flush=True)\n"
        "sys.stdin.readline()\n"
        "os.close(terminal)\n"
        "os.waitpid(pid, 0)\n"
    )
    with started("-c", in_a_terminal, env=env, stdin=subprocess.PIPE) as process:
        Palace(process, home, int(env["PORT"])).wait_until_ready()
        processes = family(process.pid)
        assert process.stdin is not None
        process.stdin.write("close\n")
        process.stdin.flush()
        assert process.wait(PATIENCE_S) == 0
        eventually(lambda: nothing_is_left(home, processes))


def test_a_busy_port_is_one_sentence(home: Path, env: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", int(env["PORT"]))):
        done = finished("manage.py", "run", env=env)
    assert done.returncode == 1
    assert f"Another program uses port {env['PORT']}" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_own_address() -> None:
    assert own_address("0.0.0.0", 80) == "http://127.0.0.1:80"
    assert own_address("127.0.0.1", 8000) == "http://127.0.0.1:8000"
    assert own_address("::1", 8000) == "http://[::1]:8000"
