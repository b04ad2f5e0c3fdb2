"""A reply is kept whatever happens to its reader, its model, its writer or the database."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import MEMORY_ONLY, Conversation, Message
from chat.replies import jobs, streaming
from llm import current
from llm.errors import ModelUnavailable
from llm.fake_gateway import BrokenReply, FakeChat, FakeEmbedder
from tests.chat.event_stream import EventStream
from tests.chat.following import SlowChat, asked, in_thread, replies, until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("close_connections"),
]


async def test_a_reply_that_nobody_reads_is_stopped_and_kept(
    alice: User, alice_client: Client, model: FakeChat, fast_beats: None, monkeypatch
) -> None:
    monkeypatch.setattr(jobs, "UNWATCHED", timedelta(seconds=0.3))
    conversation, path = await in_thread(asked, alice)
    slow = SlowChat("Is anybody there?")
    with current.using(chat=slow):
        async with EventStream(alice_client, path) as stream:
            async for event in stream.events():
                if "anybody" in event.data:
                    break
            await stream.leave()
        await until(lambda: in_thread(replies, conversation))
    (reply,) = await in_thread(replies, conversation)
    assert reply.content == "Is anybody there?"
    assert reply.status == Message.Status.STOPPED
    assert reply.notice == streaming.UNREAD


async def test_a_model_that_breaks_off_leaves_what_it_said_and_a_reason(
    alice: User, alice_client: Client, model: FakeChat
) -> None:
    conversation, path = await in_thread(asked, alice)
    model.script(BrokenReply("She is called", ModelUnavailable("gone")))
    async with EventStream(alice_client, path) as stream:
        events = await stream.all()
    assert events[-1].name == "failed"
    assert "breaks off here" in events[-1].data
    assert "/retry" in events[-1].data
    (reply,) = await in_thread(replies, conversation)
    assert reply.content.startswith("She is called")
    assert reply.status == Message.Status.FAILED


async def test_a_model_that_is_down_makes_way_for_memory(
    alice: User, alice_client: Client, model: FakeChat
) -> None:
    conversation, path = await in_thread(asked, alice)
    model.fail_with(ModelUnavailable("down"))
    async with EventStream(alice_client, path) as stream:
        events = await stream.all()
    assert events[-1].name == "done"
    assert "cannot be reached" in events[-1].data
    (reply,) = await in_thread(replies, conversation)
    assert reply.model == MEMORY_ONLY
    assert reply.notice == "The language model cannot be reached."


async def test_without_a_model_memory_answers(
    alice: User, alice_client: Client, embedder: FakeEmbedder
) -> None:
    conversation, path = await in_thread(asked, alice)
    async with EventStream(alice_client, path) as stream:
        events = await stream.all()
    assert "No language model is connected." in events[-1].data
    (reply,) = await in_thread(replies, conversation)
    assert (reply.model, reply.notice) == (MEMORY_ONLY, "")


async def test_the_reply_of_a_writer_that_died_is_shown_as_interrupted(
    alice: User, alice_client: Client, model: FakeChat
) -> None:
    conversation, path = await in_thread(asked, alice)
    await in_thread(_die_while_writing, conversation)
    async with EventStream(alice_client, path) as stream:
        events = await stream.all()
    assert events[-1].name == "failed"
    assert "The reply was interrupted." in events[-1].data
    assert "/retry" in events[-1].data
    (reply,) = await in_thread(replies, conversation)
    assert reply.content == "A first half"


def _die_while_writing(conversation: Conversation) -> None:
    long_ago = timezone.now() - timedelta(minutes=1)
    with tenant(conversation.user_id):
        generation = jobs.pending(conversation)
        assert generation is not None
        assert jobs.claim(generation, long_ago)
        jobs.beat(generation, "A first half", long_ago)


async def test_a_server_that_stops_keeps_what_was_written(
    alice: User, alice_client: Client, model: FakeChat, fast_beats: None
) -> None:
    conversation, path = await in_thread(asked, alice)
    slow = SlowChat("So far ", "so good ")
    with current.using(chat=slow):
        async with EventStream(alice_client, path) as stream:
            async for event in stream.events():
                if "good" in event.data:
                    break
            (writer,) = streaming._writers
            writer.cancel()
            events = await stream.all()
    assert events[-1].name == "done"
    (reply,) = await in_thread(replies, conversation)
    assert (reply.content, reply.notice) == ("So far so good ", jobs.INTERRUPTED)
    assert slow.closed


async def test_a_database_that_comes_back_keeps_the_reply(
    alice: User, alice_client: Client, model: FakeChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "PAUSES_S", (0.05, 0.05, 0.05))
    settle, failures = streaming.settle, [OperationalError(), OperationalError()]

    def away_for_a_while(*arguments):
        if failures:
            raise failures.pop()
        return settle(*arguments)

    monkeypatch.setattr(streaming, "settle", away_for_a_while)
    conversation, path = await in_thread(asked, alice)
    model.script("Minka.")
    async with EventStream(alice_client, path) as stream:
        events = await stream.all()
    assert events[-1].name == "done"
    assert [reply.content for reply in await in_thread(replies, conversation)] == ["Minka."]
