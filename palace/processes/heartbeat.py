"""Send heartbeats of this process, for the health checks."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.db import DatabaseError, InterfaceError, connection

from jobs import heartbeats
from palace.embedded.location import EmbeddedDatabaseFailed

EVERY_S = 15
WAIT_S = 2


@contextmanager
def heartbeat(process: heartbeats.Process) -> Iterator[None]:
    """Send a heartbeat every 15 seconds, from a thread of its own, because sweeps take longer."""
    stop = threading.Event()
    thread = threading.Thread(target=_beat, args=(process, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(WAIT_S)


def _beat(process: heartbeats.Process, stop: threading.Event) -> None:
    while True:
        with suppress(DatabaseError, InterfaceError, EmbeddedDatabaseFailed):  # the health checks find out
            heartbeats.beat(process)
        connection.close()
        if stop.wait(EVERY_S):
            return
