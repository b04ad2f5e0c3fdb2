"""The tenant of the current work. The database enforces it with row-level security."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Scope:
    """What the database knows before a query: the tenant, and whether this is operator work.

    Operators see everybody's accounts and operational tables (jobs, usage, imports), which hold no words.
    """

    user_id: UUID | None = None
    operator: bool = False


NOBODY = Scope()

_scope: ContextVar[Scope] = ContextVar("scope", default=NOBODY)


def current_scope() -> Scope:
    """The current scope; an empty one sees accounts, so that somebody can sign in, and no owned rows."""
    return _scope.get()


@contextmanager
def tenant(user_id: UUID) -> Iterator[None]:
    """Work as one user's tenant; restores the previous scope afterwards."""
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
