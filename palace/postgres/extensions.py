"""The extensions of PostgreSQL that the tables need."""

from django.db import DatabaseError, NotSupportedError, ProgrammingError
from django.db.backends.base.base import BaseDatabaseWrapper

from palace.postgres.base import DatabaseNotPrepared

PACKAGES = {"vector": "pgvector", "btree_gin": "PostgreSQL's additional modules (contrib)"}


def create_extensions(connection: BaseDatabaseWrapper) -> None:
    """Create the extensions unless they exist. For the owner. Raises DatabaseNotPrepared."""
    for name in PACKAGES:
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE EXTENSION IF NOT EXISTS {name}")
        except (NotSupportedError, ProgrammingError) as error:
            raise DatabaseNotPrepared(_advice(name, error, connection)) from error


def _advice(name: str, error: DatabaseError, connection: BaseDatabaseWrapper) -> str:
    if isinstance(error, NotSupportedError):
        return f"the server of the database has no extension {name}: install {PACKAGES[name]} there."
    return (
        f"the login in PALACE_MIGRATION_DATABASE_URL may not create the extension {name}: as an "
        f"administrator, run `CREATE EXTENSION {name}` in the database {connection.settings_dict['NAME']}."
    )
