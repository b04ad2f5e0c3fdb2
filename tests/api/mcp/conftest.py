"""A running site, and the official MCP client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from asgiref.sync import sync_to_async
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.api.serving import endpoint


@pytest.fixture
def site(close_connections, running_site):
    """The URL of a running site without a model."""
    with endpoint(""):
        yield running_site.url
        running_site.wait_until_idle()


@asynccontextmanager
async def client_with(site: str, token: str, mode: str = "auto") -> AsyncIterator[Client]:
    """The official client, configured with only a URL and a token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(f"{site}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


in_thread = sync_to_async(thread_sensitive=True)
