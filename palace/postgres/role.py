"""The login of the application: it owns nothing, and row-level security applies to it."""

from django.conf import settings
from django.db import ProgrammingError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from psycopg import sql

CREATE = """
DO $$ BEGIN
  CREATE ROLE {role};
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$
"""
ENABLE_LOGIN = "ALTER ROLE {role} LOGIN NOINHERIT PASSWORD {password}"
# Whoever has the login would read the words in other sessions' statements.
HIDE_STATEMENTS = "ALTER ROLE {role} SET track_activities = off"
FIND_ROLE = "SELECT rolsuper OR rolbypassrls OR rolcreaterole, rolcanlogin FROM pg_roles WHERE rolname = %s"
FIND_OWNER = """
SELECT rolsuper, rolsuper
  OR rolcreaterole AND pg_has_role(oid, to_regrole(quote_ident(%s)), 'MEMBER WITH ADMIN OPTION')
FROM pg_roles WHERE rolname = current_user
"""
QUEUE_SCHEMA = "dramatiq"
GRANTS = (
    "GRANT USAGE ON SCHEMA {schema} TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
)
READ_ONLY = "REVOKE INSERT, UPDATE, DELETE ON public.django_migrations FROM {role}"


class RoleNotPrepared(ProgrammingError):
    """The application's login cannot be created or is too powerful; the message says what to run."""


def application_role() -> str:
    """The name of the login that DATABASE_URL names."""
    return str(settings.DATABASES["default"]["USER"])


def create_role(connection: BaseDatabaseWrapper) -> None:
    """Create the application's login, unless an administrator has.

    Raises RoleNotPrepared if the owner may not do that, or if the login could bypass the policies.
    """
    name = application_role()
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        if cursor.fetchone()[0] == name:
            raise RoleNotPrepared(
                f"DATABASE_URL logs in as {name}, who owns the tables: name that login in "
                "PALACE_MIGRATION_DATABASE_URL and another one, such as palace_app, in DATABASE_URL."
            )
        cursor.execute(FIND_ROLE, [name])
        powerful, can_log_in = cursor.fetchone() or (False, False)
        if powerful:
            raise RoleNotPrepared(
                f"the login {name} could read every user's rows: run "
                f"`ALTER ROLE {name} NOSUPERUSER NOBYPASSRLS NOCREATEROLE`."
            )
        try:
            _create_login(cursor, name, can_log_in=can_log_in)
        except ProgrammingError as error:
            raise RoleNotPrepared(
                f"the login in PALACE_MIGRATION_DATABASE_URL may not create {name}: as an administrator, "
                f"run `CREATE ROLE {name} LOGIN PASSWORD '…'` with the password in DATABASE_URL."
            ) from error


def _create_login(cursor: CursorWrapper, name: str, *, can_log_in: bool) -> None:
    cursor.execute(FIND_OWNER, [name])
    is_superuser, may_change = cursor.fetchone()
    if can_log_in and not may_change:
        return
    role = sql.Identifier(name)
    cursor.execute(sql.SQL(CREATE).format(role=role))
    cursor.execute(sql.SQL(ENABLE_LOGIN).format(role=role, password=_password(cursor, name)))
    if is_superuser:
        cursor.execute(sql.SQL(HIDE_STATEMENTS).format(role=role))


def _password(cursor: CursorWrapper, name: str) -> sql.Composable:
    """The password of DATABASE_URL in the form the server keeps, so that no log shows it."""
    password = settings.DATABASES["default"].get("PASSWORD", "")
    if not password:
        return sql.SQL("NULL")
    server = cursor.connection.pgconn
    return sql.Literal(server.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode())


def grant_tables(connection: BaseDatabaseWrapper) -> None:
    """Grant the application's login the use of every migrated table."""
    role = sql.Identifier(application_role())
    with connection.cursor() as cursor:
        cursor.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        cursor.execute("SELECT nspname FROM pg_namespace WHERE nspname = ANY(%s)", [["public", QUEUE_SCHEMA]])
        for (schema,) in cursor.fetchall():
            for statement in GRANTS:
                names = {"schema": sql.Identifier(schema), "role": role}
                cursor.execute(sql.SQL(statement).format(**names))
        cursor.execute(sql.SQL(READ_ONLY).format(role=role))
