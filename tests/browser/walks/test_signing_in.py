"""Passkeys in a browser that has some, and an app that signs somebody in through it."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Arrive
from tests.browser.visitors import PASSWORD, Visitor

FINGERPRINT = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture(scope="module")
def pia(arrive: Arrive) -> Visitor:
    """Somebody with a fingerprint reader, at an address for which browsers keep passkeys."""
    pia = arrive()
    pia.address = pia.address.replace("127.0.0.1", "localhost")
    devtools = pia.context.new_cdp_session(pia.page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": FINGERPRINT})
    return pia


def press(visitor: Visitor, name: str) -> None:
    visitor.page.get_by_role("button", name=name, exact=True).click()


def sign_out(visitor: Visitor) -> None:
    visitor.go("/accounts/sign-out/")
    visitor.page.locator("main").get_by_role("button", name="Sign out").click()


def test_an_account_with_a_passkey_and_no_password(pia: Visitor) -> None:
    page = pia.page
    pia.go("/accounts/sign-up/")
    page.get_by_role("link", name="Use a passkey instead of a password").click()
    page.get_by_label("Name", exact=True).fill("Pia")
    page.get_by_label("Email").fill("pia@example.org")
    press(pia, "Continue")
    press(pia, "Create passkey")
    press(pia, "I agree: save my chats to memory")
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome to your palace")

    sign_out(pia)
    press(pia, "Sign in with a passkey")
    expect(page).to_have_url(f"{pia.address}/chat/")

    pia.go("/accounts/password/")
    for field in (0, 1):
        page.locator("input[type=password]").nth(field).fill(PASSWORD)
    press(pia, "Set a password")
    pia.go("/accounts/security/webauthn/")
    page.get_by_role("link", name="Rename").click()
    page.get_by_role("link", name="Use a passkey").click()
    press(pia, "Use a passkey")
    page.get_by_label("Name").fill("Laptop")
    press(pia, "Save")
    expect(page.get_by_role("listitem").filter(has_text="Laptop")).to_contain_text("passkey")
    assert pia.complaints == []


def test_a_browser_that_cannot_use_passkeys_says_so(arrive: Arrive) -> None:
    otto = arrive()
    otto.go("/accounts/sign-in/")
    expect(otto.page.get_by_text("Passkeys need a host name")).to_be_visible()
    expect(otto.page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
    otto.page.get_by_role("link", name="Open this page at localhost").click()
    expect(otto.page.get_by_role("button", name="Sign in with a passkey")).to_be_visible()


@pytest.fixture
def callback() -> Iterator[str]:
    """An app that waits on this machine for the browser to come back."""

    class Waiting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"You can close this page.")

        def log_message(self, format: str, *values: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Waiting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/callback"
    server.shutdown()
    server.server_close()


def test_an_app_is_let_in_and_the_browser_goes_back_to_it(pia: Visitor, callback: str) -> None:
    page = pia.page
    sign_out(pia)
    metadata = {"client_name": "Vane", "redirect_uris": [callback], "token_endpoint_auth_method": "none"}
    app = pia.context.request.post(f"{pia.address}/identity/o/api/clients", data=metadata).json()
    query = {
        "response_type": "code",
        "client_id": app["client_id"],
        "redirect_uri": callback,
        "scope": "read write",
        "state": "s",
        "code_challenge": "c" * 43,
        "code_challenge_method": "S256",
    }
    pia.go(f"/identity/o/authorize?{urlencode(query)}")
    page.get_by_label("Email").fill("pia@example.org")
    page.locator("input[type=password]").fill(PASSWORD)
    press(pia, "Sign in")
    press(pia, "Use a passkey")
    expect(page.get_by_role("heading", level=1)).to_have_text("Connect Vane?")
    page.get_by_label("Write notes; edit, review and forget").uncheck()
    press(pia, "Connect")
    page.wait_for_url(f"{callback}?*code=*")
