"""One Palace per home, and advice if the address cannot be used."""

import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from palace.processes import instance_lock
from palace.processes.instance_lock import AlreadyRunning, PortTaken, bound_socket, single_instance
from tests.palace.processes import environment

HERE = "http://127.0.0.1:8000"
THERE = "http://127.0.0.1:9000"
KILLED = (
    "import os, sys; from pathlib import Path\n"
    "from palace.processes.instance_lock import single_instance\n"
    "with single_instance(Path(sys.argv[1]), 'http://127.0.0.1:8000'): os._exit(9)\n"
)


@pytest.mark.parametrize(("address", "same"), [(HERE, True), (THERE, False)])
def test_a_second_instance_learns_where_the_first_one_is(tmp_path: Path, address: str, same: bool) -> None:
    with single_instance(tmp_path, HERE) as recovering:
        assert recovering is False
        refused = pytest.raises(AlreadyRunning, match=f"is already running at {HERE}")
        with refused as refusal, single_instance(tmp_path, address):
            pass
        assert refusal.value.same_address is same
    with single_instance(tmp_path, THERE) as recovering:
        assert recovering is False


def test_a_killed_instance_is_noticed_and_no_obstacle(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=environment(tmp_path), check=False)
    with single_instance(tmp_path, HERE) as recovering:
        assert recovering is True


def test_a_used_port_is_reported_with_advice() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=f"Another program uses port {port}: .*PORT="):
            bound_socket("127.0.0.1", port)


def test_after_a_kill_the_port_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    other = socket.create_server(("127.0.0.1", 0))
    port = other.getsockname()[1]
    waited = threading.Event()

    def pause(seconds: float) -> None:
        waited.set()
        other.close()

    monkeypatch.setattr(instance_lock.time, "sleep", pause)
    with bound_socket("127.0.0.1", port, recovering=True) as mine:
        assert mine.getsockname()[1] == port
    assert waited.is_set()
