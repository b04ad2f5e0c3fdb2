"""PostgreSQL with row-level security: every connection runs as the application role for one tenant."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base as postgresql
from django.db.utils import OperationalError
from psycopg.pq import TransactionStatus

from accounts.tenancy import Scope, current_scope
from palace.embedded.server import ensure_running

SET_ROLE = "SELECT set_config('role', rolname, false) FROM pg_roles WHERE rolname = %s"
SET_SCOPE = "SELECT set_config('palace.user_id', %s, false), set_config('palace.operator', %s, false)"


class DatabaseNotPrepared(OperationalError):
    """The tables and the application role do not exist yet."""


class DatabaseWrapper(postgresql.DatabaseWrapper):
    """Django's backend, which also starts the embedded server, drops to the application role, and keeps
    the tenant of the database session equal to the current scope."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.as_owner = False
        self._applied: Scope | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Open a connection, starting the embedded server if needed."""
        if settings.EMBEDDED_DATABASE is not None:
            ensure_running(settings.EMBEDDED_DATABASE)
        self._applied = None
        return super().get_new_connection(conn_params)

    def init_connection_state(self) -> None:
        """Drop to the application role. Raises DatabaseNotPrepared if it does not exist."""
        super().init_connection_state()
        if self.alias != NO_DB_ALIAS and not self.as_owner:
            self._become_application()
            if not self.get_autocommit():
                self.connection.commit()  # a rollback would undo the change of role

    def _become_application(self) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(SET_ROLE, [settings.APPLICATION_ROLE])
            found = cursor.fetchone()
        if found is None:
            raise DatabaseNotPrepared("the database has no tables yet; run `manage.py migrate` first.")

    def create_cursor(self, name: str | None = None) -> Any:
        """A cursor in a session for the tenant of the current scope."""
        self._apply_scope()
        return super().create_cursor(name)

    def _apply_scope(self) -> None:
        scope = current_scope()
        if scope == self._applied or self.alias == NO_DB_ALIAS:
            return
        if self.connection.info.transaction_status == TransactionStatus.INERROR:
            return  # only a rollback can follow
        user = "" if scope.user_id is None else str(scope.user_id)
        with self.connection.cursor() as cursor:
            cursor.execute(SET_SCOPE, [user, "on" if scope.operator else "off"])
        self._applied = scope

    def _rollback(self) -> None:
        super()._rollback()  # type: ignore[misc]  # private, and so without a stub
        self._applied = None

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]
        self._applied = None

    @contextmanager
    def owner(self) -> Iterator[None]:
        """Work as the owner of the tables; for migrations and the like only.

        Outside a transaction, the connection closes afterwards so that the next one is the application's.
        """
        self.as_owner = True
        try:
            self.ensure_connection()
            with self.connection.cursor() as cursor:
                cursor.execute("SET ROLE NONE")
            yield
            if self.in_atomic_block:  # after a failure, the rollback restores the role
                self._become_application()
        finally:
            self.as_owner = False
            if not self.in_atomic_block:
                self.close()


def as_owner(alias: str = DEFAULT_DB_ALIAS) -> AbstractContextManager[None]:
    """`DatabaseWrapper.owner` of the connection of this name."""
    connection = connections[alias]
    if not isinstance(connection, DatabaseWrapper):
        raise DatabaseNotPrepared("the database needs the engine `palace.postgres`.")
    return connection.owner()
