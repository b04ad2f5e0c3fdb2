"""Bounds how long the database may work on one question."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled


class TooSlow(Exception):
    """The database did not answer within the time it was given."""


@contextmanager
def at_most(milliseconds: int) -> Iterator[None]:
    """Cancel any statement of the block that takes longer. Raises TooSlow."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(milliseconds)])
            yield
            cursor.execute("SELECT set_config('statement_timeout', '0', true)")
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise TooSlow from error
        raise
