"""One Palace for each home, and sentences when the address is not to be had."""

import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from palace import instance
from palace.instance import AlreadyRunning, PortTaken, bound_socket, only_instance
from tests.palace.processes import environment

HERE = "http://127.0.0.1:8000"
THERE = "http://127.0.0.1:9000"


def test_the_second_one_learns_where_the_first_one_is(tmp_path: Path) -> None:
    with only_instance(tmp_path, HERE) as recovering:
        assert recovering is False
        refused = pytest.raises(AlreadyRunning, match=f"already runs at {HERE}")
        with refused as same, only_instance(tmp_path, HERE):
            pass
        assert same.value.as_wanted
        with refused as other, only_instance(tmp_path, THERE):
            pass
        assert not other.value.as_wanted
    with only_instance(tmp_path, THERE) as recovering:
        assert recovering is False


def test_what_a_killed_one_left_is_noticed_and_no_obstacle(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path\n"
        "from palace.instance import only_instance\n"
        "with only_instance(Path(sys.argv[1]), 'http://127.0.0.1:8000'): os._exit(9)\n"
    )
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], env=environment(tmp_path), check=False
    )
    with only_instance(tmp_path, HERE) as recovering:
        assert recovering is True


def listening() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def test_a_busy_port_is_said_with_another_one_to_try() -> None:
    with listening() as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=f"Another program uses port {port}: .*PORT="):
            bound_socket("127.0.0.1", port)


def test_after_a_kill_the_port_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instance, "PAUSE_S", 0.05)
    other = listening()
    port = other.getsockname()[1]
    threading.Timer(0.4, other.close).start()
    began = time.monotonic()
    with bound_socket("127.0.0.1", port, recovering=True) as mine:
        assert mine.getsockname()[1] == port
    assert 0.3 < time.monotonic() - began < 30


def test_an_address_of_another_machine_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PortTaken, match=r"cannot listen at 192\.0\.2\.1"):
        bound_socket("192.0.2.1", 8000)
