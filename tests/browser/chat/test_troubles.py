"""Failing chats, chats in two windows and without scripts: correct messages and no loss of input."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.chat.talking import (
    ask,
    box,
    draft_with,
    finished_reply,
    keep_note,
    open_options,
    send,
)
from tests.openai_answers import Behaviour

NETWORK = re.compile(r"net::ERR_|Failed to load|htmx:(?:send|sse)Error|htmx:afterRequest|object Event")
LAMP = "My lighthouse is called Skerryvore."
QUESTION = "What is my lighthouse called?"


@pytest.fixture(scope="module")
def olga(new_visitor):
    """A user with a note, whose pages may log network errors."""
    olga = new_visitor()
    olga.sign_up("Olga")
    keep_note(olga, LAMP)
    yield olga
    olga.complaints = [each for each in olga.complaints if not NETWORK.search(each)]


@pytest.fixture
def page(olga):
    olga.go("/chat/")
    return olga.page


@pytest.mark.drill
@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (Behaviour(status=403), "The key may not use this model (403)."),
        (Behaviour(status=500), "The model endpoint failed (500)."),
        (Behaviour(status=429, retry_after="7"), "Try again in 7 seconds."),
    ],
)
def test_failing_model_gives_a_reply_from_memory_with_the_reason(olga, page, chat_model, behaviour, words):
    chat_model.script(*(behaviour for _ in range(6)))
    reply = ask(olga, QUESTION)
    expect(reply.get_by_text("From memory only")).to_be_visible()
    expect(reply.get_by_text(words)).to_have_count(1)
    expect(reply.locator("blockquote").first).to_contain_text("Skerryvore")
    chat_model.clear_script()
    reply.get_by_role("button", name="Retry").click()
    expect(finished_reply(page).get_by_role("heading", name="Rye bread")).to_be_visible()


@pytest.mark.drill
def test_interrupted_reply_is_kept_in_part(page, chat_model):
    chat_model.reply_with("Half of a reply that never ends", cut_after=3)
    send(page, "Hello")
    reply = finished_reply(page)
    expect(reply).to_contain_text("Half of a")
    expect(reply.locator(".message-notice")).to_contain_text("The reply breaks off here.")
    expect(page.locator("#chat-status")).to_contain_text("The reply was interrupted.")


@pytest.mark.drill
def test_message_written_offline_can_be_sent_later(olga, page):
    ask(olga, "Hello")
    olga.context.set_offline(True)
    box(page).fill("Nobody hears me")
    box(page).press("Enter")
    expect(page.locator(".toast")).to_contain_text("The server cannot be reached.")
    expect(box(page)).to_have_value("Nobody hears me")
    olga.context.set_offline(False)
    box(page).press("Enter")
    expect(page.locator(".message-user")).to_have_count(2)
    finished_reply(page, 2)


@pytest.mark.drill
def test_killed_server_interrupts_the_reply_with_a_notice(site, page, chat_model):
    chat_model.reply_slowly()
    send(page, "Tell me a lot")
    draft_with(page, "word12 ")
    site.kill_web()
    lost = page.locator("[data-lost]")
    expect(lost).to_be_visible()
    expect(lost).to_contain_text("Connection lost.")
    expect(page.locator("#chat-status")).to_contain_text("Connection lost.")
    expect(page.locator(".message-draft")).to_contain_text("word12")
    reply = finished_reply(page)
    expect(reply).to_contain_text("word0 word1 word2")
    expect(reply.locator(".message-notice")).to_contain_text("The reply was interrupted.")
    reply.get_by_role("button", name="Retry").click()
    expect(finished_reply(page).get_by_role("heading", name="Rye bread")).to_be_visible()


@pytest.fixture(scope="module")
def tove(new_visitor):
    """A user with several windows."""
    tove = new_visitor()
    tove.sign_up("Tove")
    return tove


@pytest.fixture
def other(tove):
    """A second window with the same chat, which has one reply."""
    ask(tove, "Hello")
    other = tove.context.new_page()
    other.goto(tove.page.url)
    finished_reply(other)
    yield other
    other.close()


def test_stale_window_shows_newer_messages_before_sending(tove, other):
    send(other, "Said elsewhere")
    finished_reply(other, 2)
    page = tove.page
    box(page).fill("Said here")
    box(page).press("Enter")
    expect(page.get_by_role("alert").filter(has_text="continued in another window")).to_be_visible()
    expect(page.locator(".message-user")).to_contain_text(["Hello", "Said elsewhere"])
    expect(box(page)).to_have_value("Said here")
    expect(box(page)).to_be_focused()
    box(page).press("Enter")
    expect(page.locator(".message-user")).to_have_count(3)
    finished_reply(page, 3)
    expect(page.get_by_text("continued in another window")).to_have_count(0)


def test_reply_written_in_another_window_is_followed(tove, other, chat_model):
    chat_model.reply_slowly()
    send(other, "Tell me a lot")
    draft_with(other)
    page = tove.page
    box(page).fill("Said meanwhile")
    box(page).press("Enter")
    draft_with(page)
    expect(box(page)).to_have_value("Said meanwhile")
    page.get_by_role("button", name="Stop").click()
    expect(finished_reply(page, 2)).to_contain_text("You stopped this reply.")
    expect(finished_reply(other, 2)).to_contain_text("You stopped this reply.")
    box(page).press("Enter")
    finished_reply(page, 3)


def test_sending_to_a_chat_deleted_elsewhere_keeps_the_message(tove, other):
    open_options(other)
    other.get_by_role("link", name="Delete", exact=True).click()
    other.get_by_role("button", name="Delete").click()
    expect(other.locator(".toast")).to_contain_text("Chat deleted.")
    page = tove.page
    box(page).fill("Are you still there?")
    box(page).press("Enter")
    expect(page.locator(".toast")).to_contain_text("This no longer exists.")
    expect(box(page)).to_have_value("Are you still there?")
    other.locator(".toast").get_by_role("button", name="Undo").click()
    expect(other.locator(".message-user")).to_contain_text("Hello")
    box(page).press("Enter")
    finished_reply(page, 2)


CHAT = re.compile(r"/chat/[0-9a-f-]{36}/")


@pytest.fixture(scope="module")
def nora(new_visitor):
    """A user on a phone without scripts."""
    nora = new_visitor(java_script_enabled=False, viewport={"width": 360, "height": 740})
    nora.sign_up("Nora")
    return nora


def start_chat_without_scripts(nora, words):
    """The page of a new chat with this message."""
    nora.go("/chat/")
    box(nora.page).fill(words)
    nora.page.get_by_role("button", name="Send").click()
    expect(nora.page).to_have_url(CHAT)
    return nora.page


@pytest.mark.drill
def test_edit_a_message_and_switch_branches_without_scripts(nora, chat_model):
    chat_model.reply_with("The first reply.")
    chat_model.reply_with("The other reply.")
    page = start_chat_without_scripts(nora, "One question")
    expect(page.locator(".message-assistant")).to_contain_text("The first reply.")
    page.get_by_role("link", name="Edit").click()
    page.get_by_role("textbox", name="Message").fill("Another question")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".message-assistant")).to_contain_text("The other reply.")
    page.get_by_role("button", name="Previous version").click()
    expect(page.locator(".message-assistant")).to_contain_text("The first reply.")
    page.get_by_role("button", name="Next version").click()
    expect(page.locator(".message-assistant")).to_contain_text("The other reply.")


@pytest.mark.drill
def test_check_and_stop_a_slow_reply_without_scripts(nora, chat_model):
    chat_model.reply_slowly()
    page = start_chat_without_scripts(nora, "Tell me a lot")
    draft = page.locator(".message-draft")
    expect(draft).to_contain_text("word0")
    before = len(draft.inner_text())
    page.wait_for_timeout(1_000)
    page.get_by_role("button", name="Check progress").click()
    assert len(draft.inner_text()) > before
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".message-assistant")).to_contain_text("You stopped this reply.")
    expect(page.locator(".message-assistant")).to_contain_text("word0 word1")
