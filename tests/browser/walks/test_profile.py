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
        "I like cherry cake.",
        "I see.",
        "I like carrot cake.",
        "I see.",
    ),
}


@pytest.fixture(scope="module")
def petra(settle: Settle) -> Walker:
    """Somebody of whom a few things are known, and a pattern in them."""
    petra = settle("Petra")
    petra.bring(CHATS)
    petra.until("/memory/insights/", "runs through 3 things")
    return petra


def test_own_words_stand_and_every_version_of_them_is_kept(petra: Walker) -> None:
    page = petra.page
    prose = page.get_by_role("region", name="In words")
    petra.go("/memory/profile/")
    expect(prose).to_contain_text("Written by Palace")
    petra.write("About you", "I bake and I sail.")
    petra.press("Save")
    petra.told("Your own words stand in your profile now.")
    expect(prose.locator("blockquote")).to_have_text("I bake and I sail.")
    petra.undo()
    petra.told("Palace tells your profile again.")
    page.reload()
    expect(prose).to_contain_text("Written by Palace")
    petra.open("1 earlier version")
    petra.press("Use again")
    petra.told("Your earlier words stand again.")
    page.reload()
    expect(prose.locator("blockquote")).to_have_text("I bake and I sail.")
    petra.press("Let Palace tell it again")
    petra.told("Palace tells your profile again.")
    for versions in ("2 earlier versions", "1 earlier version"):
        petra.go("/memory/profile/")
        petra.open(versions)
        petra.press("Erase for good")
        petra.told("Erased for good.")
    petra.lacks("I bake and I sail.")


def test_a_pattern_is_traced_to_its_facts_dismissed_and_shown_again(petra: Walker) -> None:
    page = petra.page
    petra.go("/memory/insights/")
    petra.reads("“cake” runs through 3 things you like, plan or do.")
    petra.open("The 3 facts it rests on")
    petra.follow("the words")
    petra.reads("cake.")
    page.go_back()
    petra.press("Dismiss : “cake” runs through 3 things you like, plan or do.")
    petra.told("Dismissed. It will not come back by itself.")
    petra.lacks("“cake” runs through")
    petra.undo()
    petra.told("It is shown again.")
    petra.still_reads("“cake” runs through")
    petra.press("Dismiss : “cake” runs through 3 things you like, plan or do.")
    petra.told("Dismissed.")
    petra.go("/memory/insights/")
    petra.reads("No patterns yet.")
    petra.follow("Dismissed 1")
    petra.press("Show again : “cake” runs through 3 things you like, plan or do.")
    petra.told("It is shown again.")
    petra.go("/memory/insights/")
    petra.reads("“cake” runs through")


def test_a_value_is_left_out_and_taken_back_in(petra: Walker) -> None:
    tastes = petra.page.get_by_role("region", name="What you like and dislike")
    petra.go("/memory/profile/")
    for by_undo in (True, False):
        petra.press("Leave out : The user likes apple cake.")
        petra.told("Left out of your profile.")
        expect(tastes).not_to_contain_text("apple cake")
        if by_undo:
            petra.undo()
        else:
            petra.page.reload()
            petra.open("1 value you left out")
            petra.press("Take back in : The user likes apple cake.")
        petra.told("Back in your profile.")
        expect(tastes).to_contain_text("apple cake")
