import re
from datetime import timedelta
from importlib import import_module
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from accounts.tenancy import operator, tenant
from api.models import IdempotencyRecord
from api.rest.idempotency import HEADER, REPLAYED, delete_expired_responses
from chat.models import Agent, Conversation
from llm import current
from memory.models import Drawer
from tests.api.conftest import api_client, send
from tests.api.operations import operations
from tests.at_once import at_once
from tests.fake_gateway import FakeEmbedder

NOTES = "/api/v1/notes"
FACT = {"statement": "I like tea.", "kind": "preference"}
SECRET = "The canary sings at dawn."
# Digests, ids, times and pointers, and words that Palace itself uses.
WORDLESS = re.compile(r"[0-9a-f]{64}|[0-9a-f-]{36}|\d{4}-\d\d-\d\dT\S+|§ W-\d+/R-\d+/D-\d+")
STATUSES = {"active", "pending_review", "superseded", "rejected", "proposed", "published"}
OWN_WORDS = STATUSES | {"top_k", "wing", "drawer"}


def crash(*given):
    raise SystemExit


def note(client, key, text=SECRET):
    return send(client, "POST", NOTES, {"text": text}, **{HEADER: key})


def test_repeated_request_with_the_same_key_is_executed_once(alice_api, as_alice):
    first, second = note(alice_api, "k1"), note(alice_api, "k1")
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert REPLAYED not in first.headers
    assert second.headers[REPLAYED] == "true"
    assert Drawer.objects.count() == 1
    send(alice_api, "POST", NOTES, {"text": SECRET})
    note(alice_api, "k2")
    assert Drawer.objects.count() == 3, "those are other requests"


def test_key_belongs_to_one_request_of_one_token(alice_api, bob_api, alice, as_alice):
    first = note(alice_api, "k1")
    other = note(alice_api, "k1", "Something else.")
    assert (other.status_code, "another request" in other.json()["detail"]) == (422, True)
    assert note(api_client(alice, "write"), "k1").status_code == 422
    assert Drawer.objects.count() == 1
    assert note(bob_api, "k1").json() != first.json()
    now = timezone.now()
    assert delete_expired_responses(now + timedelta(hours=23)) == 0
    assert delete_expired_responses(now + timedelta(hours=25)) == 2


def test_every_request_is_counted_before_its_key_is_read(alice, alice_api, as_alice, settings):
    settings.API_RATE = 4
    given = ("k1", SECRET), ("k1", SECRET), ("k1", "Else."), (" ", SECRET)
    assert [note(alice_api, *each).status_code for each in given] == [201, 201, 422, 400]
    assert [note(alice_api, key).status_code for key in ("k1", "k2", " ")] == [429] * 3
    assert note(api_client(alice, "read"), "k3").status_code == 403
    assert IdempotencyRecord.objects.count() == 1


def test_refused_and_failed_requests_do_not_use_up_their_key(alice_api, as_alice, monkeypatch):
    for key in ("", "x" * 201, "a b", "é", "a\tb"):
        assert note(alice_api, key).status_code == 400
    assert note(alice_api, "k1", " ").status_code == 422
    assert IdempotencyRecord.objects.count() == 0

    def fail(*given):
        raise RuntimeError

    monkeypatch.setattr("api.rest.drawers.file_note", fail)
    alice_api.raise_request_exception = False
    answer = note(alice_api, "k1")
    assert answer.status_code == 500
    assert answer.headers["Content-Type"] == "application/problem+json"
    monkeypatch.undo()
    assert note(alice_api, "k1").status_code == 201


def call(client, operation, ids):
    address, file = f"{operation.address(ids)}?{urlencode(operation.query(ids))}", operation.file()
    if file is None:
        return send(client, operation.method, address, operation.body(ids), **{HEADER: "k1"})
    return client.post(address, {"file": ContentFile(file, "file")}, headers={HEADER: "k1"})


def texts(stored):
    """The strings in JSON, apart from the names of fields."""
    if isinstance(stored, str):
        yield stored
    elif isinstance(stored, dict | list):
        for each in stored.values() if isinstance(stored, dict) else stored:
            yield from texts(each)


def test_owner_can_use_every_operation_and_stored_responses_contain_no_user_text(alice_api, furniture):
    for operation in operations():
        with transaction.atomic():
            first, second = (call(alice_api, operation, furniture.ids) for _ in range(2))
            with operator():
                stored = list(IdempotencyRecord.objects.values("key", "fingerprint", "body"))
            transaction.set_rollback(True)
        furniture.restore_files()
        assert first.status_code == second.status_code < 300, (operation, first.content)
        writes = operation.method != "GET" and operation.scope != "read"
        assert (len(stored), REPLAYED in second.headers) == (writes, writes), operation
        assert not writes or first.json() == second.json(), operation
        assert {each for each in texts(stored) if not WORDLESS.fullmatch(each)} <= OWN_WORDS, operation


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("search", {"query": "canary"}),
        ("recall", {"message": "When does the canary sing?"}),
        ("forget/preview", {"kind": "everything"}),
    ],
)
def test_repeated_reading_request_does_not_quote_erased_text(alice, alice_api, path, body):
    note(alice_api, "k1")
    reader, address = api_client(alice, "read"), f"/api/v1/{path}"
    assert SECRET in send(reader, "POST", address, body, **{HEADER: "k2"}).content.decode()
    everything = {"kind": "everything", "confirmed": True, "erase": True}
    assert send(alice_api, "POST", "/api/v1/forget", everything).status_code == 201
    repeated = send(reader, "POST", address, body, **{HEADER: "k2"})
    assert SECRET not in repeated.content.decode()


def test_pending_key_gives_409_until_its_claim_expires(alice_api, as_alice):
    note(alice_api, "k1")
    now = timezone.now()
    IdempotencyRecord.objects.update(status=None, claimed_until=now + timedelta(minutes=1))
    answer = note(alice_api, "k1")
    assert answer.status_code == 409
    assert answer.headers["Retry-After"]
    IdempotencyRecord.objects.update(claimed_until=now - timedelta(seconds=1))
    assert note(alice_api, "k1").status_code == 201
    assert IdempotencyRecord.objects.get().status == 201


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("path", "body", "made"),
    [
        ("notes", {"text": SECRET}, Drawer),
        ("facts", FACT, Drawer),
        ("conversations", {}, Conversation),
        ("agents", {"name": "Ada"}, Agent),
    ],
)
def test_crash_before_storing_the_response_rolls_back(alice_api, alice, path, body, made, monkeypatch):
    monkeypatch.setattr("api.rest.idempotency._store", crash)
    with tenant(alice.id):
        before = made.objects.count()
    with pytest.raises(SystemExit):
        send(alice_api, "POST", f"/api/v1/{path}", body, **{HEADER: "k1"})
    monkeypatch.undo()
    assert send(alice_api, "POST", f"/api/v1/{path}", body, **{HEADER: "k1"}).status_code == 201
    with tenant(alice.id):
        assert made.objects.count() == before + 1


@pytest.mark.parametrize(
    ("path", "body", "last_step"),
    [
        ("notes", {"text": SECRET}, "api.rest.drawers.file_note"),
        ("facts", FACT, "memory.facts.review.wording.file_fact"),
        ("agents", {"name": "Ada"}, "api.rest.idempotency._body"),
    ],
)
def test_request_whose_key_was_taken_over_changes_nothing(
    alice_api, as_alice, path, body, last_step, monkeypatch
):
    module, name = last_step.rsplit(".", 1)
    step = getattr(import_module(module), name)

    def take_over(*given):
        IdempotencyRecord.objects.update(claim=uuid4())
        return step(*given)

    monkeypatch.setattr(last_step, take_over)
    before = Agent.objects.count()
    assert send(alice_api, "POST", f"/api/v1/{path}", body, **{HEADER: "k1"}).status_code == 409
    assert (Drawer.objects.count(), Agent.objects.count()) == (0, before)


class OutsideTransactionEmbedder(FakeEmbedder):
    """An embedder that fails inside a transaction."""

    def embed_documents(self, texts):
        assert not connection.in_atomic_block
        return super().embed_documents(texts)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("path", "body"), [("notes", {"text": SECRET}), ("facts", FACT)])
def test_no_transaction_is_open_during_embedding(alice_api, path, body):
    embedder = OutsideTransactionEmbedder()
    with current.using(embedder=embedder):
        assert send(alice_api, "POST", f"/api/v1/{path}", body, **{HEADER: "k1"}).status_code == 201
    assert embedder.embedded


def test_request_that_failed_after_its_commit_is_not_repeated(alice_api, as_alice, monkeypatch):
    monkeypatch.setattr("api.rest.drawers.embed_note", crash)
    with pytest.raises(SystemExit):
        note(alice_api, "k1")
    monkeypatch.undo()
    assert note(alice_api, "k1").headers[REPLAYED] == "true"
    assert Drawer.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_with_the_same_key_are_executed_once(alice_api, alice):
    def work(number):
        return note(Client(headers={"Authorization": alice_api.defaults["HTTP_AUTHORIZATION"]}), "k1")

    found = at_once(work, 6)
    assert {answer.status_code for answer in found} <= {201, 409}
    assert sum(REPLAYED not in each.headers for each in found if each.status_code == 201) == 1
    with tenant(alice.id):
        assert Drawer.objects.count() == 1
