"""Responses about the state of an object, and to requests that change nothing."""

import pytest
from django.utils import timezone

from accounts.tenancy import tenant
from api.rest.idempotency import HEADER, REPLAYED
from chat.conversations import Choices, NewMessage, append, start
from memory.models import ActivityEvent, FactVersion
from tests.api.conftest import send
from tests.memory.palaces import file, learn
from transfer.models import Transfer
from transfer.transfers import process_transfer, request_export

API = "/api/v1"


@pytest.fixture
def fact(alice, embedder):
    """A fact of Alice."""
    with tenant(alice.id):
        (drawer,) = file(alice.id, ["I feed my rye starter at seven."])
        return learn(drawer, "rye starter", "Feeds a starter.")


def test_message_after_an_unknown_parent_is_invalid(alice_api, alice):
    with tenant(alice.id):
        chat = start(alice.id, Choices(), timezone.now())
        append(chat, NewMessage("user", "Hello"), timezone.now())
    address = f"{API}/conversations/{chat.id}/messages"
    answer = send(alice_api, "POST", address, {"role": "user", "content": "Hi", "parent": 9})
    assert (answer.status_code, "`parent`" in answer.json()["detail"]) == (422, True)
    assert len(alice_api.get(address).json()["items"]) == 1


def test_decisions_that_the_status_of_a_fact_does_not_allow_conflict(alice_api, bob_api, fact):
    address = f"{API}/facts/{fact.id}"
    assert send(alice_api, "POST", f"{address}/end", {}).status_code == 200
    for client, status in ((alice_api, 409), (bob_api, 404)):
        assert send(client, "POST", f"{address}/end", {}).status_code == status
        assert send(client, "POST", f"{address}/keep-both").status_code == status
        assert send(client, "POST", f"{API}/review/approve", {"facts": [fact.id]}).status_code == status


def test_file_of_an_export_that_is_not_done_conflicts(alice_api, bob_api, alice, uploads):
    with tenant(alice.id):
        export = request_export(alice.id, timezone.now())
    address = f"{API}/exports/{export.id}/file"
    assert alice_api.get(address).status_code == 409
    assert bob_api.get(address).status_code == 404
    with tenant(alice.id):
        process_transfer(alice.id, export.id, timezone.now)
    assert alice_api.get(address).status_code == 200
    with tenant(alice.id):
        Transfer.objects.update(expires_at=timezone.now())
    assert alice_api.get(address).status_code == 404


def test_known_fact_is_returned_with_its_id(alice_api):
    new = {"statement": "Bakes on Sundays."}
    made, again = (send(alice_api, "POST", f"{API}/facts", new, **{HEADER: key}) for key in "ab")
    assert (made.status_code, again.status_code) == (201, 200)
    assert made.json() == again.json()
    fact = alice_api.get(f"{API}/facts/{made.json()['id']}").json()
    assert (fact["fact"]["times_seen"], len(fact["evidence"])) == (2, 2)
    replayed = send(alice_api, "POST", f"{API}/facts", new, **{HEADER: "b"})
    assert (replayed.status_code, replayed.headers[REPLAYED]) == (200, "true")


@pytest.mark.parametrize("change", [{}, {"statement": None, "value": None}])
def test_edit_without_fields_changes_nothing(alice_api, alice, fact, change):
    before = alice_api.get(f"{API}/facts/{fact.id}").json()
    answer = send(alice_api, "PATCH", f"{API}/facts/{fact.id}", change)
    assert answer.status_code == 200
    facts = [{"id": str(fact.id), "status": "active", "version": fact.version}]
    assert answer.json() == {"id": None, "facts": facts}
    assert alice_api.get(f"{API}/facts/{fact.id}").json() == before
    with tenant(alice.id):
        assert not FactVersion.objects.exists()
        assert not ActivityEvent.objects.filter(kind=ActivityEvent.Kind.DECIDED).exists()


def test_null_removes_the_monthly_budget_and_nothing_else(alice_api):
    address = f"{API}/settings"
    before = alice_api.get(address).json()
    assert before["monthly_budget"] is None
    assert send(alice_api, "PATCH", address, {"monthly_budget": 5}).status_code == 200
    changed = send(alice_api, "PATCH", address, {"monthly_budget": None, "top_k": None}).json()
    assert changed["changed"] == ["monthly_budget"]
    assert alice_api.get(address).json() == before
    send(alice_api, "POST", f"{address}/changes/{changed['changes'][0]}/undo")
    assert float(alice_api.get(address).json()["monthly_budget"]) == 5


def test_errors_of_settings_name_fields_alike(alice_api):
    for change in ({"top_k": 900}, {"time_zone": "Mars/Olympus"}):
        answer = send(alice_api, "PATCH", f"{API}/settings", change)
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["at"]) == (422, ["body", "change", *change])
