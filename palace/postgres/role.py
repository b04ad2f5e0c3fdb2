"""The role of the application: it owns nothing, and row-level security applies to it."""

from django.conf import settings
from django.db import ProgrammingError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from psycopg import sql

CREATE = """
DO $$ BEGIN
  CREATE ROLE {role} NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOINHERIT;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$
"""
POWER = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = %s"
MEMBERSHIP = "SELECT pg_has_role(current_user, %s, 'SET')"
QUEUE_SCHEMA = "dramatiq"
GRANTS = (
    "GRANT USAGE ON SCHEMA {schema} TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
)


class RoleNotPrepared(ProgrammingError):
    """The application role cannot be created or is too powerful; the message says what to run."""


def create_role(connection: BaseDatabaseWrapper) -> None:
    """Create the application role unless it exists, and grant it to this login.

    Raises RoleNotPrepared if the login may not do that, or if the role could bypass the policies.
    """
    name = settings.APPLICATION_ROLE
    with connection.cursor() as cursor:
        cursor.execute(POWER, [name])
        found = cursor.fetchone()
        if found and found[0]:
            raise RoleNotPrepared(
                f"the role {name} could read every user's rows: run "
                f"`ALTER ROLE {name} NOSUPERUSER NOBYPASSRLS`."
            )
        try:
            _make(cursor, exists=found is not None)
        except ProgrammingError as error:
            raise RoleNotPrepared(
                f"the login in DATABASE_URL may not create the role {name}: as an administrator, "
                f"run `CREATE ROLE {name} NOLOGIN` and `GRANT {name} TO` that login."
            ) from error


def _make(cursor: CursorWrapper, *, exists: bool) -> None:
    role = sql.Identifier(settings.APPLICATION_ROLE)
    if not exists:
        cursor.execute(sql.SQL(CREATE).format(role=role))
    cursor.execute(MEMBERSHIP, [settings.APPLICATION_ROLE])
    if not cursor.fetchone()[0]:
        cursor.execute(sql.SQL("GRANT {role} TO CURRENT_USER").format(role=role))


def grant_tables(connection: BaseDatabaseWrapper) -> None:
    """Grant the application role the use of every migrated table."""
    role = sql.Identifier(settings.APPLICATION_ROLE)
    with connection.cursor() as cursor:
        cursor.execute("SELECT nspname FROM pg_namespace WHERE nspname = ANY(%s)", [["public", QUEUE_SCHEMA]])
        for (schema,) in cursor.fetchall():
            for statement in GRANTS:
                names = {"schema": sql.Identifier(schema), "role": role}
                cursor.execute(sql.SQL(statement).format(**names))
