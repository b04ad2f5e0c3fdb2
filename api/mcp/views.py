"""`/mcp`: the MCP server over streamable HTTP. It is stateless, so any process can answer any request."""

import json
from http import HTTPStatus
from typing import Any

import httpx2
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
    origin = request.headers.get("Origin", "")  # which only browsers send
    if origin not in {"", f"{request.scheme}://{request.get_host()}"}:
        return problem(HTTPStatus.FORBIDDEN, "Requests from other origins are not allowed.")
    await sync_to_async(connections.close_all)()  # tools use their own connections
    return await _answer(server_for(bearer), request)


def _admitted(request: HttpRequest) -> Bearer:
    """The bearer of a token with the scope `read` or `write`. Raises Refused."""
    bearer: Bearer | None = getattr(request, "bearer", None)
    if bearer is None or bearer.may("read"):
        return admit(request, "read")
    if not bearer.may("write"):
        raise Refused(403, "This token has neither the scope `read` nor `write`.")
    return admit(request, "write")


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


async def _answer(server: Server[Any], request: HttpRequest) -> HttpResponse:
    """The response of the SDK's server."""
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=MAX_BYTES
    )
    headers = [(name.encode(), value.encode("latin-1", "replace")) for name, value in request.headers.items()]
    body = request.read(MAX_BYTES + 1)
    sent = httpx2.Request("POST", request.build_absolute_uri(), headers=headers, content=body)
    async with manager.run():
        answer = await httpx2.ASGITransport(manager.handle_request).handle_async_request(sent)
        content = await answer.aread()
    response = HttpResponse(content, status=answer.status_code, headers=dict(answer.headers))
    return _in_plain_words(response)


def _in_plain_words(response: HttpResponse) -> HttpResponse:
    """The response, with a sentence of our own instead of a parser's error."""
    is_json = response.headers["Content-Type"].startswith("application/json")
    if response.status_code != HTTPStatus.BAD_REQUEST or not is_json:
        return response
    answer = json.loads(response.content)
    kind = answer["error"]["message"].partition(":")[0]
    answer["error"]["message"] = _SENTENCES.get(kind, answer["error"]["message"])
    return JsonResponse(answer, status=response.status_code)


app_name = "mcp"
urlpatterns = [
    re_path(r"^mcp/?$", mcp, name="mcp"),
    path(".well-known/oauth-protected-resource/mcp", metadata, name="metadata"),
    path(".well-known/oauth-protected-resource", metadata),
]
