"""Serve the ASGI application on a local port for official clients."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import uvicorn

from chat.replies import streaming
from llm import current
from llm.configuration import LlmConfiguration
from palace.asgi import application
from tests.fake_gateway import FakeEmbedder


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
        wait_until(lambda: len(asyncio.all_tasks(loop)) <= self.idle_tasks, "a request never ended")
        wait_until(lambda: not streaming._written, "a reply is still counted as being written")


def wait_until(condition: Callable[[], bool], otherwise: str) -> None:
    """Wait until a condition is true, for at most twenty seconds; fail if it never is."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.01)


@contextmanager
def served() -> Iterator[Site]:
    """The running site."""
    configuration = uvicorn.Config(
        application, host="127.0.0.1", port=0, lifespan="off", log_config=None, access_log=False
    )
    server = uvicorn.Server(configuration)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until(lambda: server.started, "the server did not start")
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
