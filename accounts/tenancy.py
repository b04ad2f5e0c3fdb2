"""The tenant of the current work. The database enforces it with row-level security."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Scope:
    """What a session announces to the database: the tenant, and whether this is operator work.

    Operators see everybody's accounts and operational tables (jobs, usage, imports), which hold no words.
    """

    user_id: UUID | None = None
    operator: bool = False


NOBODY = Scope()

_scope: ContextVar[Scope] = ContextVar("scope", default=NOBODY)


def current_scope() -> Scope:
    """The current scope; an empty one sees accounts, so that somebody can sign in, and no owned rows."""
    return _scope.get()


def tenant(user_id: UUID) -> AbstractContextManager[None]:
    """Work as one user's tenant; restores the previous scope afterwards."""
    return _use_scope(Scope(user_id=user_id))


def operator(user_id: UUID | None = None) -> AbstractContextManager[None]:
    """Work on operational tables of all users, and on the owned rows of `user_id` only."""
    return _use_scope(Scope(user_id=user_id, operator=True))


def visitor() -> AbstractContextManager[None]:
    """Work as before sign-in: on all accounts and sessions, and on no memory."""
    return _use_scope(NOBODY)


@contextmanager
def _use_scope(scope: Scope) -> Iterator[None]:
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)
