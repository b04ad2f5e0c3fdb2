"""Brings the database and the static files up to date before Palace starts."""

import hashlib
import sys
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from palace.postgres.base import as_owner
from palace.postgres.policies import is_protected


def prepare_database() -> None:
    """Apply missing migrations and policies, if any; starts the embedded server when needed."""
    if not is_ready():
        say("Preparing the database…")
        call_command("migrate", interactive=False, verbosity=0)


def is_ready() -> bool:
    """Whether the database has all migrations and policies; starts the embedded server when needed."""
    with as_owner():
        return not missing_migrations() and is_protected(connection)


def missing_migrations() -> int:
    """How many migrations are not applied yet."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def collect_static_files() -> None:
    """Collect the static files of all apps, unless none has changed since the last time."""
    mark = Path(settings.STATIC_ROOT) / "fingerprint"
    wanted = _fingerprint()
    if mark.exists() and mark.read_text() == wanted:
        return
    say("Collecting static files…")
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text(wanted)


def say(sentence: str) -> None:
    """Print progress on standard error."""
    with suppress(OSError):  # the terminal may be closed
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            entry = Path(storage.path(name)).stat()
            digest.update(f"{name}\0{entry.st_mtime_ns}\0{entry.st_size}\0".encode())
    return digest.hexdigest()
