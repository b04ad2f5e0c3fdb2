"""Starts and stops the PostgreSQL that comes in a wheel, shared by all processes of a checkout.

Each process that uses the server holds a shared lock while it lives. Whoever leaves last stops
the server; a process that was killed has lost its lock, so it cannot keep the server alive.
"""

import atexit
import fcntl
import hashlib
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psycopg
from psycopg import sql

from palace.embedded.account import Account, binaries, data_folder, server_account
from palace.embedded.errors import EmbeddedDatabaseFailed

SOCKET = ".s.PGSQL.5432"
SOCKET_PATH_LIMIT = 100
START_ATTEMPTS = 20
START_PAUSE_S = 0.5
TUNING = (
    "listen_addresses=''",
    "unix_socket_permissions=0700",
    "max_connections=120",
    "shared_buffers=128MB",
    "jit=off",
    "log_min_messages=fatal",
    "log_min_error_statement=panic",
)
UNSAFE_BUT_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


@dataclass(frozen=True, slots=True)
class EmbeddedDatabase:
    """Where an embedded server keeps its data, and whether it must survive a power cut."""

    home: Path
    name: str = "palace"
    durable: bool = True

    @property
    def folder(self) -> Path:
        """The folder of data, logs and locks, reachable by the account that runs the server."""
        return data_folder(self.home, server_account())

    @property
    def socket_folder(self) -> Path:
        """The folder of the Unix socket; a short one when the path would be too long."""
        folder = self.folder / "run"
        if len(str(folder / SOCKET)) <= SOCKET_PATH_LIMIT:
            return folder
        digest = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"palace-{os.geteuid()}-{digest}"


_guard = threading.Lock()
_held: dict[Path, IO[str]] = {}


def ensure_running(database: EmbeddedDatabase) -> None:
    """Start the server unless it runs, and keep it for the life of this process.

    Safe with any number of threads and processes at once. Raises EmbeddedDatabaseFailed.
    """
    with _guard:
        if database.home in _held and alive(database):
            return
        with _starting(database):
            if not alive(database):
                _start(database)
            _create_database(database)
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
                _control(database, "-w", "-m", "fast", "stop")


def forget_after_fork() -> None:
    """In a forked child: the lock belongs to the parent, and the child takes one of its own."""
    for held in _held.values():
        held.close()
    _held.clear()
    atexit.unregister(release)


os.register_at_fork(after_in_child=forget_after_fork)


def alive(database: EmbeddedDatabase) -> bool:
    """Whether the server answers on its socket; a process id alone would say yes for a zombie."""
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        try:
            probe.connect(str(database.socket_folder / SOCKET))
        except OSError:
            return False
    return True


@contextmanager
def _starting(database: EmbeddedDatabase) -> Iterator[None]:
    database.folder.mkdir(parents=True, exist_ok=True)
    with (database.folder / "start.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _hold(database: EmbeddedDatabase) -> IO[str]:
    lock = (database.folder / "users.lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def _unused(database: EmbeddedDatabase) -> bool:
    with (database.folder / "users.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _start(database: EmbeddedDatabase) -> None:
    account = server_account()
    _own_folders(database, account)
    if not (database.folder / "data" / "PG_VERSION").exists():
        _initialise(database)
    _remove_zombie_lock(database.folder / "data" / "postmaster.pid")
    settings = (*TUNING, *(() if database.durable else UNSAFE_BUT_FAST))
    options = " ".join(f"-c {setting}" for setting in settings)
    options += f" -c unix_socket_directories='{database.socket_folder}'"
    log = database.folder / "data" / "server.log"
    for attempt in range(START_ATTEMPTS):
        try:
            _control(database, "-w", "-t", "120", "-l", str(log), "-o", options, "start")
        except EmbeddedDatabaseFailed:
            # After a kill the old backends hold their shared memory for a moment.
            if attempt == START_ATTEMPTS - 1:
                raise
            time.sleep(START_PAUSE_S)
        else:
            return


def _own_folders(database: EmbeddedDatabase, account: Account) -> None:
    for folder in (database.folder / "data", database.socket_folder):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        if account.uid is not None and account.gid is not None:
            os.chown(folder, account.uid, account.gid)


def _initialise(database: EmbeddedDatabase) -> None:
    _run(
        "initdb",
        "--pgdata",
        str(database.folder / "data"),
        "--username=postgres",
        "--encoding=UTF8",
        "--locale=C.UTF-8" if os.uname().sysname == "Linux" else "--locale=C",
        "--auth=trust",
        "--no-instructions",
    )


def _remove_zombie_lock(pid_file: Path) -> None:
    """In a container without an init process a dead server stays as a zombie and looks alive."""
    try:
        pid = pid_file.read_text().split()[0]
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (OSError, IndexError):
        return
    if state == "Z":
        pid_file.unlink()


def _control(database: EmbeddedDatabase, *arguments: str) -> None:
    _run("pg_ctl", "-D", str(database.folder / "data"), *arguments)


def _run(program: str, *arguments: str) -> None:
    account = server_account()
    result = subprocess.run(  # noqa: S603 - our own program, no shell
        [str(binaries(account) / program), *arguments],
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
        **account.options,  # type: ignore[call-overload]
    )
    if result.returncode:
        detail = (result.stderr or result.stdout).strip().splitlines()[-1:]
        raise EmbeddedDatabaseFailed(f"{program} failed: {' '.join(detail) or 'no reason given'}")


def _create_database(database: EmbeddedDatabase) -> None:
    where = f"host={database.socket_folder} user=postgres dbname=postgres"
    with psycopg.connect(where, autocommit=True) as connection:
        query = "SELECT 1 FROM pg_database WHERE datname = %s"
        if connection.execute(query, [database.name]).fetchone() is None:
            statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database.name))
            connection.execute(statement)
