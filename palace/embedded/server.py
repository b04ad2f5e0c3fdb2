"""Starts and stops the PostgreSQL that comes in a wheel, shared by all processes of a checkout.

Each process that uses the server holds a shared lock while it lives. Whoever leaves last stops
the server; a process that was killed has lost its lock, so it cannot keep the server alive.
"""

import atexit
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from palace.embedded.errors import EmbeddedDatabaseFailed
from palace.embedded.place import EmbeddedDatabase
from palace.embedded.programs import alive, start, stop

READY_WITHIN_S = 120
READY_PAUSE_S = 0.2

_guard = threading.Lock()
_held: dict[Path, IO[str]] = {}

__all__ = ["EmbeddedDatabase", "alive", "ensure_running", "release"]


def ensure_running(database: EmbeddedDatabase) -> None:
    """Start the server unless it runs, and keep it for the life of this process.

    Safe with any number of threads and processes at once. Raises EmbeddedDatabaseFailed.
    """
    with _guard:
        if database.home in _held and alive(database):
            return
        with _starting(database):
            _prepare(database)
            if database.home not in _held:
                _held[database.home] = _hold(database)
                atexit.register(release, database)


def release(database: EmbeddedDatabase) -> None:
    """Let go of the server; it stops when no other process uses it."""
    with _guard:
        held = _held.pop(database.home, None)
        if held is None:
            return
        with _starting(database):
            held.close()
            if alive(database) and _unused(database):
                stop(database)


def forget_after_fork() -> None:
    """In a forked child: the lock belongs to the parent, and the child takes one of its own."""
    global _guard
    _guard = threading.Lock()  # another thread of the parent may have held the old one
    for held in _held.values():
        held.close()
    _held.clear()
    atexit.unregister(release)


os.register_at_fork(after_in_child=forget_after_fork)


@contextmanager
def _starting(database: EmbeddedDatabase) -> Iterator[None]:
    with _lock_file(database, "start.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lock_file(database: EmbeddedDatabase, name: str) -> IO[str]:
    database.folder.mkdir(parents=True, exist_ok=True)
    try:
        return (database.folder / name).open("a")
    except PermissionError as error:
        raise EmbeddedDatabaseFailed(
            f"{database.folder} belongs to another account: start Palace as that account, or set "
            "PALACE_HOME to a folder of your own."
        ) from error


def _hold(database: EmbeddedDatabase) -> IO[str]:
    lock = _lock_file(database, "users.lock")
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def _unused(database: EmbeddedDatabase) -> bool:
    with _lock_file(database, "users.lock") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _prepare(database: EmbeddedDatabase) -> None:
    """Start the server if it does not run, and wait for one that is still recovering."""
    deadline = time.monotonic() + READY_WITHIN_S
    while True:
        if not alive(database):  # or not any more: it may be killed at any moment
            start(database)
        try:
            _create_database(database)
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise EmbeddedDatabaseFailed(
                    f"The embedded PostgreSQL does not answer; its log is {database.log}."
                ) from error
            time.sleep(READY_PAUSE_S)
        else:
            return


def _create_database(database: EmbeddedDatabase) -> None:
    where = make_conninfo(host=str(database.socket_folder), user="postgres", dbname="postgres")
    with psycopg.connect(where, autocommit=True) as connection:
        query = "SELECT 1 FROM pg_database WHERE datname = %s"
        if connection.execute(query, [database.name]).fetchone() is None:
            statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database.name))
            connection.execute(statement)
