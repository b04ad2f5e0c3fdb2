"""Chats by keyboard, and the essential flows also on a phone."""

import re

import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.chat.talking import box, draft_with, finished_reply
from tests.browser.visitors import drop_file
from tests.browser.walks.hands import Fingers

CAT = "My cat is called Minka and sleeps on the cello case."
QUESTION = "What is my cat called?"
WIDE = "Donau" + "dampfschifffahrts" * 20
ANNOUNCED = """() => {
  const status = document.getElementById("chat-status");
  window.announced = [];
  new MutationObserver(() => window.announced.push(status.textContent)).observe(status, { childList: true });
}"""
PLACE = "(text) => text.getBoundingClientRect().top + text.closest('[data-follow]').scrollTop"


@pytest.fixture(scope="module")
def kari(new_walker):
    """A user with one note."""
    kari = new_walker("Kari")
    kari.note(CAT)
    return kari


def ask(walker, words, number=1):
    """Send a message and return the reply, the last of `number`."""
    walker.write("Message", words)
    walker.press("Send")
    return finished_reply(walker.page, number)


def ask_anew(walker, words=QUESTION):
    """Send a message in a new chat and return the reply."""
    walker.go("/chat/")
    return ask(walker, words)


def open_panel(walker, name):
    """On a phone, press the button that shows a panel beside the chat."""
    if isinstance(walker.hand, Fingers):
        walker.hand.press(walker.page, walker.page.get_by_role("button", name=name, exact=True))


def delete(walker):
    """Delete the open chat."""
    open_panel(walker, "This chat")
    walker.hand.press(walker.page, walker.page.get_by_role("link", name="Delete", exact=True))
    walker.press("Delete")
    walker.notice("Chat deleted.")


@pytest.mark.phone
def test_feedback_on_sources_can_be_given_and_undone(kari, chat_model):
    chat_model.reply_with(f"{WIDE}\n\n```\n{WIDE}\n```\n\n| a | b |\n|---|---|\n| {WIDE} | c |")
    reply = ask_anew(kari)
    source = reply.locator("li.source").filter(has_text="cello case")
    kari.open("Recalled", within=reply)
    kari.press("Not relevant", within=source)
    expect(source).to_contain_text("it ranks lower when you ask something similar")
    kari.press("Undo", within=source)
    kari.press("Pin", within=source)
    kari.press("Pinned · undo", within=source)
    expect(source.get_by_role("button", name="Pin", exact=True)).to_be_visible()
    kari.press("Forget", within=source)
    expect(reply.locator("li.source").first).to_contain_text("Forgotten.")
    kari.press("Undo", within=reply.locator("li.source").first)
    expect(reply.locator("li.source").first).to_contain_text("Restored.")
    kari.page.reload()
    kari.open("Recalled", within=reply)
    expect(source.get_by_role("button", name="Not relevant")).to_be_visible()


def test_marking_a_source_wrong_can_be_undone(kari):
    reply = ask_anew(kari)
    kari.open("Recalled", within=reply)
    kari.follow("Wrong", within=reply)
    kari.write("What is right?", "She is called Mimi.")
    kari.press("Mark as wrong")
    source = finished_reply(kari.page).locator("li.source").filter(has_text="cello case")
    kari.open("Recalled", within=finished_reply(kari.page))
    expect(source.locator(".source-remark")).to_contain_text("She is called Mimi.")
    kari.press("Undo", within=source)
    expect(source.get_by_role("link", name="Wrong")).to_be_visible()


def test_pointer_in_a_reply_links_to_its_drawer(kari, chat_model):
    chat_model.reply_with("It is Minka, § W-001/R-01/D-001, not § W-900/R-01/D-001.")
    text = ask_anew(kari).locator(".message-text")
    expect(text.get_by_role("link")).to_have_count(1)
    expect(text).to_contain_text("not § W-900/R-01/D-001 (unknown)")
    kari.follow("1", within=text)
    expect(kari.page.locator(".said-here blockquote")).to_have_text(CAT)
    kari.page.go_back()
    expect(text).to_contain_text("It is Minka")


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
    kari.hand.press(page, page.get_by_role("button", name="Stop"))
    expect(finished_reply(page)).to_contain_text("You stopped this reply.")
    assert finished_reply(page).locator(".message-text").evaluate(PLACE) == pytest.approx(place, abs=1)
    chat_model.reply_with("The second reply.")
    kari.press("Retry", within=finished_reply(page))
    expect(finished_reply(page)).to_contain_text("The second reply.")
    kari.press("Previous version")
    expect(finished_reply(page)).to_contain_text("You stopped this reply.")
    kari.press("Next version")
    expect(finished_reply(page)).to_contain_text("The second reply.")


def test_edited_message_starts_a_branch(kari, chat_model):
    page = kari.page
    said = page.locator(".message-user")
    chat_model.reply_with("The first reply.")
    chat_model.reply_with("Another reply.")
    ask_anew(kari, "One question")
    kari.follow("Edit")
    ask(kari, "Another question")
    expect(said).to_contain_text("Another question")
    kari.press("Previous version")
    expect(finished_reply(page)).to_contain_text("The first reply.")
    page.reload()
    expect(said).to_contain_text("One question")
    kari.press("Next version")
    expect(finished_reply(page)).to_contain_text("Another reply.")


@pytest.mark.phone
def test_chat_can_be_renamed_found_deleted_and_restored(kari, chat_model):
    page = kari.page
    name = kari.unique_name("鵜 <b>birds</b>")
    words = kari.unique_name("cormorants")
    chat_model.reply_with(f"The {words} dry their wings.")
    ask_anew(kari, "Tell me of a bird")
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
    delete(kari)
    kari.undo()
    expect(page).to_have_url(chat)
    expect(finished_reply(page)).to_contain_text(words)


def test_recall_and_saving_can_be_switched_off_per_chat(kari):
    page = kari.page
    kari.go("/chat/")
    kari.check(page.get_by_label("Use memory"))
    kari.check(page.get_by_label("Save to memory"))
    reply = ask(kari, QUESTION)
    expect(reply.locator(".sources")).to_have_count(0)
    expect(page.locator("#remembered")).to_contain_text("This chat is not saved to memory.")
    kari.check(page.get_by_label("Use memory in this chat"))
    expect(ask(kari, QUESTION, 2).locator(".sources > summary")).to_contain_text("Recalled")


def test_closed_incognito_chat_is_gone(kari):
    kari.go("/chat/")
    kari.follow("Incognito")
    kari.shows("New incognito chat")
    composer = kari.page.locator("#composer").bounding_box()
    assert composer["y"] + composer["height"] == kari.page.viewport_size["height"], "it stands at the bottom"
    reply = ask(kari, QUESTION)
    expect(kari.page).to_have_title(re.compile("Incognito chat"))
    expect(kari.page.locator("#remembered")).to_contain_text("Incognito: nothing of this chat")
    expect(reply.locator(".sources")).to_have_count(0)
    chat = kari.wait_for_url(r"/chat/[0-9a-f-]{36}/")
    kari.press("Close and erase")
    kari.wait_for_url(r"/chat/$")
    kari.go(chat)
    kari.shows("Page not found")
    expect(kari.page.get_by_role("navigation", name="Main")).to_be_visible()


@pytest.mark.drill
def test_spent_budget_stops_the_model_until_the_setting_is_undone(kari):
    ask_anew(kari, "Hello")
    kari.go("/memory/settings/")
    kari.write("Monthly budget in US dollars", "0.01")
    kari.press("Save")
    kari.notice("Saved.")
    expect(ask_anew(kari)).to_contain_text("This month’s budget is spent")
    kari.go("/memory/activity/cost/")
    kari.shows("This month’s budget of 0.01 USD is spent.")
    kari.shows("test-model")
    kari.go("/memory/activity/")
    kari.press("Undo")
    kari.notice("Undone.")
    expect(ask_anew(kari)).to_contain_text("That is all.")


def test_reply_is_formatted_announced_copyable_and_shows_its_cost(kari):
    page = kari.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reply = ask_anew(kari, "How do I bake?")
    expect(reply.get_by_role("heading", name="Rye bread")).to_be_visible()
    expect(reply.locator("strong")).to_have_text("plan")
    expect(page.locator("#chat-status")).to_contain_text("The reply is here: Rye bread")
    expect(page.locator("#chat-status")).to_contain_text("bake(hours=2)")
    expect(page.locator("#chat-status")).not_to_contain_text("Copy")
    kari.press("Copy", within=reply)
    expect(reply.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").strip() == "bake(hours=2)"
    expect(reply.locator(".expense")).to_contain_text(
        re.compile(r"test-model · \d+ tokens in, \d+ out · 0\.\d+ USD")
    )
    kari.write("Message", "Half a thou")
    for _ in range(2):
        page.reload()
        kari.hand.wait_until_idle(page)
        expect(box(page)).to_have_value("Half a thou")
    expect(page.locator("#chat-status")).to_be_empty()
    box(page).clear()


def test_tool_calls_are_announced_and_shown_with_their_results(kari, chat_model):
    page = kari.page
    chat_model.reply_with("Yes?")
    ask_anew(kari, "Hello")
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
    kari.hand.press(page, page.get_by_role("button", name="Stop"))
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
    drop_file(page, ".messages", "photo.png", "\0")
    trouble = page.locator("#file-trouble")
    expect(trouble).to_have_text("“photo.png” is not a text file.")
    drop_file(page, ".messages", "log.txt", "x" * 400_001)
    expect(trouble).to_have_text("“log.txt” is larger than 400 kB. Attach a part of it.")
    drop_file(page, ".messages", "knot.md", "# knot")
    expect(trouble).to_be_empty()
    names = ("oars.md", "rope.md", "bell.md", "knot.md")
    expect(chips).to_have_text([re.compile(name) for name in names])
    kari.press("rope.md Remove")
    expect(chips).to_have_count(3)
    expect(chips.nth(1)).to_be_focused()
    kari.write("Message", "Read these")
    kari.press("Send")
    finished_reply(page)
    kept = [re.compile(name) for name in ("oars.md", "bell.md", "knot.md")]
    expect(page.locator(".message-file summary")).to_have_text(kept)
    expect(page.locator(".message-user .message-text")).to_have_text("Read these")


def test_files_stay_attached_when_a_message_is_rejected_or_edited(kari):
    page = kari.page
    kari.go("/chat/")
    page.get_by_label("Attach text files").set_input_files(
        [FilePayload(name="oars.md", mimeType="", buffer=b"# oars\n\nash")]
    )
    page.evaluate("document.querySelector('#composer form').noValidate = true")
    kari.press("Send")
    expect(page.locator("#composer-trouble")).to_contain_text("Write something first.")
    kept = page.get_by_role("checkbox", name="oars.md")
    expect(kept).to_be_checked()
    ask(kari, "Read this")
    kari.go(page.url)
    kari.follow("Edit")
    expect(box(page)).to_have_value("Read this")
    expect(kept).to_be_checked()
    ask(kari, "Read that")
    expect(page.locator(".message-file pre")).to_have_text("# oars\n\nash")


def test_composer_of_a_new_chat_has_one_row_of_choices(kari):
    kari.go("/chat/")
    send = kari.page.get_by_role("button", name="Send").bounding_box()
    for choice in (kari.page.get_by_label("Model"), kari.page.get_by_label("Project")):
        assert send["y"] <= choice.bounding_box()["y"] <= send["y"] + send["height"]


def test_swapping_a_styled_element_sets_no_inline_style(kari):
    ask_anew(kari, "Hello")
    styled = kari.page.locator("#remembered")
    styled.evaluate("each => { each.style.color = 'red'; each.style.color = ''; }")
    ask(kari, "Hello again", 2)
    expect(styled).not_to_have_attribute("style", "")
    assert kari.visitor.complaints == []


def test_agent_uses_its_instructions_and_no_memory(kari, chat_model):
    kari.go("/chat/agents/new/")
    kari.write("Name", "Skipper")
    kari.write("Instructions", "You are the skipper of the Kittiwake.")
    kari.check(kari.page.get_by_label("Use memory in its replies"))
    kari.press("Create agent")
    kari.follow("Chat", within=kari.page.get_by_role("listitem").filter(has_text="Skipper"))
    expect(ask(kari, QUESTION).locator(".sources")).to_have_count(0)
    system = chat_model.replies[-1]["messages"][0]["content"]
    assert system.startswith("You are the skipper of the Kittiwake.")
    assert "Minka" not in system


def test_shortcuts_stop_a_reply_and_edit_the_message(kari, chat_model):
    page = kari.page
    chat_model.reply_slowly()
    kari.go("/chat/")
    expect(box(page)).to_be_focused()
    page.keyboard.type("Tell me a lot")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("of cranks")
    page.keyboard.press("Enter")
    draft_with(page)
    page.keyboard.press("Escape")
    expect(finished_reply(page)).to_contain_text("You stopped this reply.")
    assert page.locator(".message-user .message-text").inner_text().count("\n") == 1
    box(page).focus()
    page.keyboard.press("ArrowUp")
    expect(page).to_have_url(re.compile(r"/messages/1/edit/$"))


def test_shortcuts_search_the_list_and_undo(kari):
    page = kari.page
    ask_anew(kari, "Of pedals")
    page.evaluate("document.activeElement.blur()")
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
    delete(kari)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("u")
    expect(page.locator(".message-user")).to_contain_text("Of pedals")


@pytest.mark.phone
def test_long_reply_stays_scrolled_to_its_beginning(kari, chat_model):
    page = kari.page
    chat_model.reply_with("The first line of many.\n\n" + "And so on, and on, and on.\n\n" * 60)
    ask_anew(kari, "Tell me all of it")
    first = page.get_by_text("The first line of many.").first
    expect(first).to_be_in_viewport()
    expect(page.locator(".message-user")).to_be_in_viewport()
    page.reload()
    expect(first).to_be_in_viewport()
    ask(kari, "And once more", 2)
    expect(page.locator(".message-user").last).to_be_in_viewport()
    expect(first).not_to_be_in_viewport()


def test_choosing_an_agent_shows_its_model(new_walker):
    poul = new_walker("Poul")
    poul.go("/chat/agents/new/")
    poul.write("Name", "Poet")
    poul.write("Model", "poet-1")
    poul.press("Create agent")
    poul.wait_for_url(r"/chat/agents/$")
    poul.go("/chat/")
    model = poul.page.locator("#composer-model")
    expect(model).to_contain_text("test-model")
    poul.hand.choose(poul.page, poul.page.get_by_role("combobox", name="Agent", exact=True), "Poet")
    expect(model.locator("option:checked")).to_have_text("poet-1")
