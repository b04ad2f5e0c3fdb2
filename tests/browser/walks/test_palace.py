"""Drawers and places: found, changed, forgotten, tidied up, imported and exported, each undone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, expect

from tests.browser.conftest import Settle
from tests.browser.visitors import EXPORT, IMPORT
from tests.browser.walks.walker import Walker
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


@pytest.fixture(scope="module")
def frida(settle: Settle) -> Walker:
    """Somebody with five subjects, of which two share a word."""
    frida = settle("Frida")
    frida.note("The lighthouse is painted in three colours.", "Lighthouse", "Paint")
    frida.note("The ferry leaves at nine.", "Ferry", "Times")
    frida.note("The herring is smoked over beech.", "Herring", "Smoke")
    frida.note("The orchard has nine apple trees.", "Orchard", "Trees")
    frida.note("The apple cake needs cardamom.", "Kitchen", "Cakes")
    return frida


@pytest.mark.phone
def test_a_search_is_narrowed_and_the_way_back_undoes_it(frida: Walker) -> None:
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
    frida.still_reads("The apple cake needs cardamom.")
    page.go_back()
    expect(hits).to_have_count(2)
    frida.hand.rest(page)
    page.go_forward()
    expect(hits).to_have_count(1)


@pytest.mark.phone
def test_a_subject_is_looked_at_forgotten_and_taken_back(frida: Walker) -> None:
    page = frida.page
    frida.go("/memory/forget/")
    frida.choose("Wing", "Lighthouse (1)")
    frida.press("Preview", within=page.get_by_role("region", name="A subject"))
    frida.reads("Nothing has happened yet.")
    frida.still_reads("The lighthouse is painted in three colours.")
    frida.arrive(PREVIEW)
    frida.press("Forget it")
    frida.still_reads("Recall can’t find it any more.")
    receipt = frida.arrive(RECEIPT)
    frida.go("/memory/search/?q=lighthouse")
    frida.lacks("three colours")

    page.go_back()
    expect(page).to_have_url(receipt)
    frida.press("Undo")
    frida.notice("1 drawer was restored.")
    frida.still_reads("You undid this")
    frida.go("/memory/search/?q=lighthouse")
    frida.reads("three colours")


def test_the_way_back_leads_to_a_wizard_that_tells_the_truth(frida: Walker) -> None:
    page = frida.page
    frida.go("/memory/forget/")
    frida.choose("Wing", "Ferry (1)")
    frida.press("Preview", within=page.get_by_role("region", name="A subject"))
    frida.reads("The ferry leaves at nine.")
    frida.tick(page.get_by_label("Erase now"))
    frida.press("Forget it")
    frida.reads("It is erased.")
    page.go_back()
    frida.arrive(PREVIEW)
    frida.lacks("The ferry leaves at nine.")
    frida.go("/memory/forget/")
    expect(page.get_by_label("Wing", exact=True)).not_to_contain_text("Ferry")
    frida.follow("A wing", within=page.get_by_role("region", name="Previously forgotten"))
    frida.reads("It is erased.")


def test_everything_goes_only_after_its_words_are_typed(frida: Walker) -> None:
    page = frida.page
    frida.go("/memory/forget/")
    frida.press("Preview everything")
    frida.write("Type “forget everything” to continue", "forget nothing")
    frida.press("Forget it")
    frida.reads("That does not match. Nothing was forgotten.")
    frida.write("Type “forget everything” to continue", "forget everything")
    frida.press("Forget it")
    frida.reads("Recall can’t find it any more.")
    frida.go("/memory/search/?q=herring")
    frida.lacks("smoked over beech")
    page.go_back()
    frida.press("Undo")
    frida.notice("were restored.")
    frida.go("/memory/search/?q=herring")
    frida.reads("smoked over beech")


@pytest.fixture(scope="module")
def tora(settle: Settle) -> Walker:
    """Somebody with a closet that has no summary yet."""
    tora = settle("Tora")
    for part in ("roof", "door", "slip", "floor"):
        tora.note(f"The {part} of the boathouse was painted green last summer.", "Boathouse", "Paint")
    return tora


@pytest.mark.drill
def test_a_memory_without_duplicates_needs_no_plan(tora: Walker) -> None:
    tora.go("/memory/activity/consolidation/")
    tora.press("Preview changes")
    tora.notice("There is nothing to consolidate.")


@pytest.fixture(scope="module")
def ingrid(settle: Settle) -> Walker:
    """Somebody with chats elsewhere."""
    return settle("Ingrid")


def hand_in(walker: Walker, field: Locator, file: FilePayload | Path) -> None:
    """Open the field for a file, and choose one in the window that the system opens."""
    with walker.page.expect_file_chooser() as chooser:
        walker.hand.press(walker.page, field)
    chooser.value.set_files(file)


def look_into(walker: Walker, file: FilePayload | Path) -> None:
    """Preview an import."""
    walker.go("/chat/import/")
    hand_in(walker, walker.page.get_by_label("Export file"), file)


@pytest.mark.phone
def test_chats_come_in_while_their_progress_is_seen(ingrid: Walker) -> None:
    page = ingrid.page
    look_into(ingrid, EXPORT)
    ingrid.reads("Last said")
    run = ingrid.arrive(r"/chat/import/[0-9a-f-]{36}/$")
    ingrid.hand.press(page, page.get_by_role("button", name=IMPORT))
    ingrid.reads("Import finished")
    palace = page.get_by_role("link", name="See your palace")
    ingrid.hand.stay_at(page, palace)
    ingrid.reads("Everything you imported is saved to memory.")
    expect(page.get_by_role("progressbar", name="Saved to memory")).to_be_visible()
    ingrid.hand.press(page, palace)
    expect(page.get_by_role("tree")).to_be_visible()
    page.go_back()
    ingrid.arrive(run)
    ingrid.still_reads("Everything you imported is saved to memory.")


@pytest.mark.drill
def test_an_import_is_stopped_and_what_came_in_stays(settle: Settle) -> None:
    harald = settle("Harald")
    page = harald.page
    harald.go("/memory/consent/")
    harald.press("Keep my chats, but save them to memory only when I ask")
    harald.reads("Welcome to your palace")
    look_into(harald, LONG)
    harald.reads("Last said")
    run = harald.arrive(r"/chat/import/[0-9a-f-]{36}/$")
    harald.hand.press(page, page.get_by_role("button", name=IMPORT))
    some = re.compile(r"[1-9][\d,]* of [\d,]+ entries done")
    expect(page.locator("main")).to_contain_text(some)
    harald.hand.rest(page)
    harald.press("Stop")
    harald.reads("You stopped this import. The chats below were imported completely and stay.")
    came = int(page.locator(".import-outcome").inner_text().split()[0].replace(",", ""))
    assert 0 < came < CHATS
    harald.still_reads("You stopped this import.")
    assert int(page.locator(".import-outcome").inner_text().split()[0].replace(",", "")) == came
    harald.go("/chat/import/")
    harald.follow("ChatGPT")
    assert harald.arrive(r"/chat/import/[0-9a-f-]{36}/$") == run


def test_everything_is_taken_along_and_looked_into_again(ingrid: Walker) -> None:
    page = ingrid.page
    ingrid.go("/chat/export/")
    ingrid.press("Create export")
    ingrid.reads("Your export is ready")
    ingrid.arrive(r"/chat/export/[0-9a-f-]{36}/$")
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
    ingrid.still_reads("Your export is ready")
    ingrid.go("/chat/export/")
    bring = page.get_by_role("region", name="Restore")
    hand_in(ingrid, bring.locator("input[type=file]"), file)
    ingrid.press("Preview restore", within=bring)
    ingrid.reads("Everything in this file is already here")
    ingrid.press("Delete file")
    ingrid.arrive(r"/chat/export/$")
    ingrid.lacks("Everything in this file is already here")
