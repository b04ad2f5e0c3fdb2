"""Rejects oversized request bodies before Django writes them to disk.

Django stores an upload as it arrives and authenticates afterwards. This ASGI middleware therefore allows
the upload limit only on upload URLs and only with credentials, which may still prove invalid. It runs
before Django is set up and so writes its own error responses.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.utils.html import escape

Scope = dict[str, Any]
Event = Mapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

MEGABYTE = 1024**2


class BodyLimit:
    """ASGI middleware that answers 413 to bodies over the limit, whether declared or found on arrival.

    Up to the limit again is read and discarded first, because browsers show a response only once they
    have sent everything.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        body = _Body(receive, limit_of(scope))
        if _declared_size(scope) > body.limit:
            await body.discard()
        else:
            await self._application(scope, body.receive, body.track_response(send))
        if body.is_too_large and not body.is_answered:
            await _send_too_large(scope, send, body.limit)


class _Body:
    """Counts the received bytes; beyond the limit the application sees a disconnect."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self.limit = limit
        self.is_too_large = self.is_answered = False
        self._receive = receive
        self._size = 0

    async def receive(self) -> Event:
        event = await self._receive()
        self._size += len(event.get("body", b""))
        if self._size <= self.limit:
            return event
        await self.discard(more=event.get("more_body", False))
        return {"type": "http.disconnect"}

    async def discard(self, *, more: bool = True) -> None:
        """Drop the rest of the body, up to the limit."""
        self.is_too_large = True
        left = self.limit
        while more and left > 0:
            event = await self._receive()
            left -= len(event.get("body", b""))
            more = event["type"] == "http.request" and event.get("more_body", False)

    def track_response(self, send: Send) -> Send:
        async def watch(event: Event) -> None:
            self.is_answered = self.is_answered or event["type"] == "http.response.start"
            await send(event)

        return watch


def limit_of(scope: Scope) -> int:
    """The largest body this request may have, in bytes."""
    page = str(scope["path"]).removesuffix("/")
    names = {name for name, _ in scope["headers"]}
    has_credentials = b"cookie" in names or b"authorization" in names
    is_upload = page in settings.UPLOAD_PAGES and scope["method"] == "POST"
    megabytes = settings.UPLOAD_LIMIT_MB if is_upload and has_credentials else settings.REQUEST_LIMIT_MB
    return max(megabytes, settings.REQUEST_LIMIT_MB) * MEGABYTE


def _declared_size(scope: Scope) -> int:
    sizes = (value for name, value in scope["headers"] if name == b"content-length")
    return max((int(size[:20]) for size in sizes if size.isdigit()), default=0)


async def _send_too_large(scope: Scope, send: Send, limit: int) -> None:
    kind, body = _error(str(scope["path"]), f"The limit here is {limit // MEGABYTE:,} MB. Nothing was saved.")
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    headers += [(b"connection", b"close"), (b"cache-control", b"no-store")]
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _error(path: str, detail: str) -> tuple[bytes, bytes]:
    """The content type and body of the error, in the format that this part of the site uses."""
    if path.startswith("/v1/"):
        error = {"message": detail, "type": "invalid_request_error", "param": None}
        return b"application/json", json.dumps({"error": error | {"code": "request_too_large"}}).encode()
    if path.startswith(("/api/", "/mcp")):
        problem = {"type": "about:blank", "title": "Too large", "status": 413, "detail": detail}
        return b"application/problem+json", json.dumps(problem).encode()
    html = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Too large</title>'
        f'<h1>Too large</h1><p>{escape(detail)}</p><p><a href="/">Palace</a></p>'
    )
    return b"text/html; charset=utf-8", html.encode()
