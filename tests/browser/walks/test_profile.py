"""What is known of somebody: a value corrected and left out, own words, a pattern dismissed."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker

pytestmark = pytest.mark.drill

CHATS = {
    "About me": (
        "I live in Bergen.",
        "I see.",
        "I like apple cake.",
        "I see.",
        "My favourite tea is jasmine.",
        "I see.",
        "My favourite tea is genmaicha now.",
        "I see.",
    ),
}


@pytest.fixture(scope="module")
def petra(settle: Settle) -> Walker:
    """Somebody of whom a few things are known, and a pattern in them."""
    petra = settle("Petra")
    petra.bring(CHATS)
    petra.until("/memory/profile/", "changed once")
    return petra


def test_a_pattern_is_traced_to_its_facts_dismissed_and_shown_again(petra: Walker) -> None:
    page = petra.page
    petra.go("/memory/profile/")
    petra.reads("Your favourite tea changed once: jasmine → genmaicha.")
    petra.open("Based on 2 facts")
    petra.follow("Source", within=page.locator("#insights"))
    petra.reads("My favourite tea is")
    page.go_back()
    petra.press("Dismiss : Your favourite tea changed once: jasmine → genmaicha.")
    petra.notice("Dismissed. It won’t appear again.")
    petra.lacks("Your favourite tea changed once")
    petra.undo()
    petra.notice("Shown again.")
    petra.still_reads("Your favourite tea changed once")
    petra.press("Dismiss : Your favourite tea changed once: jasmine → genmaicha.")
    petra.notice("Dismissed.")
    petra.go("/memory/profile/")
    petra.reads("None yet.")
    petra.follow("1 dismissed")
    petra.press("Show again : Your favourite tea changed once: jasmine → genmaicha.")
    petra.notice("Shown again.")
    petra.go("/memory/profile/")
    petra.reads("Your favourite tea changed once")


def test_a_value_is_left_out_and_taken_back_in(petra: Walker) -> None:
    tastes = petra.page.get_by_role("region", name="What you like and dislike")
    petra.go("/memory/profile/")
    for by_undo in (True, False):
        petra.press("Hide : You like apple cake.")
        petra.notice("Hidden from your profile.")
        expect(tastes).not_to_contain_text("apple cake")
        if by_undo:
            petra.undo()
        else:
            petra.page.reload()
            petra.open("1 hidden value")
            petra.press("Show : You like apple cake.")
        petra.notice("Shown in your profile again.")
        expect(tastes).to_contain_text("apple cake")
