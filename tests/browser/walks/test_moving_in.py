"""Importing chats, exporting everything and restoring it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, expect

from tests.browser.conftest import Settle
from tests.browser.exported import export_of
from tests.browser.visitors import EXPORT, IMPORT
from tests.browser.walks.walker import Walker

CHATS = 3_000
LONG = FilePayload(
    name="conversations.json",
    mimeType="application/json",
    buffer=export_of({f"Chat {number}": (f"Number {number}?", "Yes.") for number in range(CHATS)}),
)


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
