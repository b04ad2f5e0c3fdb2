"""The account as a whole by REST: its tokens, the demo palace, what was spent, and closing it."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import operator, tenant
from api.rest.idempotency import HEADER
from memory.forgetting.verification import count_rows, tables
from memory.models import Drawer
from memory.organize.notes import Note, save_note
from tests.api.conftest import program, send, token_of
from transfer import demo

pytestmark = pytest.mark.usefixtures("uploads")
API = "/api/v1"
YES = {"email": "Alice@Example.org ", "confirmed": True}


def noted(user: User) -> None:
    with tenant(user.id):
        save_note(user.id, Note("The oven runs hot."), timezone.now())


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


def test_a_demo_is_seen_and_removed_but_only_opened_in_a_browser(alices: Client, alice: User) -> None:
    assert alices.get(f"{API}/demo").json() == {"is_open": False}
    demo.open_demo(alice, timezone.now())
    assert alices.get(f"{API}/demo").json() == {"is_open": True}
    assert alices.post(f"{API}/demo").status_code == 405
    assert alices.delete(f"{API}/demo").json() == {"is_open": False}
    assert alices.get(f"{API}/demo").json() == {"is_open": False}


def test_an_export_is_fetched_by_who_may_read_and_chat(alice: User, alices: Client) -> None:
    asked = send(alices, "POST", f"{API}/exports", {}).json()["id"]
    here = f"{API}/exports/{asked}/file"
    for scopes in (("read",), ("chat",), ("read", "write"), ("write", "chat")):
        assert program(alice, *scopes).get(here).status_code == 403, scopes
    assert program(alice, "read", "chat").get(here).status_code == 404, "it is not made yet"


def test_closing_says_before_what_goes(alices: Client, alice: User) -> None:
    noted(alice)
    rows = alices.get(f"{API}/account/rows").json()["rows"]
    assert rows["memory_drawer"] == 1
    assert "memory_fact" not in rows


def test_closing_erases_everything_and_answers_with_the_receipt(
    alices: Client, alice: User, bob: User
) -> None:
    for person in (alice, bob):
        noted(person)
    answer = send(alices, "POST", f"{API}/account/close", YES, **{HEADER: "close-1"})
    told = answer.json()
    assert answer.status_code == 200, told
    assert told["rows"]["memory_drawer"] == 1
    assert told["found"] == []
    assert told["searched"] > 40
    assert alices.get(f"{API}/account").status_code == 401
    assert not User.objects.filter(id=alice.id).exists()
    with tenant(alice.id):
        assert [each.name for each in tables() if each.owner and count_rows(each, alice.id)] == []
    with tenant(bob.id):
        assert Drawer.objects.count() == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"confirmed": True},
        {"email": "alice@example.org"},
        YES | {"confirmed": False},
        YES | {"email": "bob@example.org"},
    ],
)
def test_without_a_yes_nothing_is_closed(alices: Client, alice: User, body: Any) -> None:
    assert send(alices, "POST", f"{API}/account/close", body).status_code == 422
    assert User.objects.filter(id=alice.id).exists()


@pytest.mark.parametrize("scopes", [("write",), ("read", "write"), ("write", "chat")])
def test_only_a_token_for_everything_closes(alice: User, scopes: tuple[str, ...]) -> None:
    answer = send(program(alice, *scopes), "POST", f"{API}/account/close", YES)
    assert answer.status_code == 403
    assert User.objects.filter(id=alice.id).exists()


def test_the_last_of_staff_stays(alices: Client, alice: User, bob: User) -> None:
    with operator():
        User.objects.filter(id=alice.id).update(is_staff=True)
    answer = send(alices, "POST", f"{API}/account/close", YES)
    assert answer.status_code == 409
    assert "run this site" in answer.json()["detail"]
