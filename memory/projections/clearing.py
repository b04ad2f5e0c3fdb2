"""Lets go of what was derived from facts that are forgotten, in the same transaction."""

from collections.abc import Sequence
from uuid import UUID

from memory.models import Profile


def forget_derived(user_id: UUID, fact_ids: Sequence[UUID]) -> None:
    """Throw away what was written from these facts; it is made again from what is left.

    Runs inside the transaction that forgets them.
    """
    if fact_ids:
        Profile.objects.filter(user_id=user_id).delete()
