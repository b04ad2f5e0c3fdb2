"""Settings are validated, saved, undone and reset."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker

DRAWERS = "Drawers per reply"


@pytest.fixture(scope="module")
def sven(settle: Settle) -> Walker:
    """A user with a note to recall."""
    sven = settle("Sven")
    sven.note("The sauna is heated on Saturdays.")
    return sven


def test_settings_are_validated_saved_undone_and_reset(sven: Walker) -> None:
    page = sven.page
    uses_memory = page.get_by_label("Use memory", exact=True)
    sven.go("/memory/settings/")
    sven.follow("Recall", within=page.get_by_role("navigation", name="Stages"))
    expect(page.locator("#stage-3 legend")).to_be_in_viewport()
    sven.tick(uses_memory)
    sven.write(DRAWERS, "50")
    expect(page.locator("#example")).to_contain_text("Effect on your last message")
    sven.press("Save")
    sven.reads("Nothing was saved.")
    expect(page.locator("#id_top_k_error")).to_have_text("At most 20.")
    expect(page.get_by_label(DRAWERS)).to_have_value("50")
    sven.write(DRAWERS, "9")
    sven.press("Save")
    sven.notice("Saved. Changes apply from your next message.")
    expect(uses_memory).not_to_be_checked()
    sven.undo()
    sven.notice("Undone.")
    page.reload()
    expect(uses_memory).to_be_checked()
    expect(page.get_by_label(DRAWERS)).to_have_value("10")
    sven.write(DRAWERS, "11")
    sven.press("Save")
    sven.notice("Saved.")
    sven.press(f"Reset {DRAWERS}")
    sven.notice("was reset to its default")
    expect(page.get_by_label(DRAWERS)).to_have_value("10")


def test_a_budget_is_set_from_the_page_of_costs(sven: Walker) -> None:
    page = sven.page
    months = page.get_by_role("navigation", name="Months")
    sven.go("/memory/activity/cost/")
    sven.reads("No spending limit.")
    sven.follow("Set a budget")
    expect(page.get_by_label("Monthly budget in US dollars")).to_be_in_viewport()
    sven.write("Monthly budget in US dollars", "2.5")
    sven.press("Save")
    sven.notice("Saved.")
    sven.go("/memory/activity/cost/")
    sven.still_reads("of 2.50 USD; a new month begins on")
    sven.hand.press(page, months.locator("[rel=prev]"))
    sven.reads("No model calls this month.")
    sven.lacks("of 2.50 USD")
