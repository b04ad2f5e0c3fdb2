"""Chats of people without scripts, through the ASGI application."""

from collections.abc import Awaitable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import AsyncClient, Client

from accounts.models import User
from chat.models import Conversation, Message
from chat.replies import polling
from llm import current
from llm.fake_gateway import FakeChat
from tests.chat.following import SlowChat, asked, in_the_making, in_thread, replies, until
from tests.html import check_page

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("close_connections", "fast_beats"),
]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages wait for a reply for a moment only."""
    monkeypatch.setattr(polling, "WHOLE_WITHIN_S", 0.2)


class Reader:
    """The same person at a server with an event loop, whose requests leave no connection."""

    def __init__(self, client: Client) -> None:
        self._client = AsyncClient()
        self._client.cookies = client.cookies

    async def get(self, path: str) -> Any:
        return await self._done(self._client.get(path))

    async def post(self, path: str) -> Any:
        return await self._done(self._client.post(path))

    async def _done(self, request: Awaitable[Any]) -> Any:
        response = await request
        await sync_to_async(connections.close_all)()
        return response


async def test_a_quick_reply_is_there_when_the_page_comes(
    alice: User, alice_client: Client, model: FakeChat
) -> None:
    conversation, _ = await in_thread(asked, alice)
    model.script("Her name is Minka.")
    carol = Reader(alice_client)
    response = await carol.post(f"/chat/{conversation.id}/replies/1/retry")
    assert response.url == f"/chat/{conversation.id}/#m1"
    assert "Her name is Minka." in check_page(await carol.get(f"/chat/{conversation.id}/"))


@pytest.mark.usefixtures("impatient", "embedder")
async def test_a_slow_reply_is_looked_at_again_and_stopped(alice: User, alice_client: Client) -> None:
    conversation, _ = await in_thread(asked, alice)
    carol, slow = Reader(alice_client), SlowChat("Once ", "upon ")
    with current.using(chat=slow):
        await carol.post(f"/chat/{conversation.id}/replies/1/retry")
        assert await in_thread(in_the_making, conversation) == 1

        async def begun() -> bool:
            response = await carol.get(f"/chat/{conversation.id}/")
            return "Once upon" in check_page(response)

        await until(begun)
        html = check_page(await carol.get(f"/chat/{conversation.id}/"))
        assert "See how far it is" in html
        assert "Let the reply begin" not in html
        response = await carol.post(f"/chat/{conversation.id}/replies/1/stop")
    assert response.url == f"/chat/{conversation.id}/"
    html = check_page(await carol.get(f"/chat/{conversation.id}/"))
    assert "You stopped this reply." in html
    (reply,) = await in_thread(replies, conversation)
    assert (reply.content, reply.status) == ("Once upon ", Message.Status.STOPPED)


@pytest.mark.usefixtures("impatient", "embedder")
async def test_a_slow_reply_is_written_to_its_end_though_nobody_looks(
    alice: User, alice_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, _ = await in_thread(asked, alice)
    slow = SlowChat("Once ")
    with current.using(chat=slow):
        await Reader(alice_client).post(f"/chat/{conversation.id}/replies/1/retry")
        slow.let.set()

        async def whole() -> Any:
            return await in_thread(replies, conversation)

        await until(whole)
    (reply,) = await whole()
    assert (reply.content, reply.status) == ("Once the end", Message.Status.COMPLETE)


def test_the_page_waits_no_longer_than_it_may(conversation: Conversation) -> None:
    polling.wait_for_end(conversation, 60)
