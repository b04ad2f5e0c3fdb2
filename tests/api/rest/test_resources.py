"""What operations of the REST API change, refuse and undo, and what they find."""

from datetime import timedelta
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from api.rest.idempotency import HEADER, REPLAYED
from chat.agents import create_agent
from chat.conversations import Choices, NewMessage, append, start
from chat.models import Conversation
from memory.changes.activity import record
from memory.mining.progress import progress_of
from memory.models import ActivityEvent, Drawer, FactVersion, MiningProgress, RecallTrace
from tests.api.conftest import api_client, send
from tests.api.furnishing import NOW
from tests.memory.palaces import MONDAY, Spot, file, learn, relate

pytestmark = pytest.mark.usefixtures("as_alice")
API = "/api/v1"


@pytest.fixture
def fact(alice, embedder):
    """A fact of Alice."""
    (drawer,) = file(alice.id, ["I feed my rye starter at seven."])
    return learn(drawer, "rye starter", "Feeds a starter.")


@pytest.fixture
def agent(alice):
    """An agent of Alice."""
    return create_agent(alice.id, {"name": "Cook", "instructions": "Be brief.", "mine": True})


@pytest.fixture
def chat(alice):
    """The address of a chat of Alice."""
    kept = start(alice.id, Choices(title="Bread"), timezone.now())
    append(kept, NewMessage("user", "Hello"), timezone.now())
    return f"{API}/conversations/{kept.id}"


def patch(client, address, body):
    """The body of the response to a successful change."""
    answer = send(client, "PATCH", address, body)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def undo(client, change_id):
    """The response to an undo."""
    return send(client, "POST", f"{API}/undo/{change_id}")


def test_agents_and_titles_of_chats_are_edited_and_restored(alice, alice_api, agent, chat):
    for address, change in (
        (f"{API}/agents/{agent.id}", {"name": "Baker", "mine": False}),
        (chat, {"title": "Rye bread"}),
    ):
        before = alice_api.get(address).json()
        made = patch(alice_api, address, change)
        assert made["id"] == before["id"]
        assert alice_api.get(address).json() == before | change
        (edit,) = made["edits"]
        for _ in range(2):  # undoing twice has no further effect
            answer = send(alice_api, "POST", f"{API}/edits/{edit}/undo")
            assert (answer.status_code, answer.json()) == (200, made)
            assert alice_api.get(address).json() == before
    (edit,) = patch(alice_api, f"{API}/agents/{agent.id}", {"name": "Baker"})["edits"]
    patch(alice_api, f"{API}/agents/{agent.id}", {"instructions": "Rhyme."})
    assert "`chat`" in undo(api_client(alice, "read", "write"), edit).json()["detail"]
    assert undo(api_client(alice, "write", "chat"), edit).status_code == 200
    now = alice_api.get(f"{API}/agents/{agent.id}").json()
    assert (now["name"], now["instructions"]) == ("Cook", "Rhyme.")
    assert alice_api.delete(f"{API}/agents/{agent.id}").status_code == 200
    assert undo(alice_api, edit).status_code == 404, "the agent was deleted"
    (first,) = patch(alice_api, chat, {"title": "Rye bread", "mine": False})["edits"]
    patch(alice_api, chat, {"title": "Spelt bread"})
    answer = undo(alice_api, first)
    assert (answer.status_code, "changed again" in answer.json()["detail"]) == (409, True)
    now = alice_api.get(chat).json()
    assert (now["title"], now["mine"]) == ("Spelt bread", False)


def test_settings_are_changed_and_undone_and_null_removes_only_the_budget(alice_api):
    address = f"{API}/settings"
    before = alice_api.get(address).json()
    made = patch(alice_api, address, {"top_k": 7, "auto_mine": False})
    assert sorted(made["changed"]) == ["auto_mine", "top_k"]
    (change,) = made["changes"]
    patch(alice_api, address, {"top_k": 8})
    answer = undo(alice_api, change)
    assert (answer.status_code, answer.json()["partial"]) == (200, True), "one has changed since"
    assert alice_api.get(address).json() == before | {"top_k": 8}
    patch(alice_api, address, {"monthly_budget": 5})
    changed = patch(alice_api, address, {"monthly_budget": None, "top_k": None})
    assert changed["changed"] == ["monthly_budget"]
    assert alice_api.get(address).json() == before | {"top_k": 8}
    undo(alice_api, changed["changes"][0])
    assert float(alice_api.get(address).json()["monthly_budget"]) == 5
    for change in ({"top_k": 900}, {"time_zone": "Mars/Olympus"}):
        refused = send(alice_api, "PATCH", address, change)
        (error,) = refused.json()["errors"]
        assert (refused.status_code, error["at"]) == (422, ["body", "change", *change])


def test_unchanged_values_have_no_edits(alice_api, alice, agent, chat, fact):
    assert patch(alice_api, f"{API}/agents/{agent.id}", {"name": "Cook"})["edits"] == []
    assert patch(alice_api, chat, {"title": "Bread"})["edits"] == []
    assert patch(alice_api, chat, {"recall_memory": False})["edits"] == []
    top_k = alice_api.get(f"{API}/settings").json()["top_k"]
    assert patch(alice_api, f"{API}/settings", {"top_k": top_k}) == {"changed": [], "changes": []}
    before = alice_api.get(f"{API}/facts/{fact.id}").json()
    facts = [{"id": str(fact.id), "status": "active", "version": fact.version}]
    for change in ({}, {"statement": None, "value": None}):
        assert patch(alice_api, f"{API}/facts/{fact.id}", change) == {"id": None, "facts": facts}
    assert alice_api.get(f"{API}/facts/{fact.id}").json() == before
    assert not FactVersion.objects.exists()
    assert not ActivityEvent.objects.filter(kind=ActivityEvent.Kind.DECIDED).exists()


def test_chat_can_be_pinned_and_given_a_project(alice_api, chat):
    before = alice_api.get(chat).json()
    assert (before["pinned_at"], before["project"]) == (None, "")
    assert patch(alice_api, chat, {"pinned": True, "project": "Bakery"})["edits"] == []
    pinned = alice_api.get(chat).json()
    assert pinned["pinned_at"]
    assert pinned == before | {"project": "Bakery", "pinned_at": pinned["pinned_at"]}
    patch(alice_api, chat, {"pinned": True, "mine": True})
    assert alice_api.get(chat).json() == pinned
    patch(alice_api, chat, {"pinned": False, "project": ""})
    assert alice_api.get(chat).json() == before


def test_fact_is_reworded_and_its_value_removed(alice_api, fact):
    address = f"{API}/facts/{fact.id}"
    decision = patch(alice_api, address, {"statement": "Feeds a rye starter."})["id"]
    body = alice_api.get(address).json()
    assert body["fact"]["statement"] == "Feeds a rye starter."
    (before,) = body["versions"]
    assert (before["number"], before["undone"]) == (1, False)
    assert before["statement"]
    assert undo(alice_api, decision).json() == {"partial": False, "undo_id": None}
    patch(alice_api, address, {"kind": "skill"})
    kept = alice_api.get(address).json()["fact"]
    assert (kept["statement"], bool(kept["value"])) == ("Feeds a starter.", True), "what is omitted stays"
    patch(alice_api, address, {"value": ""})
    changed = alice_api.get(address).json()["fact"]
    assert (changed["value"], changed["key"]) == ("", kept["key"])
    fact.refresh_from_db()
    fact.single_valued = True
    fact.save()
    assert send(alice_api, "PATCH", address, {"value": ""}).status_code == 422


def test_decisions_that_the_status_of_a_fact_does_not_allow_conflict(alice_api, fact):
    address = f"{API}/facts/{fact.id}"
    for moment in (MONDAY - timedelta(seconds=1), timezone.now() + timedelta(hours=1)):
        refused = send(alice_api, "POST", f"{address}/end", {"at": moment.isoformat()})
        assert (refused.status_code, "`valid_from`" in refused.json()["detail"]) == (422, True)
    assert send(alice_api, "POST", f"{address}/end", {"at": MONDAY.isoformat()}).status_code == 200
    assert undo(alice_api, ActivityEvent.objects.latest("id").id).status_code == 200
    assert send(alice_api, "POST", f"{address}/end", {}).status_code == 200
    assert send(alice_api, "POST", f"{address}/end", {}).status_code == 409
    assert send(alice_api, "POST", f"{address}/keep-both").status_code == 409
    assert send(alice_api, "POST", f"{API}/review/approve", {"facts": [fact.id]}).status_code == 409


def test_known_fact_is_returned_with_its_id(alice_api):
    new = {"statement": "Bakes on Sundays."}
    made, again, replayed = (send(alice_api, "POST", f"{API}/facts", new, **{HEADER: key}) for key in "abb")
    assert [each.status_code for each in (made, again, replayed)] == [201, 200, 200]
    assert made.json() == again.json()
    assert replayed.headers[REPLAYED] == "true"
    fact = alice_api.get(f"{API}/facts/{made.json()['id']}").json()
    assert (fact["fact"]["times_seen"], len(fact["evidence"])) == (2, 2)


def test_several_drawers_can_be_deleted_together(alice_api, alice):
    ids = [str(each.id) for each in file(alice.id, ["One.", "Two."])]
    missing = str(uuid4())

    def deleted():
        return [bool(alice_api.get(f"{API}/drawers/{each}").json()["deleted_at"]) for each in ids]

    deletion = send(alice_api, "POST", f"{API}/drawers/delete", {"drawers": [*ids, missing]}).json()
    assert (deletion["drawers"], deleted()) == (2, [True, True])
    assert undo(alice_api, deletion["id"]).status_code == 200
    assert deleted() == [False, False]
    nothing = send(alice_api, "POST", f"{API}/drawers/delete", {"drawers": [missing]})
    assert 400 <= nothing.status_code < 500


def test_undoing_again_changes_nothing(alice_api, furniture):
    ids = furniture.ids
    undoable = (
        *("change", "decision", "edit", "chat_edit", "deletion", "correction", "settings_event"),
        *("run_change", "run", "reextraction", "event"),
    )
    for address in (
        *(f"undo/{ids[f'{name}_id']}" for name in undoable),
        f"edits/{ids['chat_edit_id']}/undo",
        f"conversations/{ids['deleted_chat_id']}/restore",
        f"agents/{ids['deleted_agent_id']}/restore",
    ):
        answers = [send(alice_api, "POST", f"{API}/{address}") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200] * 3, address
        assert answers[1].json() == answers[2].json(), address
    assert len(alice_api.get(f"{API}/trash").json()["items"]) == 1
    assert undo(alice_api, uuid4()).status_code == 404


def test_undoing_mining_names_the_deletion(alice_api, furniture):
    undone = undo(alice_api, furniture.ids["event_id"]).json()
    drawers = [item["deletion_id"] for item in alice_api.get(f"{API}/trash").json()["items"]]
    assert undone["undo_id"] in drawers
    assert undo(alice_api, furniture.ids["event_id"]).json()["undo_id"] == undone["undo_id"]
    assert undo(alice_api, undone["undo_id"]).status_code == 200
    assert len(alice_api.get(f"{API}/trash").json()["items"]) == len(drawers) - 1


def test_all_failed_conversations_are_discarded_and_restored_together(alice_api, alice, queued):
    jobs = MiningProgress.objects.filter(user_id=alice.id)
    for _ in range(2):
        progress_of(alice.id, "conversation", uuid4())
    jobs.update(state="dead")
    discarded = send(alice_api, "POST", f"{API}/mining/discard").json()
    assert (discarded["count"], {job.state for job in jobs.all()}) == (2, {"discarded"})
    assert send(alice_api, "POST", f"{API}/mining/discard").json() == {"count": 0, "id": None}
    assert undo(alice_api, discarded["id"]).status_code == 200
    assert {job.state for job in jobs.all()} == {"dead"}
    assert send(alice_api, "POST", f"{API}/mining/retry").json() == {"count": 2}
    assert queued() == [("mine", (str(alice.id),))]


@pytest.mark.parametrize("state", ["off", "empty", "due", "late"])
def test_conversation_says_how_far_it_is_mined(alice_api, alice, state):
    idle = {"due": 6, "late": 60}.get(state, 0)
    kept = start(alice.id, Choices(mine=state != "off"), timezone.now())
    if idle:
        append(kept, NewMessage("user", "Hello"), timezone.now() - timedelta(minutes=idle))
        Conversation.objects.update(last_message_at=timezone.now() - timedelta(minutes=idle))
    assert alice_api.get(f"{API}/conversations/{kept.id}/mined").json()["state"] == state


def test_project_of_a_filed_chat_can_be_undone(alice_api, alice):
    kept = start(alice.id, Choices(), timezone.now())
    (drawer,) = file(alice.id, ["I bake."], Spot(source_id=kept.id))
    (edit,) = patch(alice_api, f"{API}/conversations/{kept.id}", {"project": "Kitchen"})["edits"]
    assert Drawer.objects.get().wing_id != drawer.wing_id
    assert undo(alice_api, edit).status_code == 200
    assert Drawer.objects.get().wing_id == drawer.wing_id


FORGET = f"{API}/forget"
EARLY, LATE = "2026-03-01T00:00:00Z", "2026-03-31T00:00:00Z"
ID = "01890a5d-ac96-774b-bcce-b302099a8057"
WING = {"kind": "wing", "id": "{wing_id}"}


def test_forgetting_nothing_is_said_plainly(alice_api):
    missing = {"kind": "drawer", "id": ID}, {"kind": "project", "project": "Bees"}
    for path, scope in product(("", "/preview"), (*missing, {"kind": "dates", "since": EARLY})):
        answer = send(alice_api, "POST", FORGET + path, scope)
        said = answer.json()["detail"]
        assert (answer.status_code, said.startswith("There is nothing to forget.")) == (404, True)


def test_drawers_in_the_activity_can_be_opened(alice_api, alice, fact):
    drawer = Drawer.objects.get()
    record(alice.id, ActivityEvent.Kind.MINED, {"drawers": [drawer.id.hex], "facts": []}, NOW)
    events = alice_api.get(f"{API}/activity").json()["items"]
    ((found,),) = (each["details"]["drawers"] for each in events if each["kind"] == "memory_mined")
    assert alice_api.get(f"{API}/drawers/{found}").status_code == 200


@pytest.mark.parametrize(
    "scope",
    [
        *(WING | more for more in ({"since": EARLY}, {"until": LATE}, {"project": "Baking"})),
        *({"kind": kind} for kind in ("wing", "drawer", "project", "dates")),
        {"kind": "wing", "project": "Baking"},
        {"kind": "project", "project": "Baking", "id": ID},
        *({"kind": "dates", "since": since, "until": EARLY} for since in (LATE, EARLY)),
        {"kind": "dates", "since": EARLY, "id": ID},
        *({"kind": "everything", "confirmed": True} | more for more in ({"id": ID}, {"until": LATE})),
    ],
    ids=str,
)
def test_forgetting_needs_an_exact_scope(alice_api, alice, fact, scope):
    drawer = Drawer.objects.get()
    if scope.get("id") == WING["id"]:
        scope = scope | {"id": str(drawer.wing_id)}
    previewed = {name: value for name, value in scope.items() if name != "confirmed"}
    for address, body in ((FORGET, scope), (f"{FORGET}/preview", previewed)):
        answer = send(alice_api, "POST", address, body)
        assert answer.status_code == 422, answer.content
        (error,) = answer.json()["errors"]
        assert error["at"] == ["body", "scope"]
        assert error["detail"].endswith(".")
    assert Drawer.objects.get().deleted_at is None


CAT = "My cat is called Minka."
VET = "The vet says that my cat Minka is well."


def search(client, **filters):
    return send(client, "POST", f"{API}/search", {"query": "my cat Minka", **filters})


def test_search_filters(alice_api, alice):
    (cat,) = file(alice.id, [CAT], Spot("Home", "topic"))
    visit = Spot("Dr Reed", "person", start=MONDAY + timedelta(days=30))
    (vet,) = file(alice.id, [VET], visit, role="assistant")
    for filters, found in (
        ({}, {CAT, VET}),
        ({"wing": str(cat.wing_id)}, {CAT}),
        ({"wing_kind": "person"}, {VET}),
        ({"role": "assistant"}, {VET}),
        ({"since": "2024-06-05T09:00:00Z"}, {VET}),
        ({"until": "2024-06-05T09:00:00Z"}, {CAT}),
        ({"wing": str(vet.wing_id), "role": "user"}, set()),
    ):
        assert {hit["text"] for hit in search(alice_api, **filters).json()["hits"]} == found, filters
    for wrong in ({"wing_kind": "attic"}, {"role": "system"}, {"since": "2026-06-01"}):
        assert search(alice_api, **wrong).status_code == 422, wrong
    assert search(alice_api, wing="01890000-0000-7000-8000-000000000000").status_code == 404


def traces(client, **query):
    answer = client.get(f"{API}/traces", query)
    assert answer.status_code == 200
    return answer.json()


@pytest.mark.parametrize(("operation", "body"), [("recall", "message"), ("search", "query")])
def test_recalls_of_programs_are_listed_with_their_traces(alice_api, bob_api, alice, operation, body):
    question = "How hot is my oven?"
    file(alice.id, ["My oven runs 20 degrees hot."])
    asked = {body: question, "at": "2031-02-03T00:00:00Z"}
    given = send(alice_api, "POST", f"{API}/{operation}", asked).json()
    (entry,) = traces(alice_api)["items"]
    assert entry["id"] == given["trace_id"]
    assert (entry["source"], entry["question"], entry["drawers"]) == ("rest", question, 1)
    assert not entry["at"].startswith("2031"), "it has the time of the call"
    trace = alice_api.get(f"{API}/traces/{entry['id']}").json()
    assert trace["source"] == "rest"
    assert [source["drawer_id"] for source in trace["sources"]] == [given["hits"][0]["drawer_id"]]
    assert traces(bob_api) == {"items": [], "next": None}


def test_recalls_are_paged_newest_first(alice, alice_api):
    for hour in range(5):
        query = {"text": f"Question {hour}" if hour else ""}
        trace = {"decision": {"search": True}, "query": query}
        RecallTrace.objects.create(user_id=alice.id, trace=trace, at=NOW + timedelta(hours=hour))
    first = traces(alice_api, limit=3)
    assert [entry["question"] for entry in first["items"]] == ["Question 4", "Question 3", "Question 2"]
    rest = traces(alice_api, limit=3, cursor=first["next"])
    assert [entry["question"] for entry in rest["items"]] == ["Question 1", None]
    assert rest["next"] is None


@pytest.mark.parametrize("count", [1, 2, 3])
def test_lists_of_the_graph_have_any_number_of_items(alice_api, alice, count):
    between = ("Jonas", "Mara", "Tom")[:count]
    drawers = file(alice.id, [f"{name} knows Ines and Ada." for name in between])
    for name, drawer in zip(between, drawers, strict=True):
        start = relate(drawer, "Ines", "knows", name).subject_id
        end = relate(drawer, name, "knows", "Ada").object_id
    for address, length in (
        (f"paths?start={start}&end={end}", 2),
        (f"entities/{start}/timeline", None),
        (f"entities/{end}/neighbours", None),
    ):
        found = alice_api.get(f"{API}/{address}").json()
        assert len(found) == count
        assert length is None or {len(each) for each in found} == {length}
