"""Tidying up: looked at, left, done, and taken back as a whole and in part."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker

pytestmark = pytest.mark.drill


@pytest.fixture(scope="module")
def tora(settle: Settle) -> Walker:
    """Somebody with closets that have no summary yet."""
    tora = settle("Tora")
    fill(tora, "Boathouse")
    return tora


def fill(walker: Walker, wing: str) -> None:
    """Lay enough into a closet to be worth a summary."""
    for part in ("roof", "door", "slip", "floor"):
        walker.note(f"The {part} of the {wing.lower()} was painted green last summer.", wing, "Paint")


def test_a_plan_is_done_and_taken_back(tora: Walker) -> None:
    page = tora.page
    tora.go("/memory/activity/consolidation/")
    tora.press("Look at what would change")
    tora.still_reads("gets a summary of what lies in it now")
    tora.press("Leave everything as it is")
    tora.told("Everything stays as it is.")
    tora.go("/memory/activity/consolidation/")
    tora.press("Look at what would change")
    tora.press("Do exactly this")
    tora.told("Done. You can take all of it back for 30 days.")
    lines = page.locator("main ol.list > li")
    tora.press("Undo", within=lines.first)
    tora.told("Taken back")
    expect(lines.first).to_contain_text("taken back")
    tora.press("Take it back")
    tora.told("Taken back")
    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)
