"""Bounds how long the database may work on one question, over all that is asked of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

TOLD_AGAIN_BELOW = 0.75
"""The database is told anew what is left once so much of the last limit is gone."""

_LIMIT = "SET LOCAL statement_timeout = {}"


class TooSlow(Exception):
    """The database did not answer within the time it was given."""


class TimeLimit:
    """So many milliseconds of the database for one question, spent by reading stages.

    The time between the stages does not count. A statement that would outlast what is left is
    cancelled; once nothing is left, nothing more is asked. The limit goes with each statement and
    ends with it, so that a stage needs no transaction of its own; where it is read within one, the
    transaction is told, and the limit lifted at the end.
    """

    def __init__(self, milliseconds: float) -> None:
        self._left_s = milliseconds / 1000
        self._until = 0.0
        self._told_s = 0.0
        self._in_transaction = False

    @property
    def left_ms(self) -> float:
        """What is left, in milliseconds; not above 0 when it is used up."""
        return self._left_s * 1000

    @contextmanager
    def stage(self, share: float = 1.0) -> Iterator[None]:
        """Read from the database in the block, for no more than a share of what is left. Raises
        TooSlow when that is used up, and DatabaseError."""
        started = perf_counter()
        self._until = started + self._left_s * share
        try:
            with self._apart(), connection.execute_wrapper(self._within):
                yield
        except OperationalError as error:
            if isinstance(error.__cause__, QueryCanceled):
                raise TooSlow from error
            raise
        finally:
            self._left_s -= perf_counter() - started

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """Within a transaction, keep what fails in the block from failing all of it."""
        self._told_s = 0.0
        self._in_transaction = connection.in_atomic_block
        if not self._in_transaction:
            yield
            return
        with transaction.atomic():
            yield
            if not transaction.get_rollback():
                with connection.cursor() as cursor:
                    cursor.execute(_LIMIT.format(0))

    def _within(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        left = self._until - perf_counter()
        if left <= 0:
            raise TooSlow
        limit = _LIMIT.format(max(1, round(left * 1000)))
        if not self._in_transaction:
            done = execute(f"{limit}; {sql}", params, many, context)
            context["cursor"].nextset()
            return done
        if left < self._told_s * TOLD_AGAIN_BELOW or not self._told_s:
            self._told_s = left
            execute(limit, None, False, context)
        return execute(sql, params, many, context)
