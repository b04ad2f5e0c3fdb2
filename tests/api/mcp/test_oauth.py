"""The official client signs a user in through the browser, simulated by Django's test client."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from django.test import Client as Browser
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from pydantic import AnyUrl

from accounts.oauth import connected_apps, disconnect_app
from accounts.tenancy import tenant
from memory.models import Drawer
from tests.api.mcp.conftest import in_thread
from tests.html import check_page, parse

pytestmark = pytest.mark.django_db(transaction=True)
CALLBACK = "http://127.0.0.1:33418/callback"


class TokenStore:
    """The token storage of the app."""

    def __init__(self):
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


class UserInBrowser:
    """A user who signs in and grants the app access in a browser."""

    def __init__(self, site, *scopes):
        self.browser = Browser(headers={"Host": urlsplit(site).netloc})
        self.scopes = scopes
        self.redirect = ""
        self.consents = 0

    async def open(self, address):
        self.redirect = await in_thread(self._consent)(address)

    async def authorization_code(self):
        given = {name: values[0] for name, values in parse_qs(urlsplit(self.redirect).query).items()}
        return AuthorizationCodeResult(code=given["code"], state=given["state"], iss=given.get("iss"))

    def _consent(self, address):
        self.consents += 1
        response = self.browser.get(address, follow=True)
        if response.request["PATH_INFO"] == "/accounts/sign-in/":
            given = {"login": "alice@example.org", "password": "alice-password-1"}
            given["next"] = parse_qs(response.request["QUERY_STRING"])["next"][0]
            response = self.browser.post("/accounts/sign-in/", given, follow=True)
        html = check_page(response)
        assert "Connect Weather vane?" in html
        assert "form-action 'self' http://127.0.0.1:*" in response.headers["Content-Security-Policy"]
        fields = {e.attributes.get("name"): e.attributes for e in parse(html).elements if e.tag == "input"}
        given = {"request": fields["request"]["value"], "action": "grant", "scopes": list(self.scopes)}
        answer = self.browser.post("/identity/o/authorize", given)
        assert answer.status_code == 302, answer.content
        return answer.headers["Location"]


def provider(site, store, user):
    metadata = OAuthClientMetadata(
        client_name="Weather vane",
        redirect_uris=[AnyUrl(CALLBACK)],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
    )
    return OAuthClientProvider(
        f"{site}/mcp", metadata, store, redirect_handler=user.open, callback_handler=user.authorization_code
    )


async def tools(site, store, user):
    auth = provider(site, store, user)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=30) as http,
        Client(streamable_http_client(f"{site}/mcp", http_client=http)) as client,
    ):
        listed = await client.list_tools()
        if "save_note" in (names := [tool.name for tool in listed.tools]):
            await client.call_tool("save_note", {"text": "The barometer is in the hall."})
        return names


def notes(user):
    with tenant(user.id):
        return Drawer.objects.filter(content="The barometer is in the hall.").count()


def apps(user):
    return list(connected_apps(user.id))


async def test_app_gets_access_through_the_browser_until_it_is_disconnected(site, alice, bob):
    store, user = TokenStore(), UserInBrowser(site, "read", "write")
    assert "recall_memory" in await tools(site, store, user)
    assert await in_thread(notes)(alice) == 1
    (app,) = await in_thread(apps)(alice)
    assert (app.client.name, set(app.get_scopes())) == ("Weather vane", {"read", "write"})
    assert await in_thread(apps)(bob) == []

    await tools(site, store, user)
    assert user.consents == 1, "the app reused its token"
    assert await in_thread(disconnect_app)(alice.id, app.client_id)
    await tools(site, store, user)
    assert user.consents == 2


async def test_token_keeps_its_fewer_scopes_and_is_refreshed_without_consent(site, alice):
    store, user = TokenStore(), UserInBrowser(site, "read")
    names = await tools(site, store, user)
    assert ("recall_memory" in names, "save_note" in names) == (True, False)
    first = store.tokens
    store.tokens = first.model_copy(update={"access_token": "expired", "expires_in": 0})
    auth = provider(site, store, user)
    await auth._initialize()
    auth.context.token_expiry_time = 1  # as in an app restarted an hour later
    async with httpx2.AsyncClient(auth=auth, timeout=30) as http:
        answer = await http.get(f"{site}/mcp")
    assert answer.status_code == 405
    assert store.tokens.access_token not in {"expired", first.access_token}
    assert user.consents == 1
