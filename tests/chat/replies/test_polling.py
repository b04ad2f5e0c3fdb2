"""Chats of people without scripts, through the ASGI application."""

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import AsyncClient

from chat.models import Message
from chat.replies import polling
from llm import current
from tests.chat.following import SlowChat, ask, in_the_making, in_thread, only_reply, replies, until
from tests.html import check_page

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("close_connections", "fast_beats", "embedder"),
]


class Reader:
    """Alice at a server with an event loop, whose requests leave no connection behind."""

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


async def test_a_slow_reply_is_looked_at_again_and_written_though_nobody_looks(
    alice, alice_client, monkeypatch
):
    monkeypatch.setattr(polling, "REPLY_WAIT_S", 0.2)
    conversation, _ = await in_thread(ask, alice)
    page, path = f"/chat/{conversation.id}/", f"/chat/{conversation.id}/replies/1/"
    reader, slow = Reader(alice_client), SlowChat("Once ", "upon ")

    async def begun():
        html = check_page(await reader.get(page))
        return html if "Once upon" in html else ""

    with current.using(chat=slow):
        await reader.post(f"{path}retry")
        assert await in_thread(in_the_making, conversation) == 1
        html = await until(begun)
        assert "Check progress" in html
        assert "Start the reply" not in html
        slow.let.set()
        await until(lambda: in_thread(replies, conversation))
    reply = await only_reply(conversation)
    assert (reply.content, reply.status) == ("Once upon the end", Message.Status.COMPLETE)
