"""Programs that are told: an address is added, tried, paused, signed anew and removed."""

import base64
import hashlib
import hmac
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.api.webhooks.receiver import Receiver
from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker

pytestmark = pytest.mark.drill


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    """A program to tell."""
    with Receiver() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def wim(settle: Settle) -> Walker:
    """Somebody whose programs are told nothing."""
    return settle("Wim")


def test_an_address_is_added_tried_paused_and_removed(wim: Walker, receiver: Receiver) -> None:
    page = wim.page
    told = f"{receiver.url}{wim.named('hook')}"
    add(wim, told)
    hook = wim.arrive(r"/accounts/webhooks/[0-9a-f-]{36}/$")
    wim.open("Show the secret")
    first = page.locator("#secret").inner_text()
    wim.press("Send a test")
    wim.notice("The test message is being sent.")
    wim.until(hook.removeprefix(wim.visitor.address), "Delivered")
    page.reload()
    wim.reads("Delivered")
    assert was_signed(receiver, wim, first)

    wim.press("Pause")
    wim.reads("Paused: You paused it.")
    wim.follow("Webhooks", within=page.get_by_role("navigation", name="Breadcrumbs"))
    wim.reads("Paused: You paused it")
    page.go_back()
    wim.press("Resume")
    wim.lacks("Paused:")
    wim.press("Create new secret")
    wim.notice("Messages are now signed with the new secret.")
    wim.open("Show the secret")
    assert page.locator("#secret").inner_text() != first
    remove(wim, hook, told)


def add(walker: Walker, told: str) -> None:
    """Add an address after one that cannot be told."""
    walker.go("/accounts/webhooks/")
    walker.reads("No endpoints yet.")
    walker.write("URL", "ftp://example.org/")
    walker.press("Add")
    walker.reads("Enter a complete URL")
    walker.write("URL", told)
    walker.tick(walker.page.get_by_label("a chat is saved to memory"))
    walker.press("Add")
    walker.notice("The webhook was added.")


def remove(walker: Walker, hook: str, told: str) -> None:
    """Remove an address after having kept it once."""
    walker.follow("Remove")
    walker.reads(told)
    walker.follow("Keep it")
    walker.follow("Remove")
    walker.press("Remove")
    walker.notice("The webhook was removed.")
    walker.still_reads("No endpoints yet.")
    walker.go(hook)
    expect(walker.page.get_by_role("heading", level=1)).to_have_text("Page not found")


def was_signed(receiver: Receiver, walker: Walker, secret: str) -> bool:
    """Whether what arrived for them was signed with this secret, as standardwebhooks.com says."""
    (message,) = [each for each in receiver.messages if each[2] == f"/{walker.named('hook')}"]
    headers, body, _ = message
    key = base64.b64decode(secret.removeprefix("whsec_"))
    words = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    right = base64.b64encode(hmac.new(key, words, hashlib.sha256).digest()).decode()
    return hmac.compare_digest(headers["webhook-signature"], f"v1,{right}")
