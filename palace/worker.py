"""The process that does background jobs."""

import threading
from pathlib import Path

import dramatiq
from django.db import connection
from django.utils.module_loading import autodiscover_modules
from dramatiq import Worker

from palace.lifetime import show_life

GRACE_MS = 4000


class WorkerThreadEnded(Exception):
    """A thread of the worker has ended by itself; the process has to start again."""


def work(stop: threading.Event, *, threads: int, life: Path | None = None) -> None:
    """Do jobs until `stop` is set, then let running ones finish for a few seconds.

    What is not finished by then is delivered again. Raises WorkerThreadEnded.
    """
    connection.ensure_connection()  # the queue does not start the embedded server by itself
    connection.close()
    autodiscover_modules("actors")
    broker = dramatiq.get_broker()
    broker.emit_after("process_boot")
    worker = Worker(broker, worker_threads=threads)
    worker.start()
    try:
        while not stop.wait(1):
            if not all(
                thread.is_alive() for thread in (*worker.workers, *worker.consumers.values())
            ):
                raise WorkerThreadEnded
            show_life(life)
    finally:
        worker.stop(timeout=GRACE_MS)
        broker.close()
