"""A database of its own for a benchmark, made and dropped beside the one that people use."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import call_command
from django.db import connection
from psycopg import sql

EXISTS = "SELECT 1 FROM pg_database WHERE datname = %s"


@contextmanager
def own_database(name: str, *, keep: bool) -> Iterator[None]:
    """Work in a migrated database of this name; drop it afterwards unless it is to be kept."""
    usual = connection.settings_dict["NAME"]
    _administer(name, create=True)
    _use(name)
    call_command("migrate", verbosity=0, interactive=False)
    connection.close()
    try:
        yield
    finally:
        _use(usual)
        if not keep:
            _administer(name, create=False)


def _use(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name


def _administer(name: str, *, create: bool) -> None:
    database = sql.Identifier(name)
    with connection._nodb_cursor() as cursor:
        cursor.execute(EXISTS, [name])
        if create and cursor.fetchone() is None:
            cursor.execute(sql.SQL("CREATE DATABASE {}").format(database))
            relaxed = "ALTER DATABASE {} SET synchronous_commit = off"
            cursor.execute(sql.SQL(relaxed).format(database))
        elif not create:
            cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(database))
