"""`/mcp`: the MCP server over streamable HTTP. It is stateless, so any process can answer any request."""

import asyncio
import json
from collections.abc import MutableMapping
from http import HTTPStatus
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_not_required
from django.db import connections
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path, re_path, reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from accounts.tokens import Bearer
from api.auth import admit
from api.mcp.server import server_for
from api.problems import Refused, problem

SCOPES = ("read", "write")
MAX_BYTES = 4 * 2**20

_SENTENCES = {
    "Parse error": "The body is not valid JSON.",
    "Validation error": "The body is not a single JSON-RPC message. Batches are not supported.",
}

Message = MutableMapping[str, Any]


@csrf_exempt
@login_not_required
@require_POST
async def mcp(request: HttpRequest) -> HttpResponse:
    """Answer one request. There are no streams or sessions, so GET and DELETE are answered with 405, as the
    protocol requires."""
    try:
        bearer = _admitted(request)
    except Refused as error:
        refused = error.response()
        if error.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            refused.headers["WWW-Authenticate"] = _challenge(request, error.status)
        return refused
    if not _is_same_origin(request):
        return problem(HTTPStatus.FORBIDDEN, "Requests from other origins are not allowed.")
    await sync_to_async(connections.close_all)()  # tools use their own connections
    return await _answer(server_for(bearer), request)


def _admitted(request: HttpRequest) -> Bearer:
    """The bearer of a token with the scope `read` or `write`. Raises Refused."""
    bearer: Bearer | None = getattr(request, "bearer", None)
    writes_only = bearer is not None and not bearer.may("read")
    return admit(request, "write" if writes_only else "read")


def _challenge(request: HttpRequest, status: int) -> str:
    """The WWW-Authenticate header that points to the metadata."""
    metadata = request.build_absolute_uri(reverse("mcp:metadata"))
    insufficient = 'error="insufficient_scope", ' if status == HTTPStatus.FORBIDDEN else ""
    return f'Bearer {insufficient}scope="{" ".join(SCOPES)}", resource_metadata="{metadata}"'


@login_not_required
@require_safe
def metadata(request: HttpRequest) -> JsonResponse:
    """The protected resource metadata of RFC 9728."""
    answer = {
        "resource": request.build_absolute_uri(reverse("mcp:mcp")),
        "resource_name": "Palace",
        "authorization_servers": [request.build_absolute_uri("/").rstrip("/")],
        "scopes_supported": SCOPES,
        "bearer_methods_supported": ["header"],
    }
    return JsonResponse(answer, headers={"Access-Control-Allow-Origin": "*"})


def _is_same_origin(request: HttpRequest) -> bool:
    """Browsers send an origin; other clients send none."""
    origin = request.headers.get("Origin", "")
    return origin in {"", f"{request.scheme}://{request.get_host()}"}


async def _answer(server: Server[Any], request: HttpRequest) -> HttpResponse:
    """The response of the SDK's server."""
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=MAX_BYTES
    )
    exchange = _Exchange(request.read(MAX_BYTES + 1))
    async with manager.run():
        await manager.handle_request(_scope(request), exchange.receive, exchange.send)
    return _in_plain_words(exchange.response)


def _in_plain_words(response: HttpResponse) -> HttpResponse:
    """The response, with a sentence of our own instead of a parser's error."""
    is_json = response.headers["Content-Type"].startswith("application/json")
    if response.status_code != HTTPStatus.BAD_REQUEST or not is_json:
        return response
    answer = json.loads(response.content)
    kind = answer["error"]["message"].partition(":")[0]
    answer["error"]["message"] = _SENTENCES.get(kind, answer["error"]["message"])
    return JsonResponse(answer, status=response.status_code)


class _Exchange:
    """Bridges a Django request to ASGI."""

    def __init__(self, body: bytes) -> None:
        self.response = HttpResponse()
        self._body: bytes | None = body

    async def receive(self) -> Message:
        """The body once; disconnects are not reported."""
        if self._body is None:
            await asyncio.Event().wait()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        """Write part of the response."""
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


app_name = "mcp"
urlpatterns = [
    re_path(r"^mcp/?$", mcp, name="mcp"),
    path(".well-known/oauth-protected-resource/mcp", metadata, name="metadata"),
    path(".well-known/oauth-protected-resource", metadata),
]
