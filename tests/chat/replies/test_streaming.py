"""Replies as they are written, through the ASGI application."""

import asyncio
from collections.abc import Iterator

import pytest
from django.db import connection, connections
from django.test import Client

from accounts.models import User
from chat.models import Message
from chat.replies import streaming
from llm import current
from llm.fake_gateway import FakeChat
from tests.chat.event_stream import PATIENCE_S, Event, EventStream
from tests.chat.following import SlowChat, asked, in_the_making, in_thread, replies, seen

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("close_connections"),
]


async def test_a_reply_arrives_word_by_word_and_is_kept(
    alice: User, alice_client: Client, model: FakeChat
) -> None:
    conversation, path = await in_thread(asked, alice)
    model.script("Her name is **Minka**.\n\nShe is <b>grey</b>.")
    async with EventStream(alice_client, path) as stream:
        events = await stream.all()
    assert stream.status == 200
    assert stream.headers["cache-control"] == "no-store"
    assert stream.headers["x-accel-buffering"] == "no"
    assert stream.headers["content-type"] == "text/event-stream"
    names = [event.name for event in events]
    assert names[0] in {"recalled", "draft"}
    assert names[-1] == "done"
    assert set(names) <= {"recalled", "draft", "token", "done"}
    assert "<strong>Minka</strong>" in events[-1].data
    assert "<b>" not in "".join(event.data for event in events)
    (reply,) = await in_thread(replies, conversation)
    assert reply.content == "Her name is **Minka**.\n\nShe is <b>grey</b>."
    assert reply.status == Message.Status.COMPLETE
    assert reply.parent_sequence == 1
    assert await in_thread(in_the_making, conversation) == 0


async def test_words_with_line_ends_and_markup_arrive_as_they_were_written(
    alice: User, alice_client: Client, model: FakeChat
) -> None:
    words = ("one\n\ntwo\n", "event: done\ndata: <script>alert(1)</script>\n\n", " drei “四” 🎻")
    slow = SlowChat(*words)
    _, path = await in_thread(asked, alice)
    with current.using(chat=slow):
        async with EventStream(alice_client, path) as stream:
            seen: list[Event] = []
            async for event in stream.events():
                seen.append(event)
                shown = "".join(each.data for each in seen if each.name in {"draft", "token"})
                if "🎻" in shown:
                    slow.let.set()
    everything = "".join(event.data for event in seen if event.name in {"draft", "token"})
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in everything
    assert "<script" not in everything
    assert "one\n\ntwo\nevent: done\ndata: " in everything
    assert [event.name for event in seen].count("done") == 1


async def test_two_pages_on_one_reply_make_one_reply(
    alice: User, alice_client: Client, model: FakeChat
) -> None:
    conversation, path = await in_thread(asked, alice)
    slow = SlowChat("Half ")
    with current.using(chat=slow):
        async with (
            EventStream(alice_client, path) as first,
            EventStream(alice_client, path) as second,
        ):
            both = asyncio.gather(first.all(), second.all())
            await slow.said.wait()
            slow.let.set()
            ended = await both
    assert [events[-1].name for events in ended] == ["done", "done"]
    assert all("Half the end" in events[-1].data for events in ended)
    assert len(await in_thread(replies, conversation)) == 1


async def test_a_page_in_another_process_follows_by_the_row(
    alice: User, alice_client: Client, model: FakeChat, fast_beats: None, monkeypatch
) -> None:
    conversation, path = await in_thread(asked, alice)
    slow = SlowChat("Once upon ", "a time ")
    with current.using(chat=slow):
        async with EventStream(alice_client, path) as writer:
            first = asyncio.create_task(writer.all())
            await slow.said.wait()
            there, streaming_drafts = dict(streaming._drafts), streaming._drafts
            monkeypatch.setattr(streaming, "_drafts", _Elsewhere(streaming_drafts))
            async with EventStream(alice_client, path) as other:
                events = await seen(other, "a time ")
                assert there
                slow.let.set()
                events += await other.all()
            await first
    shown = "".join(event.data for event in events if event.name in {"draft", "token"})
    assert "Once upon a time" in shown
    assert events[-1].name == "done"
    assert len(await in_thread(replies, conversation)) == 1


class _Elsewhere(dict):
    """What another process knows of the drafts of this one: nothing."""

    def __init__(self, drafts):
        super().__init__()
        self._drafts = drafts

    def __getitem__(self, key):
        return self._drafts[key]

    def __delitem__(self, key):
        del self._drafts[key]


async def test_stop_keeps_what_was_written_and_says_so(
    alice: User, alice_client: Client, model: FakeChat, fast_beats: None
) -> None:
    conversation, path = await in_thread(asked, alice)
    slow = SlowChat("The beginning")
    with current.using(chat=slow):
        async with EventStream(alice_client, path) as stream:
            following = asyncio.create_task(stream.all())
            await slow.said.wait()
            response = await in_thread(alice_client.post, path.replace("/stream", "/stop"))
            assert response.status_code == 302
            events = await asyncio.wait_for(following, PATIENCE_S)
    assert events[-1].name == "done"
    assert "You stopped this reply." in events[-1].data
    (reply,) = await in_thread(replies, conversation)
    assert (reply.content, reply.status) == ("The beginning", Message.Status.STOPPED)
    assert slow.closed


async def test_a_reply_goes_on_while_the_page_is_loaded_again(
    alice: User, alice_client: Client, model: FakeChat, fast_beats: None
) -> None:
    conversation, path = await in_thread(asked, alice)
    slow = SlowChat("Still ", "here ")
    with current.using(chat=slow):
        async with EventStream(alice_client, path) as first:
            async for event in first.events():
                if "here" in event.data:
                    break
            await first.leave()
        assert await in_thread(in_the_making, conversation) == 1
        async with EventStream(alice_client, path) as second:
            events = await seen(second, "here ")
            slow.let.set()
            events += await second.all()
    shown = "".join(event.data for event in events if event.name in {"draft", "token"})
    assert "Still here" in shown
    (reply,) = await in_thread(replies, conversation)
    assert reply.content == "Still here the end"
    assert reply.status == Message.Status.COMPLETE


async def test_a_finished_reply_is_shown_again_and_not_written_again(
    alice: User, alice_client: Client, model: FakeChat
) -> None:
    conversation, path = await in_thread(asked, alice)
    model.script("Minka.")
    async with EventStream(alice_client, path) as stream:
        await stream.all()
    async with EventStream(alice_client, path) as again:
        events = await again.all()
    assert [event.name for event in events] == ["done"]
    assert "Minka." in events[0].data
    assert len(await in_thread(replies, conversation)) == 1


async def test_nobody_follows_the_reply_of_another(alice: User, bob_client: Client, model: FakeChat) -> None:
    conversation, path = await in_thread(asked, alice)
    async with EventStream(bob_client, path) as stream:
        assert stream.status == 404
    assert await in_thread(replies, conversation) == []
    assert await in_thread(in_the_making, conversation) == 1


async def test_nobody_follows_without_signing_in(alice: User, model: FakeChat) -> None:
    _, path = await in_thread(asked, alice)
    async with EventStream(Client(), path) as stream:
        assert stream.status == 302


@pytest.fixture
def eight_connections(close_connections: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A pool that would run dry if a stream held on to a connection, or needed two at once."""
    connection.close()
    options = {"pool": {"min_size": 0, "max_size": 8, "timeout": 10.0}}
    monkeypatch.setitem(connections.settings["default"], "OPTIONS", options)
    yield
    connection.close()
    connection.close_pool()


async def test_forty_streams_at_once_need_few_connections(
    alice: User, alice_client: Client, model: FakeChat, eight_connections: None
) -> None:
    paths = [(await in_thread(asked, alice, f"Question {number}"))[1] for number in range(40)]
    slow = SlowChat("All ", "of ", "us ")
    with current.using(chat=slow):
        open_streams = [EventStream(alice_client, path) for path in paths]
        await asyncio.gather(*(stream.__aenter__() for stream in open_streams))
        following = asyncio.gather(*(stream.all() for stream in open_streams))
        most = 0
        for _ in range(10):
            await asyncio.sleep(0.3)
            most = max(most, await in_thread(_connections))
        slow.let.set()
        ended = await following
        await asyncio.gather(*(stream.leave() for stream in open_streams))
    assert [events[-1].name for events in ended] == ["done"] * 40
    assert all("All of us the end" in events[-1].data for events in ended)
    assert most <= 10


def _connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return cursor.fetchone()[0]
