"""Allows one running Palace per PALACE_HOME, and opens the socket it answers on."""

import errno
import fcntl
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

RECOVERY_S = 15
PAUSE_S = 0.3
FIRST_UNPRIVILEGED = 1024


class AlreadyRunning(Exception):
    """Another Palace runs in this home; the message says where. `same_address`: at the address wanted."""

    def __init__(self, address: str, *, same_address: bool) -> None:
        super().__init__(f"Palace is already running at {address}")
        self.same_address = same_address


class PortTaken(Exception):
    """The port cannot be used; the message says what to do."""


@contextmanager
def single_instance(home: Path, address: str) -> Iterator[bool]:
    """Hold the lock of `home`; yields whether the previous run ended without releasing it.

    The operating system drops the lock with the process, however that ends. Raises AlreadyRunning.
    """
    home.mkdir(parents=True, exist_ok=True)
    with (home / "run.lock").open("a+") as file:
        file.seek(0)
        previous = file.read().strip()
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(previous or address, same_address=previous in {"", address}) from None
        _write(file, address)
        try:
            yield bool(previous)
        finally:
            _write(file, "")


def _write(file: IO[str], text: str) -> None:
    file.seek(0)
    file.truncate()
    file.write(text)
    file.flush()


def bound_socket(host: str, port: int, *, recovering: bool = False) -> socket.socket:
    """A socket bound to the address, to hand to the web process.

    When `recovering` from a killed run, waits for its web process to exit. Raises PortTaken.
    """
    deadline = time.monotonic() + (RECOVERY_S if recovering else 0)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    while True:
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise PortTaken(_advice(error, host, port)) from error
            time.sleep(PAUSE_S)
        else:
            return listener


def _advice(error: OSError, host: str, port: int) -> str:
    free = 8000 if port < FIRST_UNPRIVILEGED else port % 60_000 + 1
    other = f"choose another one, as in `PORT={free} make run`."
    if error.errno == errno.EADDRINUSE:
        return f"Another program uses port {port}: stop it, or {other}"
    if error.errno == errno.EACCES:
        return f"This account may not use port {port}: {other}"
    return f"Palace cannot listen on {host} port {port} ({error.strerror}): set PALACE_BIND or PORT."
