"""Shares one embedded PostgreSQL among the processes of a checkout.

Every process that uses the server holds a shared lock while it lives. The last one to leave stops the
server; a killed process loses its lock and so cannot keep the server running.

The owner of the cluster logs in with a password that lies beside the data. The application's login needs
none: the socket is open to this account alone, and the login reads nothing without a signed scope.
"""

import atexit
import fcntl
import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from palace.embedded.cluster import is_alive, set_authentication, start, stop
from palace.embedded.location import (
    APPLICATION,
    OWNER,
    EmbeddedDatabase,
    EmbeddedDatabaseFailed,
    write_once,
    wrong_owner,
)

READY_TIMEOUT_S = 120
READY_PAUSE_S = 0.2
AUTHENTICATION = f"local all {APPLICATION} trust\nlocal all all scram-sha-256\n"

_thread_lock = threading.Lock()
_user_locks: dict[Path, IO[str]] = {}


def ensure_running(database: EmbeddedDatabase) -> None:
    """Start the server unless it runs, and keep it running for the life of this process.

    Safe to call from several threads and processes at once. Raises EmbeddedDatabaseFailed.
    """
    with _thread_lock:
        if database.home in _user_locks and is_alive(database):
            return
        with _start_lock(database):
            _start_and_wait(database)
            if database.home not in _user_locks:
                _user_locks[database.home] = lock = _lock_file(database, "users.lock")
                fcntl.flock(lock, fcntl.LOCK_SH)
                atexit.register(release, database)


def release(database: EmbeddedDatabase) -> None:
    """Stop using the server; it stops if no other process uses it."""
    with _thread_lock:
        held = _user_locks.pop(database.home, None)
        if held is None:
            return
        with _start_lock(database):
            held.close()
            if is_alive(database) and _is_unused(database):
                stop(database)


def is_shared(database: EmbeddedDatabase) -> bool:
    """Whether another process uses the server, too. For a process that uses it."""
    with _thread_lock, _start_lock(database):  # nobody takes or releases a lock meanwhile
        held = _user_locks[database.home]
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            fcntl.flock(held, fcntl.LOCK_SH)
    return False


def owner_password(database: EmbeddedDatabase) -> str:
    """The password of the cluster's owner, which the first start makes."""
    path = database.password_file
    try:
        if not path.exists():
            write_once(path, secrets.token_urlsafe(32))
        return path.read_text()
    except PermissionError as error:
        raise wrong_owner(database.folder) from error


def _release_after_fork() -> None:
    """Leave the lock to the parent; the forked child takes its own when it needs one."""
    global _thread_lock
    _thread_lock = threading.Lock()  # another thread of the parent may have held the old one
    for held in _user_locks.values():
        held.close()
    _user_locks.clear()
    atexit.unregister(release)


os.register_at_fork(after_in_child=_release_after_fork)


@contextmanager
def _start_lock(database: EmbeddedDatabase) -> Iterator[None]:
    with _lock_file(database, "start.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lock_file(database: EmbeddedDatabase, name: str) -> IO[str]:
    database.folder.mkdir(parents=True, exist_ok=True)
    try:
        return (database.folder / name).open("a")
    except PermissionError as error:
        raise wrong_owner(database.folder) from error


def _is_unused(database: EmbeddedDatabase) -> bool:
    with _lock_file(database, "users.lock") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _start_and_wait(database: EmbeddedDatabase) -> None:
    """Start the server if needed, and wait for one that is still recovering."""
    deadline = time.monotonic() + READY_TIMEOUT_S
    while True:
        if not is_alive(database):  # checked each time: it may be killed at any moment
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
    where = make_conninfo(
        host=str(database.socket_folder), user=OWNER, password=owner_password(database), dbname="postgres"
    )
    with psycopg.connect(where, autocommit=True) as connection:
        if database.authentication.read_text() != AUTHENTICATION:
            _require_owner_password(connection, database)
        query = "SELECT 1 FROM pg_database WHERE datname = %s"
        if connection.execute(query, [database.name]).fetchone() is None:
            statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database.name))
            connection.execute(statement)


def _require_owner_password(connection: psycopg.Connection, database: EmbeddedDatabase) -> None:
    """Require the owner's password, without which new clusters and those of earlier versions let everybody
    in."""
    given = connection.pgconn.encrypt_password(
        owner_password(database).encode(), OWNER.encode(), b"scram-sha-256"
    )
    statement = sql.SQL("ALTER ROLE {} PASSWORD {}")
    connection.execute(statement.format(sql.Identifier(OWNER), sql.Literal(given.decode())))
    set_authentication(database, AUTHENTICATION)
    connection.execute("SELECT pg_reload_conf()")
