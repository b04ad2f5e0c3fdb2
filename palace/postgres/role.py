"""The role the application works as: it owns nothing and row-level security binds it."""

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

CREATE = """
DO $$ BEGIN
  CREATE ROLE {role} NOLOGIN NOSUPERUSER NOBYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$
"""
MEMBERSHIP = "SELECT pg_has_role(current_user, %s, 'SET')"
GRANTS = (
    "GRANT USAGE ON SCHEMA public TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
)


def create_role(connection: BaseDatabaseWrapper) -> None:
    """Make the application role unless it exists, and let this login take it on."""
    role = sql.Identifier(settings.APPLICATION_ROLE)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [settings.APPLICATION_ROLE])
        if cursor.fetchone() is None:
            cursor.execute(sql.SQL(CREATE).format(role=role))
        cursor.execute(MEMBERSHIP, [settings.APPLICATION_ROLE])
        if not cursor.fetchone()[0]:
            cursor.execute(sql.SQL("GRANT {role} TO CURRENT_USER").format(role=role))


def grant_tables(connection: BaseDatabaseWrapper) -> None:
    """Let the application role use every table that the migrations have made."""
    role = sql.Identifier(settings.APPLICATION_ROLE)
    with connection.cursor() as cursor:
        for statement in GRANTS:
            cursor.execute(sql.SQL(statement).format(role=role))
