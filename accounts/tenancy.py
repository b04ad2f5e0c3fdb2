"""Whose data this piece of work may see. The database enforces it by row-level security."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Scope:
    """What the database is told before a query: the tenant, and whether an operator works.

    An operator sees accounts and operational tables (jobs, usage, imports) of everybody and nobody's words.
    """

    user_id: UUID | None = None
    operator: bool = False


NOBODY = Scope()

_scope: ContextVar[Scope] = ContextVar("scope", default=NOBODY)


def current_scope() -> Scope:
    """The scope in force here; an empty one sees accounts, to sign somebody in, and no owned row."""
    return _scope.get()


@contextmanager
def tenant(user_id: UUID) -> Iterator[None]:
    """Work inside one person's data; the earlier scope returns afterwards."""
    token = _scope.set(Scope(user_id=user_id))
    try:
        yield
    finally:
        _scope.reset(token)


@contextmanager
def operator(user_id: UUID | None = None) -> Iterator[None]:
    """Work on operational tables of all users, and on the owned rows of `user_id` only."""
    token = _scope.set(Scope(user_id=user_id, operator=True))
    try:
        yield
    finally:
        _scope.reset(token)


@contextmanager
def visitor() -> Iterator[None]:
    """Work on accounts and sessions as before anyone has signed in: on all of them, and on no memory."""
    token = _scope.set(NOBODY)
    try:
        yield
    finally:
        _scope.reset(token)
