"""Consolidation: previewed, discarded, applied, and undone as a whole and in part."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.test_facts import add
from tests.browser.walks.walker import Walker

pytestmark = pytest.mark.drill


@pytest.fixture(scope="module")
def tora(settle: Settle) -> Walker:
    """Somebody whose memory says the same twice, in other words."""
    tora = settle("Tora")
    add(tora, "You like green tea.")
    add(tora, "You like the green tea.")
    return tora


def test_a_plan_is_applied_and_undone(tora: Walker) -> None:
    page = tora.page
    tora.go("/memory/activity/consolidation/")
    tora.press("Preview changes")
    tora.still_reads("merged with its duplicate")
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
