"""Closes connections whose request does not arrive, which uvicorn would keep open for ever."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

WINDOW_S = 20.0
MIN_BYTES = 20_000


class Http(H11Protocol):
    """HTTP/1.1 that hangs up on a request unless each 20 seconds bring all of it, or 20 kB more.

    Headers are shorter than that and so have to be complete in time. The time in which the server itself
    reads nothing does not count.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._arrived = 0
        self._check: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what has arrived."""
        self._arrived += len(data)
        super().data_received(data)
        if not self._is_arriving():
            self._rest()
        elif self._check is None:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing any more."""
        self._rest()
        super().connection_lost(exc)

    def _is_arriving(self) -> bool:
        return self.conn.their_state in {h11.IDLE, h11.SEND_BODY} and not self.transport.is_closing()

    def _watch(self) -> None:
        self._arrived = 0
        self._check = self.loop.call_later(WINDOW_S, self._judge)

    def _rest(self) -> None:
        if self._check is not None:
            self._check.cancel()
            self._check = None

    def _judge(self) -> None:
        self._check = None
        if self._arrived < MIN_BYTES and not self.flow.read_paused:
            self.transport.abort()
        else:
            self._watch()
