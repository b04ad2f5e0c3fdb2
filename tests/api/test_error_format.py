"""Refusals have the form that those read who ask there."""

import pytest
from django.test import Client

from accounts.models import User
from api.problems import problem

NOWHERE = ("/api/nowhere", "/api/v2/wings", "/api/", "/api", "/mcp/nowhere")


@pytest.mark.parametrize(
    ("method", "address", "status"),
    [
        ("get", "/api/v1/nowhere", 404),
        ("get", "/api/v1/", 404),
        *(("get", address, 404) for address in NOWHERE),
        *(("post", address, 404) for address in NOWHERE),
        ("patch", "/api/v1/account", 405),
    ],
)
def test_whatever_refuses_says_so_as_a_problem(
    alices: Client, method: str, address: str, status: int
) -> None:
    answer = getattr(alices, method)(address)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    told = answer.json()
    assert told["status"] == status
    assert told["detail"].endswith(".")
    if status == 405:
        assert answer.headers["Allow"] == "GET"


def test_a_status_without_a_sentence_has_its_name() -> None:
    assert b'"detail": "I\'m a Teapot."' in problem(418).content


@pytest.mark.parametrize("address", ["/v1/nowhere", "/v1/", "/v1", "/v1/chat/completions/more"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_clients_of_openai_are_told_in_its_form(alices: Client, method: str, address: str) -> None:
    answer = getattr(alices, method)(address)
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/json"
    error = answer.json()["error"]
    assert error["type"] == "not_found_error"
    assert error["message"].endswith(".")


def test_nobody_is_told_in_the_same_forms(client: Client, db: None) -> None:
    assert client.get("/api/nowhere").headers["Content-Type"] == "application/problem+json"
    assert client.get("/v1/nowhere").headers["Content-Type"] == "application/json"


def test_refusals_of_the_protocol_stay_its_own(alices: Client) -> None:
    answer = alices.post("/mcp", "not json", content_type="application/json")
    assert answer.status_code == 406
    assert "jsonrpc" in answer.json()


@pytest.mark.parametrize("address", ["/memory/nowhere/", "/apis", "/v1nowhere"])
def test_pages_keep_their_own_refusals(alice: User, alice_client: Client, address: str) -> None:
    answer = alice_client.get(address)
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html")
