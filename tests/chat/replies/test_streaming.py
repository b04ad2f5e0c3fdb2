"""Streaming replies through the ASGI application: they are kept whatever happens to their reader, model,
writer or database."""

import asyncio
from datetime import timedelta
from unittest.mock import DEFAULT, Mock

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection, connections
from django.test import AsyncClient

from chat.models import MEMORY_ONLY, Message
from chat.pages import replies as replies_page
from chat.pages.rendering import markdown
from chat.replies import jobs, recall, streaming
from chat.replies.streaming import TOO_MANY
from llm import current
from llm.openai_format import MAX_REPLY_LENGTH
from tests.chat.conftest import endpoint
from tests.chat.following import (
    EventStream,
    SlowChat,
    ask,
    asking,
    in_thread,
    is_writing,
    only_reply,
    replies,
    shown,
    until,
)
from tests.floods import flood
from tests.html import check_page
from tests.memory.pages.forms import HTMX
from tests.openai_server import Behaviour, OpenAIServer

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("close_connections", "embedder", "fast_heartbeat"),
]

WORDS = "She is called Minka and she is grey"
FORMATTED = "Her name is **Minka**.\n\nShe is <b>grey</b>."


@pytest.fixture
def server():
    """A model endpoint on the loopback interface, with short timeouts."""
    limits = {"first_part_timeout_s": 2.0, "stall_timeout_s": 1.0, "connect_timeout_s": 2.0}
    with OpenAIServer() as running, endpoint(running.base_url, **limits):
        yield running


@pytest.fixture
def slow():
    """A model that streams what tests give it, and its own words only once `proceed` is set."""
    made = SlowChat()
    with current.using(chat=made):
        yield made


async def streamed(alice, client):
    async with asking(alice, client) as (conversation, stream):
        events = await stream.all()
    return events, await only_reply(conversation)


async def test_reply_is_streamed_and_stored_once(alice, alice_client, server, monkeypatch):
    loops = []

    def rendered(text, **more):
        loops.append(asyncio._get_running_loop())
        return markdown(text, **more)

    monkeypatch.setattr(replies_page, "markdown", rendered)
    server.script(Behaviour(text=FORMATTED, drip_s=0.02))
    async with asking(alice, alice_client) as (conversation, stream):
        events = await stream.all()
    assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream")
    assert stream.headers["cache-control"] == "no-store"
    assert stream.headers["x-accel-buffering"] == "no"
    names = [event.name for event in events]
    assert names[0] in {"recalled", "draft"}
    assert names[-1] == "done"
    assert set(names) <= {"recalled", "draft", "block", "tail", "done"}
    assert "Her name is" in shown(events)
    assert set(loops) == {None}, "growing text is not rendered on the event loop"
    assert "<strong>Minka</strong>" in events[-1].data
    assert "<b>" not in "".join(event.data for event in events)
    reply = await only_reply(conversation)
    assert (reply.content, reply.status, reply.parent_sequence) == (FORMATTED, Message.Status.COMPLETE, 1)
    assert reply.output_tokens
    async with EventStream(alice_client, f"/chat/{conversation.id}/replies/1/stream") as again:
        assert [event.name for event in await again.all()] == ["done"]
    assert await only_reply(conversation) == reply


@pytest.mark.parametrize(
    ("behaviour", "notice"),
    [
        (Behaviour(text=WORDS, cut_after=3), "cannot be reached"),
        (Behaviour(text=WORDS, stall_after=3), "stalled in the middle"),
        (Behaviour(text=WORDS, stream_error={"code": 500, "message": "oh"}), "breaks off here"),
        (Behaviour(text=WORDS, finish_reason=None, sends_usage=False, sends_done=False), "breaks off here"),
        (Behaviour(text=WORDS, finish_reason="length"), "reached its limit"),
    ],
    ids=["cut", "stalled", "error", "unfinished", "length"],
)
async def test_interrupted_reply_is_kept_with_a_notice(alice, alice_client, server, behaviour, notice):
    server.script(behaviour)
    events, reply = await streamed(alice, alice_client)
    assert reply.content.startswith("She is called")
    assert notice in reply.notice
    if behaviour.finish_reason != "length":
        assert (events[-1].name, reply.status) == ("failed", Message.Status.FAILED)
        assert "/retry" in events[-1].data


async def test_endless_reply_ends_with_a_notice(alice, alice_client, server):
    server.script(flood("text"))
    events, reply = await streamed(alice, alice_client)
    assert "The model endpoint sent a reply that is too long." in events[-1].data
    assert (reply.status, reply.content) == (Message.Status.FAILED, "[" * MAX_REPLY_LENGTH)
    assert "that is too long. The reply breaks off here." in reply.notice
    assert await in_thread(server.disconnected.wait, 5)


async def test_further_replies_at_once_end_with_a_notice(
    alice, alice_client, bob, bob_client, slow, settings
):
    settings.REPLIES_AT_ONCE = 1
    slow.words = ("One",)
    async with asking(alice, alice_client) as (_, first):
        await first.until("One")
        events, reply = await streamed(alice, alice_client)
        assert TOO_MANY in events[-1].data
        assert reply.model == MEMORY_ONLY
        slow.proceed.set()
        await first.all()
        _, reply = await streamed(bob, bob_client)
        assert "the end" in reply.content
        _, reply = await streamed(alice, alice_client)
    assert (reply.content, reply.notice) == ("Onethe end", "")


async def test_further_streams_at_once_are_refused(alice, alice_client, slow, monkeypatch):
    monkeypatch.setattr(streaming, "MAX_STREAMS", 1)
    slow.words = ("One",)
    async with asking(alice, alice_client) as (conversation, first):
        await first.until("One")
        path = f"/chat/{conversation.id}/replies/1/stream"
        refused = await in_thread(alice_client.get, path)
        assert refused.status_code == 429
        slow.proceed.set()
        await first.all()
    async with EventStream(alice_client, path) as again:
        assert [event.name for event in await again.all()] == ["done"]


async def test_stopping_keeps_the_partial_reply_and_disconnects_from_the_model(alice, alice_client, server):
    server.script(Behaviour(text="word " * 400, drip_s=0.05))
    async with asking(alice, alice_client) as (conversation, stream):
        await stream.until("word")
        await in_thread(alice_client.post, f"/chat/{conversation.id}/replies/1/stop")
        events = await stream.all()
    assert events[-1].name == "done"
    assert "You stopped this reply." in events[-1].data
    reply = await only_reply(conversation)
    assert reply.status == Message.Status.STOPPED
    assert reply.content.startswith("word")
    assert await in_thread(server.disconnected.wait, 5)


async def test_reply_stopped_before_its_first_word_is_empty_and_can_be_retried(alice, alice_client, slow):
    async with asking(alice, alice_client) as (conversation, stream):
        await stream.until("Writing…")
        await in_thread(alice_client.post, f"/chat/{conversation.id}/replies/1/stop")
        events = await stream.all()
    reply = await only_reply(conversation)
    assert (reply.content, reply.status) == ("", Message.Status.STOPPED)
    assert "You stopped this reply." in events[-1].data
    assert "Retry" in events[-1].data
    assert slow.closed


@pytest.mark.parametrize("with_memory", [True, False])
async def test_page_says_that_the_reply_is_being_written_until_it_begins(
    alice, alice_client, slow, monkeypatch, with_memory
):
    if not with_memory:
        monkeypatch.setattr(recall, "recall", Mock(side_effect=OperationalError))
    async with asking(alice, alice_client) as (_, stream):
        events = await stream.until("Writing…")
        await asyncio.sleep(3 * replies_page.POLL_INTERVAL_S)
        slow.proceed.set()
        rest = await stream.all()
    assert [event.name for event in events] == (["recalled", "tail"] if with_memory else ["tail"])
    assert [event for event in rest if event.name == "tail" and not event.data] == []
    assert shown(rest).strip() == "the end"
    assert ("Memory was unavailable" in rest[-1].data) is not with_memory


async def test_end_of_a_reply_keeps_the_stop_button_of_the_next_one(alice, alice_client, model):
    model.script("Minka.")
    conversation, path = await in_thread(ask, alice)
    async with EventStream(alice_client, path) as stream:
        await stream.all()
    form = {"content": "And?", "seen": "1"}
    address = f"/chat/{conversation.id}/messages/"
    sent = (await in_thread(lambda: alice_client.post(address, form, headers=HTMX))).content.decode()
    assert "data-stop" in sent
    async with EventStream(alice_client, path) as late:
        (event,) = await late.all()
    assert "data-stop" in event.data
    assert 'name="seen" id="seen" value="3"' in event.data
    assert 'id="composer-trouble" hx-swap-oob="true"></div>' in event.data
    assert ("file-trouble" in sent, "file-trouble" in event.data) == (True, False), "no file was rejected"


async def test_newlines_and_markup_cannot_forge_events(alice, alice_client, slow):
    slow.words = ("one\n\ntwo\n", "event: done\ndata: <script>alert(1)</script>\n\n", " drei “四” 🎻")
    async with asking(alice, alice_client) as (_, stream):
        events = await stream.until("🎻")
        slow.proceed.set()
        events += await stream.all()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown(events)
    assert "<script" not in shown(events)
    assert "one\ntwo\nevent: done\ndata: " in shown(events)
    assert [event.name for event in events].count("done") == 1


class OtherProcessDrafts(dict):
    """Drafts as another process sees them: none is found."""

    def get(self, key, default=None):
        return default


async def test_reader_in_another_process_follows_the_database_row(alice, alice_client, slow, monkeypatch):
    slow.words = ("Once upon ", "a time ")
    async with asking(alice, alice_client) as (conversation, writer):
        first = asyncio.create_task(writer.all())
        await slow.streamed.wait()
        assert streaming._drafts
        monkeypatch.setattr(streaming, "_drafts", OtherProcessDrafts(streaming._drafts))
        async with EventStream(alice_client, f"/chat/{conversation.id}/replies/1/stream") as other:
            events = await other.until("Once upon a time")
            slow.proceed.set()
            events += await other.all()
        await first
    assert events[-1].name == "done"
    await only_reply(conversation)


@pytest.mark.parametrize("happens", ["its reader leaves", "the server shuts down"])
async def test_abandoned_reply_is_stopped_and_kept(alice, alice_client, slow, monkeypatch, happens):
    slow.words = ("So far ", "so good ")
    leaves = happens == "its reader leaves"
    if leaves:
        monkeypatch.setattr(jobs, "UNWATCHED_TIMEOUT", timedelta(seconds=0.3))
    async with asking(alice, alice_client) as (conversation, stream):
        await stream.until("good")
        if leaves:
            await stream.leave()
        else:
            (writer,) = streaming._writers
            writer.cancel()
            assert (await stream.all())[-1].name == "done"
    (reply,) = await until(lambda: in_thread(replies, conversation))
    assert (reply.content, reply.status) == ("So far so good ", Message.Status.STOPPED)
    assert reply.notice == (jobs.NO_FOLLOWERS if leaves else jobs.INTERRUPTED)
    assert slow.closed


async def test_reply_is_stored_after_a_temporary_database_failure(alice, alice_client, model, monkeypatch):
    monkeypatch.setattr(streaming, "RETRY_DELAYS_S", (0.05, 0.05, 0.05))
    fail_twice = Mock(wraps=streaming.store_reply, side_effect=[OperationalError, OperationalError, DEFAULT])
    monkeypatch.setattr(streaming, "store_reply", fail_twice)
    model.script("Minka.")
    events, reply = await streamed(alice, alice_client)
    assert (events[-1].name, reply.content) == ("done", "Minka.")


@pytest.fixture
def eight_connections(close_connections, monkeypatch):
    """A pool too small for streams that each keep a connection."""
    connection.close()
    options = {"pool": {"min_size": 0, "max_size": 8, "timeout": 10.0}}
    monkeypatch.setitem(connections.settings["default"], "OPTIONS", options)
    yield
    connection.close()
    connection.close_pool()


@pytest.mark.drill
async def test_forty_concurrent_streams_need_few_connections(
    alice, alice_client, slow, eight_connections, settings
):
    settings.REPLIES_AT_ONCE = 40
    paths = [(await in_thread(ask, alice, f"Question {number}"))[1] for number in range(40)]
    slow.words = ("All ", "of ", "us ")
    open_streams = [EventStream(alice_client, path) for path in paths]
    await asyncio.gather(*(stream.__aenter__() for stream in open_streams))
    following = asyncio.gather(*(stream.all() for stream in open_streams))
    most = 0
    for _ in range(10):
        await asyncio.sleep(0.3)
        most = max(most, await in_thread(_connections))
    slow.proceed.set()
    ended = await following
    await asyncio.gather(*(stream.leave() for stream in open_streams))
    assert [events[-1].name for events in ended] == ["done"] * 40
    assert [events for events in ended if "All of us the end" not in events[-1].data] == []
    assert most <= 10


def _connections():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return cursor.fetchone()[0]


async def test_slow_reply_is_polled_and_finished_without_a_reader(alice, alice_client, slow, monkeypatch):
    monkeypatch.setattr(streaming, "REPLY_WAIT_S", 0.2)
    conversation, _ = await in_thread(ask, alice)
    reader = AsyncClient()
    reader.cookies = alice_client.cookies
    slow.words = ("Once ", "upon ")

    async def fetch(method, path=""):
        response = await method(f"/chat/{conversation.id}/{path}")
        await sync_to_async(connections.close_all)()
        return response

    async def page_with_draft():
        html = check_page(await fetch(reader.get))
        return html if "Once upon" in html else ""

    await fetch(reader.post, "replies/1/retry")
    assert await in_thread(is_writing, conversation)
    html = await until(page_with_draft)
    assert "Check progress" in html
    assert "Start the reply" not in html
    slow.proceed.set()
    await until(lambda: in_thread(replies, conversation))
    reply = await only_reply(conversation)
    assert (reply.content, reply.status) == ("Once upon the end", Message.Status.COMPLETE)
