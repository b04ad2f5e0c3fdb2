"""The account from sign-up to closing: consent, passkeys, apps, settings and what programs use."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.api.webhooks.receiver import Receiver

FINGERPRINT = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
DRAWERS = "Drawers per reply"


@pytest.mark.phone
def test_pages_are_open_only_after_consent(new_walker):
    ulla = new_walker()
    page, name = ulla.page, f"Ulla{type(ulla.hand).__name__}"
    ulla.go("/accounts/sign-up/")
    ulla.write("Name", name)
    ulla.write("Email", f"{name.lower()}@example.org")
    ulla.write_password()
    ulla.press("Create account")
    ulla.shows("What Palace keeps, and who can read it")
    ulla.go("/memory/")
    ulla.shows("What Palace keeps, and who can read it")
    ulla.press("I agree: save my chats to memory")
    ulla.shows("Welcome to your palace")
    page.go_back()
    ulla.shows("You agreed on")
    ulla.go("/accounts/welcome/")
    ulla.follow("Start a chat")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()


@pytest.mark.drill
def test_demo_can_be_opened_left_and_removed(new_walker):
    ulla = new_walker("Ursula")
    ulla.go("/accounts/welcome/")
    ulla.press("Open the demo")
    ulla.shows("This is the demo palace of Mira")
    ulla.until("/memory/", "tree-item")
    ulla.press("Back to your palace")
    ulla.shows("Nothing here yet")
    ulla.go("/chat/demo/")
    ulla.press("Remove demo")
    ulla.notice("The demo was removed")


@pytest.fixture(scope="module")
def pia(new_visitor):
    """A visitor with a fingerprint reader, at a host name that allows passkeys."""
    pia = new_visitor()
    pia.go("/accounts/sign-in/")
    pia.shows("Passkeys need a host name")
    expect(pia.page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
    pia.follow("Open this page at localhost")
    expect(pia.page.get_by_role("button", name="Sign in with a passkey")).to_be_visible()
    pia.complaints.clear()  # the page linked to another host
    pia.address = pia.address.replace("127.0.0.1", "localhost")
    devtools = pia.context.new_cdp_session(pia.page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": FINGERPRINT})
    return pia


def sign_out(visitor):
    visitor.go("/accounts/sign-out/")
    visitor.press("Sign out")


def test_account_with_a_passkey_and_no_password(pia):
    page = pia.page
    pia.go("/accounts/sign-up/")
    pia.follow("Use a passkey instead of a password")
    pia.write("Name", "Pia")
    pia.write("Email", "pia@example.org")
    pia.press("Continue")
    pia.press("Create passkey")
    pia.press("I agree: save my chats to memory")
    pia.shows("Welcome to your palace")

    sign_out(pia)
    pia.press("Sign in with a passkey")
    expect(page).to_have_url(f"{pia.address}/chat/")

    pia.go("/accounts/password/")
    pia.write_password()
    pia.press("Set a password")
    pia.go("/accounts/security/webauthn/")
    pia.follow("Rename")
    pia.follow("Use a passkey")
    pia.press("Use a passkey")
    pia.write("Name", "Laptop")
    pia.press("Save")
    expect(page.get_by_role("listitem").filter(has_text="Laptop")).to_contain_text("passkey")


@pytest.fixture
def callback():
    """A local app that waits for the redirect of the browser."""

    class Waiting(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"You can close this page.")

        def log_message(self, format, *values):
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Waiting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/callback"
    server.shutdown()
    server.server_close()


def test_app_is_connected_and_the_browser_returns_to_it(pia, callback):
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
    pia.write("Email", "pia@example.org")
    pia.write_password()
    pia.press("Sign in")
    pia.press("Use a passkey")
    expect(pia.page.get_by_role("heading", level=1)).to_have_text("Connect Vane?")
    pia.page.get_by_label("Write notes; edit, review and forget").uncheck()
    pia.press("Connect")
    pia.page.wait_for_url(f"{callback}?*code=*")
    pia.complaints.clear()  # the app is another host


@pytest.fixture(scope="module")
def sven(new_walker):
    """A user with a note."""
    sven = new_walker("Sven")
    sven.note("The sauna is heated on Saturdays.")
    return sven


@pytest.mark.drill
def test_token_is_shown_once_and_can_be_revoked(sven):
    page = sven.page
    sven.go("/accounts/tokens/")
    sven.press("Create token")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    sven.write("Name", "Weather vane")
    sven.press("Create token")
    sven.write_password()
    sven.press("Confirm")
    sven.shows("Copy it now")
    secret = page.locator("#token").inner_text()
    sven.go("/accounts/")
    page.go_back()
    sven.shows_no(secret)
    sven.keeps_showing("Weather vane")
    sven.shows_no(secret)
    sven.follow("Revoke Weather vane")
    sven.press("Revoke")
    sven.shows("No tokens yet.")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")


@pytest.mark.drill
def test_webhook_can_be_added_tested_and_removed(sven):
    page = sven.page
    with Receiver() as receiver:
        sven.go("/accounts/webhooks/")
        sven.shows("No endpoints yet.")
        sven.write("URL", receiver.url)
        sven.check(page.get_by_label("a chat is saved to memory"))
        sven.press("Add")
        sven.notice("The webhook was added.")
        hook = sven.wait_for_url(r"/accounts/webhooks/[0-9a-f-]{36}/$")
        sven.open("Show the secret")
        expect(page.locator("#secret")).to_contain_text("whsec_")
        for status, outcome in ((200, "Delivered"), (410, "Response 410")):
            receiver.statuses.append(status)
            sven.press("Send a test")
            sven.notice("The test message is being sent.")
            sven.until(hook.removeprefix(sven.address), outcome)
            page.reload()
            sven.shows(outcome)
    sven.follow("Webhooks", within=page.get_by_role("navigation", name="Breadcrumbs"))
    sven.shows("Last reached")
    page.go_back()
    sven.follow("Remove")
    sven.follow("Cancel")
    sven.follow("Remove")
    sven.press("Remove")
    sven.notice("The webhook was removed.")
    sven.keeps_showing("No endpoints yet.")
    assert sven.go(hook) == 404


@pytest.mark.drill
def test_agent_can_be_made_default_deleted_and_restored(sven):
    page = sven.page
    cook = page.locator("main li").filter(has_text="Cook")
    sven.go("/chat/agents/new/")
    sven.press("Create agent")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    sven.write("Name", "Cook")
    sven.press("Create agent")
    sven.press("Make default", within=cook)
    expect(cook).to_contain_text("Default")
    sven.press("Make default", within=page.locator("main li").filter(has_text="Make default").first)
    expect(cook).not_to_contain_text("Default")
    sven.follow("Cook")
    sven.follow("Delete")
    sven.press("Delete")
    sven.notice("Agent deleted.")
    expect(cook).to_have_count(0)
    sven.undo("Agent restored")
    expect(cook).to_have_count(1)


def test_settings_are_validated_saved_undone_and_reset(sven):
    page = sven.page
    uses_memory = page.get_by_label("Use memory", exact=True)
    sven.go("/memory/settings/")
    sven.follow("Recall", within=page.get_by_role("navigation", name="Stages"))
    expect(page.locator("#stage-3 legend")).to_be_in_viewport()
    sven.check(uses_memory)
    sven.write(DRAWERS, "50")
    expect(page.locator("#example")).to_contain_text("Effect on your last message")
    sven.press("Save")
    sven.shows("Nothing was saved.")
    expect(page.locator("#id_top_k_error")).to_have_text("At most 20.")
    expect(page.get_by_label(DRAWERS)).to_have_value("50")
    sven.write(DRAWERS, "9")
    sven.press("Save")
    sven.notice("Saved. Changes apply from your next message.")
    expect(uses_memory).not_to_be_checked()
    sven.undo("Undone.")
    page.reload()
    expect(uses_memory).to_be_checked()
    expect(page.get_by_label(DRAWERS)).to_have_value("10")
    sven.write(DRAWERS, "11")
    sven.press("Save")
    sven.notice("Saved.")
    sven.press(f"Reset {DRAWERS}")
    sven.notice("was reset to its default")
    expect(page.get_by_label(DRAWERS)).to_have_value("10")
    sven.go("/memory/activity/cost/")
    sven.follow("Set a budget")
    expect(page.get_by_label("Monthly budget in US dollars")).to_be_in_viewport()


@pytest.mark.drill
def test_account_can_be_closed_after_confirmation(sven, new_walker):
    """Clara signed up after Sven and does not own the site."""
    clara = new_walker("Clara")
    drawer = clara.note("The clarinet is lent to Ana.", "Clarinet")
    clara.go("/accounts/")
    clara.follow("See what is erased")
    clara.shows("Drawers")
    clara.open("Rows in each database table")
    clara.shows("memory_drawer")
    clara.press("Erase everything and close")
    clara.write_password("not my password")
    clara.press("Confirm")
    clara.shows("Incorrect password.")
    clara.write_password()
    clara.press("Confirm")
    clara.shows("Everything is erased, and a search of every table found nothing left.")
    expect(clara.page.locator("#receipt")).to_contain_text("memory_drawer")
    clara.go(drawer)
    clara.wait_for_url(r"/accounts/sign-in/")
    clara.sign_in("clarakeys@example.org")
    clara.shows("Incorrect email or password.")
