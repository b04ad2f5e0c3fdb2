"""The process that answers requests."""

import socket

import uvicorn
from django.conf import settings
from django.db import connections

from jobs.broker import ignore_unreachable_queue
from palace.logging import log_uncaught_errors
from palace.processes.lifetime import stop_on_signals
from palace.processes.slow_requests import Http

GRACE_S = 3
# Longer than proxies keep idle connections (60 s), so that none sends a request on one being closed.
KEEP_ALIVE_S = 75
# Short timeouts: after an outage, connect when asked instead of after a pause.
POOL = {"min_size": 1, "max_size": 32, "timeout": 5.0, "reconnect_timeout": 2.0}


def serve(*, port: int, descriptor: int | None = None) -> None:
    """Answer requests until a signal comes, on the open socket `descriptor` if given."""
    stop_on_signals()  # makes the signal harmless that uvicorn raises again when it is done
    log_uncaught_errors()
    _pool_connections()
    ignore_unreachable_queue()
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


def _pool_connections() -> None:
    """Pool database connections: each request runs in a thread of its own and cannot keep one."""
    database = connections.settings["default"]
    database["CONN_MAX_AGE"] = 0
    database["OPTIONS"] = {**database.get("OPTIONS", {}), "pool": POOL}
