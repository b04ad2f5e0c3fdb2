"""Errors have the format of the API in which they occur."""

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
def test_rest_errors_are_problem_documents(alice_api: Client, method: str, address: str, status: int) -> None:
    answer = getattr(alice_api, method)(address)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["detail"].endswith(".")
    if status == 405:
        assert answer.headers["Allow"] == "GET"


def test_problem_without_detail_has_the_name_of_its_status() -> None:
    assert b'"detail": "I\'m a Teapot."' in problem(418).content


@pytest.mark.parametrize("address", ["/v1/nowhere", "/v1/", "/v1", "/v1/chat/completions/more"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_openai_errors_have_openai_format(alice_api: Client, method: str, address: str) -> None:
    answer = getattr(alice_api, method)(address)
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/json"
    error = answer.json()["error"]
    assert error["type"] == "not_found_error"
    assert error["message"].endswith(".")


def test_unauthenticated_errors_have_the_same_formats(client: Client, db: None) -> None:
    assert client.get("/api/nowhere").headers["Content-Type"] == "application/problem+json"
    assert client.get("/v1/nowhere").headers["Content-Type"] == "application/json"


def test_mcp_errors_keep_the_protocol_format(alice_api: Client) -> None:
    answer = alice_api.post("/mcp", "not json", content_type="application/json")
    assert answer.status_code == 406
    assert "jsonrpc" in answer.json()


@pytest.mark.parametrize("address", ["/memory/nowhere/", "/apis", "/v1nowhere"])
def test_page_errors_stay_html(alice: User, alice_client: Client, address: str) -> None:
    answer = alice_client.get(address)
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html")
