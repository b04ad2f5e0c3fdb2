"""What the command line says when something is missing, and what it prepares by itself."""

from pathlib import Path
from unittest.mock import Mock

import pytest
from django.db import InterfaceError

from palace import command_line
from palace.embedded.cluster import is_alive
from palace.embedded.location import EmbeddedDatabase
from tests.palace.processes import environment, finished, reachable

NOWHERE = "postgresql://nobody@127.0.0.1:9/none"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return reachable(tmp_path) / "home"


def test_a_database_that_is_away_is_one_sentence(home: Path) -> None:
    env = environment(home, DATABASE_URL=NOWHERE, PALACE_MIGRATION_DATABASE_URL=NOWHERE)
    done = finished("manage.py", "migrate", env=env)
    assert done.returncode == 1
    assert done.stderr.startswith("The database cannot be used: ")
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_database_that_restarts_under_a_command_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = Mock(side_effect=InterfaceError("the connection is closed"))
    monkeypatch.setattr(command_line, "_prepare", Mock())
    monkeypatch.setattr(command_line, "execute_from_command_line", lost)
    with pytest.raises(SystemExit, match=r"^The database cannot be used: the connection is closed$"):
        command_line.run(["manage.py", "mine", "--wait"])


def test_a_queue_that_is_away_is_one_sentence(home: Path) -> None:
    env = environment(home, REDIS_URL="redis://127.0.0.1:9/0")
    env["DJANGO_SETTINGS_MODULE"] = "tests.palace.queued.settings"
    done = finished(
        "manage.py", "shell", "-c", "from tests.palace.queued.actors import hold; hold.send('x')", env=env
    )
    assert done.returncode == 1
    assert done.stderr.startswith("The job queue cannot be used: ")
    assert "Traceback" not in done.stderr


@pytest.mark.drill
def test_a_command_prepares_the_embedded_database_and_stops_it(home: Path) -> None:
    env = environment(home)
    shown = finished("manage.py", "run", "--help", env=env)
    assert (shown.returncode, "usage:" in shown.stdout) == (0, True)
    assert not (home / "postgres" / "data").exists()
    done = finished("manage.py", "add_user", "zoe@example.org", "--password", "long-enough-1", env=env)
    assert done.returncode == 0, done.stderr
    assert "Preparing the database" in done.stderr
    again = finished("manage.py", "add_user", "yan@example.org", "--password", "long-enough-1", env=env)
    assert again.returncode == 0, again.stderr
    assert "Preparing" not in again.stderr
    assert not is_alive(EmbeddedDatabase(home / "postgres"))


@pytest.mark.drill
def test_an_unprepared_database_says_what_to_run(home: Path) -> None:
    done = finished("manage.py", "scheduler", "--once", env=environment(home))
    assert done.returncode == 1
    assert "run `manage.py migrate` first" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
