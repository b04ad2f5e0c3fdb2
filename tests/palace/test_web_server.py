"""How the web server configures uvicorn: slow requests, and whose word about addresses counts."""

from typing import Any

import pytest
import uvicorn

from palace.environment import Environment
from palace.processes import web_server
from palace.processes.slow_requests import Http


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
