"""Follow a reply as a page does: through the ASGI application, event by event."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from asgiref.testing import ApplicationCommunicator
from django.db import connection
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags

from accounts.models import User
from accounts.tenancy import tenant
from chat.conversations import Choices, start
from chat.models import Conversation, Generation, Message
from chat.replies.jobs import send_message
from llm.types import StreamPart
from palace.asgi import application
from tests.fake_gateway import FakeChat

PATIENCE_S = 120


@dataclass(frozen=True)
class Event:
    name: str
    data: str


class EventStream:
    """A stream of the person who is signed in with `client`; open between `with` and its end."""

    def __init__(self, client: Client, path: str) -> None:
        cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
        scope: dict[str, Any] = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "client": ("127.0.0.1", 40_000),
            "server": ("127.0.0.1", 8000),
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
        begin = await self._application.receive_output(PATIENCE_S)
        self.status = begin["status"]
        self.headers = {name.decode().lower(): value.decode() for name, value in begin["headers"]}
        return self

    async def __aexit__(self, *_):
        await self.leave()

    async def leave(self) -> None:
        """Close the page."""
        if not self._left:
            self._left, self._more = True, False
            await self._application.send_input({"type": "http.disconnect"})
            await self._application.wait(PATIENCE_S)

    async def events(self) -> AsyncIterator[Event]:
        """The events as they come, until the server ends the stream."""
        while self._more or self._buffer:
            while "\n\n" in self._buffer:
                block, _, self._buffer = self._buffer.partition("\n\n")
                if not block.startswith(":"):
                    yield _event(block)
            if not self._more:
                assert self._buffer == ""
                return
            part = await self._application.receive_output(PATIENCE_S)
            self._buffer += part.get("body", b"").decode()
            self._more = part.get("more_body", False)

    async def all(self) -> list[Event]:
        """Every event to the end."""
        return [event async for event in self.events()]

    async def until(self, words: str) -> list[Event]:
        """The events up to the one with which the page shows these words."""
        found: list[Event] = []
        async for event in self.events():
            found.append(event)
            if words in shown(found):
                return found
        raise AssertionError(f"the page never showed {words!r}")


def _event(block: str) -> Event:
    name, data = "message", []
    for line in block.split("\n"):
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field in {"data", "data:"}:
            data.append(value)
    return Event(name, "\n".join(data))


def shown(events: list[Event]) -> str:
    """The text of an unfinished reply as a page shows it."""
    blocks, tail = "", ""
    for event in events:
        if event.name in {"draft", "block"}:
            blocks = event.data if event.name == "draft" else blocks + event.data
        elif event.name == "tail":
            tail = event.data
    return strip_tags(blocks + tail)


class SlowChat(FakeChat):
    """A model that says these words, and its last ones only when `let` is set. `said` is set when the
    words before them have been taken."""

    def __init__(self, *words: str) -> None:
        super().__init__()
        self.words = words
        self.said = asyncio.Event()
        self.let = asyncio.Event()
        self.closed = False

    async def stream(self, request):
        try:
            for word in self.words:
                yield StreamPart(text=word)
            self.said.set()
            await self.let.wait()
            yield StreamPart(text="the end")
            yield StreamPart(finish_reason="stop")
        finally:
            self.closed = True


async def until(condition: Callable[[], Any]) -> Any:
    """Wait until a condition holds, with patience for a busy machine; returns what it gave."""
    async with asyncio.timeout(PATIENCE_S):
        while not (result := await condition()):
            await asyncio.sleep(0.02)
    return result


@asynccontextmanager
async def asking(user: User, client: Client, words: str = "What is my cat called?") -> Any:
    """A new question, and the stream of its reply."""
    conversation, path = await in_thread(ask, user, words)
    async with EventStream(client, path) as stream:
        yield conversation, stream


def ask(user: User, words: str = "What is my cat called?") -> tuple[Conversation, str]:
    """A conversation with one message, and the address of the reply to come."""
    with tenant(user.id):
        conversation = start(user.id, Choices(), timezone.now())
        message, _ = send_message(conversation, words, timezone.now())
    return conversation, f"/chat/{conversation.id}/replies/{message.sequence}/stream"


def replies(conversation: Conversation) -> list[Message]:
    with tenant(conversation.user_id):
        said = Message.objects.filter(conversation_id=conversation.id, role=Message.Role.ASSISTANT)
        return list(said.order_by("sequence"))


async def only_reply(conversation: Conversation) -> Message:
    (reply,) = await in_thread(replies, conversation)
    return reply


def in_the_making(conversation: Conversation) -> int:
    with tenant(conversation.user_id):
        return Generation.objects.filter(conversation_id=conversation.id).count()


def in_thread(call, *arguments):
    """Database work of a test, done where no event loop runs."""
    return asyncio.to_thread(_closing, call, arguments)


def _closing(call, arguments):
    try:
        return call(*arguments)
    finally:
        connection.close()
