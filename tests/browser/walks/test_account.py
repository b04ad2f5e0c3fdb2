"""The account from sign-up to closing: consent, passkeys, apps, tokens, webhooks, agents and settings."""

import base64
import hashlib
import hmac
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.api.webhooks.receiver import Receiver
from tests.browser.visitors import PASSWORD

FINGERPRINT = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
DRAWERS = "Drawers per reply"
GONE = "Paused: The endpoint answered that it is gone for good"


def sign_up(walker, name):
    """Create an account; ends on the consent page."""
    page = walker.page
    walker.go("/accounts/sign-up/")
    walker.write("Name", walker.unique_name(name))
    walker.write("Email", f"{walker.unique_name(name).lower()}@example.org")
    for number in (0, 1):
        walker.hand.write(page, page.locator("input[type=password]").nth(number), PASSWORD)
    walker.press("Create account")
    walker.shows("What Palace keeps, and who can read it")


@pytest.mark.phone
def test_pages_are_open_only_after_consent(new_guest):
    ulla = new_guest()
    page = ulla.page
    sign_up(ulla, "Ulla")
    ulla.go("/memory/")
    ulla.shows("What Palace keeps, and who can read it")
    ulla.press("I agree: save my chats to memory")
    ulla.shows("Welcome to your palace")
    page.go_back()
    ulla.shows("You agreed on")
    ulla.go("/accounts/welcome/")
    ulla.follow("Start a chat")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    page.go_back()
    ulla.shows("Welcome to your palace")


@pytest.mark.drill
def test_demo_can_be_opened_left_and_removed(new_walker):
    ulla = new_walker("Ursula")
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
    pia.address = pia.address.replace("127.0.0.1", "localhost")
    devtools = pia.context.new_cdp_session(pia.page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": FINGERPRINT})
    return pia


def press(visitor, name):
    visitor.page.get_by_role("button", name=name, exact=True).click()


def sign_out(visitor):
    visitor.go("/accounts/sign-out/")
    visitor.page.locator("main").get_by_role("button", name="Sign out").click()


def test_account_with_a_passkey_and_no_password(pia):
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


def test_sign_in_page_explains_why_passkeys_are_unavailable(new_visitor):
    otto = new_visitor()
    otto.go("/accounts/sign-in/")
    expect(otto.page.get_by_text("Passkeys need a host name")).to_be_visible()
    expect(otto.page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
    otto.page.get_by_role("link", name="Open this page at localhost").click()
    expect(otto.page.get_by_role("button", name="Sign in with a passkey")).to_be_visible()
    otto.complaints.clear()  # the page linked to another host


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
    pia.complaints.clear()  # the app is another host


@pytest.fixture(scope="module")
def sven(new_walker):
    """A user with a note, without tokens or webhooks."""
    sven = new_walker("Sven")
    sven.note("The sauna is heated on Saturdays.")
    return sven


@pytest.mark.drill
def test_token_can_be_created_used_and_revoked(sven):
    page = sven.page
    sven.go("/accounts/tokens/")
    sven.press("Create token")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    sven.write("Name", "Weather vane")
    sven.check(page.get_by_label("Chat, and save the chats"))
    sven.press("Create token")
    sven.write("Password", PASSWORD)
    sven.press("Confirm")
    sven.shows("Copy it now")
    secret = page.locator("#token").inner_text()
    assert status_with(sven, secret) == 200
    active = page.get_by_role("region", name="Active tokens")
    expect(active).to_contain_text("Weather vane")
    expect(active).not_to_contain_text("chat")
    check_token_is_hidden(sven, secret)
    expect(active.get_by_role("listitem")).to_have_count(1)

    sven.follow("Revoke Weather vane")
    sven.follow("Cancel")
    expect(active).to_contain_text("Weather vane")
    sven.follow("Revoke Weather vane")
    sven.press("Revoke")
    sven.shows("No tokens yet.")
    assert status_with(sven, secret) == 401
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
    sven.go("/accounts/tokens/")
    sven.shows("No tokens yet.")


def check_token_is_hidden(walker, secret):
    """Return to the page that showed a token and reload it: neither shows the token again."""
    walker.go("/accounts/")
    walker.page.go_back()
    walker.shows_no(secret)
    walker.page.reload()
    walker.shows_no(secret)
    walker.shows("Weather vane")


def status_with(walker, secret):
    """The status of an API request with this token."""
    request = walker.visitor.context.request
    answer = request.get(
        f"{walker.visitor.address}/api/v1/facts", headers={"Authorization": f"Bearer {secret}"}
    )
    return answer.status


@pytest.fixture(scope="module")
def receiver():
    """A webhook receiver."""
    with Receiver() as receiver:
        yield receiver


@pytest.mark.drill
def test_webhook_can_be_added_tested_paused_and_removed(sven, receiver):
    page = sven.page
    url = f"{receiver.url}{sven.unique_name('hook')}"
    add(sven, url)
    hook = sven.wait_for_url(r"/accounts/webhooks/[0-9a-f-]{36}/$")
    sven.open("Show the secret")
    first = page.locator("#secret").inner_text()
    sven.press("Send a test")
    sven.notice("The test message is being sent.")
    sven.until(hook.removeprefix(sven.visitor.address), "Delivered")
    page.reload()
    sven.shows("Delivered")
    assert was_signed(receiver, sven, first)

    receiver.statuses.append(410)
    sven.press("Send a test")
    sven.until(hook.removeprefix(sven.visitor.address), GONE)
    page.reload()
    sven.shows(GONE)
    sven.follow("Webhooks", within=page.get_by_role("navigation", name="Breadcrumbs"))
    sven.shows(GONE)
    page.go_back()
    sven.press("Resume")
    sven.shows_no("Paused:")
    remove(sven, hook, url)


def add(walker, url):
    """Add a webhook, after one with an invalid URL."""
    walker.go("/accounts/webhooks/")
    walker.shows("No endpoints yet.")
    walker.write("URL", "ftp://example.org/")
    walker.press("Add")
    walker.shows("Enter a complete URL")
    walker.write("URL", url)
    walker.check(walker.page.get_by_label("a chat is saved to memory"))
    walker.press("Add")
    walker.notice("The webhook was added.")


def remove(walker, hook, url):
    """Remove a webhook, after cancelling once."""
    walker.follow("Remove")
    walker.shows(url)
    walker.follow("Cancel")
    walker.follow("Remove")
    walker.press("Remove")
    walker.notice("The webhook was removed.")
    walker.keeps_showing("No endpoints yet.")
    walker.go(hook)
    expect(walker.page.get_by_role("heading", level=1)).to_have_text("Page not found")


def was_signed(receiver, walker, secret):
    """Whether the received message was signed with this secret, as specified by standardwebhooks.com."""
    (message,) = [each for each in receiver.messages if each[2] == f"/{walker.unique_name('hook')}"]
    headers, body, _ = message
    key = base64.b64decode(secret.removeprefix("whsec_"))
    words = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    right = base64.b64encode(hmac.new(key, words, hashlib.sha256).digest()).decode()
    return hmac.compare_digest(headers["webhook-signature"], f"v1,{right}")


def agent(walker, name):
    """The list item of an agent."""
    return walker.page.locator("main li").filter(has_text=name)


@pytest.mark.drill
def test_agent_can_be_created_and_changed(sven):
    page = sven.page
    sven.go("/chat/agents/")
    sven.follow("New agent")
    sven.press("Create agent")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    sven.write("Name", "Navigator")
    sven.write("Instructions", "Speak of the sea.")
    sven.press("Create agent")
    sven.notice("Saved.")
    expect(agent(sven, "Navigator")).to_contain_text("Uses memory")
    sven.follow("Navigator")
    sven.shows("Edit agent")
    sven.write("Name", "Helmsman")
    sven.check(page.get_by_label("Use memory in its replies"))
    sven.press("Save")
    sven.notice("Saved.")
    expect(agent(sven, "Helmsman")).to_contain_text("Does not use memory")
    sven.undo()
    expect(agent(sven, "Navigator")).to_contain_text("Uses memory")
    page.reload()
    expect(agent(sven, "Helmsman")).to_have_count(0)


@pytest.mark.drill
def test_agent_can_be_made_default_deleted_and_restored(sven):
    sven.go("/chat/agents/new/")
    sven.write("Name", "Cook")
    sven.press("Create agent")
    sven.press("Make default", within=agent(sven, "Cook"))
    expect(agent(sven, "Cook")).to_contain_text("Default")
    sven.press("Make default", within=agent(sven, "Make default").first)
    expect(agent(sven, "Cook")).not_to_contain_text("Default")
    sven.follow("Cook")
    sven.shows("Edit agent")
    gone = sven.wait_for_url(r"/chat/agents/[0-9a-f-]{36}/$")
    sven.follow("Delete")
    sven.press("Delete")
    sven.notice("Agent deleted.")
    expect(agent(sven, "Cook")).to_have_count(0)
    sven.undo()
    sven.notice("Agent restored")
    sven.go(gone)
    sven.shows("Edit agent")


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
    sven.undo()
    sven.notice("Undone.")
    page.reload()
    expect(uses_memory).to_be_checked()
    expect(page.get_by_label(DRAWERS)).to_have_value("10")
    sven.write(DRAWERS, "11")
    sven.press("Save")
    sven.notice("Saved.")
    sven.press(f"Reset {DRAWERS}")
    sven.notice("was reset to its default")
    expect(page.get_by_label(DRAWERS)).to_have_value("10")


def test_budget_can_be_set_from_the_cost_page(sven):
    page = sven.page
    months = page.get_by_role("navigation", name="Months")
    sven.go("/memory/activity/cost/")
    sven.shows("No spending limit.")
    sven.follow("Set a budget")
    expect(page.get_by_label("Monthly budget in US dollars")).to_be_in_viewport()
    sven.write("Monthly budget in US dollars", "2.5")
    sven.press("Save")
    sven.notice("Saved.")
    sven.go("/memory/activity/cost/")
    sven.keeps_showing("of 2.50 USD; a new month begins on")
    sven.hand.press(page, months.locator("[rel=prev]"))
    sven.shows("No model calls this month.")
    sven.shows_no("of 2.50 USD")


@pytest.fixture(scope="module")
def clara(new_walker):
    """A user with a note, who does not own the site."""
    new_walker("Caretaker")
    clara = new_walker("Clara")
    clara.note("The clarinet is lent to Ana.", "Clarinet")
    return clara


@pytest.mark.drill
def test_account_can_be_closed_after_confirmation(clara):
    page = clara.page
    clara.go("/memory/search/?q=clarinet")
    clara.follow("§ W")
    drawer = clara.wait_for_url(r"/memory/drawers/")
    clara.go("/accounts/")
    clara.follow("See what is erased")
    clara.shows("Drawers")
    clara.open("Rows in each database table")
    clara.shows("memory_drawer")
    clara.follow("Cancel")
    clara.follow("See what is erased")
    clara.press("Erase everything and close")
    clara.write("Password", "not my password")
    clara.press("Confirm")
    clara.shows("Incorrect password.")
    clara.write("Password", PASSWORD)
    clara.press("Confirm")
    clara.shows("Everything is erased, and a search of every table found nothing left.")
    expect(page.locator("#receipt")).to_contain_text("memory_drawer")

    clara.go(drawer)
    clara.wait_for_url(r"/accounts/sign-in/")
    clara.write("Email", f"{clara.unique_name('clara')}@example.org".lower())
    clara.hand.write(page, page.locator("input[type=password]"), PASSWORD)
    clara.press("Sign in")
    clara.shows("Incorrect email or password.")
