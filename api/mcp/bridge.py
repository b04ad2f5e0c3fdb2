"""One request of Django's, answered by the official SDK over streamable HTTP.

No session is kept between requests, so any process may answer any of them.
"""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

MOST_BYTES = 4 * 2**20

Message = MutableMapping[str, Any]


async def answered(server: Server[Any], request: HttpRequest) -> HttpResponse:
    """What the server says to this request."""
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=MOST_BYTES
    )
    exchange = _Exchange(request.read(MOST_BYTES + 1))
    async with manager.run():
        await manager.handle_request(_scope(request), exchange.receive, exchange.send)
    return exchange.response


class _Exchange:
    """The body of a request on its way in, and the response on its way out."""

    def __init__(self, body: bytes) -> None:
        self.response = HttpResponse()
        self._body: bytes | None = body

    async def receive(self) -> Message:
        """The body, then nothing: a caller that leaves is not waited for here."""
        if self._body is None:
            await asyncio.Event().wait()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        """Take a part of the response."""
        if message["type"] == "http.response.start":
            self.response.status_code = message["status"]
            for name, value in message.get("headers", ()):
                self.response.headers[name.decode("latin-1")] = value.decode("latin-1")
        else:
            self.response.write(message.get("body", b""))


def _scope(request: HttpRequest) -> Message:
    headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
        for name, value in request.headers.items()
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "root_path": "",
        "query_string": request.META.get("QUERY_STRING", "").encode(),
        "headers": headers,
        "client": None,
        "server": None,
    }
