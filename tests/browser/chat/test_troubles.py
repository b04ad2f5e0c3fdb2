"""Chats that fail, and chats in two windows: messages are correct and no input is lost."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.chat.talking import ask, box, delete_chat, draft_with, finished_reply, send
from tests.browser.visitors import Visitor
from tests.openai_answers import Behaviour

NETWORK = re.compile(r"net::ERR_|Failed to load|htmx:(?:send|sse)Error|htmx:afterRequest|object Event")


@pytest.fixture(scope="module")
def olga(new_visitor):
    """A user with a note, whose pages may log network errors."""
    olga = new_visitor("Olga")
    olga.note("My lighthouse is called Skerryvore.")
    yield olga
    olga.complaints = [each for each in olga.complaints if not NETWORK.search(each)]


@pytest.mark.drill
def test_failed_and_interrupted_replies_give_the_reason_and_can_be_retried(olga, chat_model):
    chat_model.script(*(Behaviour(status=403) for _ in range(6)))
    reply = ask(olga, "What is my lighthouse called?")
    expect(reply.get_by_text("From memory only")).to_be_visible()
    expect(reply.get_by_text("The key may not use this model (403).")).to_have_count(1)
    expect(reply.locator("blockquote").first).to_contain_text("Skerryvore")
    chat_model.clear_script()
    chat_model.reply_with("Half of a reply that never ends", cut_after=3)
    olga.press("Retry", within=reply)
    expect(finished_reply(olga.page)).to_contain_text("Half of a")
    expect(finished_reply(olga.page).locator(".message-notice")).to_contain_text("The reply breaks off here.")
    expect(olga.page.locator("#chat-status")).to_contain_text("The reply was interrupted.")
    olga.press("Retry", within=finished_reply(olga.page))
    expect(finished_reply(olga.page).get_by_role("heading", name="Rye bread")).to_be_visible()


@pytest.mark.drill
def test_message_written_offline_can_be_sent_later(olga):
    page = olga.page
    ask(olga, "Hello")
    olga.context.set_offline(True)
    box(olga).fill("Nobody hears me")
    box(olga).press("Enter")
    expect(page.locator(".toast")).to_contain_text("The server cannot be reached.")
    expect(box(olga)).to_have_value("Nobody hears me")
    olga.context.set_offline(False)
    box(olga).press("Enter")
    expect(page.locator(".message-user")).to_have_count(2)
    finished_reply(page, 2)


@pytest.mark.drill
def test_killed_server_interrupts_the_reply_with_a_notice(site, olga, chat_model):
    page = olga.page
    chat_model.reply_slowly()
    olga.go("/chat/")
    send(olga, "Tell me a lot")
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


@pytest.fixture(scope="module")
def tove(new_visitor):
    """A user with several windows."""
    return new_visitor("Tove")


@pytest.fixture
def other(tove):
    """A second window with the same chat, which has one reply."""
    ask(tove, "Hello")
    other = Visitor(tove.context, tove.context.new_page(), tove.address)
    other.go(tove.page.url)
    yield other
    other.page.close()


def test_stale_window_shows_newer_messages_before_sending(tove, other):
    send(other, "Said elsewhere")
    finished_reply(other.page, 2)
    page = tove.page
    box(tove).fill("Said here")
    box(tove).press("Enter")
    expect(page.get_by_role("alert").filter(has_text="continued in another window")).to_be_visible()
    expect(page.locator(".message-user")).to_contain_text(["Hello", "Said elsewhere"])
    expect(box(tove)).to_have_value("Said here")
    expect(box(tove)).to_be_focused()
    box(tove).press("Enter")
    expect(page.locator(".message-user")).to_have_count(3)
    finished_reply(page, 3)
    expect(page.get_by_text("continued in another window")).to_have_count(0)


def test_reply_in_another_window_is_followed_and_a_chat_deleted_there_keeps_the_message(
    tove, other, chat_model
):
    chat_model.reply_slowly()
    send(other, "Tell me a lot")
    draft_with(other.page)
    page = tove.page
    box(tove).fill("Said meanwhile")
    box(tove).press("Enter")
    draft_with(page)
    expect(box(tove)).to_have_value("Said meanwhile")
    tove.press("Stop")
    expect(finished_reply(page, 2)).to_contain_text("You stopped this reply.")
    expect(finished_reply(other.page, 2)).to_contain_text("You stopped this reply.")

    delete_chat(other)
    box(tove).press("Enter")
    tove.notice("This no longer exists.")
    expect(box(tove)).to_have_value("Said meanwhile")
    other.undo()
    expect(other.page.locator(".message-user").first).to_contain_text("Hello")
    box(tove).press("Enter")
    finished_reply(page, 3)
