"""Bound the total database time of one question."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

RENEW_BELOW = 0.75
"""Inside a transaction, the timeout is renewed when less than this share of the last one is left."""

_LIMIT = "SET LOCAL statement_timeout = {}"


class TooSlow(Exception):
    """The database did not answer in time."""


class TimeLimit:
    """A budget of database milliseconds that the stages of one question share.

    Time between stages is free. A statement that would exceed the budget is cancelled, and an empty
    budget sends no more statements. The timeout is set with each statement; inside a transaction it is
    set for the transaction and lifted at the end of the stage.
    """

    def __init__(self, milliseconds: float) -> None:
        self._left_s = milliseconds / 1000
        self._deadline = 0.0
        self._last_limit_s = 0.0
        self._in_transaction = False

    @contextmanager
    def stage(self, share: float = 1.0) -> Iterator[None]:
        """Read from the database within a share of the remaining time. Raises TooSlow and
        DatabaseError."""
        started = perf_counter()
        self._deadline = started + self._left_s * share
        try:
            with self._savepoint(), connection.execute_wrapper(self._execute_within_limit):
                yield
        except OperationalError as error:
            if isinstance(error.__cause__, QueryCanceled):
                raise TooSlow from error
            raise
        finally:
            self._left_s -= perf_counter() - started

    @contextmanager
    def _savepoint(self) -> Iterator[None]:
        """Inside a transaction, add a savepoint so that a failure is confined to this stage."""
        self._last_limit_s = 0.0
        self._in_transaction = connection.in_atomic_block
        if not self._in_transaction:
            yield
            return
        with transaction.atomic():
            yield
            if not transaction.get_rollback():
                with connection.cursor() as cursor:
                    cursor.execute(_LIMIT.format(0))

    def _execute_within_limit(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        left = self._deadline - perf_counter()
        if left <= 0:
            raise TooSlow
        limit = _LIMIT.format(max(1, round(left * 1000)))
        if not self._in_transaction:
            bound = context["cursor"].mogrify(sql, params)  # parsed once, because the limit is not part of it
            done = execute(f"{limit}; {bound}", None, many, context)
            context["cursor"].nextset()
            return done
        if left < self._last_limit_s * RENEW_BELOW or not self._last_limit_s:
            self._last_limit_s = left
            execute(limit, None, False, context)
        return execute(sql, params, many, context)
