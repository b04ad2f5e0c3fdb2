"""Sends one signed message. Redirects are not followed, and only the status is read."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime

import httpx2
from django.utils.crypto import salted_hmac

from api.models import Webhook
from llm.addresses import Target
from llm.openai_client import is_tls_error, tls_context

CONNECT_S = 5.0
TOTAL_S = 10.0
PREFIX = "whsec_"


class NoResponse(Exception):
    """There was no response. `reason` is `timeout`, `tls` or `connection`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def post(target: Target, body: bytes, headers: Mapping[str, str]) -> int:
    """Send a message and return the status of the response. Raises NoResponse after ten seconds."""
    try:
        return asyncio.run(_post(target, body, headers))
    except (TimeoutError, httpx2.TimeoutException) as error:
        raise NoResponse("timeout") from error
    except httpx2.HTTPError as error:
        raise NoResponse("tls" if is_tls_error(error) else "connection") from error


async def _post(target: Target, body: bytes, headers: Mapping[str, str]) -> int:
    """Connect to the address that was validated, whatever DNS now says."""
    timeout = httpx2.Timeout(TOTAL_S, connect=CONNECT_S)
    async with (
        asyncio.timeout(TOTAL_S),
        httpx2.AsyncClient(verify=tls_context(), timeout=timeout, trust_env=False) as client,
        client.stream(
            "POST",
            target.pinned_url,
            content=body,
            headers={"Host": target.host_header, **headers},
            extensions={"sni_hostname": target.host},
        ) as response,
    ):
        return response.status_code


def secret_of(webhook: Webhook) -> str:
    """The signing secret to give to the receiver."""
    return PREFIX + base64.b64encode(_key(webhook)).decode()


def signed(webhook: Webhook, message_id: str, body: bytes, now: datetime) -> Mapping[str, str]:
    """The signature headers of a message."""
    timestamp = str(int(now.timestamp()))
    content = b".".join((message_id.encode(), timestamp.encode(), body))
    digest = hmac.new(_key(webhook), content, hashlib.sha256).digest()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def _key(webhook: Webhook) -> bytes:
    """Derived from the SECRET_KEY, so the database alone reveals nothing."""
    own = f"{webhook.user_id}{webhook.id}{webhook.salt}"
    return salted_hmac("api.webhooks", own, algorithm="sha256").digest()
