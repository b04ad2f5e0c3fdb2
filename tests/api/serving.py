"""Serve the ASGI application on a local port for official clients."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import uvicorn

from llm import current
from llm.configuration import LlmConfiguration
from palace.asgi import application
from tests.fake_gateway import FakeEmbedder


@contextmanager
def served() -> Iterator[str]:
    """The URL of the running site."""
    configuration = uvicorn.Config(
        application, host="127.0.0.1", port=0, lifespan="off", log_config=None, access_log=False
    )
    server = uvicorn.Server(configuration)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.01)
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)


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
