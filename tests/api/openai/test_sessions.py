"""What is told in one session is used in the next, through official clients and a running site."""

from datetime import timedelta
from typing import Any

import openai
import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Conversation
from memory.models import Drawer, Fact, Wing
from tests.api.conftest import token_of
from tests.api.mcp.conftest import client_with
from tests.api.openai.conftest import client_of
from tests.api.serving import endpoint
from tests.drills.ledger import Clock, mine
from tests.memory.palaces import Spot, file, learn
from tests.openai_server import Behaviour, OpenAIServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]

TOLD = "My sister Ruth lives in Lisbon and plays the zither."
ASKED = "Where does my sister Ruth live?"


def say(client: openai.OpenAI, words: str, **more: Any) -> Any:
    messages = [{"role": "user", "content": words}]
    return client.chat.completions.create(model="m", messages=messages, **more)


def context(upstream: OpenAIServer) -> str:
    """What stood before the last message that reached the endpoint."""
    before = upstream.received("chat")[-1].body["messages"][:-1]
    return "\n".join(message["content"] for message in before)


@async_to_sync
async def recalled(site: str, token: str) -> Any:
    """What an MCP client is told when it asks."""
    async with client_with(site, token) as mcp:
        return await mcp.call_tool("recall_memory", {"query": ASKED})


def remember(user: User) -> None:
    """Mine what was said, without a model, as the worker does when a chat rests."""
    rested = Clock(timezone.now() + timedelta(hours=1))
    with tenant(user.id), endpoint(""):
        assert mine(user.id, rested).windows


@pytest.fixture
def told(site: str, upstream: OpenAIServer, alice: User) -> None:
    """Alice has told one program where her sister lives, and that chat was mined."""
    upstream.script(Behaviour(text="Noted."))
    with client_of(site, alice) as first:
        say(first, TOLD)
    remember(alice)


def test_another_session_uses_it(told: None, site: str, upstream: OpenAIServer, alice: User) -> None:
    drawer = Drawer.objects.get(user_id=alice.id, content=TOLD)
    source = Conversation.objects.get(user_id=alice.id, id=drawer.source_id)
    assert source.source == Conversation.Source.API
    assert Fact.objects.filter(user_id=alice.id, sources__drawer_id=drawer.id).exists()
    with client_of(site, alice, "chat") as second:
        say(second, ASKED)
        assert TOLD in context(upstream)
        list(say(second, ASKED, stream=True))
        assert TOLD in context(upstream)
        second.responses.create(model="m", input=ASKED)
        assert TOLD in context(upstream)


def test_a_response_and_an_mcp_client_share_it(site: str, upstream: OpenAIServer, alice: User) -> None:
    upstream.script(Behaviour(text="Noted."), Behaviour(text="Good for her."))
    with client_of(site, alice) as client:
        first = client.responses.create(model="m", input="I want to tell you of my sister Ruth.")
        client.responses.create(model="m", input=TOLD, previous_response_id=first.id)
    remember(alice)

    assert TOLD in recalled(site, token_of(alice, "read")).content[0].text


def test_every_program_knows_it_at_once_but_the_chat_itself(
    site: str, upstream: OpenAIServer, alice: User
) -> None:
    upstream.script(Behaviour(text="Noted."))
    with client_of(site, alice) as client:
        say(client, TOLD)
        talk = [
            {"role": "user", "content": TOLD},
            {"role": "assistant", "content": "Noted."},
            {"role": "user", "content": ASKED},
        ]
        client.chat.completions.create(model="m", messages=talk)
        assert "<memory_context>" not in context(upstream)
        say(client, ASKED)
        assert TOLD in context(upstream)
        assert context(upstream).count(f"\n{TOLD}\n") == 1
    assert not Drawer.objects.filter(user_id=alice.id).exists()
    token = token_of(alice, "read")
    rest = Client(headers={"Authorization": f"Bearer {token}"})
    found = rest.post("/api/v1/recall", {"message": ASKED}, content_type="application/json").json()
    (hit,) = (hit for hit in found["hits"] if hit["text"] == TOLD)
    assert hit["unfiled_in"]
    result = recalled(site, token)
    assert TOLD in result.content[0].text
    assert {hit["pointer"] for hit in result.structured_content["hits"]} == {""}


@pytest.fixture
def several(alice: User, upstream: OpenAIServer) -> None:
    """Three things about bread; a preference is known from one of them."""
    file(alice.id, ["Rye bread takes a day to rise."], Spot(wing="Bakery"))
    file(alice.id, ["Rye bread costs six euros."], Spot(wing="Market", kind="topic"))
    (liked,) = file(alice.id, ["I like rye bread best."], Spot(wing="Taste", kind="topic"))
    learn(liked, "I like rye bread best", "The person likes rye bread best.")


BREAD = "What did I say about rye bread?"


@pytest.mark.parametrize("most", [1, 2])
def test_the_number_of_drawers(
    several: None, client: openai.OpenAI, upstream: OpenAIServer, most: int
) -> None:
    say(client, BREAD, extra_body={"memory_config": {"retrieval_limit": most}})
    assert context(upstream).count("[§ ") == most


@pytest.mark.parametrize("types", [["preference"], ["preferences"], ["preference", "goal"]])
def test_only_some_types_of_memory(
    several: None, client: openai.OpenAI, upstream: OpenAIServer, types: list[str]
) -> None:
    say(client, BREAD, extra_body={"memory_config": {"memory_types": types}})
    assert "I like rye bread best." in context(upstream)
    assert context(upstream).count("[§ ") == 1
    say(client, BREAD, extra_body={"memory_config": {"memory_types": ["goal"]}})
    assert context(upstream) == ""


def test_a_threshold_that_nothing_reaches(
    several: None, client: openai.OpenAI, upstream: OpenAIServer
) -> None:
    question = "Which musical instrument should a beginner choose?"
    say(client, question, extra_body={"memory_config": {"similarity_threshold": 1.0}})
    assert context(upstream) == ""


@pytest.mark.parametrize("project", ["Bakery", "Market"])
def test_a_project_is_preferred_and_keeps_what_is_said(
    client: openai.OpenAI, upstream: OpenAIServer, alice: User, project: str
) -> None:
    for name in ("Bakery", "Market"):
        file(alice.id, [f"Rye bread is on the list of the {name}."], Spot(wing=name))
    wing = Wing.objects.get(user_id=alice.id, name=project)
    for named in (project.lower(), str(wing.id)):
        context_of = {"project_id": named}
        body = {"memory_context": context_of, "memory_config": {"retrieval_limit": 1}}
        say(client, "Where is rye bread on the list?", extra_body=body)
        assert f"list of the {project}" in context(upstream)
    kept = Conversation.objects.filter(user_id=alice.id)
    assert set(kept.values_list("project", flat=True)) == {project}
