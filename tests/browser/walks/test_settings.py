"""Settings, stage by stage: a bound that is told, a change that holds, and the way back."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker


@pytest.fixture(scope="module")
def sven(settle: Settle) -> Walker:
    """Somebody with a note, so that there is something to recall."""
    sven = settle("Sven")
    sven.note("The sauna is heated on Saturdays.")
    return sven


def test_each_stage_is_reached_from_the_head_of_the_page(sven: Walker) -> None:
    page = sven.page
    sven.go("/memory/settings/")
    sven.follow("Recalling", within=page.get_by_role("navigation", name="Stages"))
    expect(page).to_have_url(f"{sven.visitor.address}/memory/settings/#stage-3")
    expect(page.locator("#stage-3 legend")).to_be_in_viewport()
    sven.write("Drawers for a reply, at most", "7")
    expect(page.locator("#example")).to_contain_text("What this comes to")


def test_a_bound_is_told_and_what_was_typed_stays(sven: Walker) -> None:
    page = sven.page
    sven.go("/memory/settings/")
    sven.write("Drawers for a reply, at most", "50")
    sven.press("Save")
    sven.reads("Nothing was changed")
    expect(page.locator("#id_top_k_error")).to_have_text("At most 20.")
    expect(page.get_by_label("Drawers for a reply, at most")).to_have_value("50")
    sven.write("Drawers for a reply, at most", "9")
    sven.press("Save")
    sven.told("Saved. It holds from the next message on.")
    page.reload()
    expect(page.get_by_label("Drawers for a reply, at most")).to_have_value("9")


@pytest.mark.phone
def test_a_change_of_several_stages_is_kept_and_taken_back(sven: Walker) -> None:
    page = sven.page
    sven.go("/memory/settings/")
    sven.tick(page.get_by_label("Use memory", exact=True))
    sven.write("Drawers for a reply, at most", "3")
    sven.press("Save")
    sven.told("Saved. It holds from the next message on.")
    expect(page.get_by_label("Use memory", exact=True)).not_to_be_checked()
    sven.undo()
    sven.told("Taken back. Your settings are as before.")
    page.reload()
    expect(page.get_by_label("Use memory", exact=True)).to_be_checked()
    expect(page.get_by_label("Drawers for a reply, at most")).not_to_have_value("3")


def test_a_budget_is_set_where_the_costs_are_told_and_taken_back(sven: Walker) -> None:
    page = sven.page
    months = page.get_by_role("navigation", name="Months")
    sven.go("/memory/cost/")
    sven.reads("Nothing limits what models may cost.")
    sven.follow("Set a budget")
    expect(page.get_by_label("Budget a month, in US dollars")).to_be_in_viewport()
    sven.write("Budget a month, in US dollars", "2.5")
    sven.press("Save")
    sven.told("Saved.")
    sven.go("/memory/cost/")
    sven.still_reads("of 2.50 USD; a new month begins on")
    sven.hand.press(page, months.locator("[rel=prev]"))
    sven.reads("No model was asked in this month.")
    sven.lacks("of 2.50 USD")
    sven.hand.press(page, months.locator("[rel=next]"))
    sven.reads("of 2.50 USD")
    sven.go("/memory/activity/")
    sven.press("Undo")
    sven.told("Taken back.")
    sven.go("/memory/cost/")
    sven.still_reads("Nothing limits what models may cost.")


def test_one_setting_is_put_back_to_its_beginning(sven: Walker) -> None:
    page = sven.page
    sven.go("/memory/settings/")
    sven.write("Drawers for a reply, at most", "11")
    sven.press("Save")
    sven.told("Saved.")
    sven.press("Reset Drawers for a reply, at most")
    sven.told("is as at the beginning again")
    expect(page.get_by_label("Drawers for a reply, at most")).to_have_value("5")
    sven.go("/memory/activity/")
    sven.go("/memory/settings/")
    page.go_back()
    page.go_back()
    expect(page.get_by_label("Drawers for a reply, at most")).to_have_value("5")
