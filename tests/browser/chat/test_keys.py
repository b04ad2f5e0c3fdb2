"""Chats without a mouse: nothing here is clicked."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat.talker import Talker
from tests.browser.chat.talking import answered, box, growing, keep_note
from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor

MOST_TABS = 60


@pytest.fixture(scope="module")
def kim(arrive: Arrive) -> Visitor:
    """Somebody with a keyboard and a note."""
    kim = arrive()
    kim.sign_up("Kim")
    keep_note(kim, "My bicycle is called Rosinante.")
    return kim


@pytest.fixture(autouse=True)
def nothing_to_complain_about(kim: Visitor) -> Iterator[None]:
    """No page breaks the content policy, logs an error or asks another host."""
    yield
    assert kim.complaints == []


@pytest.fixture
def page(kim: Visitor) -> Page:
    kim.go("/chat/")
    expect(box(kim.page)).to_be_focused()  # a key that is pressed before goes nowhere
    return kim.page


def tab_to(page: Page, words: str, *, back: bool = False) -> None:
    """Press Tab until what has the focus is called so."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        called = page.evaluate(
            "(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()"
        )
        if called.startswith(words):
            return
    raise AssertionError(f"the focus never came to {words!r}")


def test_a_message_is_written_and_its_sources_are_judged(page: Page) -> None:
    expect(box(page)).to_be_focused()
    page.keyboard.type("What is my bicycle called?")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("Tell me.")
    page.keyboard.press("Enter")
    reply = answered(page)
    assert page.locator(".message-user .message-text").inner_text().count("\n") == 1
    expect(box(page)).to_be_focused()
    tab_to(page, "Recalled", back=True)
    page.keyboard.press("Enter")
    tab_to(page, "Not relevant")
    page.keyboard.press("Enter")
    expect(reply.get_by_role("button", name="Undo").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(reply.get_by_role("button", name="Not relevant").first).to_be_focused()


def test_escape_stops_and_an_arrow_edits(page: Page, talker: Talker) -> None:
    talker.says_slowly()
    page.keyboard.type("Tell me a lot")
    page.keyboard.press("Enter")
    growing(page)
    page.keyboard.press("Escape")
    expect(answered(page)).to_contain_text("You stopped this reply.")
    box(page).focus()
    page.keyboard.press("ArrowUp")
    expect(page).to_have_url(re.compile(r"/messages/1/edit/$"))
    expect(box(page)).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("Tell me little")
    page.keyboard.press("Enter")
    answered(page)
    tab_to(page, "The version before", back=True)
    page.keyboard.press("Enter")
    expect(page.locator(".message-user")).to_contain_text("Tell me a lot")


def test_choices_open_and_close_and_a_chat_is_deleted_and_brought_back(page: Page) -> None:
    page.keyboard.type("Of gears")
    page.keyboard.press("Enter")
    answered(page)
    tab_to(page, "This chat", back=True)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="This chat")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="This chat")).not_to_be_visible()
    page.keyboard.press("Enter")
    tab_to(page, "Delete")
    page.keyboard.press("Enter")
    page.wait_for_url("**/delete/")
    tab_to(page, "Delete")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("The chat was deleted.")
    page.keyboard.press("Escape")
    page.locator("h1").focus()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("u")
    expect(page.locator(".message-user")).to_contain_text("Of gears")


def test_the_list_is_searched_and_walked_through(page: Page) -> None:
    page.keyboard.type("Of pedals")
    page.keyboard.press("Enter")
    answered(page)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search your chats")).to_be_focused()
    page.keyboard.type("pedals")
    page.keyboard.press("Enter")
    expect(page.locator(".chat-link")).to_have_count(1)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    expect(page.locator(".chat-link")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".message-user")).to_contain_text("Of pedals")
