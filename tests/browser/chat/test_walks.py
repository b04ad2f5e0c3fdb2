"""Chats by keyboard alone: replies, sources, versions, switches, incognito."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.chat.talker import Talker
from tests.browser.chat.talking import answered, growing
from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker

CAT = "My cat is called Minka and sleeps on the cello case."
QUESTION = "What is my cat called?"


@pytest.fixture(scope="module")
def kari(settle: Settle) -> Walker:
    """Somebody with a note in the palace."""
    kari = settle("Kari")
    kari.note(CAT)
    return kari


def ask(walker: Walker, words: str, number: int = 1) -> Locator:
    """Write a message where one is, and send it; returns the reply, the last of so many."""
    walker.write("Message", words)
    walker.press("Send")
    return answered(walker.page, number)


def test_every_judgement_of_a_source_is_taken_back(kari: Walker) -> None:
    kari.go("/chat/")
    reply = ask(kari, QUESTION)
    source = reply.locator("li.source").filter(has_text="cello case")
    kari.open("Recalled", within=reply)
    kari.press("Not relevant", within=source)
    expect(source).to_contain_text("it comes later when you ask something like this")
    kari.press("Undo", within=source)
    expect(source.get_by_role("button", name="Not relevant")).to_be_visible()
    kari.press("Always use", within=source)
    expect(source.get_by_role("button", name="Always used · undo")).to_be_visible()
    kari.press("Always used · undo", within=source)
    expect(source.get_by_role("button", name="Always use", exact=True)).to_be_visible()
    kari.press("Forget", within=source)
    expect(reply.locator("li.source").first).to_contain_text("Forgotten.")
    kari.press("Undo", within=reply.locator("li.source").first)
    expect(reply.locator("li.source").first).to_contain_text("Restored.")
    kari.page.reload()
    kari.open("Recalled", within=reply)
    expect(source.get_by_role("button", name="Not relevant")).to_be_visible()


def test_what_is_wrong_is_put_right_and_taken_back(kari: Walker) -> None:
    page = kari.page
    kari.go("/chat/")
    reply = ask(kari, QUESTION)
    kari.open("Recalled", within=reply)
    kari.follow("Wrong", within=reply)
    kari.write("What is right?", "She is called Mimi.")
    kari.press("It is wrong")
    source = answered(page).locator("li.source").filter(has_text="cello case")
    kari.open("Recalled", within=answered(page))
    expect(source.locator(".source-remark")).to_contain_text("She is called Mimi.")
    kari.press("Undo", within=source)
    expect(source.get_by_role("link", name="Wrong")).to_be_visible()
    page.reload()
    kari.open("Recalled", within=answered(page))
    expect(source.locator(".source-remark")).to_have_count(0)


def test_a_pointer_leads_to_its_drawer_and_back(kari: Walker, talker: Talker) -> None:
    talker.says("It is Minka, § W-001/R-01/D-001, not § W-900/R-01/D-001.")
    kari.go("/chat/")
    text = ask(kari, QUESTION).locator(".message-text")
    expect(text.get_by_role("link")).to_have_count(1)
    chat = kari.arrive(r"/chat/[0-9a-f-]{36}/")
    kari.follow("§ W-001", within=text)
    expect(kari.page.locator(".said-here blockquote")).to_have_text(CAT)
    kari.page.go_back()
    kari.arrive(re.escape(chat))
    expect(text).to_contain_text("It is Minka")


def test_a_slow_reply_is_stopped_and_asked_for_again(kari: Walker, talker: Talker) -> None:
    page = kari.page
    talker.says_slowly()
    kari.go("/chat/")
    kari.write("Message", "Tell me a lot")
    kari.press("Send")
    growing(page)
    kari.hand.press(page, page.get_by_role("button", name="Stop"))
    expect(answered(page)).to_contain_text("You stopped this reply.")
    talker.says("The second reply.")
    kari.press("Retry", within=answered(page))
    expect(answered(page)).to_contain_text("The second reply.")
    kari.press("The version before")
    expect(answered(page)).to_contain_text("You stopped this reply.")
    kari.press("The version after")
    expect(answered(page)).to_contain_text("The second reply.")


def test_other_words_make_a_branch_beside_the_first(kari: Walker, talker: Talker) -> None:
    page = kari.page
    said = page.locator(".message-user")
    talker.says("The first reply.")
    talker.says("Another reply.")
    kari.go("/chat/")
    ask(kari, "One question")
    kari.follow("Edit")
    ask(kari, "Another question")
    expect(said).to_contain_text("Another question")
    kari.press("The version before")
    expect(said).to_contain_text("One question")
    expect(answered(page)).to_contain_text("The first reply.")
    page.reload()
    expect(said).to_contain_text("One question")
    kari.press("The version after")
    expect(answered(page)).to_contain_text("Another reply.")


def test_a_chat_uses_and_learns_as_it_is_told(kari: Walker) -> None:
    page = kari.page
    kari.go("/chat/")
    kari.tick(page.get_by_label("Use memory"))
    kari.tick(page.get_by_label("Learn from it"))
    reply = ask(kari, QUESTION)
    expect(reply.locator(".sources")).to_have_count(0)
    expect(page.locator("#remembered")).to_contain_text("Nothing is learned from this chat.")
    kari.press("This chat")
    kari.tick(page.get_by_label("Use memory in this chat"))
    kari.press("Save")
    kari.told("Saved.")
    expect(ask(kari, QUESTION, 2).locator(".sources summary")).to_contain_text("Recalled")
    page.reload()
    kari.press("This chat")
    expect(page.get_by_label("Use memory in this chat")).to_be_checked()
    expect(page.get_by_label("Learn from this chat")).not_to_be_checked()


def test_an_incognito_chat_leaves_nothing_behind(kari: Walker) -> None:
    kari.go("/chat/")
    kari.follow("Incognito")
    kari.reads("New incognito chat")
    reply = ask(kari, QUESTION)
    expect(kari.page.locator("body")).to_have_class(re.compile("incognito"))
    expect(kari.page).to_have_title(re.compile("Incognito chat"))
    expect(kari.page.locator("#remembered")).to_contain_text("Incognito: nothing of this chat")
    expect(reply.locator(".sources")).to_have_count(0)
    chat = kari.arrive(r"/chat/[0-9a-f-]{36}/")
    kari.press("Close and erase")
    kari.arrive(r"/chat/$")
    kari.go(chat)
    kari.reads("There is nothing here")


def test_a_spent_budget_is_told_and_its_calls_are_listed(kari: Walker) -> None:
    page = kari.page
    kari.go("/chat/")
    ask(kari, "Hello")
    kari.go("/memory/settings/")
    kari.write("Budget a month, in US dollars", "0.01")
    kari.press("Save")
    kari.told("Saved.")
    kari.go("/chat/")
    expect(ask(kari, QUESTION)).to_contain_text("This month’s budget is spent")
    kari.go("/memory/cost/")
    kari.reads("This month’s budget of 0.01 USD is spent.")
    expect(page.get_by_role("table").first).to_contain_text("test-model")
    with page.expect_download() as download:
        kari.follow("Save this month as a table")
    assert "test-model" in download.value.path().read_text()
    kari.go("/memory/activity/")
    kari.press("Undo")
    kari.told("Taken back.")
    kari.go("/chat/")
    expect(ask(kari, QUESTION)).to_contain_text("That is all.")
