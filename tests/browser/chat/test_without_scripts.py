"""Chats in a browser that runs no scripts, with a model that takes its time."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat.talker import Talker
from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor

pytestmark = pytest.mark.drill

CHAT = re.compile(r"/chat/[0-9a-f-]{36}/")


@pytest.fixture(scope="module")
def nora(arrive: Arrive) -> Visitor:
    """Somebody without scripts."""
    nora = arrive(java_script_enabled=False, viewport={"width": 360, "height": 740})
    nora.sign_up("Nora")
    return nora


@pytest.fixture
def page(nora: Visitor) -> Page:
    nora.go("/chat/")
    return nora.page


def send(page: Page, words: str) -> None:
    page.get_by_role("textbox", name="Message").fill(words)
    page.get_by_role("button", name="Send").click()
    expect(page).to_have_url(CHAT)


def test_a_reply_is_read_edited_and_its_branches_are_switched(page: Page, talker: Talker) -> None:
    talker.says("The first reply.")
    talker.says("The other reply.")
    send(page, "One question")
    expect(page.locator(".message-assistant")).to_contain_text("The first reply.")
    page.get_by_role("link", name="Edit").click()
    page.get_by_role("textbox", name="Message").fill("Another question")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".message-assistant")).to_contain_text("The other reply.")
    page.get_by_role("button", name="Previous version").click()
    expect(page.locator(".message-assistant")).to_contain_text("The first reply.")
    page.get_by_role("button", name="Next version").click()
    expect(page.locator(".message-assistant")).to_contain_text("The other reply.")


def test_a_slow_reply_is_looked_at_again_and_stopped(page: Page, talker: Talker) -> None:
    talker.says_slowly()
    send(page, "Tell me a lot")
    draft = page.locator(".message-draft")
    expect(draft).to_contain_text("word0")
    before = len(draft.inner_text())
    page.wait_for_timeout(1_000)
    page.get_by_role("button", name="Check progress").click()
    assert len(draft.inner_text()) > before
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".message-assistant")).to_contain_text("You stopped this reply.")
    expect(page.locator(".message-assistant")).to_contain_text("word0 word1")
