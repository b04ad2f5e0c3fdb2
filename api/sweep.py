"""Finds what addresses have not been told yet, and queues it."""

from datetime import datetime
from functools import partial
from uuid import UUID

from api.actors import tell
from api.models import Webhook
from api.webhooks.delivering import put_on_the_way, remove_old
from chat.sweep import in_turn


def sweep_webhooks(now: datetime) -> None:
    """Look once at every person who has an address to tell."""
    in_turn(partial(_look_after, now=now))


def _look_after(user_id: UUID, now: datetime) -> None:
    if not Webhook.objects.filter(user_id=user_id).exists():
        return
    if put_on_the_way(user_id, now):
        tell.send(str(user_id))
    remove_old(user_id, now)
