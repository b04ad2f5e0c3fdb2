"""The embedded server shared by several processes, some of which are killed; and `manage.py scrub`."""

import os
import shutil
import signal
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from palace.embedded import cluster
from palace.embedded.cluster import is_alive, set_authentication
from palace.embedded.location import EmbeddedDatabase, EmbeddedDatabaseFailed, data_folder, server_account
from palace.embedded.server import ensure_running, is_shared, owner_password, release
from tests.palace.processes import environment, eventually, reachable, run_process, servers, started

USER = str(Path(__file__).with_name("user.py"))
FOREIGN = (
    "import os, sys; from pathlib import Path\n"
    "from palace.embedded.location import EmbeddedDatabaseFailed, server_account\n"
    "os.setuid(65534)\n"
    "try: server_account(Path(sys.argv[1]))\n"
    "except EmbeddedDatabaseFailed as error: print(error)\n"
)
pytestmark = pytest.mark.drill
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def home(tmp_path):
    """A folder that the server's account can reach."""
    yield reachable(tmp_path) / "postgres"
    for process in servers(tmp_path / "postgres" / "data"):
        process.send_signal(signal.SIGQUIT)


@contextmanager
def running(database):
    ensure_running(database)
    try:
        yield database
    finally:
        release(database)


def user_of(home):
    return started(USER, str(home), env=environment(home.parent), stdin=subprocess.PIPE)


def line(process):
    return process.stdout.readline().strip()


def ask(process, word="look"):
    process.stdin.write(f"{word}\n")
    process.stdin.flush()
    return line(process)


def end(process):
    process.stdin.close()
    assert process.wait(30) == 0


def kill(process):
    process.kill()
    process.wait()


def check_stopped(home):
    assert not is_alive(EmbeddedDatabase(home))
    eventually(lambda: not servers(home / "data"), 60)


def check_start(home):
    """Check that a process can start the server, use it and end."""
    with user_of(home) as user:
        assert line(user)
        end(user)


def test_concurrent_starters_share_one_server_and_the_last_one_stops_it(home):
    with ExitStack() as stack:
        *users, last = (stack.enter_context(user_of(home)) for _ in range(4))
        (began,) = {line(user) for user in (*users, last)}
        for user in users:
            end(user)
        assert ask(last, "fork") == ask(last) == began, "the child does not release its parent's lock"
        end(last)
    check_stopped(home)


def test_killed_processes_neither_stop_the_server_nor_keep_it_running(home):
    with user_of(home) as first, user_of(home) as second:
        began = line(first)
        assert line(second) == began
        kill(first)
        assert ask(second) == began
        with running(EmbeddedDatabase(home, durable=False)) as database:
            assert is_shared(database)
        kill(second)
    assert is_alive(EmbeddedDatabase(home))
    with user_of(home) as third:
        assert line(third) == began
        end(third)
    check_stopped(home)


def test_incomplete_cluster_and_stale_lock_with_a_reused_process_id_are_removed(home):
    (home / "data.new" / "base").mkdir(parents=True)
    (home / "data.new" / "PG_VERSION").write_text("18\n")
    stale = EmbeddedDatabase(home, durable=False).data / "postmaster.pid"
    with user_of(home) as user:
        line(user)
        lock = stale.read_text()
        end(user)
    stale.write_text(lock.replace(lock.split()[0], str(os.getpid()), 1))
    os.chown(stale, stale.parent.stat().st_uid, stale.parent.stat().st_gid)
    check_start(home)


@pytest.mark.parametrize("name", ["x" * 120, "Mémoire, de Zoé's 宮殿"])
def test_long_or_unusual_path_gets_a_short_socket_folder(home, name):
    database = EmbeddedDatabase(home / name, durable=False)
    folder = database.socket_folder
    assert len(os.fsencode(folder / ".s.PGSQL.5432")) < 104
    assert folder == EmbeddedDatabase(home / name).socket_folder
    assert folder != EmbeddedDatabase(home / f"{name}2").socket_folder
    if name.isascii():
        with running(database):
            log_in(database, owner_password(database)).close()
        shutil.rmtree(folder, ignore_errors=True)
        assert not is_alive(database)


def test_owner_logs_in_with_the_stored_password_or_a_new_one_if_it_is_lost(home):
    database = EmbeddedDatabase(home, durable=False)
    with running(database):
        assert not is_shared(database)
        assert database.password_file.stat().st_mode & 0o777 == 0o600
        log_in(database, first := owner_password(database)).close()
        for wrong in ("", "a guess"):
            with pytest.raises(psycopg.OperationalError, match="password"):
                log_in(database, wrong)
    for lost in (lambda: set_authentication(database, "local all all trust\n"), lambda: None):
        database.password_file.unlink()
        lost()
        check_start(home)
        assert owner_password(database) != first
        first = owner_password(database)
    assert "trust" not in database.authentication.read_text().splitlines()[-1]


def log_in(database, password):
    place = str(database.socket_folder)
    return psycopg.connect(
        host=place, user="postgres", password=password, dbname=database.name, autocommit=True
    )


def test_failed_start_reports_the_reason(home):
    with pytest.raises(EmbeddedDatabaseFailed, match="PALACE_HOME"):
        ensure_running(EmbeddedDatabase(home / "a$HOME"))
    with running(EmbeddedDatabase(home, durable=False)) as database:
        pass
    (database.data / "PG_VERSION").write_text("11\n")
    with pytest.raises(EmbeddedDatabaseFailed, match="incompatible with server"):
        ensure_running(database)


def test_full_disk_at_the_first_start_is_the_reason_reported(home, monkeypatch):
    home.mkdir()
    initdb = home / "initdb"
    said = (
        "creating configuration files ... initdb: error: could not write file: No space left on device",
        "initdb: removing contents of data directory",
    )
    initdb.write_text(f"#!/bin/sh\nprintf '%s\\n' '{said[0]}' '{said[1]}' >&2\nexit 1\n")
    initdb.chmod(0o755)
    monkeypatch.setattr(cluster, "binaries", lambda account: home)
    with pytest.raises(EmbeddedDatabaseFailed, match=r"No space left on device$"):
        ensure_running(EmbeddedDatabase(home, durable=False))


@root_only
def test_root_below_a_private_folder_uses_var_lib(tmp_path):
    private = tmp_path / "root"
    private.mkdir(mode=0o700)
    with running(EmbeddedDatabase(private / "checkout" / ".palace" / "postgres", durable=False)) as database:
        assert database.folder.parent == Path("/var/lib")
        assert is_alive(database)
        assert private.stat().st_mode & 0o777 == 0o700
        assert database.data.stat().st_uid != 0
    shutil.rmtree(database.folder)


@root_only
def test_root_uses_existing_data_of_an_ordinary_user_who_cannot_use_that_of_another(home):
    home.parent.chmod(0o700)
    assert data_folder(home) != home
    (home / "data").mkdir(parents=True)
    (home / "data" / "PG_VERSION").write_text("18\n")
    os.chown(home / "data" / "PG_VERSION", 65534, 65534)
    assert data_folder(home) == home
    assert server_account(home / "data").uid == 65534
    home.parent.chmod(0o755)
    command = ["-c", FOREIGN, str(home / "data")]
    assert "belongs to another account" in run_process(*command, env=environment(home.parent)).stdout


WORD = "Zephyrquartz"
FORGOTTEN = f"'{WORD} ' || n || repeat(' and more', 20)"


def folders_containing(database, word):
    """The folders of the server's data with a file that contains the word."""
    files = (path for path in database.data.rglob("*") if path.is_file())
    return {path.relative_to(database.data).parts[0] for path in files if word.encode() in path.read_bytes()}


def test_scrub_leaves_no_deleted_words_on_disk(home):
    with running(EmbeddedDatabase(home, durable=False)) as database:
        fill_and_forget(database)
        assert folders_containing(database, WORD) == {"base", "pg_wal"}
        run = run_process("manage.py", "scrub", env=environment(home.parent))
        assert run.returncode == 0, run.stderr
        assert folders_containing(database, WORD) == set()
        with log_in(database, owner_password(database)) as server:
            assert server.execute("SELECT words FROM said").fetchall() == [("Kept words",)]
            assert server.execute("SHOW wal_recycle").fetchone() == ("on",)


def fill_and_forget(database):
    with log_in(database, owner_password(database)) as server:
        server.execute("CREATE TABLE said (n int, words text)")
        server.execute("CREATE INDEX said_words ON said (words)")
        for _ in range(12):  # so that the server keeps old segments for reuse
            server.execute(f"INSERT INTO said SELECT n % 50, {FORGOTTEN} FROM generate_series(1, 5000) n")
            server.execute("SELECT pg_switch_wal()")
        server.execute("ANALYZE said")
        server.execute("CHECKPOINT")
        server.execute("DELETE FROM said")
        server.execute("INSERT INTO said VALUES (1, 'Kept words')")
        server.execute("CHECKPOINT")
