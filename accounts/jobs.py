"""Queues a user's background job by name, so that no package imports the actors above it."""

from uuid import UUID

import dramatiq

QUEUE = "default"


def enqueue(actor: str, user_id: UUID, *ids: UUID) -> None:
    """Queue `actor` of `jobs.actors` for one user.

    Messages carry ids only, never a user's words. A lost message is no error: the scheduler finds the same
    work in the database again.
    """
    args = tuple(str(each) for each in (user_id, *ids))
    dramatiq.get_broker().enqueue(
        dramatiq.Message(queue_name=QUEUE, actor_name=actor, args=args, kwargs={}, options={})
    )
