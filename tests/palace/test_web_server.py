"""The web server: whose word about addresses counts, and slow requests.

These come over real sockets to uvicorn with the protocol of the web server, and a shorter window.
"""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPResponse
from typing import Any

import pytest
import uvicorn

from palace.environment import Environment
from palace.processes import web_server
from palace.processes.web_server import Http
from tests.palace.processes import eventually


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Any:
    """Builds the configuration that would be served, for these trusted proxies."""
    given: list[uvicorn.Config] = []

    class Server:
        def __init__(self, configuration: uvicorn.Config) -> None:
            given.append(configuration)

        def run(self, **more: Any) -> None:
            pass

    monkeypatch.setattr(web_server.uvicorn, "Server", Server)
    for name in ("stop_on_signals", "log_uncaught_errors", "_pool_connections", "ignore_unreachable_queue"):
        monkeypatch.setattr(web_server, name, lambda: None)

    def configure(proxies: str) -> uvicorn.Config:
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", proxies)
        settings.TRUSTED_PROXIES = Environment().networks("FORWARDED_ALLOW_IPS")
        web_server.serve(port=1)
        return given[-1]

    return configure


def test_it_hangs_up_on_slow_requests(configured: Any) -> None:
    assert configured("").http is Http


def test_it_keeps_idle_connections_for_longer_than_proxies_do(configured: Any) -> None:
    assert configured("").timeout_keep_alive > 60


@pytest.mark.parametrize(
    ("proxies", "connection", "forwarded", "believed"),
    [
        ("", "127.0.0.1", "192.0.2.1", "127.0.0.1"),
        ("", "203.0.113.7", "192.0.2.1", "203.0.113.7"),
        ("127.0.0.1", "203.0.113.7", "192.0.2.1", "203.0.113.7"),
        ("127.0.0.1", "127.0.0.1", "192.0.2.1, 203.0.113.7", "203.0.113.7"),
        ("127.0.0.1,10.0.0.0/8", "127.0.0.1", "192.0.2.1, 203.0.113.7, 10.9.9.9", "203.0.113.7"),
    ],
)
async def test_a_claim_about_the_address_counts_from_a_trusted_proxy_only(
    configured: Any, proxies: str, connection: str, forwarded: str, believed: str
) -> None:
    seen: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["client"][0])

    configuration = configured(proxies)
    configuration.app = application
    configuration.load()
    scope = {"type": "http", "client": (connection, 1), "headers": [(b"x-forwarded-for", forwarded.encode())]}
    await configuration.loaded_app(scope, None, None)
    assert seen == [believed]


WINDOW_S = 1.0
START = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
ANSWERED_SLOWLY = b"/slow"


async def measuring(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the size of the body; at /slow read nothing for two windows first, then as long again."""
    slow = scope["path"].encode() == ANSWERED_SLOWLY
    await asyncio.sleep(2.2 * WINDOW_S if slow else 0)
    size, more = 0, True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            return
        size, more = size + len(event["body"]), event["more_body"]
    await asyncio.sleep(1.5 * WINDOW_S if slow else 0)
    body = str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[uvicorn.Server]:
    monkeypatch.setattr(web_server, "WINDOW_S", WINDOW_S)
    configuration = uvicorn.Config(measuring, port=0, http=Http, lifespan="off", ws="none", log_config=None)
    running = uvicorn.Server(configuration)
    thread = threading.Thread(target=running.run)
    thread.start()
    eventually(lambda: running.started, 20)
    yield running
    running.should_exit = True
    thread.join(20)


def connected(server: uvicorn.Server) -> socket.socket:
    port = server.servers[0].sockets[0].getsockname()[1]
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def is_open(peer: socket.socket) -> bool:
    peer.setblocking(False)
    try:
        return peer.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False


@pytest.mark.parametrize("half", [b"", b"GE", START, START + b"Content-Length: 9\r\n\r\nhalf"])
def test_two_hundred_half_requests_end(server: uvicorn.Server, half: bytes) -> None:
    peers = [connected(server) for _ in range(200)]
    for peer in peers:
        peer.sendall(half)
    eventually(lambda: not any(is_open(peer) for peer in peers), WINDOW_S + 10)
    for peer in peers:
        peer.close()
    eventually(lambda: not server.server_state.connections, 10)


@pytest.mark.parametrize("start", [START + b"X-Slow: ", START + b"Content-Length: 1000000\r\n\r\n"])
def test_a_byte_now_and_then_keeps_nothing_open(server: uvicorn.Server, start: bytes) -> None:
    with closing(connected(server)) as peer:
        peer.sendall(start)
        until = time.monotonic() + 3 * WINDOW_S
        with suppress(OSError):
            while time.monotonic() < until:
                peer.sendall(b"x")
                time.sleep(WINDOW_S / 10)
        assert not is_open(peer)


def answer(peer: socket.socket) -> bytes:
    response = HTTPResponse(peer)
    response.begin()
    return response.read()


def test_a_large_body_may_take_its_time(server: uvicorn.Server) -> None:
    with closing(connected(server)) as peer:
        peer.sendall(START + b"Content-Length: 200000\r\n\r\n")
        for _ in range(10):
            peer.sendall(b"x" * 20_000)
            time.sleep(WINDOW_S / 3)
        assert answer(peer) == b"200000"


def test_what_the_server_is_slow_to_read_or_to_answer_is_not_held_against_anybody(
    server: uvicorn.Server,
) -> None:
    with closing(connected(server)) as peer:
        peer.sendall(
            START.replace(b" / ", b" " + ANSWERED_SLOWLY + b" ") + b"Content-Length: 1000000\r\n\r\n"
        )
        peer.sendall(b"x" * 1_000_000)
        assert answer(peer) == b"1000000"


def test_each_request_of_a_connection_has_a_window_of_its_own(server: uvicorn.Server) -> None:
    whole = START + b"Content-Length: 2\r\n\r\nok"
    with closing(connected(server)) as peer:
        for _ in range(3):
            peer.sendall(whole[:20])
            time.sleep(WINDOW_S * 0.7)
            peer.sendall(whole[20:])
            assert answer(peer) == b"2"
