"""Sessions of official clients recall what was said in others, within given limits and without secrets."""

from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone

from accounts.tenancy import tenant
from chat.models import Conversation
from memory.models import Drawer, Fact, Wing
from tests.api.conftest import token_of
from tests.api.mcp.conftest import client_with
from tests.api.openai.asking import ask, sent
from tests.api.openai.conftest import client_of
from tests.api.serving import endpoint
from tests.api.test_secrets import QUESTIONS, SENTENCES, leaked
from tests.drills.ledger import Clock, mine
from tests.memory.palaces import Spot, file, learn
from tests.openai_server import Behaviour

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]

SISTER = "My sister Ruth lives in Lisbon and plays the zither."
QUESTION = "Where does my sister Ruth live?"


def say(client, words, **more):
    messages = [{"role": "user", "content": words}]
    return client.chat.completions.create(model="m", messages=messages, **more)


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


@pytest.fixture
def sister_mined(site, upstream, alice):
    """Alice told one program where her sister lives, and that chat was mined."""
    upstream.script(Behaviour(text="Noted."))
    with client_of(site, alice) as first:
        say(first, SISTER)
    mine_idle_chats(alice)


def test_mined_chat_is_used_in_another_session(sister_mined, site, upstream, alice):
    drawer = Drawer.objects.get(user_id=alice.id, content=SISTER)
    source = Conversation.objects.get(user_id=alice.id, id=drawer.source_id)
    assert source.source == Conversation.Source.API
    assert Fact.objects.filter(user_id=alice.id, sources__drawer_id=drawer.id).exists()
    with client_of(site, alice, "chat") as second:
        say(second, QUESTION)
        assert SISTER in memory_sent(upstream)
        list(say(second, QUESTION, stream=True))
        assert SISTER in memory_sent(upstream)
        second.responses.create(model="m", input=QUESTION)
        assert SISTER in memory_sent(upstream)


def test_responses_api_chat_is_recalled_by_mcp(site, upstream, alice):
    upstream.script(Behaviour(text="Noted."), Behaviour(text="Good for her."))
    with client_of(site, alice) as client:
        first = client.responses.create(model="m", input="I want to tell you of my sister Ruth.")
        client.responses.create(model="m", input=SISTER, previous_response_id=first.id)
    mine_idle_chats(alice)

    assert SISTER in recall_by_mcp(site, token_of(alice, "read")).content[0].text


def test_unmined_message_is_recalled_by_all_programs_except_in_its_own_chat(site, upstream, alice):
    upstream.script(Behaviour(text="Noted."))
    with client_of(site, alice) as client:
        say(client, SISTER)
        history = [
            {"role": "user", "content": SISTER},
            {"role": "assistant", "content": "Noted."},
            {"role": "user", "content": QUESTION},
        ]
        client.chat.completions.create(model="m", messages=history)
        assert "<memory_context>" not in memory_sent(upstream)
        say(client, QUESTION)
        assert SISTER in memory_sent(upstream)
        assert memory_sent(upstream).count(f"\n{SISTER}\n") == 1
    assert not Drawer.objects.filter(user_id=alice.id).exists()
    token = token_of(alice, "read")
    rest = Client(headers={"Authorization": f"Bearer {token}"})
    found = rest.post("/api/v1/recall", {"message": QUESTION}, content_type="application/json").json()
    (hit,) = (hit for hit in found["hits"] if hit["text"] == SISTER)
    assert hit["unfiled_in"]
    result = recall_by_mcp(site, token)
    assert SISTER in result.content[0].text
    assert {hit["pointer"] for hit in result.structured_content["hits"]} == {""}


@pytest.fixture
def bread_drawers(alice, upstream):
    """Three drawers about bread, one with a preference as fact."""
    file(alice.id, ["Rye bread takes a day to rise."], Spot(wing="Bakery"))
    file(alice.id, ["Rye bread costs six euros."], Spot(wing="Market", kind="topic"))
    (liked,) = file(alice.id, ["I like rye bread best."], Spot(wing="Taste", kind="topic"))
    learn(liked, "I like rye bread best", "The person likes rye bread best.")


BREAD = "What did I say about rye bread?"


@pytest.mark.parametrize("most", [1, 2])
def test_retrieval_limit(bread_drawers, client, upstream, most):
    say(client, BREAD, extra_body={"memory_config": {"retrieval_limit": most}})
    assert memory_sent(upstream).count("[§ ") == most


@pytest.mark.parametrize("types", [["preference"], ["preferences"], ["preference", "goal"]])
def test_memory_types_filter(bread_drawers, client, upstream, types):
    say(client, BREAD, extra_body={"memory_config": {"memory_types": types}})
    assert "I like rye bread best." in memory_sent(upstream)
    assert memory_sent(upstream).count("[§ ") == 1
    say(client, BREAD, extra_body={"memory_config": {"memory_types": ["goal"]}})
    assert memory_sent(upstream) == ""


def test_similarity_threshold(bread_drawers, client, upstream):
    question = "Which musical instrument should a beginner choose?"
    say(client, question, extra_body={"memory_config": {"similarity_threshold": 1.0}})
    assert memory_sent(upstream) == ""


@pytest.mark.parametrize("project", ["Bakery", "Market"])
def test_project_is_preferred_by_recall_and_set_on_the_chat(client, upstream, alice, project):
    for name in ("Bakery", "Market"):
        file(alice.id, [f"Rye bread is on the list of the {name}."], Spot(wing=name))
    wing = Wing.objects.get(user_id=alice.id, name=project)
    for named in (project.lower(), str(wing.id)):
        memory_context = {"project_id": named}
        body = {"memory_context": memory_context, "memory_config": {"retrieval_limit": 1}}
        say(client, "Where is rye bread on the list?", extra_body=body)
        assert f"list of the {project}" in memory_sent(upstream)
    kept = Conversation.objects.filter(user_id=alice.id)
    assert set(kept.values_list("project", flat=True)) == {project}


def test_prompts_of_v1_contain_masks_in_place_of_secrets(client, upstream, alice):
    with tenant(alice.id):
        file(alice.id, SENTENCES, Spot(wing="Home", kind="topic"))
    for question in QUESTIONS:
        upstream.script(Behaviour(text="Noted."))
        ask(client, question)
        assert "hidden]" in repr(sent(upstream))
        assert leaked(sent(upstream)) == set()
