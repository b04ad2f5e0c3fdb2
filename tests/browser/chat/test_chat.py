"""Chats by keyboard, and the essential flows also on a phone."""

import re

import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.chat.talking import ask, ask_on, box, delete_chat, draft_with, finished_reply, open_panel

CAT = "My cat is called Minka and sleeps on the cello case."
QUESTION = "What is my cat called?"
WIDE = "Donau" + "dampfschifffahrts" * 20
ANNOUNCED = """() => {
  const status = document.getElementById("chat-status");
  window.announced = [];
  new MutationObserver(() => window.announced.push(status.textContent)).observe(status, { childList: true });
}"""
PLACE = "(text) => text.getBoundingClientRect().top + text.closest('[data-follow]').scrollTop"
BLUR = "document.activeElement.blur()"


@pytest.fixture(scope="module")
def kari(new_walker):
    """A user with one note."""
    kari = new_walker("Kari")
    kari.note(CAT)
    return kari


@pytest.mark.phone
def test_feedback_on_sources_can_be_given_and_undone(kari, chat_model):
    chat_model.reply_with(f"{WIDE}\n\n```\n{WIDE}\n```\n\n| a | b |\n|---|---|\n| {WIDE} | c |")
    reply = ask(kari, QUESTION)
    source = reply.locator("li.source").filter(has_text="cello case")
    kari.open("Recalled", within=reply)
    kari.press("Not relevant", within=source)
    expect(source).to_contain_text("it ranks lower when you ask something similar")
    kari.press("Undo", within=source)
    kari.press("Pin", within=source)
    kari.press("Pinned · undo", within=source)
    expect(source.get_by_role("button", name="Pin", exact=True)).to_be_visible()
    kari.press("Forget", within=source)
    first = reply.locator("li.source").first
    expect(first).to_contain_text("Forgotten.")
    kari.press("Undo", within=first)
    expect(first).to_contain_text("Restored.")
    kari.page.reload()
    kari.open("Recalled", within=reply)
    kari.follow("Wrong", within=source)
    kari.write("What is right?", "She is called Mimi.")
    kari.press("Mark as wrong")
    kari.open("Recalled", within=reply)
    expect(source.locator(".source-remark")).to_contain_text("She is called Mimi.")
    kari.press("Undo", within=source)
    expect(source.get_by_role("link", name="Wrong")).to_be_visible()


@pytest.mark.phone
def test_slow_reply_survives_a_reload_and_can_be_stopped_and_retried(kari, chat_model):
    page = kari.page
    chat_model.reply_slowly()
    kari.go("/chat/")
    kari.write("Message", "Tell me a lot")
    kari.press("Send")
    assert draft_with(page).inner_text().startswith("word0 word1 word2 word3")
    expect(page.locator("#chat-status")).to_have_text("A reply is being written.")
    page.reload()
    assert draft_with(page).inner_text().startswith("word0 word1 word2 word3")
    place = draft_with(page).evaluate(PLACE)
    kari.press("Stop")
    expect(finished_reply(page)).to_contain_text("You stopped this reply.")
    assert finished_reply(page).locator(".message-text").evaluate(PLACE) == pytest.approx(place, abs=1)
    chat_model.reply_with("The second reply.")
    kari.press("Retry", within=finished_reply(page))
    expect(finished_reply(page)).to_contain_text("The second reply.")
    kari.press("Previous version")
    expect(finished_reply(page)).to_contain_text("You stopped this reply.")
    kari.press("Next version")
    expect(finished_reply(page)).to_contain_text("The second reply.")


@pytest.mark.phone
def test_chat_can_be_renamed_found_deleted_and_restored(kari, chat_model):
    page, name, words = kari.page, "鵜 <b>birds</b>", "cormorants"
    chat_model.reply_with(f"The {words} dry their wings.")
    ask(kari, "Tell me of a bird")
    chat = kari.wait_for_url(r"/chat/[0-9a-f-]{36}/")
    kari.write("Title", name)
    page.keyboard.press("Enter")
    kari.notice("Chat renamed.")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    open_panel(kari, "Menu")
    kari.hand.write(page, page.get_by_role("searchbox", name="Search your chats"), words)
    page.keyboard.press("Enter")
    kari.wait_for_url(r"\?q=")
    open_panel(kari, "Menu")
    expect(page.locator(".chat-link")).to_have_count(1)
    kari.hand.press(page, page.locator(".chat-link"))
    delete_chat(kari)
    kari.undo()
    expect(page).to_have_url(chat)
    expect(finished_reply(page)).to_contain_text(words)


def test_closed_incognito_chat_is_gone(kari):
    page = kari.page
    kari.go("/chat/")
    kari.follow("Incognito")
    kari.shows("New incognito chat")
    composer = page.locator("#composer").bounding_box()
    assert composer["y"] + composer["height"] == page.viewport_size["height"], "it stands at the bottom"
    reply = ask_on(kari, QUESTION)
    expect(page).to_have_title(re.compile("Incognito chat"))
    expect(page.locator("#remembered")).to_contain_text("Incognito: nothing of this chat")
    expect(reply.locator(".sources")).to_have_count(0)
    chat = kari.wait_for_url(r"/chat/[0-9a-f-]{36}/")
    kari.press("Close and erase")
    kari.wait_for_url(r"/chat/$")
    assert kari.go(chat) == 404
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()


def test_reply_is_formatted_announced_copyable_and_shows_its_cost(kari):
    page, status = kari.page, kari.page.locator("#chat-status")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reply = ask(kari, "How do I bake?")
    expect(reply.get_by_role("heading", name="Rye bread")).to_be_visible()
    expect(reply.locator("strong")).to_have_text("plan")
    expect(status).to_contain_text("The reply is here: Rye bread")
    expect(status).to_contain_text("bake(hours=2)")
    expect(status).not_to_contain_text("Copy")
    kari.press("Copy", within=reply)
    expect(reply.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").strip() == "bake(hours=2)"
    cost = re.compile(r"test-model · \d+ tokens in, \d+ out · 0\.\d+ USD")
    expect(reply.locator(".expense")).to_contain_text(cost)
    styled = page.locator("#remembered")
    styled.evaluate("each => { each.style.color = 'red'; each.style.color = ''; }")
    ask_on(kari, "Hello again", 2)
    expect(styled).not_to_have_attribute("style", "")
    kari.write("Message", "Half a thou")
    for _ in range(2):
        page.reload()
        expect(box(kari)).to_have_value("Half a thou")
    expect(status).to_be_empty()
    box(kari).clear()


def test_tool_calls_are_announced_and_shown_with_their_results(kari, chat_model):
    page = kari.page
    ask(kari, "Hello")
    page.evaluate(ANNOUNCED)
    chat_model.call_tool("recall_memory", query=QUESTION)
    chat_model.call_tool("save_note", text="Anton teaches me the cello.", subject="Cello")
    chat_model.reply_slowly()
    kari.write("Message", "Look it up, and note that Anton teaches me the cello.")
    kari.press("Send")
    draft_with(page)
    announced = page.evaluate("window.announced")
    assert any("Searching memory" in words or "Searched memory" in words for words in announced), announced
    page.reload()
    draft_with(page)
    expect(page.locator("[data-doing]")).to_contain_text("Searched memory")
    kari.press("Stop")
    finished_reply(page, 2)
    searched = page.locator(".message-tool").first
    kari.open(QUESTION, within=searched)
    expect(searched.locator("li.source").first).to_contain_text("Minka")
    expect(page.locator(".tool-note")).to_contain_text("Saved a note for you")
    kari.hand.press(page, page.locator(".tool-note").get_by_role("link"))
    expect(page.locator(".said-here blockquote")).to_have_text("Anton teaches me the cello.")


def test_attached_files_are_checked_when_chosen_and_can_be_dropped_and_removed(kari):
    page = kari.page
    kari.go("/chat/")
    chips = page.get_by_role("group", name="Attached files").get_by_role("button")
    for names in (("oars.md", "rope.md"), ("bell.md",)):
        files = [FilePayload(name=each, mimeType="", buffer=f"# {each}".encode()) for each in names]
        page.get_by_label("Attach text files").set_input_files(files)
    kari.drop_file(".messages", "photo.png", "\0")
    trouble = page.locator("#file-trouble")
    expect(trouble).to_have_text("“photo.png” is not a text file.")
    kari.drop_file(".messages", "log.txt", "x" * 400_001)
    expect(trouble).to_have_text("“log.txt” is larger than 400 kB. Attach a part of it.")
    kari.drop_file(".messages", "knot.md", "# knot")
    expect(trouble).to_be_empty()
    names = ("oars.md", "rope.md", "bell.md", "knot.md")
    expect(chips).to_have_text([re.compile(name) for name in names])
    kari.press("rope.md Remove")
    expect(chips).to_have_count(3)
    expect(chips.nth(1)).to_be_focused()
    page.evaluate("document.querySelector('#composer form').noValidate = true")
    kari.press("Send")
    expect(page.locator("#composer-trouble")).to_contain_text("Write something first.")
    expect(page.get_by_role("checkbox", name="oars.md")).to_be_checked()
    ask_on(kari, "Read these")
    kept = [re.compile(name) for name in ("oars.md", "bell.md", "knot.md")]
    expect(page.locator(".message-file summary")).to_have_text(kept)
    expect(page.locator(".message-user .message-text")).to_have_text("Read these")


def test_composer_has_one_row_and_shows_the_model_of_the_chosen_agent(kari):
    kari.go("/chat/agents/new/")
    kari.write("Name", "Poet")
    kari.write("Model", "poet-1")
    kari.press("Create agent")
    kari.wait_for_url(r"/chat/agents/$")
    kari.go("/chat/")
    model = kari.page.locator("#composer-model")
    expect(model).to_contain_text("test-model")
    row = kari.page.get_by_role("button", name="Send").bounding_box()
    for choice in (model, kari.page.get_by_label("Project")):
        assert row["y"] <= choice.bounding_box()["y"] <= row["y"] + row["height"]
    kari.hand.choose(kari.page, kari.page.get_by_role("combobox", name="Agent", exact=True), "Poet")
    expect(model.locator("option:checked")).to_have_text("poet-1")


def test_shortcuts_stop_a_reply_and_edit_the_message_which_starts_a_branch(kari, chat_model):
    page = kari.page
    said = page.locator(".message-user .message-text")
    chat_model.reply_slowly()
    kari.go("/chat/")
    expect(box(kari)).to_be_focused()
    page.keyboard.type("Tell me a lot")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("of cranks")
    page.keyboard.press("Enter")
    draft_with(page)
    page.keyboard.press("Escape")
    expect(finished_reply(page)).to_contain_text("You stopped this reply.")
    assert said.inner_text().count("\n") == 1
    box(kari).focus()
    page.keyboard.press("ArrowUp")
    kari.wait_for_url(r"/messages/1/edit/$")
    ask_on(kari, "Another question")
    expect(said).to_have_text("Another question")
    kari.press("Previous version")
    expect(finished_reply(page)).to_contain_text("You stopped this reply.")
    expect(said).to_contain_text("of cranks")


def test_shortcuts_search_the_list_and_undo(kari):
    page = kari.page
    ask(kari, "Of pedals")
    page.evaluate(BLUR)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search your chats")).to_be_focused()
    page.keyboard.type("pedals")
    page.keyboard.press("Enter")
    kari.wait_for_url(r"\?q=pedals")
    expect(page.locator(".chat-link")).to_have_count(1)
    kari.hand.wait_until_idle(page)
    page.keyboard.press("j")
    expect(page.locator(".chat-link")).to_be_focused()
    page.keyboard.press("Enter")
    delete_chat(kari)
    page.evaluate(BLUR)
    page.keyboard.press("u")
    expect(page.locator(".message-user")).to_contain_text("Of pedals")


@pytest.mark.phone
def test_long_reply_stays_scrolled_to_its_beginning(kari, chat_model):
    page = kari.page
    chat_model.reply_with("The first line of many.\n\n" + "And so on, and on, and on.\n\n" * 60)
    ask(kari, "Tell me all of it")
    first = page.get_by_text("The first line of many.").first
    expect(first).to_be_in_viewport()
    expect(page.locator(".message-user")).to_be_in_viewport()
    page.reload()
    expect(first).to_be_in_viewport()
    ask_on(kari, "And once more", 2)
    expect(page.locator(".message-user").last).to_be_in_viewport()
    expect(first).not_to_be_in_viewport()
