"""Queues jobs and records events through packages above, which it calls by name instead of importing them."""

from datetime import datetime
from uuid import UUID

import dramatiq
from django.conf import settings
from django.utils.module_loading import import_string

from accounts.tenancy import tenant

QUEUE = "default"
SIGN_IN = "sign_in_changed"
TOKEN = "token_changed"  # noqa: S105 - the kind of an event


def enqueue(actor: str, user_id: UUID, *ids: UUID) -> None:
    """Queue `actor` of `jobs.actors` for one user.

    Messages carry ids only, never a user's words. A lost message is no error: the scheduler finds the same
    work in the database again.
    """
    args = tuple(str(each) for each in (user_id, *ids))
    dramatiq.get_broker().enqueue(
        dramatiq.Message(queue_name=QUEUE, actor_name=actor, args=args, kwargs={}, options={})
    )


def record(user_id: UUID, kind: str, now: datetime, **details: object) -> None:
    """Record an event of the account for its owner, whoever acts; `memory` stores it."""
    with tenant(user_id):
        import_string(settings.ACCOUNT_EVENTS)(user_id, kind, details, now)
