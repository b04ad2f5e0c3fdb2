"""One drawer: pinned, kept from models, remarked on, deleted, and each of it taken back."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker


@pytest.fixture(scope="module")
def dagny(settle: Settle) -> Walker:
    """Somebody with a note."""
    return settle("Dagny")


def test_a_drawer_is_pinned_and_kept_from_models(dagny: Walker) -> None:
    page = dagny.page
    dagny.go(dagny.note("The cellar key is under the third pot."))
    dagny.press("Pin")
    dagny.press("Pinned")
    dagny.press("Mark as sensitive")
    dagny.reads("Never shown to a model.")
    page.reload()
    expect(page.get_by_role("button", name="Sensitive", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Pin", exact=True)).to_be_visible()
    dagny.press("Sensitive")
    dagny.reads("Pinned drawers are preferred")


def test_a_remark_is_kept_and_taken_back(dagny: Walker) -> None:
    page = dagny.page
    dagny.go(dagny.note("The attic ladder is broken."))
    dagny.write("Your remark", "Mended since.")
    dagny.press("Keep remark")
    dagny.told("Your remark is kept.")
    page.reload()
    expect(page.get_by_role("textbox", name="Your remark")).to_have_value("Mended since.")
    dagny.write("Your remark", "Broken again.")
    dagny.press("Keep remark")
    dagny.undo()
    dagny.told("back")
    expect(page.get_by_role("textbox", name="Your remark")).to_have_value("Mended since.")


@pytest.mark.phone
def test_a_drawer_is_deleted_and_back_at_once(dagny: Walker) -> None:
    page = dagny.page
    drawer = dagny.note("The well is eleven metres deep.")
    dagny.go("/memory/trash/")
    dagny.go(drawer)
    dagny.press("Delete")
    dagny.reads("This drawer is in the trash")
    dagny.undo()
    dagny.still_reads("The well is eleven metres deep.")
    dagny.press("Delete")
    dagny.reads("This drawer is in the trash")
    dagny.go("/memory/trash/")
    page.go_back()
    dagny.reads("This drawer is in the trash")


@pytest.mark.phone
def test_a_note_is_written_with_its_place(dagny: Walker) -> None:
    page = dagny.page
    dagny.go("/memory/note/")
    dagny.press("Save note")
    expect(page).to_have_url(f"{dagny.visitor.address}/memory/note/")
    dagny.write("Note", "The pantry door squeaks.")
    dagny.hand.press(page, page.locator("main summary"))
    dagny.write("Wing", "House")
    dagny.write("Closet", "Doors")
    dagny.press("Save note")
    dagny.told("Your note is in its drawer.")
    dagny.still_reads("The pantry door squeaks.")
    expect(page.locator(".crumbs")).to_contain_text("Doors")
