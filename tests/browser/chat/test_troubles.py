"""What goes wrong while people chat is said in words, and nothing they wrote is lost."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat.talker import Talker
from tests.browser.chat.talking import answered, ask, box, growing, keep_note, send
from tests.browser.conftest import Arrive
from tests.browser.site import Site
from tests.browser.visitors import Visitor
from tests.openai_answers import Behaviour

pytestmark = pytest.mark.drill

NETWORK = re.compile(r"net::ERR_|Failed to load|htmx:(?:send|sse)Error|htmx:afterRequest|object Event")
LAMP = "My lighthouse is called Skerryvore."
QUESTION = "What is my lighthouse called?"


@pytest.fixture(scope="module")
def olga(arrive: Arrive) -> Visitor:
    """Somebody with a note and bad luck."""
    olga = arrive()
    olga.sign_up("Olga")
    keep_note(olga, LAMP)
    return olga


@pytest.fixture(autouse=True)
def no_complaint_but_of_the_network(olga: Visitor) -> Iterator[None]:
    """No page breaks the content policy, fails in a script or asks another host."""
    yield
    found = [each for each in olga.complaints if not NETWORK.search(each)]
    olga.complaints.clear()
    assert found == []


@pytest.fixture
def page(olga: Visitor) -> Page:
    olga.go("/chat/")
    return olga.page


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (Behaviour(status=403), "The language model rejected this request."),
        (Behaviour(status=500), "The language model cannot be reached."),
        (Behaviour(status=429), "The language model is busy and asked to wait."),
    ],
)
def test_a_model_that_fails_is_named_and_memory_answers(
    olga: Visitor, page: Page, talker: Talker, behaviour: Behaviour, words: str
) -> None:
    talker.script(*(behaviour for _ in range(6)))
    reply = ask(olga, QUESTION)
    expect(reply.get_by_text("From memory only")).to_be_visible()
    expect(reply.locator(".message-notice")).to_contain_text(words)
    expect(reply.locator("blockquote").first).to_contain_text("Skerryvore")
    talker.silence()
    reply.get_by_role("button", name="Retry").click()
    expect(answered(page).get_by_role("heading", name="Rye bread")).to_be_visible()


def test_a_reply_that_breaks_off_keeps_what_there_is(page: Page, talker: Talker) -> None:
    talker.says("Half of a reply that never ends", cut_after=3)
    send(page, "Hello")
    reply = answered(page)
    expect(reply).to_contain_text("Half of a")
    expect(reply.locator(".message-notice")).to_contain_text("The reply breaks off here.")
    expect(page.locator("#chat-status")).to_contain_text("The reply was interrupted.")


def test_words_written_without_a_network_are_still_there_when_it_is_back(olga: Visitor, page: Page) -> None:
    ask(olga, "Hello")
    olga.context.set_offline(True)
    box(page).fill("Nobody hears me")
    box(page).press("Enter")
    expect(page.locator(".toast")).to_contain_text("The server cannot be reached.")
    expect(box(page)).to_have_value("Nobody hears me")
    olga.context.set_offline(False)
    box(page).press("Enter")
    expect(page.locator(".message-user")).to_have_count(2)
    answered(page, 2)


def test_a_server_killed_in_mid_reply_is_told_and_the_reply_ends_in_truth(
    site: Site, page: Page, talker: Talker
) -> None:
    talker.says_slowly()
    send(page, "Tell me a lot")
    growing(page, "word12 ")
    site.kill_web()
    lost = page.locator("[data-lost]")
    expect(lost).to_be_visible()
    expect(lost).to_contain_text("Connection lost.")
    expect(page.locator("#chat-status")).to_contain_text("Connection lost.")
    expect(page.locator(".message-draft")).to_contain_text("word12")
    reply = answered(page)
    expect(reply).to_contain_text("word0 word1 word2")
    expect(reply.locator(".message-notice")).to_contain_text("The reply was interrupted.")
    reply.get_by_role("button", name="Retry").click()
    expect(answered(page).get_by_role("heading", name="Rye bread")).to_be_visible()
