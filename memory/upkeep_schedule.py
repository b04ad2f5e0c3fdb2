"""When the sweep checks a memory for due upkeep: after each change, and once a day."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from accounts.tenancy import operator
from memory.models import Palace
from memory.sql import execute

UPKEEP_EVERY = timedelta(days=1)
"""The longest delay for what no change announces, such as a new month's budget."""


def request_upkeep(user_id: UUID) -> None:
    """Have the next sweep check a memory, because something its upkeep depends on has changed."""
    _update(Palace.objects.filter(user_id=user_id), changes=F("changes") + 1, upkeep_at=None)


def request_upkeep_of_all() -> None:
    """Have the next sweeps check every memory, because the version or settings may have changed."""
    with operator():
        execute("SELECT palace_request_upkeep()")


def changes_of(user_id: UUID) -> int:
    """The number of changes to a memory so far; read it before checking what is due."""
    return Palace.objects.filter(user_id=user_id).values_list("changes", flat=True).first() or 0


def postpone_upkeep(user_id: UUID, at: datetime, changes: int) -> None:
    """Skip a memory until then, unless it has changed since `changes` was read."""
    _update(Palace.objects.filter(user_id=user_id, changes=changes), upkeep_at=at)


def _update(palaces: QuerySet[Palace], **values: object) -> None:
    """Update a palace unless it is locked: taking the lock requests a check anyway."""
    with transaction.atomic():
        ids = [palace.pk for palace in palaces.select_for_update(skip_locked=True)]
        Palace.objects.filter(pk__in=ids).update(**values)
