"""Stream a reply as a page does: event by event, through the ASGI application."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.db import connection
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags

from accounts.models import User
from accounts.tenancy import tenant
from chat.conversations import Choices, start
from chat.models import Conversation, Generation, Message
from chat.replies import streaming
from chat.replies.jobs import send_message, steps_to_reply
from llm.types import StreamPart
from palace.asgi import application
from tests.fake_gateway import FakeChat

TIMEOUT_S = 120


class Event(NamedTuple):
    name: str
    data: str


class EventStream:
    """An event stream, open inside its `with` block; `client` is signed in."""

    def __init__(self, client: Client, path: str) -> None:
        cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
        scope: dict[str, Any] = {
            "type": "http",
            "method": "GET",
            "path": path,
            "query_string": b"",
            "client": ("127.0.0.1", 40_000),
            "headers": [(b"host", b"localhost"), (b"cookie", cookies.encode())],
        }
        self._application = ApplicationCommunicator(application, scope)
        self.status = 0
        self.headers: dict[str, str] = {}
        self._buffer = ""
        self._more = True
        self._left = False

    async def __aenter__(self):
        await self._application.send_input({"type": "http.request", "body": b""})
        begin = await self._application.receive_output(TIMEOUT_S)
        self.status = begin["status"]
        self.headers = {name.decode().lower(): value.decode() for name, value in begin["headers"]}
        return self

    async def __aexit__(self, *_):
        await self.leave()

    async def leave(self) -> None:
        """Disconnect, as closing the page does."""
        if not self._left:
            self._left, self._more = True, False
            await self._application.send_input({"type": "http.disconnect"})
            await self._application.wait(TIMEOUT_S)

    async def events(self) -> AsyncIterator[Event]:
        """The events as they arrive, until the server ends the stream."""
        while self._more or self._buffer:
            while "\n\n" in self._buffer:
                block, _, self._buffer = self._buffer.partition("\n\n")
                if not block.startswith(":"):
                    yield _event(block)
            if not self._more:
                assert self._buffer == ""
                return
            part = await self._application.receive_output(TIMEOUT_S)
            self._buffer += part.get("body", b"").decode()
            self._more = part.get("more_body", False)

    async def all(self) -> list[Event]:
        """All events until the end."""
        return [event async for event in self.events()]

    async def until(self, words: str) -> list[Event]:
        """The events up to the one that makes the page show these words."""
        found: list[Event] = []
        async for event in self.events():
            found.append(event)
            if words in shown(found):
                return found
        raise AssertionError(f"the page never showed {words!r}")


def _event(block: str) -> Event:
    name, *data = (line.partition(": ")[2] for line in block.split("\n"))
    return Event(name, "\n".join(data))


def shown(events: list[Event]) -> str:
    """The text of an unfinished reply, as a page shows it."""
    blocks, tail = "", ""
    for event in events:
        if event.name in {"draft", "block"}:
            blocks = event.data if event.name == "draft" else blocks + event.data
        elif event.name == "tail":
            tail = event.data
    return strip_tags(blocks + tail)


def write(generation: Generation, now: datetime | None = None) -> Message:
    """Have a reply written as the server does, but in this thread, so in the transaction of the test."""
    write_in_this_thread(generation, now)
    conversation = Conversation(user_id=generation.user_id, id=generation.conversation_id)
    return steps_to_reply(conversation, generation.parent_sequence)[-1]


def write_in_this_thread(generation: Generation, now: datetime | None = None) -> None:
    """Write a reply unless it is being written. The writer's calls run in this thread, which sees the test's
    rows."""

    async def call_here(user_id: UUID, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return await sync_to_async(as_user)(user_id, call, *arguments, **named)

    def as_user(user_id: UUID, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        with tenant(user_id):
            return call(*arguments, **named)

    async def begin_and_wait() -> None:
        await streaming.begin(generation, watched=False)
        await asyncio.gather(*streaming._writers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "in_tenant", call_here)
        patch.setattr(streaming, "timezone", SimpleNamespace(now=lambda: now or timezone.now()))
        async_to_sync(begin_and_wait)()


class SlowChat(FakeChat):
    """A model that streams these words, sets `streamed`, and ends only after `proceed` is set."""

    def __init__(self, *words: str) -> None:
        super().__init__()
        self.words = words
        self.streamed = asyncio.Event()
        self.proceed = asyncio.Event()
        self.closed = False

    async def stream(self, request):
        try:
            for word in self.words:
                yield StreamPart(text=word)
            self.streamed.set()
            await self.proceed.wait()
            yield StreamPart(text="the end")
            yield StreamPart(finish_reason="stop")
        finally:
            self.closed = True


async def until(condition: Callable[[], Any]) -> Any:
    """Wait until a condition returns a true value, and return it."""
    async with asyncio.timeout(TIMEOUT_S):
        while not (result := await condition()):
            await asyncio.sleep(0.02)
    return result


@asynccontextmanager
async def asking(user: User, client: Client, words: str = "What is my cat called?") -> Any:
    """Ask a question; yields the conversation and the stream of the reply."""
    conversation, path = await in_thread(ask, user, words)
    async with EventStream(client, path) as stream:
        yield conversation, stream


def ask(user: User, words: str = "What is my cat called?") -> tuple[Conversation, str]:
    """Start a conversation with one message; returns it and the URL of the reply's stream."""
    with tenant(user.id):
        conversation = start(user.id, Choices(), timezone.now())
        message, _ = send_message(conversation, words, timezone.now())
    return conversation, f"/chat/{conversation.id}/replies/{message.sequence}/stream"


def replies(conversation: Conversation) -> list[Message]:
    with tenant(conversation.user_id):
        said = Message.objects.filter(conversation_id=conversation.id, role=Message.Role.ASSISTANT)
        return list(said.order_by("sequence"))


async def only_reply(conversation: Conversation) -> Message:
    """The only stored reply; fails while another one is being written."""
    (reply,) = await in_thread(replies, conversation)
    assert not await in_thread(is_writing, conversation)
    return reply


def is_writing(conversation: Conversation) -> bool:
    with tenant(conversation.user_id):
        return Generation.objects.filter(conversation_id=conversation.id).exists()


def in_thread(call, *arguments):
    """Do database work in a thread without an event loop."""
    return asyncio.to_thread(_closing, call, arguments)


def _closing(call, arguments):
    try:
        return call(*arguments)
    finally:
        connection.close()
