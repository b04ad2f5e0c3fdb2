"""Events of an account, for its owner."""

from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from accounts.tenancy import tenant

SIGN_IN = "sign_in_changed"
TOKEN = "token_changed"  # noqa: S105 - the kind of an event


def record(user_id: UUID, kind: str, now: datetime, **details: object) -> None:
    """Record an event for the owner, whoever acts. `memory`, a layer above `accounts`, stores it."""
    with tenant(user_id):
        import_string(settings.ACCOUNT_EVENTS)(user_id, kind, details, now)
