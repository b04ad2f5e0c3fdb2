import pytest
from django.test import Client

from api.problems import problem


@pytest.mark.parametrize(
    ("method", "address", "status"),
    [
        ("get", "/api/v1/nowhere", 404),
        ("get", "/api/v1/", 404),
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


def test_pages_keep_their_own_refusals(alice_client: Client) -> None:
    answer = alice_client.get("/memory/nowhere/")
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html")


def test_a_status_without_a_sentence_has_its_name() -> None:
    assert b'"detail": "I\'m a Teapot."' in problem(418).content
