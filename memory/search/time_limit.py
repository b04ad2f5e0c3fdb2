"""Bound the total database time of one question."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

TOLD_AGAIN_BELOW = 0.75
"""Inside a transaction, the limit is renewed when less than this share of the last one is left."""

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
        self._until = 0.0
        self._told_s = 0.0
        self._in_transaction = False

    @property
    def left_ms(self) -> float:
        """The remaining milliseconds; 0 or less when used up."""
        return self._left_s * 1000

    @contextmanager
    def stage(self, share: float = 1.0) -> Iterator[None]:
        """Read from the database within a share of the remaining time. Raises TooSlow and
        DatabaseError."""
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
        """Inside a transaction, add a savepoint so that a failure stays in this stage."""
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

    def _within(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        left = self._until - perf_counter()
        if left <= 0:
            raise TooSlow
        limit = _LIMIT.format(max(1, round(left * 1000)))
        if not self._in_transaction:
            bound = context["cursor"].mogrify(sql, params)  # parsed once, as the limit is no part of it
            done = execute(f"{limit}; {bound}", None, many, context)
            context["cursor"].nextset()
            return done
        if left < self._told_s * TOLD_AGAIN_BELOW or not self._told_s:
            self._told_s = left
            execute(limit, None, False, context)
        return execute(sql, params, many, context)
