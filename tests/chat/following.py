"""Following a reply as it is written, as a page does."""

import asyncio
from collections.abc import AsyncGenerator

from django.db import connection
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from chat.conversations import Choices, start
from chat.generations import say
from chat.models import Conversation, Generation, Message
from llm.fake_gateway import FakeChat
from llm.gateway import ChatRequest
from llm.types import StreamPart
from tests.chat.event_stream import Event


class SlowChat(FakeChat):
    """A model that says these words, and its last ones only when it is let."""

    def __init__(self, *words: str) -> None:
        super().__init__()
        self.words = words
        self.let = asyncio.Event()
        self.closed = False

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamPart, None]:
        try:
            for word in self.words:
                yield StreamPart(text=word)
            await self.let.wait()
            yield StreamPart(text="the end")
            yield StreamPart(finish_reason="stop")
        finally:
            self.closed = True


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
