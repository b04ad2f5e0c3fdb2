"""Streams from a real endpoint on the loopback interface that misbehaves on request."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.test import Client

from accounts.models import User
from chat.models import MEMORY_ONLY, Message
from llm import current
from llm.configuration import LlmConfiguration
from llm.fake_gateway import FakeEmbedder
from llm.openai_gateway import OpenAIGateway
from tests.chat.event_stream import Event, EventStream
from tests.chat.following import asked, in_thread, replies
from tests.openai_server import Behaviour, OpenAIServer

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("close_connections"),
]

WORDS = "She is called Minka and she is grey"


@pytest.fixture
def server(embedder: FakeEmbedder) -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        configuration = replace(
            LlmConfiguration(),
            base_url=running.base_url,
            api_key="key-for-tests",
            first_part_timeout_s=2.0,
            stall_timeout_s=1.0,
            connect_timeout_s=2.0,
        )
        with current.using(chat=OpenAIGateway(configuration)):
            yield running


async def streamed(alice: User, client: Client) -> tuple[list[Event], Message]:
    conversation, path = await in_thread(asked, alice)
    async with EventStream(client, path) as stream:
        events = await stream.all()
    (reply,) = await in_thread(replies, conversation)
    return events, reply


async def test_a_whole_stream(alice: User, alice_client: Client, server: OpenAIServer) -> None:
    server.script(Behaviour(text=WORDS, drip_s=0.02))
    events, reply = await streamed(alice, alice_client)
    shown = "".join(event.data for event in events if event.name in {"draft", "token"})
    assert WORDS in shown
    assert events[-1].name == "done"
    assert (reply.content, reply.status) == (WORDS, Message.Status.COMPLETE)
    assert reply.output_tokens


@pytest.mark.parametrize(
    ("behaviour", "notice"),
    [
        (Behaviour(text=WORDS, cut_after=3), "cannot be reached"),
        (Behaviour(text=WORDS, stall_after=3), "did not answer in time"),
        (Behaviour(text=WORDS, stream_error={"code": 500, "message": "oh"}), "breaks off here"),
        (
            Behaviour(text=WORDS, finish_reason=None, sends_usage=False, sends_done=False),
            "breaks off here",
        ),
    ],
    ids=["cut", "stalled", "error", "unfinished"],
)
async def test_what_came_before_a_break_is_kept_with_the_reason(
    alice: User, alice_client: Client, server: OpenAIServer, behaviour: Behaviour, notice: str
) -> None:
    server.script(behaviour)
    events, reply = await streamed(alice, alice_client)
    assert events[-1].name == "failed"
    assert reply.status == Message.Status.FAILED
    assert reply.content.startswith("She is called")
    assert notice in reply.notice
    assert "/retry" in events[-1].data


@pytest.mark.parametrize(
    ("behaviour", "notice"),
    [
        (Behaviour(status=500), "cannot be reached"),
        (Behaviour(status=429, retry_after="30"), "asks to wait"),
        (Behaviour(status=401), "refused"),
        (Behaviour(stall_s=4.0), "did not answer in time"),
        (Behaviour(raw="this is not json"), "cannot be read"),
    ],
    ids=["500", "429", "401", "silent", "nonsense"],
)
async def test_without_a_word_from_the_model_memory_answers(
    alice: User, alice_client: Client, server: OpenAIServer, behaviour: Behaviour, notice: str
) -> None:
    server.script(behaviour)
    events, reply = await streamed(alice, alice_client)
    assert events[-1].name == "done"
    assert reply.model == MEMORY_ONLY
    assert notice in reply.notice


async def test_a_limit_of_the_model_is_told(alice: User, alice_client: Client, server: OpenAIServer) -> None:
    server.script(Behaviour(text=WORDS, finish_reason="length"))
    _, reply = await streamed(alice, alice_client)
    assert reply.content == WORDS
    assert "reached its limit" in reply.notice


async def test_stopping_hangs_up(alice: User, alice_client: Client, server: OpenAIServer) -> None:
    server.script(Behaviour(text="word " * 400, drip_s=0.05))
    conversation, path = await in_thread(asked, alice)
    async with EventStream(alice_client, path) as stream:
        async for event in stream.events():
            if event.name == "token":
                await in_thread(alice_client.post, path.replace("/stream", "/stop"))
                break
        await stream.all()
    (reply,) = await in_thread(replies, conversation)
    assert reply.status == Message.Status.STOPPED
    assert await in_thread(server.disconnected.wait, 5)
