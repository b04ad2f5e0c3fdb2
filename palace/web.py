"""The process that answers requests."""

import socket

import uvicorn
from django.conf import settings
from django.db import connections

from palace.broker import lose_rather_than_wait
from palace.lifetime import stop_on_signals
from palace.logs import log_uncaught_errors

GRACE_S = 3
# Short attempts: after an outage a connection is made when it is asked for, not after a pause.
POOL = {"min_size": 1, "max_size": 32, "timeout": 5.0, "reconnect_timeout": 2.0}


def serve(*, port: int, descriptor: int | None = None) -> None:
    """Answer requests until a signal comes, on an open socket when its descriptor is given."""
    stop_on_signals()  # uvicorn raises its signal again when it is done; this makes it harmless
    log_uncaught_errors()
    _pool_connections()
    lose_rather_than_wait()
    configuration = uvicorn.Config(
        "palace.asgi:application",
        host=settings.BIND,
        port=port,
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        forwarded_allow_ips=settings.TRUSTED_PROXIES,
    )
    sockets = None if descriptor is None else [socket.socket(fileno=descriptor)]
    uvicorn.Server(configuration).run(sockets=sockets)


def _pool_connections() -> None:
    """Share connections: each request has a thread of its own, so none could keep one."""
    database = connections.settings["default"]
    database["CONN_MAX_AGE"] = 0
    database["OPTIONS"] = {**database.get("OPTIONS", {}), "pool": POOL}
