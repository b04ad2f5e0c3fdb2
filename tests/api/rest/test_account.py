"""The REST API of the account: tokens and exports."""

import pytest
from django.test import Client

from accounts.models import User
from tests.api.conftest import api_client, send, token_of

pytestmark = pytest.mark.usefixtures("uploads")
API = "/api/v1"


def test_tokens_are_listed_without_their_text(alice_api: Client, alice: User, bob: User) -> None:
    text = token_of(alice, "read")
    token_of(bob, "read")
    answer = alice_api.get(f"{API}/tokens")
    newest, first = answer.json()["items"]
    assert (newest["scopes"], newest["last_used_at"]) == (["read"], None)
    assert first["scopes"] == ["chat", "read", "write"]
    assert text not in answer.content.decode()
    assert text.split("_", 2)[2] not in answer.content.decode()


def test_token_can_be_revoked(alice_api: Client, alice: User) -> None:
    reader = api_client(alice, "read")
    (found, _) = alice_api.get(f"{API}/tokens").json()["items"]
    here = f"{API}/tokens/{found['id']}"
    assert reader.delete(here).status_code == 403, "a read token cannot revoke"
    assert alice_api.delete(here).json() == {"id": found["id"]}
    assert reader.get(f"{API}/account").status_code == 401
    assert alice_api.delete(here).status_code == 404


def test_token_can_revoke_itself(alice_api: Client) -> None:
    (own,) = alice_api.get(f"{API}/tokens").json()["items"]
    assert alice_api.delete(f"{API}/tokens/{own['id']}").status_code == 200
    assert alice_api.get(f"{API}/tokens").status_code == 401


def test_tokens_cannot_be_created_by_the_api(alice_api: Client) -> None:
    answer = send(alice_api, "POST", f"{API}/tokens", {"name": "More", "scopes": ["read"]})
    assert answer.status_code == 405


def test_downloading_an_export_needs_read_and_chat_scopes(alice: User, alice_api: Client) -> None:
    export_id = send(alice_api, "POST", f"{API}/exports", {}).json()["id"]
    here = f"{API}/exports/{export_id}/file"
    for scopes in (("read",), ("chat",), ("read", "write"), ("write", "chat")):
        assert api_client(alice, *scopes).get(here).status_code == 403, scopes
    assert api_client(alice, "read", "chat").get(here).status_code == 404, "it is not finished yet"
