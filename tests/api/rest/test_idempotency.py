import threading
from collections.abc import Sequence
from datetime import timedelta
from importlib import import_module
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from api.models import KeptAnswer
from api.rest.idempotency import HEADER, REPLAYED, delete_expired_responses
from chat.models import Agent, Conversation
from llm import current
from memory.models import Drawer
from tests.api.conftest import program, send
from tests.fake_gateway import FakeEmbedder

NOTES = "/api/v1/notes"
SECRET = "The canary sings at dawn."


def note(client: Client, key: str, text: str = SECRET) -> Any:
    return send(client, "POST", NOTES, {"text": text}, **{HEADER: key})


def test_the_same_again_is_done_once(alices: Client, as_alice: User) -> None:
    first, second = note(alices, "k1"), note(alices, "k1")
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert REPLAYED not in first.headers
    assert second.headers[REPLAYED] == "true"
    assert Drawer.objects.count() == 1


def test_without_a_key_or_with_another_it_is_done_again(alices: Client, as_alice: User) -> None:
    send(alices, "POST", NOTES, {"text": SECRET})
    note(alices, "k1")
    note(alices, "k2")
    assert Drawer.objects.count() == 3


def test_another_request_with_the_key_is_refused(alices: Client, as_alice: User) -> None:
    note(alices, "k1")
    other = note(alices, "k1", "Something else.")
    assert other.status_code == 422
    assert "another request" in other.json()["detail"]
    assert Drawer.objects.count() == 1


def test_another_token_gets_no_answer_of_this_one(alices: Client, alice: User, as_alice: User) -> None:
    note(alices, "k1")
    assert note(program(alice, "write"), "k1").status_code == 422


def test_keys_are_each_persons_own(alices: Client, bobs: Client) -> None:
    assert note(alices, "k1").json() != note(bobs, "k1").json()


def test_a_refusal_is_not_kept(alices: Client, as_alice: User) -> None:
    assert note(alices, "k1", " ").status_code == 422
    assert KeptAnswer.objects.count() == 0
    assert note(alices, "k1").status_code == 201


def test_what_goes_wrong_lets_go_of_the_key(
    alices: Client, as_alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("api.rest.drawers.file_note", fail)
    alices.raise_request_exception = False
    answer = note(alices, "k1")
    assert answer.status_code == 500
    assert answer.headers["Content-Type"] == "application/problem+json"
    monkeypatch.undo()
    assert note(alices, "k1").status_code == 201


def test_no_words_are_kept(alices: Client, as_alice: User) -> None:
    note(alices, "k1")
    kept = KeptAnswer.objects.get()
    assert set(kept.body) == {"id", "pointer"}
    assert "canary" not in str(vars(kept))


@pytest.mark.parametrize("key", ["", "x" * 201, "a b", "é", "a\tb"])
def test_a_key_of_no_use(alices: Client, key: str) -> None:
    assert note(alices, key).status_code == 400


def test_one_in_hand_is_waited_for_and_taken_over(alices: Client, as_alice: User) -> None:
    note(alices, "k1")
    now = timezone.now()
    KeptAnswer.objects.update(status=None, claimed_until=now + timedelta(minutes=1))
    answer = note(alices, "k1")
    assert answer.status_code == 409
    assert answer.headers["Retry-After"]
    KeptAnswer.objects.update(claimed_until=now - timedelta(seconds=1))
    assert note(alices, "k1").status_code == 201
    assert KeptAnswer.objects.get().status == 201


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("path", "body", "made"),
    [
        ("notes", {"text": SECRET}, Drawer),
        ("facts", {"statement": "I like tea.", "kind": "preference"}, Drawer),
        ("conversations", {}, Conversation),
        ("agents", {"name": "Ada"}, Agent),
    ],
)
def test_a_crash_before_the_answer_is_kept_leaves_nothing_to_be_done_twice(
    alices: Client, alice: User, path: str, body: Any, made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*given: Any) -> None:
        raise SystemExit

    monkeypatch.setattr("api.rest.idempotency._store", crash)
    with tenant(alice.id):
        before = made.objects.count()
    with pytest.raises(SystemExit):
        send(alices, "POST", f"/api/v1/{path}", body, **{HEADER: "k1"})
    monkeypatch.undo()
    assert send(alices, "POST", f"/api/v1/{path}", body, **{HEADER: "k1"}).status_code == 201
    with tenant(alice.id):
        assert made.objects.count() == before + 1


@pytest.mark.parametrize(
    ("path", "body", "last_step"),
    [
        ("notes", {"text": SECRET}, "api.rest.drawers.file_note"),
        (
            "facts",
            {"statement": "I like tea.", "kind": "preference"},
            "memory.facts.review.wording.file_fact",
        ),
        ("agents", {"name": "Ada"}, "api.rest.idempotency._body"),
    ],
)
def test_a_request_that_lost_its_key_to_a_repetition_does_nothing(
    alices: Client, as_alice: User, path: str, body: Any, last_step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, name = last_step.rsplit(".", 1)
    step = getattr(import_module(module), name)

    def taken_meanwhile(*given: Any) -> Any:
        KeptAnswer.objects.update(claim=uuid4())
        return step(*given)

    monkeypatch.setattr(last_step, taken_meanwhile)
    before = Agent.objects.count()
    assert send(alices, "POST", f"/api/v1/{path}", body, **{HEADER: "k1"}).status_code == 409
    assert (Drawer.objects.count(), Agent.objects.count()) == (0, before)


class Aloof(FakeEmbedder):
    """An embedder that is never asked while a transaction is open."""

    def embed_documents(self, texts: Sequence[str]) -> Any:
        assert not connection.in_atomic_block
        return super().embed_documents(texts)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("path", "body"),
    [("notes", {"text": SECRET}), ("facts", {"statement": "I like tea.", "kind": "preference"})],
)
def test_no_transaction_is_open_while_a_model_embeds(alices: Client, path: str, body: Any) -> None:
    embedder = Aloof()
    with current.using(embedder=embedder):
        assert send(alices, "POST", f"/api/v1/{path}", body, **{HEADER: "k1"}).status_code == 201
    assert embedder.embedded


def test_a_failure_after_the_commit_is_not_done_again(
    alices: Client, as_alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*given: Any) -> None:
        raise SystemExit

    monkeypatch.setattr("api.rest.drawers.embed_note", crash)
    with pytest.raises(SystemExit):
        note(alices, "k1")
    monkeypatch.undo()
    assert note(alices, "k1").headers[REPLAYED] == "true"
    assert Drawer.objects.count() == 1


def test_answers_go_after_a_day(alices: Client, bobs: Client, as_alice: User) -> None:
    note(alices, "k1")
    note(bobs, "k1")
    now = timezone.now()
    assert delete_expired_responses(now + timedelta(hours=23)) == 0
    assert delete_expired_responses(now + timedelta(hours=25)) == 2


@pytest.mark.django_db(transaction=True)
def test_many_at_once_are_done_once(alices: Client, alice: User) -> None:
    found: list[Any] = []

    def work() -> None:
        client = Client(headers={"Authorization": alices.defaults["HTTP_AUTHORIZATION"]})
        found.append(note(client, "k1"))
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status_code for answer in found} <= {201, 409}
    assert sum(REPLAYED not in each.headers for each in found if each.status_code == 201) == 1
    with tenant(alice.id):
        assert Drawer.objects.count() == 1
