"""Access rules and limits of every operation in the OpenAPI description, and the formats of errors."""

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import pytest
from django.core.cache import caches
from redis import ConnectionError as RedisAway

from accounts.models import SCOPES
from accounts.tokens import Bearer
from api.auth import count_request
from api.problems import Refused, problem
from tests.api.conftest import api_client, send
from tests.api.operations import operations
from tests.html import check_page

ALL = operations()
ANY: Any = defaultdict(uuid4)
PROBLEM = "application/problem+json"
NOWHERE = ("/api/nowhere", "/api/v2/wings", "/api/", "/api", "/mcp/nowhere")


def test_every_operation_needs_a_token(client, alice_client):
    assert len({each.id for each in ALL}) == len(ALL) > 10
    for operation in ALL:
        address = operation.address(ANY)
        tries = [(client, "Bearer nonsense"), (client, f"Bearer pal_{'0' * 32}_{'A' * 43}")]
        for visitor, header in (*tries, (client, ""), (alice_client, "")):  # a session is not enough
            answer = send(visitor, operation.method, address, {}, Authorization=header)
            assert answer.status_code == answer.json()["status"] == 401, operation
            assert answer.headers["Content-Type"] == PROBLEM, operation
            assert answer.headers["WWW-Authenticate"].startswith("Bearer"), operation


def test_tokens_are_accepted_by_the_api_and_not_by_pages(alice_api, alice):
    assert alice_api.get("/api/v1/account").json() == {
        "id": str(alice.id),
        "email": alice.email,
        "name": "Alice",
        "scopes": ["chat", "read", "write"],
    }
    assert alice_api.get("/memory/").status_code == 302


def test_every_operation_needs_its_scope_and_method(alice, furniture):
    narrower = {scope: api_client(alice, *(other for other in SCOPES if other != scope)) for scope in SCOPES}
    for operation in ALL:
        address = operation.address(furniture.ids)
        body = operation.body(furniture.ids)
        answer = send(narrower[operation.scope], operation.method, address, body)
        assert answer.status_code == 403, operation
        assert operation.scope in answer.json()["detail"], operation
        answer = narrower[operation.scope].generic("TRACE", address)
        assert (answer.status_code, answer.headers["Content-Type"]) == (405, PROBLEM), operation


def test_errors_have_the_format_of_their_interface(client, alice_api, alice_client):
    for method, address in product(("get", "post"), ("/api/v1/nowhere", "/api/v1/", *NOWHERE)):
        answer = getattr(alice_api, method)(address)
        assert (answer.status_code, answer.headers["Content-Type"]) == (404, PROBLEM), address
        assert answer.json()["status"] == 404
        assert answer.json()["detail"].endswith(".")
        assert "Allow" not in answer.headers
    answer = alice_api.patch("/api/v1/account")
    assert (answer.status_code, answer.json()["status"], answer.headers["Allow"]) == (405, 405, "GET")
    for method, more in product(("get", "post"), ("/nowhere", "/", "", "/chat/completions/more")):
        answer = getattr(alice_api, method)(f"/v1{more}")
        assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/json"), more
        error = answer.json()["error"]
        assert error["type"] == "not_found_error"
        assert error["message"].startswith("Palace does not offer this endpoint.")
    assert client.get("/api/nowhere").headers["Content-Type"] == PROBLEM
    assert client.get("/v1/nowhere").headers["Content-Type"] == "application/json"
    for address in ("/memory/nowhere/", "/apis", "/v1nowhere"):
        answer = alice_client.get(address)
        assert answer.status_code == 404
        assert answer.headers["Content-Type"].startswith("text/html")
    answer = alice_api.post("/mcp", "not json", content_type="application/json")
    assert answer.status_code == 406
    assert "jsonrpc" in answer.json()
    assert b'"detail": "I\'m a Teapot."' in problem(418).content, "without a detail, the name of the status"


PAGE, FILE = "/api/docs", "/api/openapi.json"


def test_description_lists_every_operation_for_users_and_programs(client, alice_client, alice_api):
    for address in (PAGE, FILE):
        assert client.get(address).headers["Location"].startswith("/accounts/sign-in/")
        assert alice_client.get(address).status_code == 200
        assert alice_client.post(address).status_code == 405
    html = check_page(alice_client.get(PAGE))
    for each in ALL:
        assert f'id="{each.id}"' in html
        assert f"{each.method} {each.path}" in html
    found = alice_api.get(FILE).json()
    assert found["openapi"].startswith("3.1")
    assert "/api/v1/wings" in found["paths"]
    for headers in ({"Authorization": "Bearer no"}, {"Accept": "*/*"}, {"Accept": "application/json"}):
        answer = client.get(FILE, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["Content-Type"] == PROBLEM or "Authorization" in headers
    browser = client.get(FILE, headers={"Accept": "text/html,*/*;q=0.8"})
    assert browser.headers["Location"].startswith("/accounts/sign-in/")


NOW = datetime(2026, 11, 21, 12, 0, 20, tzinfo=UTC)


def test_rate_limit_applies_per_user_and_minute_and_fails_open(alice, bob, settings, monkeypatch):
    settings.API_RATE = 2
    one, other = api_client(alice, "read"), api_client(alice, "read", "write")
    answers = [each.get("/api/v1/account") for each in (one, other, one, other)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert answers[-1].headers["Content-Type"] == PROBLEM
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert api_client(bob, "read").get("/api/v1/account").status_code == 200
    bearer = Bearer(alice, alice.id, frozenset({"read"}))
    for _ in range(2):
        count_request(bearer, NOW)
    with pytest.raises(Refused) as refusal:
        count_request(bearer, NOW)
    assert refusal.value.retry_after == 40
    count_request(bearer, NOW + timedelta(seconds=40))
    monkeypatch.setattr(caches["requests"], "add", Mock(side_effect=RedisAway))
    count_request(bearer, NOW)
