"""Who comes in at `/mcp`, before the protocol is spoken."""

import json

import pytest
from django.db import connections
from django.test import Client

from accounts.models import User
from tests.api.conftest import program

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


def post(client: Client, body: object = HELLO, path: str = "/mcp", **headers: str):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    accept = {"Accept": "application/json, text/event-stream"}
    return client.post(path, data, "application/json", headers=accept | headers)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_the_handshake(alice: User, path: str) -> None:
    answer = post(program(alice, "read"), path=path)
    assert answer.status_code == 200
    assert answer.json()["result"]["serverInfo"]["name"] == "palace"
    assert "Mcp-Session-Id" not in answer.headers


def test_only_tokens_come_in(alice: User, client: Client) -> None:
    client.force_login(alice)
    refused = post(client)
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")
    assert post(program(alice, "chat")).status_code == 403


@pytest.mark.parametrize("method", ["get", "delete", "put"])
def test_there_is_nothing_to_listen_to(alice: User, method: str) -> None:
    refused = getattr(program(alice), method)("/mcp")
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")


def test_pages_of_other_sites_are_refused(alice: User) -> None:
    alices = program(alice)
    assert post(alices, Origin="https://evil.example").status_code == 403
    assert post(alices, Origin="null").status_code == 403
    assert post(alices, Origin="http://testserver").status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"not json", 400), (b"[" * 100_000, 400), (b"[]", 400), (b"x" * (4 * 2**20 + 1), 413)],
)
def test_what_is_no_message_is_refused(alice: User, body: bytes, status: int) -> None:
    assert post(program(alice), body).status_code == status


def test_too_many_requests(alice: User, settings) -> None:
    settings.API_RATE = 1
    alices = program(alice)
    post(alices)
    refused = post(alices)
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) <= 60


def test_a_database_that_is_away(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    alices = program(alice)
    assert post(alices).status_code == 200  # by now the site knows the token
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
    call["params"] = {"name": "browse", "arguments": {}}
    for name, value in (("HOST", "127.0.0.1"), ("PORT", "9")):
        monkeypatch.setitem(connections.settings["default"], name, value)
    result = post(alices, call).json()["result"]
    assert result["isError"]
    assert result["content"][0]["text"].startswith("Memory is unavailable")
