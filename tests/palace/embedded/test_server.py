"""The embedded server in the hands of several processes, some of which are killed."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import psycopg
import pytest

from palace.embedded.cluster import is_alive, set_authentication
from palace.embedded.location import EmbeddedDatabase, EmbeddedDatabaseFailed, data_folder, server_account
from palace.embedded.server import ensure_running, owner_password, release
from tests.palace.processes import CHECKOUT, environment, eventually, reachable, servers, started

pytestmark = pytest.mark.drill

USER = str(Path(__file__).with_name("user.py"))
FOREIGN = (
    "import os, sys; from pathlib import Path\n"
    "from palace.embedded.location import EmbeddedDatabaseFailed, server_account\n"
    "os.setuid(65534)\n"
    "try: server_account(Path(sys.argv[1]))\n"
    "except EmbeddedDatabaseFailed as error: print(error)\n"
)
Process = subprocess.Popen[str]
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder that the server's account can reach."""
    yield reachable(tmp_path) / "postgres"
    for process in servers(tmp_path / "postgres" / "data"):
        process.send_signal(signal.SIGQUIT)


def user_of(home: Path) -> AbstractContextManager[Process]:
    return started(USER, str(home), env=environment(home.parent), stdin=subprocess.PIPE)


def line(process: Process) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def ask(process: Process, word: str = "look") -> str:
    assert process.stdin is not None
    process.stdin.write(f"{word}\n")
    process.stdin.flush()
    return line(process)


def leave(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(30) == 0


def kill(process: Process) -> None:
    process.kill()
    process.wait()


def is_gone(home: Path) -> bool:
    return not servers(home / "data")


def starts(home: Path) -> None:
    """A user can start the server, use it and leave."""
    with user_of(home) as user:
        assert line(user)
        leave(user)


def test_simultaneous_starters_share_one_server_and_the_last_one_stops_it(home: Path) -> None:
    with ExitStack() as stack:
        users = [stack.enter_context(user_of(home)) for _ in range(4)]
        assert len({line(user) for user in users}) == 1
        for user in users[:3]:
            leave(user)
        assert ask(users[3])
        leave(users[3])
    assert not is_alive(EmbeddedDatabase(home))
    eventually(lambda: is_gone(home), 60)


def test_killed_users_neither_stop_the_server_nor_keep_it(home: Path) -> None:
    with user_of(home) as first, user_of(home) as second:
        began = line(first)
        assert line(second) == began
        kill(first)
        assert ask(second) == began
        kill(second)
    assert is_alive(EmbeddedDatabase(home))
    with user_of(home) as third:
        assert line(third) == began
        leave(third)
    eventually(lambda: is_gone(home), 60)


def test_a_killed_server_is_restarted_on_demand(home: Path) -> None:
    with user_of(home) as user:
        began = line(user)
        postmaster = int((home / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGKILL)
        eventually(lambda: not is_alive(EmbeddedDatabase(home)), 60)
        assert began < ask(user) < "3"
        leave(user)


def test_a_lock_whose_process_id_was_reused_is_removed(home: Path) -> None:
    stale = EmbeddedDatabase(home, durable=False).data / "postmaster.pid"
    with user_of(home) as user:
        line(user)
        lock = stale.read_text()
        leave(user)
    stale.write_text(lock.replace(lock.split()[0], str(os.getpid()), 1))
    os.chown(stale, stale.parent.stat().st_uid, stale.parent.stat().st_gid)
    starts(home)


def test_a_forked_child_leaves_its_parents_lock_alone(home: Path) -> None:
    with user_of(home) as parent:
        began = line(parent)
        assert ask(parent, "fork") == began
        assert ask(parent) == began
        leave(parent)


def test_an_incomplete_cluster_is_recreated(home: Path) -> None:
    (home / "data.new" / "base").mkdir(parents=True)
    (home / "data.new" / "PG_VERSION").write_text("18\n")
    starts(home)


@pytest.mark.parametrize("name", ["x" * 120, "Mémoire, de Zoé's 宮殿"])
def test_a_long_or_unusual_path_has_its_socket_elsewhere(tmp_path: Path, name: str) -> None:
    folder = EmbeddedDatabase(tmp_path / name).socket_folder
    assert len(os.fsencode(folder / ".s.PGSQL.5432")) < 104
    assert folder == EmbeddedDatabase(tmp_path / name).socket_folder
    assert folder != EmbeddedDatabase(tmp_path / f"{name}2").socket_folder


def test_a_server_with_a_long_path_starts(home: Path) -> None:
    database = EmbeddedDatabase(home / ("y" * 120), durable=False)
    ensure_running(database)
    try:
        log_in(database, owner_password(database)).close()
    finally:
        release(database)
        shutil.rmtree(database.socket_folder, ignore_errors=True)
    assert not is_alive(database)


def test_the_owner_logs_in_with_the_password_beside_the_data(home: Path) -> None:
    database = EmbeddedDatabase(home, durable=False)
    ensure_running(database)
    try:
        assert database.password_file.stat().st_mode & 0o777 == 0o600
        log_in(database, owner_password(database)).close()
        with pytest.raises(psycopg.OperationalError, match="password"):
            log_in(database, "")
        with pytest.raises(psycopg.OperationalError, match="password"):
            log_in(database, "a guess")
    finally:
        release(database)


def test_a_cluster_of_an_earlier_version_or_without_its_password_gets_one(home: Path) -> None:
    database = EmbeddedDatabase(home, durable=False)
    starts(home)
    database.password_file.unlink()
    set_authentication(database, "local all all trust\n")
    starts(home)
    first = owner_password(database)
    database.password_file.unlink()
    starts(home)
    assert owner_password(database) != first
    assert "trust" not in database.authentication.read_text().splitlines()[-1]


def log_in(database: EmbeddedDatabase, password: str) -> psycopg.Connection:
    place = str(database.socket_folder)
    return psycopg.connect(host=place, user="postgres", password=password, dbname=database.name)


def test_a_path_that_a_shell_would_change_is_refused(home: Path) -> None:
    with pytest.raises(EmbeddedDatabaseFailed, match="PALACE_HOME"):
        ensure_running(EmbeddedDatabase(home / "a$HOME"))


def test_a_server_that_cannot_start_says_why(home: Path) -> None:
    database = EmbeddedDatabase(home, durable=False)
    ensure_running(database)
    release(database)
    (database.data / "PG_VERSION").write_text("11\n")
    with pytest.raises(EmbeddedDatabaseFailed, match="incompatible with server"):
        ensure_running(database)


@root_only
def test_root_below_a_private_folder_uses_var_lib(tmp_path: Path) -> None:
    private = tmp_path / "root"
    private.mkdir(mode=0o700)
    database = EmbeddedDatabase(private / "checkout" / ".palace" / "postgres", durable=False)
    ensure_running(database)
    try:
        assert database.folder.parent == Path("/var/lib")
        assert is_alive(database)
        assert private.stat().st_mode & 0o777 == 0o700
        assert database.data.stat().st_uid != 0
    finally:
        release(database)
        shutil.rmtree(database.folder)


@root_only
def test_root_finds_the_data_of_an_ordinary_user(tmp_path: Path) -> None:
    wanted = tmp_path / "home" / "postgres"
    wanted.parent.mkdir(mode=0o700)
    assert data_folder(wanted) != wanted
    (wanted / "data").mkdir()
    (wanted / "data" / "PG_VERSION").write_text("18\n")
    os.chown(wanted / "data" / "PG_VERSION", 65534, 65534)
    assert data_folder(wanted) == wanted
    assert server_account(wanted / "data").uid == 65534


@root_only
def test_data_of_another_account_is_refused(home: Path) -> None:
    (home / "data").mkdir(parents=True)
    command = [sys.executable, "-c", FOREIGN, str(home / "data")]
    said = subprocess.run(
        command, env=environment(home.parent), cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert "belongs to another account" in said.stdout
