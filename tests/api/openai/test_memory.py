"""Official clients recall what was said in other sessions, within the limits of the request and without
secrets. They forget at `/v1/memory` by id, pointer or project, or everything."""

from datetime import timedelta
from urllib.parse import quote

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone

from accounts.tenancy import tenant
from chat.models import Conversation
from memory.models import Drawer, Fact, Forgetting, Wing
from tests.api.conftest import api_client, send, token_of
from tests.api.mcp.conftest import client_with
from tests.api.openai.conftest import ask, client_of, sent
from tests.api.serving import endpoint
from tests.api.test_secrets import QUESTIONS, SENTENCES, leaked
from tests.drills.ledger import Clock, mine
from tests.memory.palaces import Spot, file, learn
from tests.openai_server import Behaviour

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]

SISTER = "My sister Ruth lives in Lisbon and plays the zither."
QUESTION = "Where does my sister Ruth live?"


def memory_sent(upstream):
    """The messages before the last one that reached the endpoint."""
    before = upstream.received("chat")[-1].body["messages"][:-1]
    return "\n".join(message["content"] for message in before)


@async_to_sync
async def recall_by_mcp(site, token):
    """The recall of an MCP client."""
    async with client_with(site, token) as mcp:
        return await mcp.call_tool("recall_memory", {"query": QUESTION})


def mine_idle_chats(user):
    """Mine without a model, as the worker does when a chat is idle."""
    hour_later = Clock(timezone.now() + timedelta(hours=1))
    with tenant(user.id), endpoint(""):
        assert mine(user.id, hour_later).windows


def test_mined_chat_is_used_in_other_sessions_and_by_mcp(site, upstream, alice):
    upstream.script(Behaviour(text="Noted."), Behaviour(text="Good for her."))
    with client_of(site, alice) as first:
        began = first.responses.create(model="m", input="I want to tell you of my sister Ruth.")
        first.responses.create(model="m", input=SISTER, previous_response_id=began.id)
    mine_idle_chats(alice)
    drawer = Drawer.objects.get(user_id=alice.id, content=SISTER)
    source = Conversation.objects.get(user_id=alice.id, id=drawer.source_id)
    assert source.source == Conversation.Source.API
    assert Fact.objects.filter(user_id=alice.id, sources__drawer_id=drawer.id).exists()
    with client_of(site, alice, "chat") as second:
        ask(second, QUESTION)
        assert SISTER in memory_sent(upstream)
        list(ask(second, QUESTION, stream=True))
        assert SISTER in memory_sent(upstream)
        second.responses.create(model="m", input=QUESTION)
        assert SISTER in memory_sent(upstream)
    assert SISTER in recall_by_mcp(site, token_of(alice, "read")).content[0].text


def test_unmined_message_is_recalled_by_all_programs_except_in_its_own_chat(site, upstream, alice):
    upstream.script(Behaviour(text="Noted."))
    with client_of(site, alice) as client:
        ask(client, SISTER)
        ask(client, SISTER, "Noted.", QUESTION)
        assert "<memory_context>" not in memory_sent(upstream)
        ask(client, QUESTION)
        assert SISTER in memory_sent(upstream)
        assert memory_sent(upstream).count(f"\n{SISTER}\n") == 1
    assert not Drawer.objects.filter(user_id=alice.id).exists()
    token = token_of(alice, "read")
    rest = Client(headers={"Authorization": f"Bearer {token}"})
    found = send(rest, "POST", "/api/v1/recall", {"message": QUESTION}).json()
    (hit,) = (hit for hit in found["hits"] if hit["text"] == SISTER)
    assert hit["unfiled_in"]
    result = recall_by_mcp(site, token)
    assert SISTER in result.content[0].text
    assert {hit["pointer"] for hit in result.structured_content["hits"]} == {""}


def test_memory_config_limits_recall(client, upstream, alice):
    file(alice.id, ["Rye bread takes a day to rise."], Spot(wing="Bakery"))
    file(alice.id, ["Rye bread costs six euros."], Spot(wing="Market", kind="topic"))
    (liked,) = file(alice.id, ["I like rye bread best."], Spot(wing="Taste", kind="topic"))
    learn(liked, "I like rye bread best", "The person likes rye bread best.")

    def recalled(words="What did I say about rye bread?", **config):
        ask(client, words, extra_body={"memory_config": config | {"auto_store": False}})
        return memory_sent(upstream)

    for most in (1, 2):
        assert recalled(retrieval_limit=most).count("[§ ") == most
    for types in (["preference"], ["preferences"], ["preference", "goal"]):
        assert "I like rye bread best." in recalled(memory_types=types)
        assert memory_sent(upstream).count("[§ ") == 1
    assert recalled(memory_types=["goal"]) == ""
    unrelated = "Which musical instrument should a beginner choose?"
    assert recalled(unrelated, similarity_threshold=1.0) == ""


@pytest.mark.parametrize("project", ["Bakery", "Market"])
def test_project_is_preferred_by_recall_and_set_on_the_chat(client, upstream, alice, project):
    for name in ("Bakery", "Market"):
        file(alice.id, [f"Rye bread is on the list of the {name}."], Spot(wing=name))
    wing = Wing.objects.get(user_id=alice.id, name=project)
    for named in (project.lower(), str(wing.id)):
        body = {"memory_context": {"project_id": named}, "memory_config": {"retrieval_limit": 1}}
        ask(client, "Where is rye bread on the list?", extra_body=body)
        assert f"list of the {project}" in memory_sent(upstream)
    kept = Conversation.objects.filter(user_id=alice.id)
    assert set(kept.values_list("project", flat=True)) == {project}


def test_prompts_of_v1_contain_masks_in_place_of_secrets(client, upstream, alice):
    file(alice.id, SENTENCES, Spot(wing="Home", kind="topic"))
    for question in QUESTIONS:
        upstream.script(Behaviour(text="Noted."))
        ask(client, question)
        assert "hidden]" in repr(sent(upstream))
        assert leaked(sent(upstream)) == set()


@pytest.fixture
def drawers(alice, alice_api):
    """Two drawers of the bakery, a project, and one of another subject."""
    bakery = file(alice.id, ["The starter is called Fred.", "Rye takes a day."])
    return [*bakery, *file(alice.id, ["I like the zither."], Spot(wing="Music", kind="topic"))]


def live_contents(user):
    with tenant(user.id):
        return set(Drawer.objects.live().filter(user_id=user.id).values_list("content", flat=True))


def delete(client, which):
    """The response to a request to forget."""
    return send(client, "DELETE", f"/v1/memory{which}")


def test_facts_and_drawers_are_forgotten_by_id_or_pointer_or_erased_at_once(alice, alice_api, drawers):
    starter, rye, zither = drawers
    fact = learn(zither, "I like the zither", "The person likes the zither.")
    assert delete(alice_api, f"/{fact.id}?erase=now").status_code == 404
    assert delete(alice_api, f"/{fact.id}").json()["scope"] == "fact"
    assert Fact.objects.get(user_id=alice.id, id=fact.id).deleted_at
    assert len(live_contents(alice)) == 3, "its drawer stays"
    answer = delete(alice_api, f"/{starter.id}")
    assert answer.status_code == 200
    body = answer.json()
    assert body["id"] == str(starter.id)
    assert (body["object"], body["deleted"], body["counts"]["drawers"]) == ("memory.deleted", True, 1)
    assert live_contents(alice) == {"Rye takes a day.", "I like the zither."}
    assert Forgetting.objects.get(user_id=alice.id, id=body["receipt"]).final_at is None
    assert delete(alice_api, f"/{quote(str(rye.pointer))}").status_code == 200
    assert live_contents(alice) == {"I like the zither."}
    for missing in (starter.id, "W-900/R-1/D-1"):
        again = delete(alice_api, f"/{missing}")
        assert (again.status_code, again.json()["error"]["code"]) == (404, "memory_not_found")
    assert delete(alice_api, f"/{zither.id}?erase=now").json()["residue"]["is_clean"]
    assert not Drawer.objects.filter(user_id=alice.id, id=zither.id).exists()


@pytest.mark.parametrize("by", ["name", "id"])
def test_project_is_forgotten_with_its_chats(alice, alice_api, drawers, by):
    chat = Conversation.objects.create(user_id=alice.id, source=Conversation.Source.API, project="Bakery")
    project = "bakery" if by == "name" else str(drawers[0].wing_id)
    body = delete(alice_api, f"?project_id={project}").json()
    assert (body["scope"], body["counts"]["drawers"]) == ("project", 2)
    assert live_contents(alice) == {"I like the zither."}
    chat.refresh_from_db()
    assert chat.deleted_at is not None
    assert delete(alice_api, "?project_id=Nothing").status_code == 404


@pytest.mark.parametrize("named", ["id", "email"])
def test_everything_is_forgotten_only_if_asked_for_exactly(alice, alice_api, drawers, named):
    for query in ("", "?project=Bakery", "?project_id=", "?erase=now"):
        assert delete(alice_api, query).status_code == 400
    assert delete(api_client(alice, "read", "chat"), f"/{drawers[0].id}").status_code == 403
    assert delete(Client(), f"/{drawers[0].id}").status_code == 401
    assert send(alice_api, "GET", f"/v1/memory/{drawers[0].id}").status_code == 405
    assert len(live_contents(alice)) == 3
    body = delete(alice_api, f"?user_id={getattr(alice, named)}").json()
    assert (body["scope"], body["counts"]["drawers"]) == ("everything", 3)
    assert live_contents(alice) == set()
