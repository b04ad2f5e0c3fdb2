"""Endpoints what happens, by REST."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.tenancy import tenant
from api.models import KeptAnswer, WebhookDelivery
from api.models import Webhook as Row
from api.webhooks.http import secret_of
from tests.api.conftest import program, send
from tests.drills.ledger import NOW

HERE = "/api/v1/webhooks"
URL = "https://93.184.216.34/palace"


@pytest.fixture
def added(alices: Client) -> str:
    """The address of a webhook."""
    answer = send(alices, "POST", HERE, {"url": URL, "events": ["forgotten", "mined", "mined"]})
    assert answer.status_code == 201, answer.content
    return f"{HERE}/{answer.json()['id']}"


def test_an_address_is_added_and_listed(alices: Client, bobs: Client, added: str) -> None:
    (item,) = alices.get(HERE).json()["items"]
    assert item == alices.get(added).json()
    assert (item["url"], item["events"]) == (URL, ["forgotten", "mined"])
    assert (item["paused_at"], item["pause_reason"], item["last_success_at"]) == (None, "", None)
    assert "secret" not in item
    assert bobs.get(HERE).json() == {"items": [], "next": None}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"url": "http://93.184.216.34/"}, "must start with https"),
        ({"url": "https://127.0.0.1/"}, "private network"),
        ({"url": "https://[::1]/"}, "private network"),
        ({"url": "https://a:b@93.184.216.34/"}, "user name or password"),
        ({"url": "file:///etc/passwd"}, "complete URL"),
        ({"url": URL, "events": []}, "is invalid"),
        ({"url": URL, "events": ["everything"]}, "is invalid"),
        ({}, "is invalid"),
    ],
)
def test_what_may_not_be_told_is_refused(alices: Client, body: Any, words: str) -> None:
    answer = send(alices, "POST", HERE, body)
    assert answer.status_code == 422
    assert words in answer.json()["detail"]


def test_an_address_is_told_once(alices: Client, added: str) -> None:
    again = send(alices, "POST", HERE, {"url": URL})
    assert (again.status_code, again.json()["detail"]) == (422, "You already have a webhook with this URL.")


def test_a_key_adds_it_once_and_keeps_no_address(alices: Client, as_alice: User) -> None:
    answers = [send(alices, "POST", HERE, {"url": URL}, **{"Idempotency-Key": "a"}).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert KeptAnswer.objects.get().body == answers[0]
    assert Row.objects.count() == 1


def test_a_secret_is_for_those_who_may_write(alices: Client, alice: User, added: str) -> None:
    first = alices.get(f"{added}/secret").json()["secret"]
    assert first.startswith("whsec_")
    assert program(alice, "read", "chat").get(f"{added}/secret").status_code == 403
    with tenant(alice.id):
        assert first == secret_of(Row.objects.get())


def test_it_is_resumed(alices: Client, alice: User, added: str) -> None:
    with tenant(alice.id):
        Row.objects.update(paused_at=NOW, paused_because=Row.Reason.FAILING)
    assert alices.get(added).json()["pause_reason"] == "failing"
    for _ in range(2):
        assert send(alices, "POST", f"{added}/resume").status_code == 200
    assert alices.get(added).json()["paused_at"] is None


def test_a_test_is_on_its_way(alices: Client, added: str) -> None:
    assert send(alices, "POST", f"{added}/test").status_code == 202
    (told,) = alices.get(f"{added}/deliveries").json()["items"]
    assert (told["event"], told["attempts"], told["delivered_at"]) == ("test", 0, None)
    assert told["next_attempt_at"]


def test_it_is_removed_with_what_was_on_its_way(alices: Client, as_alice: User, added: str) -> None:
    send(alices, "POST", f"{added}/test")
    assert alices.delete(added).status_code == 200
    assert not WebhookDelivery.objects.exists()
    assert alices.get(added).status_code == 404
