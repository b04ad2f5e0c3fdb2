from django.test import Client

from accounts.models import User

ADDRESS = "/api/v1/account"


def test_a_token_opens(alices: Client, alice: User) -> None:
    assert alices.get(ADDRESS).json() == {
        "id": str(alice.id),
        "email": alice.email,
        "name": "Alice",
        "scopes": ["chat", "read", "write"],
    }


def test_nothing_opens_without(client: Client, alice_client: Client) -> None:
    for visitor in (client, alice_client):  # a session is sent by browsers unasked
        answer = visitor.get(ADDRESS)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["status"] == 401


def test_a_token_opens_no_page(alices: Client) -> None:
    assert alices.get("/memory/").status_code == 302
