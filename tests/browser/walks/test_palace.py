"""Drawers and places: notes, remarks, trash, renaming, merging and moving, each undone."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker


@pytest.fixture(scope="module")
def otto(settle: Settle) -> Walker:
    """A user with two wings."""
    otto = settle("Otto")
    otto.note("The compass needs a new card.", "Compass", "Card")
    otto.note("The sextant is from Hull.", "Sextant", "Origin")
    return otto


def change(walker: Walker, words: str) -> None:
    """Open the form for the wing in which these words are found."""
    walker.go(f"/memory/search/?q={words}")
    walker.follow("§ W")
    walker.hand.press(walker.page, walker.page.locator(".crumbs a").nth(1))
    walker.follow("Change")
    walker.reads("Change this wing")


def undo_last(walker: Walker) -> None:
    walker.go("/memory/activity/")
    walker.press("Undo")
    walker.notice("Undone.")


@pytest.mark.drill
def test_a_wing_is_renamed_and_given_another_kind(otto: Walker) -> None:
    page = otto.page
    heading = page.get_by_role("heading", level=1)
    change(otto, "compass")
    otto.write("Name", "Great Compass")
    otto.press("Rename")
    expect(heading).to_contain_text("Great Compass")
    wing = otto.arrive(r"/memory/w/[0-9a-f-]{36}/")
    otto.undo()
    otto.notice("Undone.")
    otto.go(wing)
    expect(heading).not_to_contain_text("Great")
    change(otto, "compass")
    otto.tick(page.locator("[name=kind][value=project]"))
    otto.press("Change the kind")
    otto.notice("Changed.")
    undo_last(otto)
    change(otto, "compass")
    expect(page.locator("[name=kind][value=topic]")).to_be_checked()


def test_two_wings_are_merged_and_a_drawer_is_moved(otto: Walker) -> None:
    page = otto.page
    change(otto, "compass")
    otto.write("Find a place by name", "Sextant")
    otto.press("Find")
    otto.tick(page.get_by_role("radio", name="Sextant").first)
    otto.press("Merge it here")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Compass")
    otto.go("/memory/?view=tree")
    expect(page.get_by_role("treeitem")).to_have_count(1)
    undo_last(otto)
    otto.go("/memory/?view=tree")
    expect(page.get_by_role("treeitem")).to_have_count(2)

    otto.go("/memory/search/?q=sextant")
    otto.follow("§ W")
    drawer = otto.arrive(r"/memory/drawers/")
    otto.follow("Move…")
    otto.tick(page.get_by_role("radio", name="Compass").first)
    otto.press("Move")
    otto.notice("Moved.")
    otto.go(drawer)
    crumbs = page.get_by_role("navigation", name="Breadcrumbs")
    expect(crumbs).to_contain_text("Compass")
    undo_last(otto)
    otto.go(drawer)
    expect(crumbs).to_contain_text("Sextant")


def test_chosen_wings_are_deleted_in_columns_and_restored(otto: Walker) -> None:
    spots = otto.page.locator(".column-item")
    otto.go("/memory/?view=tree")
    otto.follow("Columns")
    otto.arrive("view=columns$")
    expect(spots).to_have_count(2)
    otto.tick(otto.page.get_by_label("Select Sextant"))
    otto.press("Delete", within=otto.page.locator(".selecting"))
    otto.notice("moved to the trash")
    expect(spots).to_have_count(1)
    otto.undo()
    otto.notice("restored")
    otto.go("/memory/?view=columns")
    expect(spots).to_have_count(2)


def test_a_note_is_written_pinned_hidden_from_models_and_remarked_on(otto: Walker) -> None:
    page = otto.page
    remark = page.get_by_role("textbox", name="Your remark")
    otto.go("/memory/note/")
    otto.press("Save note")
    expect(page).to_have_url(f"{otto.visitor.address}/memory/note/")
    otto.write("Note", "The pantry door squeaks.")
    otto.hand.press(page, page.locator("main summary"))
    otto.write("Wing", "House")
    otto.write("Closet", "Doors")
    otto.press("Save note")
    otto.notice("Note saved.")
    otto.still_reads("The pantry door squeaks.")
    expect(page.locator(".crumbs")).to_contain_text("Doors")

    otto.press("Pin")
    otto.press("Pinned")
    otto.press("Mark as sensitive")
    otto.reads("Never sent to a model.")
    otto.write("Your remark", "Oiled since.")
    otto.press("Save remark")
    otto.notice("Remark saved.")
    page.reload()
    expect(page.get_by_role("button", name="Sensitive", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Pin", exact=True)).to_be_visible()
    expect(remark).to_have_value("Oiled since.")
    otto.write("Your remark", "Squeaks again.")
    otto.press("Save remark")
    otto.undo()
    otto.notice("Undone.")
    expect(remark).to_have_value("Oiled since.")


@pytest.mark.phone
def test_a_drawer_is_deleted_and_restored_from_the_trash(otto: Walker) -> None:
    words = f"The {otto.named('well')} is eleven metres deep."
    drawer = otto.visitor.address + otto.note(words)
    otto.go(drawer)
    otto.press("Delete")
    otto.reads("This drawer is in the trash")
    otto.undo()
    otto.still_reads(words)
    otto.press("Delete")
    otto.reads("This drawer is in the trash")
    otto.go("/memory/trash/")
    otto.reads(words)
    otto.press("Restore")
    expect(otto.page).to_have_url(drawer)
    otto.still_reads(words)
    otto.go("/memory/trash/")
    otto.lacks(words)
