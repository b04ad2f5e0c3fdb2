"""Creates, starts and stops a PostgreSQL cluster with initdb and pg_ctl."""

import os
import re
import shutil
import socket
import stat
import subprocess
import time
from contextlib import closing
from pathlib import Path

import psutil

from palace.embedded.location import (
    SOCKET,
    Account,
    EmbeddedDatabase,
    EmbeddedDatabaseFailed,
    binaries,
    server_account,
)

START_ATTEMPTS = 20
START_PAUSE_S = 0.5
# Errors of a server that starts while a killed one is still exiting.
STILL_IN_USE = ("pre-existing shared memory block", "already exists")
QUOTED_BY_SHELL = frozenset("\"$`\\'\n")  # pg_ctl starts the server through a shell
TUNING = (
    "listen_addresses=''",
    "unix_socket_permissions=0700",
    "max_connections=120",
    "shared_buffers=128MB",
    "jit=off",
    "log_min_messages=fatal",
    "log_min_error_statement=panic",
)
TRUST = "local all all trust\n"
REASON = re.compile("error:|FATAL:|PANIC:")  # the last lines only say what is cleaned up
UNSAFE_BUT_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


def is_alive(database: EmbeddedDatabase) -> bool:
    """Whether the server accepts connections; its process id alone could be a zombie's."""
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        try:
            probe.connect(str(database.socket_folder / SOCKET))
        except OSError:
            return False
    return True


def start(database: EmbeddedDatabase) -> None:
    """Start a stopped server, creating its cluster first if there is none.

    Returns once it accepts connections. Raises EmbeddedDatabaseFailed with the reason.
    """
    if QUOTED_BY_SHELL & set(str(database.folder)):
        raise EmbeddedDatabaseFailed(
            "PostgreSQL cannot use a folder whose path contains quotation marks, `$`, ` or \\: "
            "set PALACE_HOME to another folder."
        )
    account = server_account(database.data)
    if not (database.data / "PG_VERSION").exists():
        _create_cluster(database, account)
    for folder in (database.data, database.socket_folder):
        _make_owned_folder(folder, account)
    if not database.password_file.exists():  # of an earlier version, or lost
        set_authentication(database, TRUST)
    _start_with_retries(database, account)


def _start_with_retries(database: EmbeddedDatabase, account: Account) -> None:
    """Start the server, retrying while a killed one is still exiting."""
    for attempt in range(1, START_ATTEMPTS + 1):
        _remove_stale_locks(database)
        database.log.unlink(missing_ok=True)
        try:
            _run_start(database, account)
        except EmbeddedDatabaseFailed as error:
            is_transient = any(words in str(error) for words in STILL_IN_USE)
            if not is_transient or attempt == START_ATTEMPTS:
                raise
            time.sleep(START_PAUSE_S)
        else:
            return


def stop(database: EmbeddedDatabase) -> None:
    """Stop a running server, ending its sessions."""
    account = server_account(database.data)
    _run(account, "pg_ctl", "-D", str(database.data), "-w", "-t", "120", "-m", "fast", "stop")


def set_authentication(database: EmbeddedDatabase, lines: str) -> None:
    """Replace the authentication rules; a running server has to reload them."""
    new = database.authentication.with_suffix(".new")
    new.write_text(lines)
    account = server_account(database.data)
    if account.uid is not None and account.gid is not None:
        os.chown(new, account.uid, account.gid)
    new.chmod(0o600)
    new.replace(database.authentication)


def _run_start(database: EmbeddedDatabase, account: Account) -> None:
    settings = (*TUNING, *(() if database.durable else UNSAFE_BUT_FAST))
    options = " ".join(f"-c {setting}" for setting in settings)
    options += f" -c unix_socket_directories='{database.socket_folder}'"
    where = ("-D", str(database.data), "-l", str(database.log))
    try:
        _run(account, "pg_ctl", *where, "-w", "-t", "120", "-o", options, "start")
    except EmbeddedDatabaseFailed as error:
        raise EmbeddedDatabaseFailed(
            f"The embedded PostgreSQL did not start: {_fatal_errors(database.log) or error}"
        ) from error


def _fatal_errors(log: Path) -> str:
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return ""
    return " ".join(line.partition("FATAL:")[2].strip() for line in lines if "FATAL:" in line)


def _make_owned_folder(folder: Path, account: Account) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    found = folder.stat(follow_symlinks=False)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {os.geteuid(), account.uid}:
        raise EmbeddedDatabaseFailed(f"{folder} belongs to another account: remove it, or set PALACE_HOME.")
    if account.uid is not None and account.gid is not None:
        os.chown(folder, account.uid, account.gid)
    folder.chmod(0o700)


def _create_cluster(database: EmbeddedDatabase, account: Account) -> None:
    """Create the cluster with the builtin collation, which sorts the same on every system."""
    new = database.data.with_name("data.new")  # renamed when complete; an interrupted one is discarded
    shutil.rmtree(new, ignore_errors=True)
    _make_owned_folder(new, account)
    locale = "C.UTF-8" if os.uname().sysname == "Linux" else "en_US.UTF-8"
    collation = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", f"--locale={locale}")
    login = ("--username=postgres", "--auth=trust")
    _run(account, "initdb", f"--pgdata={new}", "--encoding=UTF8", "--no-instructions", *collation, *login)
    new.rename(database.data)


def _remove_stale_locks(database: EmbeddedDatabase) -> None:
    """Remove locks whose process is a zombie or not PostgreSQL, once nothing works in the folder.

    The server checks locks by process id only, and ids are reused: after a power cut or in a container,
    another process with that id would block it for good.
    """
    locks = (database.data / "postmaster.pid", database.socket_folder / f"{SOCKET}.lock")
    stale = [lock for lock in locks if lock.exists() and not _is_server(_pid_in(lock))]
    for _ in range(START_ATTEMPTS if stale else 0):
        if not _has_processes(database.data):
            for lock in stale:
                lock.unlink(missing_ok=True)
            return
        time.sleep(START_PAUSE_S)


def _pid_in(lock: Path) -> int:
    try:
        return int(lock.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 0


def _is_server(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        return bool(process.name() == "postgres" and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _has_processes(data: Path) -> bool:
    """Whether a process of an earlier server still works in `data`, its working directory."""
    found = (process.info for process in psutil.process_iter(["name", "cwd"]))
    return any(info["name"] == "postgres" and info["cwd"] == str(data.resolve()) for info in found)


def _run(account: Account, program: str, *arguments: str) -> None:
    result = subprocess.run(  # noqa: S603 - our own program, no shell
        [str(binaries(account) / program), *arguments],
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        start_new_session=True,
        env={**os.environ, "LC_ALL": "C", "LANGUAGE": ""},
        **account.options,  # type: ignore[call-overload]
    )
    if result.returncode:
        lines = (result.stderr or result.stdout).strip().splitlines()
        reasons = [line for line in lines if REASON.search(line)] or lines[-1:]
        raise EmbeddedDatabaseFailed(f"{program} failed: {' '.join(reasons[:1]) or 'no reason given'}")
