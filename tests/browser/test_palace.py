"""Drawers and places by keyboard: finding, changing, forgetting, importing and exporting, and undo."""

import re

import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.visitors import EXPORT, IMPORT, SAVED

PREVIEW = r"/memory/forget/preview/\?kind=wing"
RECEIPT = r"/memory/forget/[0-9a-f-]{36}/$"


@pytest.fixture(scope="module")
def otto(new_walker):
    """A user with two wings."""
    otto = new_walker("Otto")
    otto.note("The compass needs a new card.", "Compass", "Card")
    otto.note("The sextant is from Hull.", "Sextant", "Origin")
    return otto


@pytest.mark.drill
def test_wings_can_be_renamed_and_merged(otto):
    page = otto.page
    heading = page.get_by_role("heading", level=1)

    def change():
        otto.go("/memory/search/?q=compass")
        otto.follow("§ W")
        otto.hand.press(page, page.locator(".crumbs a").nth(1))
        otto.follow("Change")
        otto.shows("Change this wing")

    change()
    otto.write("Name", "Great Compass")
    otto.press("Rename")
    expect(heading).to_contain_text("Great Compass")
    otto.undo("Undone.")
    change()
    otto.check(page.locator("[name=kind][value=project]"))
    otto.press("Change the kind")
    otto.notice("Changed.")
    otto.undo_last()
    change()
    expect(page.locator("[name=kind][value=topic]")).to_be_checked()
    otto.write("Find a place by name", "Sextant")
    otto.press("Find")
    otto.check(page.get_by_role("radio", name="Sextant").first)
    otto.press("Merge it here")
    expect(heading).to_have_text(re.compile("Compass$"))
    otto.undo_last()


@pytest.mark.drill
def test_drawer_can_be_moved_to_another_wing(otto):
    page = otto.page
    crumbs = page.get_by_label("Breadcrumbs")
    otto.go("/memory/search/?q=sextant")
    otto.follow("§ W")
    drawer = otto.wait_for_url(r"/memory/drawers/")
    otto.follow("Move…")
    otto.check(page.get_by_role("radio", name="Compass").first)
    otto.press("Move")
    otto.notice("Moved.")
    otto.go(drawer)
    expect(crumbs).to_contain_text("Compass")
    otto.undo_last()
    otto.go(drawer)
    expect(crumbs).to_contain_text("Sextant")


def test_selected_wings_can_be_deleted_in_columns_and_restored(otto):
    spots = otto.page.locator(".column-item")
    otto.go("/memory/?view=columns")
    expect(spots).to_have_count(2)
    otto.check(otto.page.get_by_label("Select Sextant"))
    otto.press("Move to trash", within=otto.page.locator(".selecting"))
    otto.notice("moved to the trash")
    expect(spots).to_have_count(1)
    otto.undo("restored")
    otto.go("/memory/?view=columns")
    expect(spots).to_have_count(2)


def test_note_can_be_saved_pinned_made_sensitive_and_annotated(otto):
    page = otto.page
    remark = page.get_by_role("textbox", name="Your remark")
    otto.go("/memory/note/")
    otto.press("Save note")
    expect(page).to_have_url(f"{otto.address}/memory/note/")
    otto.write("Note", "The pantry door squeaks.")
    otto.hand.press(page, page.locator("main summary"))
    otto.write("Wing", "House")
    otto.write("Closet", "Doors")
    otto.press("Save note")
    otto.notice("Note saved.")
    otto.shows("The pantry door squeaks.")
    expect(page.locator(".crumbs")).to_contain_text("Doors")
    otto.press("Pin")
    otto.press("Pinned")
    otto.press("Mark as sensitive")
    otto.shows("Never sent to a model.")
    for text in ("Oiled since.", "Squeaks again."):
        otto.write("Your remark", text)
        otto.press("Save remark")
        otto.notice("Remark saved.")
    otto.undo("Undone.")
    page.reload()
    expect(page.get_by_role("button", name="Sensitive", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Pin", exact=True)).to_be_visible()
    expect(remark).to_have_value("Oiled since.")


@pytest.mark.phone
def test_drawer_can_be_deleted_and_restored_from_the_trash(otto):
    words = "The well is eleven metres deep."
    drawer = otto.address + otto.note(words)
    otto.go(drawer)
    otto.press("Move to trash")
    otto.shows("This drawer is in the trash")
    otto.undo()
    otto.shows(words)
    otto.press("Move to trash")
    otto.shows("This drawer is in the trash")
    otto.go("/memory/trash/")
    otto.shows(words)
    otto.press("Restore")
    expect(otto.page).to_have_url(drawer)
    otto.shows(words)


@pytest.fixture(scope="module")
def frida(new_walker):
    """A user with four wings, two of which share a word."""
    frida = new_walker("Frida")
    frida.note("The lighthouse is painted in three colours.", "Lighthouse", "Paint")
    frida.note("The ferry leaves at nine.", "Ferry", "Times")
    frida.note("The orchard has nine apple trees.", "Orchard", "Trees")
    frida.note("The apple cake needs cardamom.", "Kitchen", "Cakes")
    return frida


@pytest.mark.phone
def test_search_can_be_filtered_and_going_back_removes_the_filter(frida):
    page = frida.page
    hits = frida.search("apple")
    expect(hits).to_have_count(2)
    frida.open("Filters")
    frida.hand.choose(page, page.locator("select[name=wing]"), "Kitchen")
    frida.press("Search")
    expect(hits).to_have_count(1)
    frida.keeps_showing("The apple cake needs cardamom.")
    page.go_back()
    expect(hits).to_have_count(2)
    frida.hand.wait_until_idle(page)
    page.go_forward()
    expect(hits).to_have_count(1)


@pytest.mark.phone
def test_wing_can_be_previewed_forgotten_restored_and_erased(frida):
    page = frida.page

    def preview():
        frida.go("/memory/forget/")
        frida.choose("Wing", "Lighthouse (1)")
        frida.press("Preview", within=page.get_by_role("region", name="A wing"))
        frida.shows("The lighthouse is painted in three colours.")

    preview()
    frida.shows("Nothing has happened yet.")
    frida.press("Forget")
    frida.keeps_showing("Recall can’t find it any more.")
    receipt = frida.wait_for_url(RECEIPT)
    frida.go("/memory/search/?q=lighthouse")
    frida.shows_no("three colours")
    page.go_back()
    expect(page).to_have_url(receipt)
    frida.press("Undo")
    frida.notice("1 drawer was restored.")
    frida.keeps_showing("You undid this")

    preview()
    frida.check(page.get_by_label("Erase for good"))
    frida.press("Forget")
    frida.shows("It is erased.")
    page.go_back()
    frida.wait_for_url(PREVIEW)
    frida.shows_no("three colours")
    frida.go("/memory/forget/")
    expect(page.get_by_label("Wing", exact=True)).not_to_contain_text("Lighthouse")


@pytest.mark.drill
def test_forgetting_everything_needs_the_typed_confirmation(frida):
    frida.go("/memory/forget/")
    frida.press("Preview everything")
    frida.write("Type “forget everything” to continue", "forget nothing")
    frida.press("Forget")
    frida.shows("That does not match. Nothing was forgotten.")
    frida.write("Type “forget everything” to continue", "forget everything")
    frida.press("Forget")
    frida.shows("Recall can’t find it any more.")
    frida.press("Undo")
    frida.notice("were restored.")


@pytest.fixture(scope="module")
def ingrid(new_walker):
    """A user with chats in another product."""
    return new_walker("Ingrid")


@pytest.mark.phone
def test_import_shows_its_progress(ingrid):
    page = ingrid.page
    run = ingrid.preview_import(EXPORT)
    ingrid.press(IMPORT)
    ingrid.shows("Import finished")
    ingrid.shows(SAVED)
    expect(page.get_by_role("progressbar", name="Saved to memory")).to_be_visible()
    ingrid.follow("See your palace")
    expect(page.get_by_role("tree")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(run)
    ingrid.keeps_showing(SAVED)


def test_export_dropped_outside_the_field_is_previewed(ingrid):
    ingrid.go("/chat/import/")
    ingrid.drop_file("h1", EXPORT.name, EXPORT.read_text())
    ingrid.wait_for_url(r"/chat/import/[0-9a-f-]{36}/$")
    ingrid.shows("Last message")


def test_export_can_be_created_downloaded_and_previewed_for_restore(ingrid):
    page = ingrid.page
    ingrid.go("/chat/export/")
    ingrid.press("Create export")
    ingrid.shows("Your export is ready")
    with page.expect_download() as download:
        ingrid.follow("Download")
    export = download.value.path().read_bytes()
    ingrid.open("Delete file")
    ingrid.press("Delete")
    ingrid.notice("The file was deleted.")
    restore = page.get_by_role("region", name="Restore")
    file = FilePayload(name="palace.zip", mimeType="application/zip", buffer=export)
    ingrid.choose_file(restore.locator("input[type=file]"), file)
    ingrid.press("Preview restore", within=restore)
    ingrid.shows("Everything in this file is already here")
    ingrid.press("Delete file")
    ingrid.wait_for_url(r"/chat/export/$")
    ingrid.shows_no("Everything in this file is already here")
