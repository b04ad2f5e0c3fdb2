"""Drawers and places: finding, changing, forgetting, consolidating, importing and exporting, and undo."""

import re

import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.visitors import EXPORT, IMPORT, drop_file
from tests.exports import export_of

PREVIEW = r"/memory/forget/preview/\?kind=wing"
RECEIPT = r"/memory/forget/[0-9a-f-]{36}/$"
CHATS = 3_000
LONG = FilePayload(
    name="conversations.json",
    mimeType="application/json",
    buffer=export_of({f"Chat {number}": (f"Number {number}?", "Yes.") for number in range(CHATS)}),
)


@pytest.fixture(scope="module")
def otto(new_walker):
    """A user with two wings."""
    otto = new_walker("Otto")
    otto.note("The compass needs a new card.", "Compass", "Card")
    otto.note("The sextant is from Hull.", "Sextant", "Origin")
    return otto


def change(walker, words):
    """Open the change form of the wing in which these words are found."""
    walker.go(f"/memory/search/?q={words}")
    walker.follow("§ W")
    walker.hand.press(walker.page, walker.page.locator(".crumbs a").nth(1))
    walker.follow("Change")
    walker.shows("Change this wing")


def undo_last(walker):
    walker.go("/memory/activity/")
    walker.press("Undo")
    walker.notice("Undone.")


@pytest.mark.drill
def test_wing_can_be_renamed_and_its_kind_changed(otto):
    page = otto.page
    heading = page.get_by_role("heading", level=1)
    change(otto, "compass")
    otto.write("Name", "Great Compass")
    otto.press("Rename")
    expect(heading).to_contain_text("Great Compass")
    wing = otto.wait_for_url(r"/memory/w/[0-9a-f-]{36}/")
    otto.undo()
    otto.notice("Undone.")
    otto.go(wing)
    expect(heading).not_to_contain_text("Great")
    change(otto, "compass")
    otto.check(page.locator("[name=kind][value=project]"))
    otto.press("Change the kind")
    otto.notice("Changed.")
    undo_last(otto)
    change(otto, "compass")
    expect(page.locator("[name=kind][value=topic]")).to_be_checked()


def test_wings_can_be_merged_and_drawers_moved(otto):
    page = otto.page
    change(otto, "compass")
    otto.write("Find a place by name", "Sextant")
    otto.press("Find")
    otto.check(page.get_by_role("radio", name="Sextant").first)
    otto.press("Merge it here")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Compass")
    otto.go("/memory/?view=tree")
    expect(page.get_by_role("treeitem")).to_have_count(1)
    undo_last(otto)
    otto.go("/memory/?view=tree")
    expect(page.get_by_role("treeitem")).to_have_count(2)

    otto.go("/memory/search/?q=sextant")
    otto.follow("§ W")
    drawer = otto.wait_for_url(r"/memory/drawers/")
    otto.follow("Move…")
    otto.check(page.get_by_role("radio", name="Compass").first)
    otto.press("Move")
    otto.notice("Moved.")
    otto.go(drawer)
    crumbs = page.get_by_role("navigation", name="Breadcrumbs")
    expect(crumbs).to_contain_text("Compass")
    undo_last(otto)
    otto.go(drawer)
    expect(crumbs).to_contain_text("Sextant")


def test_selected_wings_can_be_deleted_in_columns_and_restored(otto):
    spots = otto.page.locator(".column-item")
    otto.go("/memory/?view=tree")
    otto.follow("Columns")
    otto.wait_for_url("view=columns$")
    expect(spots).to_have_count(2)
    otto.check(otto.page.get_by_label("Select Sextant"))
    otto.press("Move to trash", within=otto.page.locator(".selecting"))
    otto.notice("moved to the trash")
    expect(spots).to_have_count(1)
    otto.undo()
    otto.notice("restored")
    otto.go("/memory/?view=columns")
    expect(spots).to_have_count(2)


def test_note_can_be_saved_pinned_made_sensitive_and_annotated(otto):
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
    otto.keeps_showing("The pantry door squeaks.")
    expect(page.locator(".crumbs")).to_contain_text("Doors")

    otto.press("Pin")
    otto.press("Pinned")
    otto.press("Mark as sensitive")
    otto.shows("Never sent to a model.")
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
def test_drawer_can_be_deleted_and_restored_from_the_trash(otto):
    words = f"The {otto.unique_name('well')} is eleven metres deep."
    drawer = otto.visitor.address + otto.note(words)
    otto.go(drawer)
    otto.press("Move to trash")
    otto.shows("This drawer is in the trash")
    otto.undo()
    otto.keeps_showing(words)
    otto.press("Move to trash")
    otto.shows("This drawer is in the trash")
    otto.go("/memory/trash/")
    otto.shows(words)
    otto.press("Restore")
    expect(otto.page).to_have_url(drawer)
    otto.keeps_showing(words)
    otto.go("/memory/trash/")
    otto.shows_no(words)


@pytest.fixture(scope="module")
def frida(new_walker):
    """A user with five wings, two of which share a word."""
    frida = new_walker("Frida")
    frida.note("The lighthouse is painted in three colours.", "Lighthouse", "Paint")
    frida.note("The ferry leaves at nine.", "Ferry", "Times")
    frida.note("The herring is smoked over beech.", "Herring", "Smoke")
    frida.note("The orchard has nine apple trees.", "Orchard", "Trees")
    frida.note("The apple cake needs cardamom.", "Kitchen", "Cakes")
    return frida


@pytest.mark.phone
def test_search_can_be_filtered_and_going_back_removes_the_filter(frida):
    page = frida.page
    hits = page.locator("article.hit")
    frida.go("/memory/search/")
    frida.write("Search your memory", "apple")
    frida.press("Search")
    expect(hits).to_have_count(2)
    frida.hand.press(page, page.locator("summary").filter(has_text="Filters"))
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
def test_wing_can_be_previewed_forgotten_and_restored(frida):
    page = frida.page
    frida.go("/memory/forget/")
    frida.choose("Wing", "Lighthouse (1)")
    frida.press("Preview", within=page.get_by_role("region", name="A wing"))
    frida.shows("Nothing has happened yet.")
    frida.keeps_showing("The lighthouse is painted in three colours.")
    frida.wait_for_url(PREVIEW)
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
    frida.go("/memory/search/?q=lighthouse")
    frida.shows("three colours")


def test_going_back_after_erasing_shows_the_current_state(frida):
    page = frida.page
    frida.go("/memory/forget/")
    frida.choose("Wing", "Ferry (1)")
    frida.press("Preview", within=page.get_by_role("region", name="A wing"))
    frida.shows("The ferry leaves at nine.")
    frida.check(page.get_by_label("Erase for good"))
    frida.press("Forget")
    frida.shows("It is erased.")
    page.go_back()
    frida.wait_for_url(PREVIEW)
    frida.shows_no("The ferry leaves at nine.")
    frida.go("/memory/forget/")
    expect(page.get_by_label("Wing", exact=True)).not_to_contain_text("Ferry")
    frida.follow("A wing", within=page.get_by_role("region", name="Previously forgotten"))
    frida.shows("It is erased.")


def test_forgetting_everything_needs_the_typed_confirmation(frida):
    page = frida.page
    frida.go("/memory/forget/")
    frida.press("Preview everything")
    frida.write("Type “forget everything” to continue", "forget nothing")
    frida.press("Forget")
    frida.shows("That does not match. Nothing was forgotten.")
    frida.write("Type “forget everything” to continue", "forget everything")
    frida.press("Forget")
    frida.shows("Recall can’t find it any more.")
    frida.go("/memory/search/?q=herring")
    frida.shows_no("smoked over beech")
    page.go_back()
    frida.press("Undo")
    frida.notice("were restored.")
    frida.go("/memory/search/?q=herring")
    frida.shows("smoked over beech")


@pytest.fixture(scope="module")
def tora(new_walker):
    """A user with a closet that has no summary yet."""
    tora = new_walker("Tora")
    for part in ("roof", "door", "slip", "floor"):
        tora.note(f"The {part} of the boathouse was painted green last summer.", "Boathouse", "Paint")
    return tora


@pytest.mark.drill
def test_palace_without_duplicates_has_nothing_to_consolidate(tora):
    tora.go("/memory/activity/consolidation/")
    tora.press("Preview consolidation")
    tora.notice("There is nothing to consolidate.")


@pytest.fixture(scope="module")
def ingrid(new_walker):
    """A user with chats in another product."""
    return new_walker("Ingrid")


def choose_file(walker, field, file):
    """Press a file field, and choose a file in the file chooser."""
    with walker.page.expect_file_chooser() as chooser:
        walker.hand.press(walker.page, field)
    chooser.value.set_files(file)


def preview_import(walker, file):
    """Preview an import."""
    walker.go("/chat/import/")
    choose_file(walker, walker.page.get_by_label("Export file"), file)


@pytest.mark.phone
def test_import_shows_its_progress(ingrid):
    page = ingrid.page
    preview_import(ingrid, EXPORT)
    ingrid.shows("Last message")
    run = ingrid.wait_for_url(r"/chat/import/[0-9a-f-]{36}/$")
    ingrid.hand.press(page, page.get_by_role("button", name=IMPORT))
    ingrid.shows("Import finished")
    palace = page.get_by_role("link", name="See your palace")
    ingrid.hand.go_to(page, palace)
    ingrid.shows("Everything you imported is saved to memory.")
    expect(page.get_by_role("progressbar", name="Saved to memory")).to_be_visible()
    ingrid.hand.press(page, palace)
    expect(page.get_by_role("tree")).to_be_visible()
    page.go_back()
    ingrid.wait_for_url(run)
    ingrid.keeps_showing("Everything you imported is saved to memory.")


def test_export_dropped_outside_the_field_is_previewed(ingrid):
    ingrid.go("/chat/import/")
    drop_file(ingrid.page, "h1", EXPORT.name, EXPORT.read_text())
    ingrid.wait_for_url(r"/chat/import/[0-9a-f-]{36}/$")
    ingrid.shows("Last message")


@pytest.mark.drill
def test_stopped_import_keeps_imported_chats(new_walker):
    harald = new_walker("Harald")
    page = harald.page
    harald.go("/memory/consent/")
    harald.press("Keep my chats, but save them to memory only when I ask")
    harald.shows("Welcome to your palace")
    preview_import(harald, LONG)
    harald.shows("Last message")
    run = harald.wait_for_url(r"/chat/import/[0-9a-f-]{36}/$")
    harald.hand.press(page, page.get_by_role("button", name=IMPORT))
    some = re.compile(r"[1-9][\d,]* of [\d,]+ entries done")
    expect(page.locator("main")).to_contain_text(some)
    harald.hand.wait_until_idle(page)
    harald.press("Stop")
    harald.shows("You stopped this import. The chats below were imported completely and stay.")
    imported = int(page.locator(".import-outcome").inner_text().split()[0].replace(",", ""))
    assert 0 < imported < CHATS
    harald.keeps_showing("You stopped this import.")
    assert int(page.locator(".import-outcome").inner_text().split()[0].replace(",", "")) == imported
    harald.go("/chat/import/")
    harald.follow("ChatGPT")
    assert harald.wait_for_url(r"/chat/import/[0-9a-f-]{36}/$") == run


def test_export_can_be_created_downloaded_and_previewed_for_restore(ingrid):
    page = ingrid.page
    ingrid.go("/chat/export/")
    ingrid.press("Create export")
    ingrid.shows("Your export is ready")
    ingrid.wait_for_url(r"/chat/export/[0-9a-f-]{36}/$")
    with page.expect_download() as download:
        ingrid.follow("Download")
    file = FilePayload(
        name="palace.zip",
        mimeType="application/zip",
        buffer=download.value.path().read_bytes(),
    )
    ingrid.press("Delete file")
    ingrid.notice("The file was deleted.")
    ingrid.undo()
    ingrid.notice("The export was restored.")
    ingrid.keeps_showing("Your export is ready")
    ingrid.go("/chat/export/")
    restore_form = page.get_by_role("region", name="Restore")
    choose_file(ingrid, restore_form.locator("input[type=file]"), file)
    ingrid.press("Preview restore", within=restore_form)
    ingrid.shows("Everything in this file is already here")
    ingrid.press("Delete file")
    ingrid.wait_for_url(r"/chat/export/$")
    ingrid.shows_no("Everything in this file is already here")
