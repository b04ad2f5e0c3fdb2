"""Fixtures shared with the chat: the fake model, the queue, and a folder for uploads."""

from tests.chat.conftest import (  # noqa: F401 - fixtures
    clock,
    close_connections,
    conversation,
    fast_heartbeat,
    model,
    queued,
    server,
    uploads,
)
