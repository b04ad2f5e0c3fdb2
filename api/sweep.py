"""Finds what addresses have not been told yet, and queues it."""

from datetime import datetime

from accounts.models import User
from accounts.tenancy import tenant
from api.actors import tell
from api.models import Webhook
from api.webhooks.delivering import put_on_the_way, remove_old


def sweep_webhooks(now: datetime) -> None:
    """Look once at every person who has an address to tell."""
    for user_id in list(User.objects.filter(is_active=True).values_list("id", flat=True)):
        with tenant(user_id):
            if not Webhook.objects.filter(user_id=user_id).exists():
                continue
            if put_on_the_way(user_id, now):
                tell.send(str(user_id))
            remove_old(user_id, now)
