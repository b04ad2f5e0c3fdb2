"""Chats by mouse: sending, stopping, asking again, branches, sources, tools, and what is said aloud."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat.talker import Talker
from tests.browser.chat.talking import answered, ask, box, growing, keep_note, send
from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor

CAT = "My cat is called Minka and sleeps on the cello case."
QUESTION = "What is my cat called?"
HEARD = """() => {
  const status = document.getElementById("chat-status");
  window.heard = [];
  const hear = () => window.heard.push(status.textContent);
  new MutationObserver(hear).observe(status, { childList: true });
}"""
"""Keeps what a screen reader is told from now on."""


@pytest.fixture(scope="module")
def ines(arrive: Arrive) -> Visitor:
    """Somebody with a note in the palace."""
    ines = arrive(permissions=["clipboard-read", "clipboard-write"])
    ines.sign_up("Ines")
    keep_note(ines, CAT)
    return ines


@pytest.fixture(autouse=True)
def nothing_to_complain_about(ines: Visitor) -> Iterator[None]:
    """No page breaks the content policy, logs an error or asks another host."""
    yield
    assert ines.complaints == []


@pytest.fixture
def page(ines: Visitor) -> Page:
    ines.go("/chat/")
    return ines.page


def test_a_reply_is_laid_out_copied_and_said_aloud_once(ines: Visitor, page: Page) -> None:
    reply = ask(ines, "How do I bake?")
    expect(reply.get_by_role("heading", name="Rye bread")).to_be_visible()
    expect(reply.locator("strong")).to_have_text("plan")
    expect(page.locator("#chat-status")).to_contain_text("The reply is here: Rye bread")
    reply.get_by_role("button", name="Copy").click()
    expect(reply.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").strip() == "bake(hours=2)"
    expect(reply.locator(".expense")).to_contain_text(
        re.compile(r"test-model · \d+ tokens read, \d+ written · 0\.\d+ USD")
    )
    expect(box(page)).to_have_value("")
    ines.go("/chat/")
    expect(box(page)).to_have_value("")


def test_no_word_of_a_draft_is_lost_and_a_reload_goes_on(page: Page, talker: Talker) -> None:
    talker.says_slowly()
    send(page, "Tell me a lot")
    assert growing(page).inner_text().startswith("word0 word1 word2 word3")
    expect(page.locator("#chat-status")).to_have_text("A reply is being written.")
    page.reload()
    assert growing(page).inner_text().startswith("word0 word1 word2 word3")
    expect(growing(page, "word30 ")).to_contain_text("word29 word30")
    page.get_by_role("button", name="Stop").click()
    reply = answered(page)
    expect(reply).to_contain_text("You stopped this reply.")
    expect(reply).to_contain_text("word0 word1")
    expect(reply.locator(".expense")).to_contain_text("test-model")


def test_tools_stand_in_the_chat_with_what_they_gave(ines: Visitor, page: Page, talker: Talker) -> None:
    talker.uses("recall_memory", query=QUESTION)
    talker.uses("save_note", text="Anton teaches me the cello.", subject="Cello")
    talker.says("She is Minka, and Anton is noted.")
    ask(ines, "Look it up, and note that Anton teaches me the cello.")
    looked = page.locator(".message-tool").first
    expect(looked.locator("summary")).to_contain_text(QUESTION)
    looked.locator("summary").click()
    expect(looked.locator("li.source").first).to_contain_text("Minka")
    note = page.locator(".tool-note")
    expect(note).to_contain_text("Kept a note for you")
    expect(note).to_contain_text("Anton teaches me the cello.")
    note.get_by_role("link").click()
    expect(page.locator(".said-here blockquote")).to_have_text("Anton teaches me the cello.")


def test_a_tool_at_work_is_told_and_read_out_also_after_a_reload(
    ines: Visitor, page: Page, talker: Talker
) -> None:
    talker.says("Yes?")
    ask(ines, "Hello")
    page.evaluate(HEARD)
    talker.uses("recall_memory", query=QUESTION)
    talker.says_slowly()
    send(page, "Look it up")
    growing(page)
    expect(page.locator("[data-doing]")).to_contain_text("Looked into memory")
    assert any("Looking into memory" in words for words in page.evaluate("window.heard"))
    page.reload()
    growing(page)
    expect(page.locator("[data-doing]")).to_contain_text("Looked into memory")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".message-notice").last).to_contain_text("You stopped this reply.")


def test_a_chat_is_renamed_found_by_its_words_deleted_and_brought_back(
    ines: Visitor, page: Page, talker: Talker
) -> None:
    talker.says("Cormorants dry their wings.")
    ask(ines, "Tell me of a bird")
    address = page.url
    page.get_by_role("button", name="This chat").click()
    page.get_by_role("link", name="Rename").click()
    page.get_by_role("textbox", name="Title").fill("鵜 <b>birds</b>")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("鵜 <b>birds</b>")
    page.get_by_role("searchbox", name="Search your chats").fill("cormorants wings")
    page.keyboard.press("Enter")
    found = page.locator(".chat-link")
    expect(found).to_have_count(1)
    expect(found).to_contain_text("Cormorants dry their wings.")
    found.click()
    page.get_by_role("button", name="This chat").click()
    page.get_by_role("link", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("The chat was deleted.")
    expect(page.locator(".chat-link").filter(has_text="鵜")).to_have_count(0)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page).to_have_url(address)
    expect(answered(page)).to_contain_text("Cormorants")


def test_words_that_were_not_sent_outlast_a_reload(ines: Visitor, page: Page) -> None:
    ask(ines, "Hello")
    box(page).fill("Half a thou")
    page.reload()
    expect(box(page)).to_have_value("Half a thou")
    box(page).fill("")
    page.reload()
    expect(box(page)).to_have_value("")


def test_an_agent_has_its_own_instructions_and_say_on_memory(
    ines: Visitor, page: Page, talker: Talker
) -> None:
    ines.go("/chat/agents/new/")
    page.get_by_label("Name", exact=True).fill("Skipper")
    page.get_by_label("Instructions").fill("You are the skipper of the Kittiwake.")
    page.get_by_label("Use memory in its replies").uncheck()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("listitem").filter(has_text="Skipper").get_by_role("link", name="Chat").click()
    send(page, QUESTION)
    expect(answered(page).locator(".sources")).to_have_count(0)
    told = talker.replies[-1]["messages"][0]["content"]
    assert told.startswith("You are the skipper of the Kittiwake.")
    assert "Minka" not in told
