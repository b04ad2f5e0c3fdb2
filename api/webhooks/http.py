"""Sends one signed message. Redirects are not followed, and only the status is read."""

import base64
import hashlib
import hmac
import http.client
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from threading import Timer

from django.utils.crypto import salted_hmac

from api.models import Webhook
from llm.addresses import Target

CONNECT_S = 5.0
TOTAL_S = 10.0


class NoResponse(Exception):
    """There was no response. `reason` is `timeout`, `tls` or `connection`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Pinned(http.client.HTTPConnection):
    """A connection to the validated IP address, whatever DNS now says."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.host, target.port, timeout=CONNECT_S)
        self._target = target

    def connect(self) -> None:
        """Connect, and verify the certificate for the host name."""
        sock = socket.create_connection((self._target.ip, self._target.port), CONNECT_S)
        if self._target.secure:
            context = ssl.create_default_context()
            try:
                sock = context.wrap_socket(sock, server_hostname=self._target.host)
            except (OSError, ValueError):
                sock.close()
                raise
        self.sock = sock


def post(target: Target, body: bytes, headers: Mapping[str, str]) -> int:
    """Send a message and return the status of the response. Raises NoResponse after ten seconds."""
    connection = _Pinned(target)
    timer = Timer(TOTAL_S, _cut, (connection,))
    timer.start()
    try:
        all_headers = {"Host": target.host_header, **headers}
        connection.request("POST", target.path, body, all_headers)
        return connection.getresponse().status
    except TimeoutError as error:
        raise NoResponse("timeout") from error
    except ssl.SSLError as error:
        raise NoResponse("tls") from error
    except (OSError, http.client.HTTPException) as error:
        raise NoResponse("connection") from error
    finally:
        timer.cancel()
        connection.close()


def _cut(connection: http.client.HTTPConnection) -> None:
    """Stop waiting for a response that trickles in."""
    if isinstance(connection.sock, socket.socket):
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)


PREFIX = "whsec_"


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
