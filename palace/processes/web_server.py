"""The web server process, which also closes connections whose requests stall; uvicorn would wait forever."""

import asyncio
import gc
import socket
import warnings
from importlib import import_module
from typing import Any

import h11
import uvicorn
from django.conf import settings
from django.db import connections
from uvicorn.protocols.http.h11_impl import H11Protocol

from jobs.broker import ignore_unreachable_queue
from palace.logging import log_uncaught_errors
from palace.processes.lifetime import stop_on_signals

GRACE_S = 3
WINDOW_S = 20.0
MIN_BYTES = 20_000
# Longer than nginx and HAProxy keep idle connections (60 s), so that they never use one that is being closed.
KEEP_ALIVE_S = 75
# Short timeouts: after an outage, connect when asked instead of after a pause.
POOL = {"min_size": 1, "max_size": 32, "timeout": 5.0, "reconnect_timeout": 2.0}


def serve(*, port: int, descriptor: int | None = None) -> None:
    """Answer requests until a signal comes, on the open socket `descriptor` if given."""
    stop_on_signals()  # makes the signal harmless that uvicorn raises again when it is done
    log_uncaught_errors()
    # Static files are small enough to be read as a whole; exports are streamed asynchronously.
    warnings.filterwarnings("ignore", "StreamingHttpResponse must consume synchronous iterators")
    _pool_connections()
    ignore_unreachable_queue()
    load_site()
    configuration = uvicorn.Config(
        "palace.asgi:application",
        host=settings.BIND,
        port=port,
        http=Http,
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        timeout_keep_alive=KEEP_ALIVE_S,
        proxy_headers=bool(settings.TRUSTED_PROXIES),
        forwarded_allow_ips=settings.TRUSTED_PROXIES,
    )
    sockets = None if descriptor is None else [socket.socket(fileno=descriptor)]
    uvicorn.Server(configuration).run(sockets=sockets)


def load_site() -> None:
    """Load all views and exempt what is loaded from garbage collection, which would search it during requests
    for a fifth of a second at a time. It also runs less often: a list of thousands is not garbage."""
    import_module(settings.ROOT_URLCONF)
    gc.freeze()
    gc.set_threshold(5_000)


def _pool_connections() -> None:
    """Pool database connections: each request runs in a thread of its own and cannot keep one."""
    database = connections.settings["default"]
    database["CONN_MAX_AGE"] = 0
    database["OPTIONS"] = {**database.get("OPTIONS", {}), "pool": POOL}


class Http(H11Protocol):
    """HTTP/1.1 that closes a connection unless every 20 seconds bring the whole request or 20 kB more of it.

    Headers are shorter than that and so have to be complete in time. The time in which the server itself
    reads nothing does not count.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._arrived = 0
        self._check: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        self._arrived += len(data)
        super().data_received(data)
        if not self._is_arriving():
            self._rest()
        elif self._check is None:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
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
