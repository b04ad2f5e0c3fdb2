"""Follows a stream of the site as a browser does: through the ASGI application, event by event."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from asgiref.testing import ApplicationCommunicator
from django.test import Client

from palace.asgi import application

PATIENCE_S = 120


@dataclass(frozen=True)
class Event:
    name: str
    data: str


class EventStream:
    """An open stream of the person who is signed in with `client`."""

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
            "headers": [(b"host", b"localhost"), (b"cookie", cookies.encode())],
            "client": ("127.0.0.1", 40_000),
            "server": ("127.0.0.1", 8000),
        }
        self._application = ApplicationCommunicator(application, scope)
        self.status = 0
        self.headers: dict[str, str] = {}
        self.comments = 0
        self._buffer = ""
        self._more = True
        self._left = False

    async def __aenter__(self) -> Self:
        await self._application.send_input({"type": "http.request", "body": b""})
        start = await self._application.receive_output(PATIENCE_S)
        self.status = start["status"]
        self.headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
                if block.startswith(":"):
                    self.comments += 1
                else:
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


def _event(block: str) -> Event:
    name, data = "message", []
    for line in block.split("\n"):
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field in {"data", "data:"}:
            data.append(value)
    return Event(name, "\n".join(data))
