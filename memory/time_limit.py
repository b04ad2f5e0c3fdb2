"""Bounds how long the database may work on one question, over all that is asked of it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any

from django.db import DatabaseError, OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

TOLD_AGAIN_BELOW = 0.75
"""The database is told anew what is left once so much of the last limit is gone."""

_LIMIT = "SELECT set_config('statement_timeout', %s, true)"


class TooSlow(Exception):
    """The database did not answer within the time it was given."""


class TimeLimit:
    """So many milliseconds of the database for one question, spent by reading stages.

    The time between the stages does not count. A statement that would outlast what is left is
    cancelled; once nothing is left, nothing more is asked.
    """

    def __init__(self, milliseconds: float) -> None:
        self._left_s = milliseconds / 1000
        self._until = 0.0
        self._told_s = 0.0
        self._shared = False
        self._transaction: ExitStack | None = None

    @property
    def left_ms(self) -> float:
        """What is left, in milliseconds; not above 0 when it is used up."""
        return self._left_s * 1000

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let the stages in the block share one transaction. When one fails, those after it get
        another. Keep calls to models out of the block."""
        self._shared = True
        try:
            yield
        finally:
            self._shared = False
            self._end()

    @contextmanager
    def stage(self, share: float = 1.0) -> Iterator[None]:
        """Read from the database in the block, for no more than a share of what is left. Raises
        TooSlow when that is used up, and DatabaseError."""
        started = perf_counter()
        self._until = started + self._left_s * share
        try:
            self._begin()
            with connection.execute_wrapper(self._within):
                yield
        except OperationalError as error:
            self._give_up()
            if isinstance(error.__cause__, QueryCanceled):
                raise TooSlow from error
            raise
        except (DatabaseError, TooSlow):
            self._give_up()
            raise
        finally:
            self._left_s -= perf_counter() - started
            if not self._shared:
                self._end()

    def _begin(self) -> None:
        if self._transaction is not None:
            return
        self._told_s = 0.0
        inner = connection.in_atomic_block
        self._transaction = ExitStack()
        self._transaction.enter_context(transaction.atomic())
        if inner:
            self._transaction.callback(self._lift)

    def _end(self) -> None:
        """Close the transaction, if one is open."""
        if self._transaction is not None:
            ending, self._transaction = self._transaction, None
            ending.close()

    def _give_up(self) -> None:
        """Roll the transaction back, so that the next stage finds the connection at work."""
        if self._transaction is not None:
            transaction.set_rollback(True)
            self._end()

    def _lift(self) -> None:
        """Take the limit off a transaction that goes on around this one."""
        if not transaction.get_rollback():
            with connection.cursor() as cursor:
                cursor.execute(_LIMIT, ["0"])

    def _within(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        left = self._until - perf_counter()
        if left <= 0:
            raise TooSlow
        if left < self._told_s * TOLD_AGAIN_BELOW or not self._told_s:
            self._told_s = left
            execute(_LIMIT, [str(max(1, round(left * 1000)))], False, context)
        return execute(sql, params, many, context)
