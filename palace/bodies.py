"""Refuses requests that are too large, before anything of them is kept.

Django writes a body to disk as it arrives and asks who sent it only then. So what is too large, or is
no upload of somebody who at least claims to be signed in, is turned away here.

This stands before Django and is loaded before it is set up, so refusals are written out here and not by
`api.addresses`.
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
PROGRAMS = ("/api/", "/mcp")
CLIENTS_OF_OPENAI = "/v1/"


class BodyLimit:
    """An ASGI application that hands requests of a bearable size to another one.

    What is declared or turns out to be larger is answered with status 413 and a sentence, as HTML
    or as problem+json. A little more than the limit is read and thrown away first, because a browser
    shows an answer only when it has sent everything.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        body = _Body(receive, limit_of(scope))
        if _declared(scope) > body.limit:
            await body.discard()
        else:
            await self._application(scope, body.receive, body.watched(send))
        if body.is_too_large and not body.is_answered:
            await _refuse(scope, send, body.limit)


class _Body:
    """Counts what is received of a request; beyond the limit it claims that the sender is gone."""

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
        """Throw away what is still to come, up to as much again as is allowed."""
        self.is_too_large = True
        left = self.limit
        while more and left > 0:
            event = await self._receive()
            left -= len(event.get("body", b""))
            more = event["type"] == "http.request" and event.get("more_body", False)

    def watched(self, send: Send) -> Send:
        async def watch(event: Event) -> None:
            self.is_answered = self.is_answered or event["type"] == "http.response.start"
            await send(event)

        return watch


def limit_of(scope: Scope) -> int:
    """Return how many bytes the body of this request may have."""
    page = str(scope["path"]).removesuffix("/")
    names = {name for name, _ in scope["headers"]}
    claims = b"cookie" in names or b"authorization" in names
    takes_files = page in settings.UPLOAD_PAGES and scope["method"] == "POST"
    megabytes = settings.UPLOAD_LIMIT_MB if takes_files and claims else settings.REQUEST_LIMIT_MB
    return max(megabytes, settings.REQUEST_LIMIT_MB) * MEGABYTE


def _declared(scope: Scope) -> int:
    sizes = (value for name, value in scope["headers"] if name == b"content-length")
    return max((int(size[:20]) for size in sizes if size.isdigit()), default=0)


async def _refuse(scope: Scope, send: Send, limit: int) -> None:
    sentence = (
        f"This is larger than {limit // MEGABYTE:,} MB, the most this server takes here. "
        "Nothing of it was kept."
    )
    kind, body = _told(str(scope["path"]), sentence)
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    headers += [(b"connection", b"close"), (b"cache-control", b"no-store")]
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _told(path: str, sentence: str) -> tuple[bytes, bytes]:
    if path.startswith(CLIENTS_OF_OPENAI):
        return _error(sentence)
    return _problem(sentence) if path.startswith(PROGRAMS) else _page(sentence)


def _error(sentence: str) -> tuple[bytes, bytes]:
    error = {"message": sentence, "type": "invalid_request_error", "param": None}
    return b"application/json", json.dumps(
        {"error": error | {"code": "request_too_large"}}
    ).encode()


def _problem(sentence: str) -> tuple[bytes, bytes]:
    problem = {"type": "about:blank", "title": "Too large", "status": 413, "detail": sentence}
    return b"application/problem+json", json.dumps(problem).encode()


def _page(sentence: str) -> tuple[bytes, bytes]:
    html = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Too large</title>'
        f'<h1>Too large</h1><p>{escape(sentence)}</p><p><a href="/">Palace</a></p>'
    )
    return b"text/html; charset=utf-8", html.encode()
