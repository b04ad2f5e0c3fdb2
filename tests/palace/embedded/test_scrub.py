"""What was deleted is in no file of the embedded database after `manage.py scrub`."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command

from palace.embedded.location import EmbeddedDatabase
from palace.embedded.server import ensure_running, owner_password, release
from tests.palace.processes import environment, finished, reachable, servers

WORD = "Zephyrquartz"
FORGOTTEN = f"'{WORD} ' || n || repeat(' and more', 20)"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[EmbeddedDatabase]:
    """A running server of its own."""
    database = EmbeddedDatabase(reachable(tmp_path) / "postgres", durable=False)
    ensure_running(database)
    yield database
    release(database)
    for process in servers(database.data):
        process.send_signal(signal.SIGQUIT)


def session(database: EmbeddedDatabase) -> psycopg.Connection[Any]:
    where = {"host": str(database.socket_folder), "user": "postgres", "dbname": database.name}
    return psycopg.connect(**where, password=owner_password(database), autocommit=True)


def holding(database: EmbeddedDatabase, word: str) -> set[str]:
    """The folders of the server's data in which a file contains the word."""
    files = (path for path in database.data.rglob("*") if path.is_file())
    return {path.relative_to(database.data).parts[0] for path in files if word.encode() in path.read_bytes()}


@pytest.mark.drill
def test_nothing_forgotten_is_left_on_disk(database: EmbeddedDatabase) -> None:
    with session(database) as server:
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
    assert holding(database, WORD) == {"base", "pg_wal"}
    run = finished("manage.py", "scrub", env=environment(database.home.parent))
    assert run.returncode == 0, run.stderr
    assert holding(database, WORD) == set()
    with session(database) as server:
        assert server.execute("SELECT words FROM said").fetchall() == [("Kept words",)]
        assert server.execute("SHOW wal_recycle").fetchone() == ("on",)


def test_another_database_is_the_operators(settings: Any) -> None:
    settings.EMBEDDED_DATABASE = None
    with pytest.raises(CommandError, match="an administrator runs `ANALYZE`"):
        call_command("scrub")
