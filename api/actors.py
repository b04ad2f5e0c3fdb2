"""Background jobs of the API. A message carries ids only; the database says what there is to do."""

from datetime import timedelta
from uuid import UUID

import dramatiq
from django.utils import timezone

from accounts.tenancy import tenant
from api.webhooks.delivering import deliver_next

SLICE = timedelta(seconds=60)
TIME_LIMIT_MS = 120_000


@dramatiq.actor(max_retries=0, time_limit=TIME_LIMIT_MS)
def tell(user_id: str) -> None:
    """Tell a person's addresses for a while what is due; the next sweep goes on."""
    until = timezone.now() + SLICE
    with tenant(UUID(user_id)):
        while timezone.now() < until and deliver_next(UUID(user_id), timezone.now()):
            pass
