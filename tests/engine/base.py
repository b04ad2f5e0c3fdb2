"""Palace's engine with a login that can become the owner within a transaction, as tests need."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from palace.postgres import base
from palace.postgres.role import application_role


class DatabaseWrapper(base.DatabaseWrapper):
    """Logs in as the owner and switches to the application's role, instead of using its login."""

    def __del__(self) -> None:
        """Close the connection of a thread that has ended, as freeing its memory does in production.

        Otherwise whichever test runs at that moment fails. So no test notices a thread that leaves one open.
        """
        if self.connection is not None and not self.connection.closed:
            self.connection.close()

    def get_connection_params(self) -> dict[str, Any]:
        return super().get_connection_params() | base.owner_login()

    def _check_login(self) -> None:
        self._become_application()
        super()._check_login()

    def _become_application(self) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [application_role()])
            if cursor.fetchone() is None:
                raise base.DatabaseNotPrepared("the database has no tables yet; run `manage.py migrate`.")
            cursor.execute(f'SET SESSION AUTHORIZATION "{application_role()}"')

    @contextmanager
    def owner(self) -> Iterator[None]:
        """Work as the owner, in the same transaction if there is one."""
        if not self.in_atomic_block:
            with super().owner():
                yield
            return
        with self.connection.cursor() as cursor:
            cursor.execute("RESET SESSION AUTHORIZATION")
        self.as_owner = True
        try:
            yield
            self._become_application()  # after a failure, the rollback does it
        finally:
            self.as_owner = False
