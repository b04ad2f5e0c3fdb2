"""Errors have the format of the API in which they occur; the description of the REST API."""

import pytest

from api.problems import problem
from tests.api.operations import operations
from tests.html import check_page

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
def test_rest_errors_are_problem_documents(alice_api, method, address, status):
    answer = getattr(alice_api, method)(address)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["detail"].endswith(".")
    if status == 405:
        assert answer.headers["Allow"] == "GET"


def test_problem_without_detail_has_the_name_of_its_status():
    assert b'"detail": "I\'m a Teapot."' in problem(418).content


@pytest.mark.parametrize("address", ["/v1/nowhere", "/v1/", "/v1", "/v1/chat/completions/more"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_openai_errors_have_openai_format(alice_api, method, address):
    answer = getattr(alice_api, method)(address)
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/json"
    error = answer.json()["error"]
    assert error["type"] == "not_found_error"
    assert error["message"].startswith("Palace does not offer this endpoint.")


def test_unauthenticated_errors_have_the_same_formats(client, db):
    assert client.get("/api/nowhere").headers["Content-Type"] == "application/problem+json"
    assert client.get("/v1/nowhere").headers["Content-Type"] == "application/json"


def test_mcp_errors_keep_the_protocol_format(alice_api):
    answer = alice_api.post("/mcp", "not json", content_type="application/json")
    assert answer.status_code == 406
    assert "jsonrpc" in answer.json()


@pytest.mark.parametrize("address", ["/memory/nowhere/", "/apis", "/v1nowhere"])
def test_page_errors_stay_html(alice, alice_client, address):
    answer = alice_client.get(address)
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html")


PAGE, FILE = "/api/docs", "/api/openapi.json"


@pytest.mark.parametrize("address", [PAGE, FILE])
def test_api_description_needs_sign_in(client, alice_client, address):
    assert client.get(address).headers["Location"].startswith("/accounts/sign-in/")
    assert alice_client.get(address).status_code == 200
    assert alice_client.post(address).status_code == 405


def test_programs_without_a_token_are_told_so_instead_of_being_sent_to_a_page(client):
    for accept in ("*/*", "application/json"):
        answer = client.get(FILE, headers={"Accept": accept})
        assert (answer.status_code, answer.headers["Content-Type"]) == (401, "application/problem+json")
    browser = client.get(FILE, headers={"Accept": "text/html,*/*;q=0.8"})
    assert browser.headers["Location"].startswith("/accounts/sign-in/")


def test_page_lists_every_operation(alice_client):
    html = check_page(alice_client.get(PAGE))
    for each in operations():
        assert f'id="{each.id}"' in html
        assert f"{each.method} {each.path}" in html


def test_description_can_be_read_with_a_token(client, alice_api):
    found = alice_api.get(FILE).json()
    assert found["openapi"].startswith("3.1")
    assert "/api/v1/wings" in found["paths"]
    assert client.get(FILE, headers={"Authorization": "Bearer no"}).status_code == 401
