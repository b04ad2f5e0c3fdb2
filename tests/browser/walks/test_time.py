"""What happened when: the timeline by year, month and day, relations as of a day and the ways between
two, the calendar."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker

pytestmark = pytest.mark.drill

CHATS = {
    "A year": (
        "I live in Bergen.",
        "I see.",
        "My sister is called Ida.",
        "I see.",
        "I have a dentist appointment on 12 May 2025.",
        "I see.",
    ),
}


@pytest.fixture(scope="module")
def tilda(settle: Settle) -> Walker:
    """Somebody of whom three dated things are known."""
    tilda = settle("Tilda")
    tilda.bring(CHATS)
    return tilda


def test_the_timeline_is_narrowed_to_a_day_and_widened_by_the_way_back(tilda: Walker) -> None:
    page = tilda.page
    when = page.get_by_role("navigation", name="When")
    tilda.go("/memory/timeline/")
    tilda.reads("12 May 2025")
    tilda.follow("2025", within=when)
    tilda.follow("May", within=when)
    tilda.follow("12 May 2025: 1", within=when)
    tilda.still_reads("Monday, 12 May 2025")
    day = tilda.arrive("day=12")
    tilda.follow("the fact")
    tilda.arrive(r"/memory/facts/")
    page.go_back()
    tilda.arrive(re.escape(day))
    tilda.follow("All years", within=when)
    tilda.still_reads("12 May 2025")


def test_the_way_between_two_is_found(tilda: Walker) -> None:
    page = tilda.page
    tilda.go("/memory/graph/")
    tilda.follow("How are two connected?")
    tilda.write("From", "Zanzibar")
    tilda.write("To", "Ida")
    tilda.press("Find the way")
    tilda.reads("Nobody and nothing is known by that name.")
    tilda.write("From", "Bergen")
    tilda.press("Find the way")
    way = page.get_by_role("region", name="Way 1")
    expect(way).to_contain_text("Ida")
    asked = tilda.arrive("start=Bergen")
    tilda.follow("the words", within=way)
    tilda.arrive("/memory/drawers/")
    page.go_back()
    tilda.arrive(re.escape(asked))
    expect(way).to_contain_text("Bergen")
    tilda.follow("People and things")
    tilda.arrive("/memory/graph/$")


def test_somebody_is_named_otherwise_and_back(tilda: Walker) -> None:
    page = tilda.page
    heading = page.get_by_role("heading", level=1)
    tilda.go("/memory/graph/")
    tilda.follow("Ida", within=page.get_by_role("region", name="Relations", exact=True))
    expect(heading).to_contain_text("Ida")
    tilda.hand.press(page, page.locator("main summary").filter(has_text="name").first)
    tilda.write("New name", "Ida Holm")
    tilda.press("Rename")
    expect(heading).to_contain_text("Ida Holm")
    tilda.undo()
    tilda.told("back")
    page.reload()
    expect(heading).not_to_contain_text("Holm")


def test_the_calendar_leads_to_what_was_said_on_a_day(tilda: Walker) -> None:
    page = tilda.page
    tilda.go("/memory/calendar/?year=2025")
    tilda.follow("18 April 2025")
    tilda.still_reads("I live in Bergen.")
    page.go_back()
    expect(page.get_by_role("link", name="18 April 2025")).to_be_visible()
