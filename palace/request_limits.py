"""Rejects oversized request bodies before Django writes them to disk.

Django stores an upload as it arrives and authenticates afterwards. This ASGI middleware therefore allows
the upload limit only on upload URLs, only with a valid session or token, and only while the disk has room.
It writes its own error responses.
"""

import errno
import os
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from io import BytesIO
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.db import DatabaseError, InterfaceError, connections
from django.utils.html import escape

from accounts.tokens import TokensUnavailable
from api.error_format import error_response
from palace.embedded.location import EmbeddedDatabaseFailed
from palace.middleware import APP_REGISTRATION, has_valid_credentials
from transfer.file_jobs import has_disk_space

Scope = dict[str, Any]
Event = Mapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

KILOBYTE = 1024
MEGABYTE = 1024**2
COPIES = 3
"""How many copies of an upload are on disk: the body and its files (both temporary), and the stored file."""


class BodyLimit:
    """ASGI middleware that answers 413 to bodies over the limit, whether declared or found on arrival, and
    507 to uploads for which the disk has no room.

    It first reads and discards as much again as the limit, because browsers show a response only once they
    have sent everything.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        body = _Body(receive, await limit_of(scope))
        if body.refuses(_declared_size(scope), COPIES):
            await body.discard()
        else:
            await self._application(scope, body.receive, body.track_response(send))
        if body.refusal and not body.is_answered:
            await _send_refusal(scope, send, body)


class _Body:
    """Counts the received bytes; once the body is refused, the application sees a disconnect."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self.limit = limit
        self.refusal: HTTPStatus | None = None
        self.is_answered = False
        self._receive = receive
        self._size = 0

    def refuses(self, size: int, copies: int) -> bool:
        """Whether a body of this size is over the limit, or the disk has no room for its copies."""
        if size > self.limit:
            self.refusal = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        elif size > settings.REQUEST_LIMIT_MB * MEGABYTE and not has_disk_space(
            copies * size, spooled=(copies - 1) * size
        ):
            self.refusal = HTTPStatus.INSUFFICIENT_STORAGE
        return self.refusal is not None

    async def receive(self) -> Event:
        event = await self._receive()
        self._size += len(event.get("body", b""))
        if not self.refuses(self._size, COPIES - 1):
            return event
        await self.discard(more=event.get("more_body", False))
        return {"type": "http.disconnect"}

    async def discard(self, *, more: bool = True) -> None:
        """Drop the rest of the body, up to the limit."""
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


async def limit_of(scope: Scope) -> int:
    """The largest body this request may have, in bytes."""
    page = str(scope["path"]).removesuffix("/")
    if page == APP_REGISTRATION:
        return int(settings.REGISTRATION_LIMIT_KB) * KILOBYTE
    megabytes = settings.REQUEST_LIMIT_MB
    if page in settings.UPLOAD_PAGES and scope["method"] == "POST" and await _has_valid_credentials(scope):
        megabytes = max(megabytes, settings.UPLOAD_LIMIT_MB)
    return int(megabytes) * MEGABYTE


async def _has_valid_credentials(scope: Scope) -> bool:
    names = {name for name, _ in scope["headers"]}
    if not names & {b"cookie", b"authorization"}:
        return False
    request = ASGIRequest({**scope, "query_string": b""}, BytesIO())
    return await sync_to_async(_check_credentials, thread_sensitive=False)(request)


def _check_credentials(request: ASGIRequest) -> bool:
    try:
        return has_valid_credentials(request)
    except (DisallowedHost, TokensUnavailable, DatabaseError, InterfaceError, EmbeddedDatabaseFailed):
        return False  # Django refuses such a request with the reason
    finally:
        connections.close_all()


def _declared_size(scope: Scope) -> int:
    sizes = (value for name, value in scope["headers"] if name == b"content-length")
    return max((int(size[:20]) for size in sizes if size.isdigit()), default=0)


async def _send_refusal(scope: Scope, send: Send, body: _Body) -> None:
    kind, content = _error(str(scope["path"]), body)
    headers = [(b"content-type", kind), (b"content-length", str(len(content)).encode())]
    headers += [(b"connection", b"close"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": body.refusal, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def _error(path: str, body: _Body) -> tuple[bytes, bytes]:
    """The content type and body of the error, in the format that this part of the site uses."""
    detail = f"{_reason(path, body)} Nothing was saved."
    if path.startswith(("/v1/", "/api/", "/mcp", "/identity/")):
        error = error_response(path, body.refusal or HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
        return error.headers["Content-Type"].encode(), error.content
    title = "Too large" if body.refusal == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else "Disk full"
    html = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<h1>{title}</h1><p>{escape(detail)}</p><p><a href="/">Palace</a></p>'
    )
    return b"text/html; charset=utf-8", html.encode()


def _reason(path: str, body: _Body) -> str:
    if body.refusal == HTTPStatus.INSUFFICIENT_STORAGE:
        return f"This server cannot store the file: {os.strerror(errno.ENOSPC)}."
    limit = f"{body.limit // MEGABYTE:,} MB" if body.limit >= MEGABYTE else f"{body.limit // KILOBYTE} kB"
    if path.removesuffix("/") in settings.UPLOAD_PAGES and body.limit < settings.UPLOAD_LIMIT_MB * MEGABYTE:
        return f"Unless you sign in or send a valid token, the limit here is {limit}."
    return f"The limit here is {limit}."
