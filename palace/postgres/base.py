"""PostgreSQL with row-level security: every connection is the application's, and works for one tenant."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base as postgresql
from django.db.transaction import TransactionManagementError
from django.db.utils import OperationalError
from psycopg.pq import TransactionStatus

from accounts.tenancy import Scope, current_scope
from palace.embedded.location import OWNER
from palace.embedded.server import ensure_running, owner_password
from palace.postgres.signature import sign_scope

CHECK_LOGIN = """
SELECT pg_backend_pid(),
  r.rolsuper OR r.rolbypassrls OR coalesce(pg_has_role(r.oid, p.proowner, 'MEMBER'), false),
  p.oid IS NOT NULL
FROM pg_roles r LEFT JOIN pg_proc p ON p.oid = to_regprocedure('public.palace_scope()')
WHERE r.rolname = current_user
"""
# The path is set again for each tenant: what one left behind in pg_temp shadows no table of the next.
SET_SCOPE = """
SELECT pg_catalog.set_config('palace.scope', %s, false),
  pg_catalog.set_config('search_path', 'public, pg_temp', false), public.palace_scope() <> ''
"""
ANOTHER_KEY = (
    "the database knows another SECRET_KEY. Restore the old key if you have it, because it also decrypts "
    "users' second factors and the keys of their endpoints. If it is lost, or you changed it on purpose, run "
    "`manage.py migrate`, which makes the database accept the new one."
)


class DatabaseNotPrepared(OperationalError):
    """The tables do not exist yet, or the login may not use them; the message says what to do."""

    may_be_logged = True


class DatabaseWrapper(postgresql.DatabaseWrapper):
    """Django's backend, which also starts the embedded server and keeps the tenant of the database
    session equal to the current scope."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.as_owner = self.alias == NO_DB_ALIAS  # databases are made and dropped by the owner
        self._applied: Scope | None = None
        self._backend = 0  # process id of the session, once its login is checked

    def get_connection_params(self) -> dict[str, Any]:
        """Django's parameters, with the owner's login where that is wanted."""
        parameters = super().get_connection_params()
        return parameters | owner_login() if self.as_owner else parameters

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Open a connection, starting the embedded server if needed."""
        if settings.EMBEDDED_DATABASE is not None:
            ensure_running(settings.EMBEDDED_DATABASE)
        self._applied, self._backend = None, 0
        return super().get_new_connection(conn_params)

    def init_connection_state(self) -> None:
        """Refuse a login to which row-level security does not apply. Raises DatabaseNotPrepared."""
        super().init_connection_state()
        if not self.as_owner:
            try:
                self._check_login()
            except DatabaseNotPrepared:
                self.close()  # nothing may go on with it
                raise

    def _check_login(self) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(CHECK_LOGIN)
            backend, is_powerful, is_migrated = cursor.fetchone()
        if is_powerful:
            raise DatabaseNotPrepared(
                "the login in DATABASE_URL could read every user's rows: name it in "
                "PALACE_MIGRATION_DATABASE_URL instead, name another one, such as palace_app, in "
                "DATABASE_URL, and run `manage.py migrate`."
            )
        if not is_migrated:
            raise DatabaseNotPrepared("the database has no tables yet; run `manage.py migrate` first.")
        self._backend = backend

    def create_cursor(self, name: str | None = None) -> Any:
        """A cursor in a session for the tenant of the current scope."""
        self._apply_scope()
        return super().create_cursor(name)

    def _set_autocommit(self, autocommit: bool) -> None:
        if not autocommit:
            with self.wrap_database_errors:  # before it begins: no rollback brings an earlier tenant back
                self._apply_scope()
        super()._set_autocommit(autocommit)  # type: ignore[misc]  # private, and so without a stub

    def _apply_scope(self) -> None:
        """Tell the database the scope. Raises DatabaseNotPrepared when it does not know the signature."""
        scope = current_scope()
        is_ready = self._backend and not self.as_owner
        if not is_ready or scope == self._applied:
            return
        if self.connection.info.transaction_status == TransactionStatus.INERROR:
            return  # only a rollback can follow
        # Bound by the server, so that the signature is in no statement that others may see.
        with psycopg.Cursor(self.connection) as cursor:
            row = cursor.execute(SET_SCOPE, [sign_scope(scope, self._backend)]).fetchone()
        if row is None or not row[2]:
            raise DatabaseNotPrepared(ANOTHER_KEY)
        self._applied = scope

    def _rollback(self) -> None:
        super()._rollback()  # type: ignore[misc]
        self._applied = None

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]
        self._applied = None

    @property
    def has_owner(self) -> bool:
        """Whether this process knows the login of the owner of the tables."""
        return settings.EMBEDDED_DATABASE is not None or settings.MIGRATION_LOGIN is not None

    @contextmanager
    def owner(self) -> Iterator[None]:
        """Work as the owner of the tables, on a connection of its own; for migrations and the like only.

        Raises DatabaseNotPrepared when this process has no login of the owner.
        """
        if self.in_atomic_block or self.pool:
            raise TransactionManagementError(
                "The owner takes no part in the application's transactions or pool."
            )
        self.close()
        self.as_owner = True
        try:
            self.ensure_connection()
            yield
        finally:
            self.as_owner = False
            self.close()


def owner_login() -> dict[str, Any]:
    """Parameters of a connection as the owner of the tables. Raises DatabaseNotPrepared."""
    if settings.EMBEDDED_DATABASE is not None:
        return {"user": OWNER, "password": owner_password(settings.EMBEDDED_DATABASE)}
    if settings.MIGRATION_LOGIN is None:
        raise DatabaseNotPrepared("set PALACE_MIGRATION_DATABASE_URL to the login that owns the tables.")
    return dict(settings.MIGRATION_LOGIN)


def as_owner(alias: str = DEFAULT_DB_ALIAS) -> AbstractContextManager[None]:
    """`DatabaseWrapper.owner` of the connection of this name."""
    connection = connections[alias]
    if not isinstance(connection, DatabaseWrapper):
        raise DatabaseNotPrepared("the database needs the engine `palace.postgres`.")
    return connection.owner()
