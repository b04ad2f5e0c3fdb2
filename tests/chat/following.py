"""Following a reply as it is written, as a page does."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

from django.db import connection
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from chat.conversations import Choices, start
from chat.models import Conversation, Generation, Message
from chat.replies.jobs import say
from llm.fake_gateway import FakeChat
from llm.gateway import ChatRequest
from llm.types import StreamPart
from tests.chat.event_stream import PATIENCE_S, Event, EventStream


class SlowChat(FakeChat):
    """A model that says these words, and its last ones only when it is let. `said` is set when the
    words before them have been taken."""

    def __init__(self, *words: str) -> None:
        super().__init__()
        self.words = words
        self.said = asyncio.Event()
        self.let = asyncio.Event()
        self.closed = False

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamPart, None]:
        try:
            for word in self.words:
                yield StreamPart(text=word)
            self.said.set()
            await self.let.wait()
            yield StreamPart(text="the end")
            yield StreamPart(finish_reason="stop")
        finally:
            self.closed = True


async def until(condition: Callable[[], Awaitable[Any]]) -> None:
    """Wait until a condition holds, with patience for a busy machine."""
    async with asyncio.timeout(PATIENCE_S):
        while not await condition():
            await asyncio.sleep(0.02)


async def seen(stream: EventStream, words: str) -> list[Event]:
    """The events of a stream up to the one with which the page shows these words."""
    found: list[Event] = []
    async for event in stream.events():
        found.append(event)
        if words in "".join(each.data for each in found if each.name in {"draft", "token"}):
            return found
    raise AssertionError(f"the page never showed {words!r}")


def asked(user: User, words: str = "What is my cat called?") -> tuple[Conversation, str]:
    """A conversation with one message, and the address of the reply to come."""
    with tenant(user.id):
        conversation = start(user.id, Choices(), timezone.now())
        message, _ = say(conversation, words, timezone.now())
    return conversation, f"/chat/{conversation.id}/replies/{message.sequence}/stream"


def replies(conversation: Conversation) -> list[Message]:
    with tenant(conversation.user_id):
        return list(
            Message.objects.filter(
                user_id=conversation.user_id,
                conversation_id=conversation.id,
                role=Message.Role.ASSISTANT,
            ).order_by("sequence")
        )


def in_the_making(conversation: Conversation) -> int:
    with tenant(conversation.user_id):
        return Generation.objects.filter(conversation_id=conversation.id).count()


def text_of(events: list[Event]) -> str:
    return "".join(event.data for event in events if event.name == "token")


def in_thread(call, *arguments):
    """Database work of a test, done where no event loop runs."""
    return asyncio.to_thread(_closing, call, arguments)


def _closing(call, arguments):
    try:
        return call(*arguments)
    finally:
        connection.close()
