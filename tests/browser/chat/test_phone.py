"""Chats on a phone, by finger: nothing is wider than the screen, lists and choices are panels."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat.talker import Talker
from tests.browser.chat.talking import answered, ask, box, growing, keep_note
from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor

PHONE = {"width": 360, "height": 740}
WIDE_WORDS = "Donau" + "dampfschifffahrts" * 20
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def pia(arrive: Arrive) -> Visitor:
    """Somebody with a phone and a note."""
    pia = arrive(viewport=PHONE, has_touch=True, is_mobile=True)
    pia.sign_up("Pia")
    keep_note(pia, "My boat is called Kittiwake.")
    return pia


@pytest.fixture(autouse=True)
def fits_the_phone(pia: Visitor) -> Iterator[None]:
    """No page complains, and none is wider than the screen."""
    yield
    assert pia.complaints == []
    assert pia.page.evaluate(TOO_WIDE) <= 0


@pytest.fixture
def page(pia: Visitor) -> Page:
    pia.go("/chat/")
    return pia.page


def test_a_chat_by_finger(page: Page, talker: Talker) -> None:
    talker.says(f"{WIDE_WORDS}\n\n```\n{WIDE_WORDS}\n```\n\n| a | b |\n|---|---|\n| {WIDE_WORDS} | c |")
    box(page).tap()
    page.keyboard.type("What is my boat called?")
    page.get_by_role("button", name="Send").tap()
    reply = answered(page)
    reply.locator(".sources summary").tap()
    expect(reply.locator("li.source").first).to_contain_text("Kittiwake")
    expect(reply.get_by_role("button", name="Not relevant").first).to_be_visible()
    below = box(page).bounding_box()
    assert below is not None
    assert below["y"] + below["height"] <= PHONE["height"]


def test_a_long_reply_is_read_from_its_beginning(page: Page, talker: Talker) -> None:
    talker.says("The first line of many.\n\n" + "And so on, and on, and on.\n\n" * 60)
    box(page).fill("Tell me all of it")
    page.get_by_role("button", name="Send").tap()
    answered(page)
    first = page.get_by_text("The first line of many.").first
    expect(first).to_be_in_viewport()
    expect(page.locator(".message-user")).to_be_in_viewport()
    page.reload()
    expect(first).to_be_in_viewport()
    box(page).fill("And once more")
    page.get_by_role("button", name="Send").tap()
    answered(page, 2)
    expect(page.locator(".message-user").last).to_be_in_viewport()
    expect(first).not_to_be_in_viewport()


def test_a_slow_reply_is_stopped_by_finger(page: Page, talker: Talker) -> None:
    talker.says_slowly()
    box(page).fill("Tell me a lot")
    page.get_by_role("button", name="Send").tap()
    growing(page)
    page.get_by_role("button", name="Stop").tap()
    expect(answered(page)).to_contain_text("You stopped this reply.")


def test_the_list_and_the_choices_are_panels(pia: Visitor, page: Page) -> None:
    ask(pia, "Of sails")
    address = page.url
    pia.go("/chat/")
    expect(page.locator("#conversations")).not_to_be_visible()
    page.get_by_role("button", name="Chats").tap()
    page.get_by_role("searchbox", name="Search your chats").fill("sails")
    page.locator("#conversations").get_by_role("button", name="Search").tap()
    page.get_by_role("button", name="Chats").tap()
    page.locator(".chat-link").first.tap()
    expect(page).to_have_url(address)
    page.get_by_role("button", name="This chat").tap()
    expect(page.get_by_role("dialog", name="This chat")).to_be_visible()
    assert page.evaluate(TOO_WIDE) <= 0
    page.get_by_label("Learn from this chat").uncheck()
    page.get_by_role("button", name="Save").tap()
    expect(page.locator("#remembered")).to_contain_text("Nothing is learned from this chat.")


def test_other_words_and_deleting_by_finger(pia: Visitor, page: Page) -> None:
    ask(pia, "Of ropes")
    page.get_by_role("link", name="Edit").tap()
    page.get_by_role("textbox", name="Message").fill("Of knots")
    page.get_by_role("button", name="Send").tap()
    answered(page)
    expect(page.get_by_role("group", name="Versions")).to_contain_text("2/2")
    page.get_by_role("button", name="This chat").tap()
    page.get_by_role("link", name="Delete", exact=True).tap()
    page.get_by_role("button", name="Delete").tap()
    page.locator(".toast").get_by_role("button", name="Undo").tap()
    expect(page.locator(".message-user")).to_contain_text("Of knots")
