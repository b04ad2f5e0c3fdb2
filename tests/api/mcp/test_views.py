"""Access to `/mcp`, before the protocol."""

import json

import pytest
from django.db import connections

from tests.api.conftest import api_client

pytestmark = pytest.mark.django_db(transaction=True)

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def post(client, body=HELLO, path="/mcp", **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    accept = {"Accept": "application/json, text/event-stream"}
    return client.post(path, data, "application/json", headers=accept | headers)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_initialize_without_a_session(alice, path):
    answer = post(api_client(alice, "read"), path=path)
    assert answer.status_code == 200
    assert answer.json()["result"]["serverInfo"]["name"] == "palace"
    assert "Mcp-Session-Id" not in answer.headers


def test_token_with_a_memory_scope_is_required(alice, client):
    client.force_login(alice)
    refused = post(client)
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")
    assert post(api_client(alice, "chat")).status_code == 403


@pytest.mark.parametrize("method", ["get", "delete", "put"])
def test_only_post_is_allowed(alice, method):
    refused = getattr(api_client(alice), method)("/mcp")
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")


def test_requests_from_other_origins_are_refused(alice):
    client = api_client(alice)
    assert post(client, Origin="https://evil.example").status_code == 403
    assert post(client, Origin="null").status_code == 403
    assert post(client, Origin="http://testserver").status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"not json", 400, "The body is not valid JSON."),
        (b"[" * 100_000, 400, "The body is not valid JSON."),
        (b"[]", 400, "The body is not a single JSON-RPC message. Batches are not supported."),
        (b"x" * (4 * 2**20 + 1), 413, ""),
    ],
)
def test_invalid_messages_are_refused_in_a_sentence(alice, body, status, sentence):
    refused = post(api_client(alice), body)
    assert refused.status_code == status
    assert not sentence or refused.json()["error"]["message"] == sentence


def test_requests_are_throttled(alice, settings):
    settings.API_RATE = 1
    client = api_client(alice)
    post(client)
    refused = post(client)
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) <= 60


def test_unreachable_database_is_reported_by_the_tool(alice, monkeypatch):
    client = api_client(alice)
    assert post(client).status_code == 200  # the site has cached the token now
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
    call["params"] = {"name": "browse", "arguments": {}}
    for name, value in (("HOST", "127.0.0.1"), ("PORT", "9")):
        monkeypatch.setitem(connections.settings["default"], name, value)
    result = post(client, call).json()["result"]
    assert result["isError"]
    assert result["content"][0]["text"].startswith("Memory is unavailable")
