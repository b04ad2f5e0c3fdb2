"""Recall and search by REST: filters, and the list of traces."""

from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from memory.models import RecallTrace
from tests.api.conftest import send
from tests.api.furnishing import NOW
from tests.memory.palaces import MONDAY, Spot, file

API = "/api/v1"
QUESTION = "How hot is my oven?"
CAT = "My cat is called Minka."
VET = "The vet says that my cat Minka is well."


@pytest.fixture
def drawers(alice, alice_api):
    """Two drawers about a cat in wings of different kinds, the later one by an assistant."""
    with tenant(alice.id):
        home = Spot("Home", "topic")
        visit = Spot("Dr Reed", "person", start=MONDAY + timedelta(days=30))
        return [*file(alice.id, [CAT], home), *file(alice.id, [VET], visit, role="assistant")]


def searched(client, **filters):
    answer = send(client, "POST", f"{API}/search", {"query": "my cat Minka", **filters})
    assert answer.status_code == 200, answer.content
    return {hit["text"] for hit in answer.json()["hits"]}


def test_search_filters(alice_api, drawers):
    cat, vet = drawers
    assert searched(alice_api) == {CAT, VET}
    assert searched(alice_api, wing=str(cat.wing_id)) == {CAT}
    assert searched(alice_api, wing_kind="person") == {VET}
    assert searched(alice_api, role="assistant") == {VET}
    assert searched(alice_api, since="2024-06-05T09:00:00Z") == {VET}
    assert searched(alice_api, until="2024-06-05T09:00:00Z") == {CAT}
    assert searched(alice_api, wing=str(vet.wing_id), role="user") == set()


@pytest.mark.parametrize(
    ("filters", "status"),
    [
        ({"wing": "01890000-0000-7000-8000-000000000000"}, 404),
        ({"wing_kind": "attic"}, 422),
        ({"role": "system"}, 422),
        ({"since": "2026-06-01"}, 422),
    ],
)
def test_invalid_filter_is_refused(alice_api, filters, status):
    assert send(alice_api, "POST", f"{API}/search", {"query": "cat", **filters}).status_code == status


@pytest.fixture
def oven(alice, alice_api):
    with tenant(alice.id):
        file(alice.id, ["My oven runs 20 degrees hot."])


def listed(client, **query):
    answer = client.get(f"{API}/traces", query)
    assert answer.status_code == 200
    return answer.json()


@pytest.mark.usefixtures("oven")
@pytest.mark.parametrize(("operation", "body"), [("recall", "message"), ("search", "query")])
def test_recalls_of_programs_are_listed_with_their_traces(alice_api, bob_api, operation, body):
    given = send(
        alice_api, "POST", f"{API}/{operation}", {body: QUESTION, "at": "2031-02-03T00:00:00Z"}
    ).json()
    (entry,) = listed(alice_api)["items"]
    assert entry["id"] == given["trace_id"]
    assert (entry["source"], entry["question"], entry["drawers"]) == ("rest", QUESTION, 1)
    assert not entry["at"].startswith("2031"), "it has the time of the call"
    trace = alice_api.get(f"{API}/traces/{entry['id']}").json()
    assert trace["source"] == "rest"
    assert [source["drawer_id"] for source in trace["sources"]] == [given["hits"][0]["drawer_id"]]
    assert listed(bob_api) == {"items": [], "next": None}
    assert bob_api.get(f"{API}/traces/{entry['id']}").status_code == 404


def test_recalls_are_paged_newest_first(alice, alice_api):
    with tenant(alice.id):
        for hour in range(5):
            query = {"text": f"Question {hour}" if hour else ""}
            trace = {"decision": {"search": True}, "query": query}
            RecallTrace.objects.create(user_id=alice.id, trace=trace, at=NOW + timedelta(hours=hour))
    first = listed(alice_api, limit=3)
    assert [entry["question"] for entry in first["items"]] == ["Question 4", "Question 3", "Question 2"]
    rest = listed(alice_api, limit=3, cursor=first["next"])
    assert [entry["question"] for entry in rest["items"]] == ["Question 1", None]
    assert rest["next"] is None
