"""The core of Palace on a phone whose browser runs no scripts."""

import pytest
from playwright.sync_api import expect

from tests.browser.hands import PHONE
from tests.browser.visitors import EXPORT, IMPORT, SAVED
from tests.openai_answers import Behaviour

pytestmark = pytest.mark.drill

WORDS = "Her hull was painted with ochre antifouling in March by Marta Lindqvist, the shipwright."
QUESTION = "Who painted the hull of my boat?"


@pytest.fixture(scope="module")
def nora(new_visitor):
    """A user without scripts, with imported and mined chats."""
    nora = new_visitor("Nora", java_script_enabled=False, viewport=PHONE)
    nora.go("/accounts/welcome/")
    nora.follow("Import an export")
    nora.page.get_by_label("Export file").set_input_files(EXPORT)
    nora.press("Preview import")
    run = nora.wait_for_url(r"/chat/import/[0-9a-f-]{36}/$").removeprefix(nora.address)
    nora.until(run, "Last message")
    nora.page.reload()
    nora.press(IMPORT)
    nora.until(run, SAVED)
    return nora


@pytest.fixture(autouse=True)
def fits_the_phone(nora):
    """Fail if the page is wider than the screen."""
    yield
    box = nora.main.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= PHONE["width"]


def search(visitor):
    """Search for a question; returns the drawers that answer it."""
    return visitor.search(QUESTION).filter(has_text=WORDS)


def start_chat(nora, words):
    """Start a chat with this message; returns the reply."""
    nora.go("/chat/")
    nora.write("Message", words)
    nora.press("Send")
    nora.wait_for_url(r"/chat/[0-9a-f-]{36}/")
    return nora.page.locator(".message-assistant")


def test_drawer_can_be_found_deleted_and_restored(nora):
    search(nora).locator("a.aaak").click()
    nora.press("Move to trash")
    nora.page.wait_for_load_state()
    expect(search(nora)).to_have_count(0)
    nora.go("/memory/trash/")
    nora.press("Restore")
    expect(search(nora)).to_have_count(1)


def test_reply_from_memory_has_sources(nora, chat_model):
    chat_model.script(*(Behaviour(status=500) for _ in range(6)))
    reply = start_chat(nora, QUESTION)
    chat = nora.page.url.removeprefix(nora.address)
    nora.until(chat, "From memory only")
    nora.page.reload()
    expect(reply.locator(".message-text blockquote").filter(has_text=WORDS)).to_have_count(1)
    nora.page.locator(".sources > summary").click()
    nora.page.locator("li.source").filter(has_text=WORDS).locator("a.aaak").click()
    expect(nora.page.locator(".said-here blockquote")).to_have_text(WORDS)


def test_settings_are_saved_or_refused_with_the_reason(nora):
    nora.go("/memory/settings/")
    nora.write("Drawers per reply", "0")
    nora.press("Save")
    nora.shows("At least 1.")
    nora.write("Drawers per reply", "7")
    nora.press("Save")
    nora.notice("Saved. Changes apply from your next message.")
    expect(nora.page.locator("#toasts .toast")).to_be_in_viewport()
    assert nora.page.locator(".toasts").evaluate("each => getComputedStyle(each).position") == "static"
    expect(nora.page.get_by_label("Drawers per reply")).to_have_value("7")


def test_message_can_be_edited_and_branches_switched(nora, chat_model):
    chat_model.reply_with("The first reply.")
    chat_model.reply_with("The other reply.")
    reply = start_chat(nora, "One question")
    expect(reply).to_contain_text("The first reply.")
    nora.follow("Edit")
    nora.write("Message", "Another question")
    nora.press("Send")
    expect(reply).to_contain_text("The other reply.")
    nora.press("Previous version")
    expect(reply).to_contain_text("The first reply.")
    nora.press("Next version")
    expect(reply).to_contain_text("The other reply.")


def test_slow_reply_can_be_checked_and_stopped(nora, chat_model):
    chat_model.reply_slowly()
    reply = start_chat(nora, "Tell me a lot")
    draft = nora.page.locator(".message-draft")
    expect(draft).to_contain_text("word0")
    before = len(draft.inner_text())
    nora.page.wait_for_timeout(1_000)
    nora.press("Check progress")
    assert len(draft.inner_text()) > before
    nora.press("Stop")
    expect(reply).to_contain_text("You stopped this reply.")
    expect(reply).to_contain_text("word0 word1")
