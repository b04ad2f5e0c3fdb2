"""Records that this process works, for the health checks."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.db import DatabaseError, InterfaceError, connection

from accounts import heartbeats
from palace.embedded.location import EmbeddedDatabaseFailed

EVERY_S = 15
WAIT_S = 2


@contextmanager
def heartbeat(process: heartbeats.Process) -> Iterator[None]:
    """Record every 15 seconds that this process works, in a thread of its own: sweeps take longer."""
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
