"""What happened when: the timeline by year, relations as of a day and the ways between
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


def test_the_timeline_is_narrowed_to_a_year_and_widened_by_the_way_back(tilda: Walker) -> None:
    page = tilda.page
    when = page.get_by_role("navigation", name="When")
    tilda.go("/memory/timeline/")
    may = page.get_by_role("region", name="May 2025")
    expect(may).to_contain_text("Mon 12")
    tilda.follow("2025", within=when)
    tilda.still_reads("Mon 12")
    year = tilda.arrive("year=2025")
    tilda.follow("dentist appointment", within=may)
    tilda.arrive(r"/memory/facts/")
    page.go_back()
    tilda.arrive(re.escape(year))
    tilda.follow("All years", within=when)
    tilda.still_reads("Mon 12")


def test_somebody_is_named_otherwise_and_back(tilda: Walker) -> None:
    page = tilda.page
    heading = page.get_by_role("heading", level=1)
    tilda.go("/memory/graph/")
    tilda.follow("Table")
    tilda.follow("Ida", within=page.get_by_role("table"))
    expect(heading).to_contain_text("Ida")
    tilda.hand.press(page, page.locator("main summary").filter(has_text="name").first)
    tilda.write("New name", "Ida Holm")
    tilda.press("Rename")
    expect(heading).to_contain_text("Ida Holm")
    tilda.undo()
    tilda.notice("Undone.")
    page.reload()
    expect(heading).not_to_contain_text("Holm")
