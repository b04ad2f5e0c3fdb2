"""Sends one signed message to one address: no redirect is followed, nothing of the answer is read
but its status."""

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
from api.webhooks.addresses import Target

CONNECT_S = 5.0
WHOLE_S = 10.0


class NoAnswer(Exception):
    """No answer came; `word` says why: `timeout`, `tls` or `connection`."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


class _Pinned(http.client.HTTPConnection):
    """A connection to the place that was looked at, whatever its name stands for by now."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.host, target.port, timeout=CONNECT_S)
        self._target = target

    def connect(self) -> None:
        """Connect, and check the certificate for the name."""
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
    """The status of the answer to this message, within ten seconds. Raises NoAnswer."""
    connection = _Pinned(target)
    clock = Timer(WHOLE_S, _cut, (connection,))
    clock.start()
    try:
        given = {"Host": target.host_header, **headers}
        connection.request("POST", target.path, body, given)
        return connection.getresponse().status
    except TimeoutError as error:
        raise NoAnswer("timeout") from error
    except ssl.SSLError as error:
        raise NoAnswer("tls") from error
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswer("connection") from error
    finally:
        clock.cancel()
        connection.close()


def _cut(connection: http.client.HTTPConnection) -> None:
    """An answer that comes a byte at a time is not waited for."""
    if isinstance(connection.sock, socket.socket):
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)


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
