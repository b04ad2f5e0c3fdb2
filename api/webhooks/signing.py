"""Signatures by which whoever is told can see that it was Palace, as standardwebhooks.com says."""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime

from django.utils.crypto import salted_hmac

from api.models import Webhook

PREFIX = "whsec_"


def secret_of(webhook: Webhook) -> str:
    """The secret of an address, as its owner gives it to the receiver."""
    return PREFIX + base64.b64encode(_key(webhook)).decode()


def signed(webhook: Webhook, message_id: str, body: bytes, now: datetime) -> Mapping[str, str]:
    """The headers that sign a message."""
    moment = str(int(now.timestamp()))
    words = b".".join((message_id.encode(), moment.encode(), body))
    digest = hmac.new(_key(webhook), words, hashlib.sha256).digest()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": moment,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def _key(webhook: Webhook) -> bytes:
    """Made from the key of the site, so that the database alone gives nobody away."""
    own = f"{webhook.user_id}{webhook.id}{webhook.salt}"
    return salted_hmac("api.webhooks", own, algorithm="sha256").digest()
