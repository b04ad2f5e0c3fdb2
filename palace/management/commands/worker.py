"""`worker`: runs background jobs."""

import faulthandler
import threading
from pathlib import Path
from typing import Any

import dramatiq
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from django.utils.module_loading import autodiscover_modules
from dramatiq import Worker

from memory.mining.cpu_limit import interrupt_overdue
from palace.logging import log_uncaught_errors
from palace.processes.heartbeat import heartbeat
from palace.processes.lifetime import end_with_parent, stop_on_signals, touch

GRACE_MS = 4000


class WorkerThreadEnded(Exception):
    """A thread of the worker has died; the process has to start again."""


def run_worker(stop: threading.Event, *, threads: int, life: Path | None = None) -> None:
    """Run jobs until `stop` is set, then give running ones a few seconds; touches `life` every second.

    Unfinished jobs are delivered again. Raises WorkerThreadEnded. Interrupts windows that take too much
    processor time; a single call that holds up all threads ends the process with a traceback.
    """
    connection.ensure_connection()  # starts the embedded server, which the queue does not
    connection.close()
    autodiscover_modules("actors")
    broker = dramatiq.get_broker()
    broker.emit_after("process_boot")
    worker = Worker(broker, worker_threads=threads)
    _reset_watchdog()
    worker.start()
    try:
        while not stop.wait(1):
            _reset_watchdog()
            interrupt_overdue()
            if not all(thread.is_alive() for thread in (*worker.workers, *worker.consumers.values())):
                raise WorkerThreadEnded
            touch(life)
    finally:
        faulthandler.cancel_dump_traceback_later()
        worker.stop(timeout=GRACE_MS)
        broker.close()


def _reset_watchdog() -> None:
    """Restart the watchdog, which ends this process with a traceback of all threads unless it is reset in
    time. Its clock runs outside the interpreter, which a call into C can block indefinitely."""
    faulthandler.dump_traceback_later(settings.WORKER_STALLED_AFTER_S, exit=True)


class Command(BaseCommand):
    """Runs jobs until stopped."""

    requires_system_checks = ()  # `run` and `migrate` run them
    help = "Run background jobs. Part of `run`."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--threads", type=int, default=settings.WORKER_THREADS)
        parser.add_argument("--parent", type=int, metavar="PID", help="exit when this process ends")
        parser.add_argument("--life", type=Path, metavar="FILE", help="touch this file every second")

    def handle(self, *args: Any, **options: Any) -> None:
        stop = stop_on_signals()
        end_with_parent(options["parent"])
        log_uncaught_errors()
        with heartbeat("worker"):
            run_worker(stop, threads=options["threads"], life=options["life"])
