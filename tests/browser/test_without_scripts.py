"""The core of Palace on a phone whose browser runs no scripts."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.visitors import EXPORT, IMPORT

pytestmark = pytest.mark.drill

WORDS = "Her hull was painted with ochre antifouling in March by Marta Lindqvist, the shipwright."
QUESTION = "Who painted the hull of my boat?"
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def carol(new_visitor):
    """A user without scripts, with imported and mined chats."""
    carol = new_visitor(java_script_enabled=False, viewport=PHONE)
    carol.sign_up("Carol")
    carol.page.get_by_role("link", name="Import an export").click()
    carol.page.get_by_label("Export file").set_input_files(EXPORT)
    carol.page.get_by_role("button", name="Preview import").click()
    carol.see("Last message")
    carol.page.get_by_role("button", name=IMPORT).click()
    carol.see("Everything you imported is saved to memory.")
    return carol


@pytest.fixture(autouse=True)
def fits_the_phone(carol):
    """Fail if the page is wider than the screen."""
    yield
    box = carol.page.locator("main").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= PHONE["width"]


def test_drawer_can_be_found_deleted_and_restored(carol):
    page = carol.page
    found = page.locator("article.hit").filter(has_text=WORDS)
    search(carol)
    found.locator("a.aaak").click()
    page.get_by_role("button", name="Move to trash").click()
    page.wait_for_load_state()
    search(carol)
    expect(found).to_have_count(0)
    carol.go("/memory/trash/")
    page.get_by_role("button", name="Restore").click()
    search(carol)
    expect(found).to_have_count(1)


def test_reply_from_memory_has_sources(carol):
    page = carol.page
    carol.go("/chat/")
    page.get_by_role("textbox", name="Message").fill(QUESTION)
    page.get_by_role("button", name="Send").click()
    expect(page).to_have_url(re.compile(r"/chat/[0-9a-f-]{36}/"))
    carol.see("From memory only")
    quote = page.locator(".message-text blockquote").filter(has_text=WORDS)
    expect(quote).to_have_count(1)
    page.locator(".sources > summary").click()
    page.locator("li.source").filter(has_text=WORDS).locator("a.aaak").click()
    expect(page.locator(".said-here blockquote")).to_have_text(WORDS)


def test_settings_are_saved_or_refused_with_the_reason(carol):
    page = carol.page
    carol.go("/memory/settings/")
    page.get_by_label("Drawers per reply").fill("0")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("At least 1.")).to_be_visible()
    page.get_by_label("Drawers per reply").fill("7")
    page.get_by_role("button", name="Save", exact=True).click()
    carol.notice("Saved. Changes apply from your next message.")
    expect(page.locator("#toasts .toast")).to_be_in_viewport()
    assert page.locator(".toasts").evaluate("each => getComputedStyle(each).position") == "static"
    expect(page.get_by_label("Drawers per reply")).to_have_value("7")


def search(visitor):
    visitor.go("/memory/search/")
    visitor.page.get_by_role("searchbox", name="Search your memory").fill(QUESTION)
    visitor.page.get_by_role("button", name="Search", exact=True).click()
    expect(visitor.page.get_by_role("status").filter(has_text="found")).to_be_visible()
