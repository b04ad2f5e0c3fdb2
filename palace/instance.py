"""One running Palace for each PALACE_HOME, and the socket it answers on."""

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


class AlreadyRunning(Exception):
    """Palace runs here already; the text says where. `as_wanted`: at the wanted address."""

    def __init__(self, address: str, *, as_wanted: bool) -> None:
        super().__init__(f"Palace already runs at {address}")
        self.as_wanted = as_wanted


class PortTaken(Exception):
    """Another program answers at the port; the text says what to do."""


@contextmanager
def only_instance(home: Path, address: str) -> Iterator[bool]:
    """Be the one Palace of `home`. Yields whether an earlier one ended without tidying up.

    The mark vanishes with the process, however it ends. Raises AlreadyRunning.
    """
    home.mkdir(parents=True, exist_ok=True)
    with (home / "run.lock").open("a+") as file:
        file.seek(0)
        left = file.read().strip()
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(left or address, as_wanted=left in {"", address}) from None
        _write(file, address)
        try:
            yield bool(left)
        finally:
            _write(file, "")


def _write(file: IO[str], text: str) -> None:
    file.seek(0)
    file.truncate()
    file.write(text)
    file.flush()


def bound_socket(host: str, port: int, *, recovering: bool = False) -> socket.socket:
    """A socket bound to the address, to be handed to the web process.

    After a killed run, waits a little for its web process to leave. Raises PortTaken.
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
    other = f"choose another one, as in `PORT={port % 60_000 + 1} make run`."
    if error.errno == errno.EADDRINUSE:
        return f"Another program uses port {port}: stop it, or {other}"
    if error.errno == errno.EACCES:
        return f"This account may not use port {port}: {other}"
    return (
        f"Palace cannot listen at {host} port {port} ({error.strerror}): set PALACE_BIND or PORT."
    )
