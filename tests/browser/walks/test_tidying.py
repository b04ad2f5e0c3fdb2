"""Consolidation: previewed, discarded, applied, and undone as a whole and in part."""

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


def test_a_plan_is_applied_and_undone(tora: Walker) -> None:
    page = tora.page
    tora.go("/memory/activity/consolidation/")
    tora.press("Preview changes")
    tora.still_reads("summary rewritten")
    tora.press("Discard")
    tora.notice("The plan was discarded.")
    tora.go("/memory/activity/consolidation/")
    tora.press("Preview changes")
    tora.press("Apply")
    tora.notice("Applied. You can undo it for 30 days.")
    lines = page.locator("main ol.list > li")
    tora.press("Undo", within=lines.first)
    tora.notice("Undone.")
    expect(lines.first).to_contain_text("undone")
    tora.press("Undo", within=page.locator("main"))
    tora.notice("Undone.")
    expect(page.locator("main").get_by_role("button", name="Undo")).to_have_count(0)
