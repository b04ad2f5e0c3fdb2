"""Streaming replies through the ASGI application: they are kept whatever happens to their reader, model,
writer or database."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection, connections
from django.test import AsyncClient

from chat.models import MEMORY_ONLY, Message
from chat.pages import replies as replies_page
from chat.pages.rendering import markdown
from chat.replies import jobs, limits, recall, streaming
from chat.replies.limits import TOO_MANY
from llm import current
from llm.openai_format import MAX_REPLY_LENGTH
from tests.chat.conftest import endpoint
from tests.chat.following import (
    EventStream,
    SlowChat,
    ask,
    asking,
    count_generations,
    in_thread,
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


def send_by_script(client, conversation, form):
    return client.post(f"/chat/{conversation.id}/messages/", form, headers=HTMX)


async def streamed(alice, client):
    async with asking(alice, client) as (conversation, stream):
        events = await stream.all()
    return events, await only_reply(conversation)


async def test_reply_is_streamed_and_stored_once(alice, alice_client, server):
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
    assert "<strong>Minka</strong>" in events[-1].data
    assert "<b>" not in "".join(event.data for event in events)
    reply = await only_reply(conversation)
    assert (reply.content, reply.status, reply.parent_sequence) == (FORMATTED, Message.Status.COMPLETE, 1)
    assert reply.output_tokens
    assert await in_thread(count_generations, conversation) == 0
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
    ],
    ids=["cut", "stalled", "error", "unfinished"],
)
async def test_interrupted_reply_is_kept_with_a_notice(alice, alice_client, server, behaviour, notice):
    server.script(behaviour)
    events, reply = await streamed(alice, alice_client)
    assert events[-1].name == "failed"
    assert "/retry" in events[-1].data
    assert reply.status == Message.Status.FAILED
    assert reply.content.startswith("She is called")
    assert notice in reply.notice


@pytest.mark.parametrize("name", ["text", "tool arguments", "comments"])
async def test_endless_reply_ends_with_a_notice(alice, alice_client, server, name):
    server.script(flood(name))
    events, reply = await streamed(alice, alice_client)
    assert "The model endpoint sent a reply that is too long." in events[-1].data
    if name == "text":
        assert (reply.status, reply.content) == (Message.Status.FAILED, "[" * MAX_REPLY_LENGTH)
        assert "that is too long. The reply breaks off here." in reply.notice
    assert await in_thread(server.disconnected.wait, 5)


async def test_further_replies_at_once_end_with_a_notice(
    alice, alice_client, bob, bob_client, model, settings
):
    settings.REPLIES_AT_ONCE = 1
    slow = SlowChat("One")
    with current.using(chat=slow):
        async with asking(alice, alice_client) as (_, first):
            await first.until("One")
            events, reply = await streamed(alice, alice_client)
            assert TOO_MANY in events[-1].data
            assert reply.model == MEMORY_ONLY
            slow.proceed.set()
            await first.all()
            events, reply = await streamed(bob, bob_client)
            assert "the end" in reply.content
            _, reply = await streamed(alice, alice_client)
    assert (reply.content, reply.notice) == ("Onethe end", "")


async def test_further_pages_show_a_reply_only_once_it_is_finished(alice, alice_client, monkeypatch):
    monkeypatch.setattr(limits, "MAX_FOLLOWED", 1)
    monkeypatch.setattr(replies_page, "MAX_PAUSE_S", 0.1)
    slow = SlowChat("One")
    with current.using(chat=slow):
        async with asking(alice, alice_client) as (conversation, first):
            await first.until("One")
            path = f"/chat/{conversation.id}/replies/1/stream"
            async with EventStream(alice_client, path) as second:
                slow.proceed.set()
                assert [event.name for event in await second.all()] == ["done"]
            await first.all()
        slow.proceed.clear()
        async with asking(alice, alice_client) as (_, next_one):
            await next_one.until("One")
            slow.proceed.set()
            await next_one.all()


def test_streams_beyond_all_limits_are_refused(alice_client, monkeypatch):
    monkeypatch.setattr(limits, "MAX_STREAMS", 0)
    assert alice_client.get(f"/chat/{uuid4()}/replies/1/stream").status_code == 429


async def test_growing_reply_is_not_rendered_on_the_event_loop(alice, alice_client, server, monkeypatch):
    loops = []

    def rendered(text, **more):
        loops.append(asyncio._get_running_loop())
        return markdown(text, **more)

    monkeypatch.setattr("chat.pages.replies.markdown", rendered)
    server.script(Behaviour(text=FORMATTED, drip_s=0.02))
    events, _ = await streamed(alice, alice_client)
    assert "Her name is" in shown(events)
    assert set(loops) == {None}


async def test_reply_cut_at_the_length_limit_has_a_notice(alice, alice_client, server):
    server.script(Behaviour(text=WORDS, finish_reason="length"))
    _, reply = await streamed(alice, alice_client)
    assert reply.content == WORDS
    assert "reached its limit" in reply.notice


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


async def test_page_says_that_the_reply_is_being_written_until_it_begins(alice, alice_client):
    slow = SlowChat()
    with current.using(chat=slow):
        async with asking(alice, alice_client) as (_, stream):
            events = await stream.until("Writing…")
            await asyncio.sleep(3 * replies_page.POLL_INTERVAL_S)
            slow.proceed.set()
            rest = await stream.all()
    assert [event.name for event in events] == ["recalled", "tail"]
    assert all(event.data for event in rest if event.name == "tail")
    assert shown(rest).strip() == "the end"


async def test_page_says_that_the_reply_is_being_written_after_recall_failed(
    alice, alice_client, monkeypatch
):
    def broken(*_):
        raise OperationalError

    monkeypatch.setattr(recall, "recall", broken)
    slow = SlowChat()
    with current.using(chat=slow):
        async with asking(alice, alice_client) as (_, stream):
            events = await stream.until("Writing…")
            slow.proceed.set()
            rest = await stream.all()
    assert [event.name for event in events] == ["tail"]
    assert "Memory was unavailable" in rest[-1].data


async def test_end_of_a_reply_keeps_the_stop_button_of_the_next_one(alice, alice_client, model):
    model.script("Minka.")
    conversation, path = await in_thread(ask, alice)
    async with EventStream(alice_client, path) as stream:
        await stream.all()
    sent = await in_thread(send_by_script, alice_client, conversation, {"content": "And?", "seen": "1"})
    assert "data-stop" in sent.content.decode()
    async with EventStream(alice_client, path) as late:
        (event,) = await late.all()
    assert "data-stop" in event.data
    assert 'name="seen" id="seen" value="3"' in event.data
    assert 'id="composer-trouble" hx-swap-oob="true"></div>' in event.data
    assert "file-trouble" in sent.content.decode()
    assert "file-trouble" not in event.data, "a rejected file has nothing to do with the reply"


async def test_newlines_and_markup_cannot_forge_events(alice, alice_client):
    slow = SlowChat("one\n\ntwo\n", "event: done\ndata: <script>alert(1)</script>\n\n", " drei “四” 🎻")
    with current.using(chat=slow):
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

    def __init__(self, drafts):
        super().__init__()
        self._drafts = drafts

    def __getitem__(self, key):
        return self._drafts[key]

    def __delitem__(self, key):
        del self._drafts[key]


async def test_reader_in_another_process_follows_the_database_row(alice, alice_client, monkeypatch):
    slow = SlowChat("Once upon ", "a time ")
    with current.using(chat=slow):
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


async def test_reply_without_readers_is_stopped_and_kept(alice, alice_client, monkeypatch):
    monkeypatch.setattr(jobs, "UNWATCHED_TIMEOUT", timedelta(seconds=0.3))
    with current.using(chat=SlowChat("Is anybody there?")):
        async with asking(alice, alice_client) as (conversation, stream):
            await stream.until("anybody")
            await stream.leave()
        (reply,) = await until(lambda: in_thread(replies, conversation))
    assert (reply.content, reply.status) == ("Is anybody there?", Message.Status.STOPPED)
    assert reply.notice == streaming.NO_FOLLOWERS


async def test_server_shutdown_keeps_the_partial_reply(alice, alice_client):
    slow = SlowChat("So far ", "so good ")
    with current.using(chat=slow):
        async with asking(alice, alice_client) as (conversation, stream):
            await stream.until("good")
            (writer,) = streaming._writers
            writer.cancel()
            events = await stream.all()
    assert events[-1].name == "done"
    reply = await only_reply(conversation)
    assert (reply.content, reply.notice) == ("So far so good ", jobs.INTERRUPTED)
    assert slow.closed


async def test_reply_is_stored_after_a_temporary_database_failure(alice, alice_client, model, monkeypatch):
    monkeypatch.setattr(streaming, "RETRY_DELAYS_S", (0.05, 0.05, 0.05))
    store_reply, failures = streaming.store_reply, [OperationalError(), OperationalError()]

    def fail_twice(*arguments):
        if failures:
            raise failures.pop()
        return store_reply(*arguments)

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
    alice, alice_client, eight_connections, settings
):
    settings.REPLIES_AT_ONCE = 40
    paths = [(await in_thread(ask, alice, f"Question {number}"))[1] for number in range(40)]
    slow = SlowChat("All ", "of ", "us ")
    with current.using(chat=slow):
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
    assert all("All of us the end" in events[-1].data for events in ended)
    assert most <= 10


def _connections():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return cursor.fetchone()[0]


class Reader:
    """Alice's asynchronous client, which closes database connections after each request."""

    def __init__(self, client):
        self._client = AsyncClient()
        self._client.cookies = client.cookies

    async def get(self, path):
        return await self._done(self._client.get(path))

    async def post(self, path):
        return await self._done(self._client.post(path))

    async def _done(self, request):
        response = await request
        await sync_to_async(connections.close_all)()
        return response


async def test_slow_reply_is_polled_and_finished_without_a_reader(alice, alice_client, monkeypatch):
    monkeypatch.setattr(streaming, "REPLY_WAIT_S", 0.2)
    conversation, _ = await in_thread(ask, alice)
    page, path = f"/chat/{conversation.id}/", f"/chat/{conversation.id}/replies/1/"
    reader, slow = Reader(alice_client), SlowChat("Once ", "upon ")

    async def page_with_draft():
        html = check_page(await reader.get(page))
        return html if "Once upon" in html else ""

    with current.using(chat=slow):
        await reader.post(f"{path}retry")
        assert await in_thread(count_generations, conversation) == 1
        html = await until(page_with_draft)
        assert "Check progress" in html
        assert "Start the reply" not in html
        slow.proceed.set()
        await until(lambda: in_thread(replies, conversation))
    reply = await only_reply(conversation)
    assert (reply.content, reply.status) == ("Once upon the end", Message.Status.COMPLETE)
