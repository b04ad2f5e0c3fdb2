"""The account by REST: its tokens, and what they open."""

import pytest
from django.test import Client

from accounts.models import User
from tests.api.conftest import program, send, token_of

pytestmark = pytest.mark.usefixtures("uploads")
API = "/api/v1"


def test_tokens_are_listed_without_their_text(alices: Client, alice: User, bob: User) -> None:
    text = token_of(alice, "read")
    token_of(bob, "read")
    answer = alices.get(f"{API}/tokens")
    newest, first = answer.json()["items"]
    assert (newest["scopes"], newest["last_used_at"]) == (["read"], None)
    assert first["scopes"] == ["chat", "read", "write"]
    assert text not in answer.content.decode()
    assert text.split("_", 2)[2] not in answer.content.decode()


def test_a_token_is_revoked(alices: Client, alice: User) -> None:
    reader = program(alice, "read")
    (found, _) = alices.get(f"{API}/tokens").json()["items"]
    here = f"{API}/tokens/{found['id']}"
    assert reader.delete(here).status_code == 403, "a token to read revokes nothing"
    assert alices.delete(here).json() == {"id": found["id"]}
    assert reader.get(f"{API}/account").status_code == 401
    assert alices.delete(here).status_code == 404


def test_a_token_may_revoke_itself(alices: Client) -> None:
    (own,) = alices.get(f"{API}/tokens").json()["items"]
    assert alices.delete(f"{API}/tokens/{own['id']}").status_code == 200
    assert alices.get(f"{API}/tokens").status_code == 401


def test_no_token_makes_another(alices: Client) -> None:
    answer = send(alices, "POST", f"{API}/tokens", {"name": "More", "scopes": ["read"]})
    assert answer.status_code == 405


def test_an_export_is_fetched_by_who_may_read_and_chat(alice: User, alices: Client) -> None:
    asked = send(alices, "POST", f"{API}/exports", {}).json()["id"]
    here = f"{API}/exports/{asked}/file"
    for scopes in (("read",), ("chat",), ("read", "write"), ("write", "chat")):
        assert program(alice, *scopes).get(here).status_code == 403, scopes
    assert program(alice, "read", "chat").get(here).status_code == 404, "it is not made yet"
