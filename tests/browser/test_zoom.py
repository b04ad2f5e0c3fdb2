"""Enlarged four times (1280 by 1024 pixels become 320 by 256) everything can be read and reached."""

import pytest
from playwright.sync_api import expect

from tests.browser.chat.talking import answered, box, keep_note, send
from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor

pytestmark = pytest.mark.drill

ENLARGED = {"width": 320, "height": 256}
MOST_COVERED = 0.5
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# The share of the window that things keep covered however far the page is scrolled.
COVERED = """() => {
  const holding = [...document.querySelectorAll("main *")].filter(
    (each) => ["sticky", "fixed"].includes(getComputedStyle(each).position) && each.checkVisibility(),
  );
  return holding.reduce((sum, each) => sum + each.getBoundingClientRect().height, 0) / innerHeight;
}"""


@pytest.fixture(scope="module")
def zoe(arrive: Arrive) -> Visitor:
    """Somebody who sees little and has a few notes."""
    zoe = arrive(viewport=ENLARGED)
    zoe.sign_up("Zoe")
    for number in range(4):
        keep_note(zoe, f"Lock {number} is opened with key {number}.")
    return zoe


@pytest.mark.parametrize("view", ["tree", "columns", "map"])
def test_the_palace_is_read_down_to_a_drawer(zoe: Visitor, view: str) -> None:
    page = zoe.page
    zoe.go(f"/memory/?view={view}")
    for _ in range(3):
        assert page.evaluate(TOO_WIDE) <= 0
        boxes = page.locator(".choose:visible")
        if boxes.count():
            boxes.first.check()
        assert page.evaluate(COVERED) <= MOST_COVERED
        link = page.locator("main ul a[href*='/memory/w/']:not([aria-current])").last
        link.scroll_into_view_if_needed()
        link.click()
        page.wait_for_load_state()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_a_chat_is_a_page_as_a_whole(zoe: Visitor) -> None:
    page = zoe.page
    zoe.go("/chat/")
    send(page, "Which key opens lock 2?")
    answered(page)
    assert page.evaluate(TOO_WIDE) <= 0
    messages = page.locator(".messages")
    assert messages.evaluate("each => each.scrollHeight - each.clientHeight") <= 1
    messages.locator(".message-user").scroll_into_view_if_needed()
    expect(messages.locator(".message-user")).to_be_in_viewport(ratio=1)
    box(page).scroll_into_view_if_needed()
    expect(box(page)).to_be_in_viewport(ratio=1)
