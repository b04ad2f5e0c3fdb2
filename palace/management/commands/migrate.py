"""`migrate`, run as the owner of the tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.commands.migrate import Command as DjangoMigrate
from django.db import NotSupportedError, ProgrammingError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from palace.postgres.base import DatabaseNotPrepared, as_owner
from palace.postgres.policies import install_functions, protect_tables
from palace.postgres.role import create_role, grant_tables

MIGRATION_LOCK = 7_208_631_045  # an arbitrary lock id
EXTENSIONS = {"vector": "pgvector", "btree_gin": "PostgreSQL's additional modules (contrib)"}
"""The extensions that the tables need, and the packages that contain them."""


@contextmanager
def _migration_lock(connection: BaseDatabaseWrapper) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
    try:
        yield
    finally:
        if connection.connection is not None and not connection.needs_rollback:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])


def create_extensions(connection: BaseDatabaseWrapper) -> None:
    """Create the extensions unless they exist. For the owner. Raises DatabaseNotPrepared."""
    for name, package in EXTENSIONS.items():
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE EXTENSION IF NOT EXISTS {name}")
        except NotSupportedError as error:
            raise DatabaseNotPrepared(
                f"the server of the database has no extension {name}: install {package} there."
            ) from error
        except ProgrammingError as error:
            raise DatabaseNotPrepared(
                f"the login in PALACE_MIGRATION_DATABASE_URL may not create the extension {name}: as an "
                f"administrator, run `CREATE EXTENSION {name}` in the database "
                f"{connection.settings_dict['NAME']}."
            ) from error


class Command(DjangoMigrate):
    """Migrates as the owner of the tables, then lets the application's login use them, row by row."""

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        with as_owner(options["database"]), _migration_lock(connection):
            create_role(connection)
            create_extensions(connection)
            install_functions(connection)
            super().handle(*args, **options)
            grant_tables(connection)
            protect_tables(connection)
