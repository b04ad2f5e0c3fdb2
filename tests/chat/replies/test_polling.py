"""Chats without scripts, through the ASGI application."""

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import AsyncClient

from chat.models import Message
from chat.replies import streaming
from llm import current
from tests.chat.following import SlowChat, ask, count_generations, in_thread, only_reply, replies, until
from tests.html import check_page

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("close_connections", "fast_heartbeat", "embedder"),
]


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
