"""A migrated database for each test process, copied from a template that survives between runs.

The template is named after a digest of everything that decides the schema. Each copy is locked for as
long as its process lives, so a run can tell the copies of another run from those of a killed one.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import quote, urlsplit, urlunsplit

import django
import psycopg
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.test import TransactionTestCase
from dramatiq_postgres import schema
from psycopg import sql

from palace.embedded.server import ensure_running
from palace.postgres.base import as_owner, owner_login
from palace.postgres.role import grant_tables

Server = psycopg.Connection[tuple[Any, ...]]

TEMPLATE = "palace_template_"
COPY = "palace_test_"
PREPARING = "palace test databases"
KEPT = ("django_migrations", "django_content_type", "auth_permission")
SCHEMA_FILES = (
    "accounts/schema.py",
    "palace/management/commands/migrate.py",
    "palace/postgres/role.py",
    "palace/postgres/policies.py",
    "palace/postgres/signature.py",
    "palace/postgres/tenancy.sql",
    "palace/postgres/due.sql",
    "tests/database.py",
)

LOCK = "SELECT pg_advisory_lock(hashtext(%s))"
TRY_LOCK = "SELECT pg_try_advisory_lock(hashtext(%s))"
UNLOCK = "SELECT pg_advisory_unlock(hashtext(%s))"
EXISTS = "SELECT 1 FROM pg_database WHERE datname = %s"
LEFT_BEHIND = "SELECT datname FROM pg_database WHERE starts_with(datname, %s) OR starts_with(datname, %s)"

# Truncating a hundred tables takes a second; finding and deleting the few rows takes almost no time.
EMPTY_TABLES = """
DO $$
DECLARE
  name text;
  filled boolean;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOREACH name IN ARRAY string_to_array(current_setting('palace.tables'), ' ') LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', name) INTO filled;
    IF filled THEN
      EXECUTE format('DELETE FROM %I', name);
    END IF;
  END LOOP;
END $$
"""


@contextmanager
def own_database() -> Iterator[None]:
    """Point Django's connection to a fresh copy of the template inside the block."""
    usual = connection.settings_dict["NAME"]
    with copied_database() as copy:
        _use(copy)
        try:
            yield
        finally:
            _use(usual)


@contextmanager
def rolled_back() -> Iterator[None]:
    """A transaction around the tests of a module, each of which runs in a savepoint. What its fixtures
    create is shared by all of them. No test of that module may commit a transaction."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def copied_database() -> Iterator[str]:
    """The name of a fresh copy of the template, dropped afterwards.

    Creates the template if it is missing, which needs access through Django's connection.
    """
    template = f"{TEMPLATE}{schema_digest()}"
    copy = f"{COPY}{os.getpid()}_{os.urandom(3).hex()}"
    with _administration() as server:
        server.execute(LOCK, [PREPARING])
        _drop_left_behind(server, keep=template)
        if not server.execute(EXISTS, [template]).fetchone():
            _make_template(server, template)
        server.execute(LOCK, [copy])
        server.execute(_named("CREATE DATABASE {} TEMPLATE {}", copy, template))
        server.execute(UNLOCK, [PREPARING])
        try:
            yield copy
        finally:
            _drop(server, copy)


def address_of(name: str) -> str:
    """The URL of a database of the test server, for its owner."""
    login = owner_login()
    place = {name: connection.settings_dict[name.upper()] for name in ("host", "port")} | login
    secret = f":{quote(place['password'], safe='')}" if place.get("password") else ""
    port = f":{place['port']}" if place.get("port") else ""
    return f"postgresql://{place['user']}{secret}@{quote(place['host'], safe='')}{port}/{name}"


def variables_of(name: str) -> dict[str, str]:
    """Environment variables with which other processes connect to a database of the test server."""
    owner = urlsplit(address_of(name))
    at = owner.netloc.rpartition("@")[2]
    secret = connection.settings_dict["PASSWORD"]
    login = connection.settings_dict["USER"] + (f":{quote(secret, safe='')}" if secret else "")
    return {
        "DATABASE_URL": urlunsplit(owner._replace(netloc=f"{login}@{at}")),
        "PALACE_MIGRATION_DATABASE_URL": urlunsplit(owner),
        "SECRET_KEY": str(settings.SECRET_KEY),
    }


def schema_digest() -> str:
    """A digest of all migrations, their SQL, the code that runs them, and the key that signs tenants."""
    digest = hashlib.sha256(f"{django.__version__} {settings.SECRET_KEY}".encode())
    root = Path(__file__).parents[1]
    folders = sorted(Path(app.path) / "migrations" for app in apps.get_app_configs())
    files = [path for folder in folders for path in sorted(folder.glob("*.*")) if path.suffix != ".pyc"]
    for path in (*files, *(root / name for name in SCHEMA_FILES)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def empty_tables(case: TransactionTestCase | None = None) -> None:
    """Delete all rows except those that migrations created; replaces `flush` after a test."""
    names = [name for name in connection.introspection.django_table_names() if name not in KEPT]
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('palace.tables', %s, false)", [" ".join(names)])
        cursor.execute(EMPTY_TABLES)


@contextmanager
def _administration() -> Iterator[Server]:
    """A connection to the server's own database, apart from Django's, which tests may block and close."""
    if settings.EMBEDDED_DATABASE is not None:
        ensure_running(settings.EMBEDDED_DATABASE)
    parameters = connection.get_connection_params()
    wanted = {name: parameters[name] for name in ("host", "port", "user", "password") if name in parameters}
    with psycopg.connect(**wanted, dbname="postgres", autocommit=True) as server:
        yield server


def _drop_left_behind(server: Server, *, keep: str) -> None:
    """Drop templates of other schemas, and copies whose process is gone."""
    for (name,) in server.execute(LEFT_BEHIND, [TEMPLATE, COPY]).fetchall():
        if name != keep and server.execute(TRY_LOCK, [name]).fetchone() == (True,):
            _drop(server, name)
            server.execute(UNLOCK, [name])


def _make_template(server: Server, template: str) -> None:
    """Migrate under another name first: a killed process leaves no half-made template."""
    usual, making = connection.settings_dict["NAME"], f"{template}_new"
    server.execute(_named("CREATE DATABASE {}", making))
    _use(making)
    call_command("migrate", verbosity=0, interactive=False, run_syncdb=True)
    _add_queue()
    _use(usual)
    server.execute(_named("ALTER DATABASE {} RENAME TO {}", making, template))


def _add_queue() -> None:
    """The queue of sites and workers, which the test settings do not use."""
    with as_owner(), transaction.atomic(), connection.cursor() as cursor:
        schema.init(cursor)
        MigrationRecorder(connection).record_applied("dramatiq_postgres", "0001_initial")
        grant_tables(connection)


def _drop(server: Server, name: str) -> None:
    server.execute(_named("DROP DATABASE IF EXISTS {} WITH (FORCE)", name))


def _named(statement: LiteralString, *names: str) -> sql.Composed:
    return sql.SQL(statement).format(*map(sql.Identifier, names))


def _use(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name
