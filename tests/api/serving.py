"""Serve an ASGI application on a local port, usually the site for official clients."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import uvicorn

from chat.replies import streaming
from llm import current
from llm.configuration import LlmConfiguration
from palace.asgi import application
from tests.fake_gateway import FakeEmbedder
from tests.palace.processes import eventually


@dataclass(frozen=True)
class Site:
    """A site that runs in a thread, for several tests."""

    server: uvicorn.Server
    idle_tasks: int

    @property
    def url(self) -> str:
        """Its URL."""
        return f"http://127.0.0.1:{self.server.servers[0].sockets[0].getsockname()[1]}"

    def wait_until_idle(self) -> None:
        """Wait until all requests and replies have ended, even those whose clients have disconnected."""
        loop = self.server.servers[0].get_loop()
        eventually(lambda: len(asyncio.all_tasks(loop)) <= self.idle_tasks, 20)
        eventually(lambda: not streaming._written, 20)


@contextmanager
def served(served_application: Any = application, **options: Any) -> Iterator[Site]:
    """The running site, or another application."""
    configuration = uvicorn.Config(
        served_application, port=0, lifespan="off", log_config=None, access_log=False, **options
    )
    server = uvicorn.Server(configuration)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    eventually(lambda: server.started, 20)
    try:
        yield Site(server, len(asyncio.all_tasks(server.servers[0].get_loop())))
    finally:
        server.should_exit = True
        thread.join(20)
    assert not thread.is_alive(), "the server did not stop"


@contextmanager
def endpoint(base_url: str, **more: float) -> Iterator[None]:
    """Use models at this URL, or none if it is empty, and a fake embedder."""
    before = current.configuration()
    wanted = replace(LlmConfiguration(), base_url=base_url, chat_model="test-model", **more)
    current.configure(wanted)
    try:
        with current.using(embedder=FakeEmbedder()):
            yield
    finally:
        current.configure(before)
