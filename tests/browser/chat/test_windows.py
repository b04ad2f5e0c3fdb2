"""One chat in two windows: each tells the truth at its next action."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat.talker import Talker
from tests.browser.chat.talking import answered, ask, box, growing, open_options, send
from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor


@pytest.fixture(scope="module")
def tove(arrive: Arrive) -> Visitor:
    """Somebody with many windows."""
    tove = arrive()
    tove.sign_up("Tove")
    return tove


@pytest.fixture
def other(tove: Visitor) -> Iterator[Page]:
    """A second window on a chat with one reply, which the first shows too."""
    ask(tove, "Hello")
    other = tove.context.new_page()
    other.goto(tove.page.url)
    answered(other)
    yield other
    other.close()


def test_who_missed_something_sees_it_before_sending(tove: Visitor, other: Page) -> None:
    send(other, "Said elsewhere")
    answered(other, 2)
    page = tove.page
    box(page).fill("Said here")
    box(page).press("Enter")
    expect(page.get_by_role("alert").filter(has_text="continued in another window")).to_be_visible()
    expect(page.locator(".message-user")).to_contain_text(["Hello", "Said elsewhere"])
    expect(box(page)).to_have_value("Said here")
    expect(box(page)).to_be_focused()
    box(page).press("Enter")
    expect(page.locator(".message-user")).to_have_count(3)
    answered(page, 3)
    expect(page.get_by_text("continued in another window")).to_have_count(0)


def test_a_reply_that_is_being_written_elsewhere_is_followed(
    tove: Visitor, other: Page, talker: Talker
) -> None:
    talker.says_slowly()
    send(other, "Tell me a lot")
    growing(other)
    page = tove.page
    box(page).fill("Said meanwhile")
    box(page).press("Enter")
    growing(page)
    expect(box(page)).to_have_value("Said meanwhile")
    page.get_by_role("button", name="Stop").click()
    expect(answered(page, 2)).to_contain_text("You stopped this reply.")
    expect(answered(other, 2)).to_contain_text("You stopped this reply.")
    box(page).press("Enter")
    answered(page, 3)


def test_a_chat_deleted_elsewhere_is_said_to_be_gone(tove: Visitor, other: Page) -> None:
    open_options(other)
    other.get_by_role("link", name="Delete", exact=True).click()
    other.get_by_role("button", name="Delete").click()
    expect(other.locator(".toast")).to_contain_text("Chat deleted.")
    page = tove.page
    box(page).fill("Are you still there?")
    box(page).press("Enter")
    expect(page.locator(".toast")).to_contain_text("This no longer exists.")
    expect(box(page)).to_have_value("Are you still there?")
    other.locator(".toast").get_by_role("button", name="Undo").click()
    expect(other.locator(".message-user")).to_contain_text("Hello")
    box(page).press("Enter")
    answered(page, 2)
