"""Common tasks take at most four clicks from the start page."""

import re
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser.chat.talking import ask
from tests.browser.hands import Mouse
from tests.browser.visitors import IMPORT, PASSWORD, SAVED, as_file
from tests.exports import as_exported, by_turns, exported
from tests.openai_server import OpenAIServer

MAX_CLICKS = 4
EMAIL = "vera@example.org"
THIS_YEAR = timezone.now().year
MOVED = (
    f"I moved to York on 5 November {THIS_YEAR - 1}, so I live in York now.",
    "Enjoy it!",
    "My sister is called Olga.",
    "Noted.",
)
OLD = ("I keep bees.", "Lovely.")
WIDE, PHONE = {"width": 1366, "height": 850}, {"width": 390, "height": 844}
CUT = "(cells) => cells.map((cell) => cell.scrollWidth > cell.clientWidth)"


class Counter(Mouse):
    """A mouse that counts its clicks."""

    clicks = 0

    def press(self, page, target):
        self.clicks += 1
        super().press(page, target)


@pytest.fixture(scope="module")
def vera(new_visitor, site):
    """The owner of the site, who may connect local servers, on a first visit."""
    made = ("createsuperuser", "--noinput", "--email", EMAIL)
    site.manage(*made, DJANGO_SUPERUSER_PASSWORD=PASSWORD)
    vera = new_visitor(hand=Counter(), viewport=WIDE)
    vera.sign_in(EMAIL)
    vera.press("I agree: save my chats to memory")
    vera.shows("Welcome to your palace")
    return vera


@contextmanager
def from_the_start(visitor):
    """Start a task on the start page, and count its clicks; yields the navigation."""
    visitor.go("/")
    before = visitor.hand.clicks
    yield visitor.page.get_by_role("navigation", name="Main")
    assert visitor.hand.clicks - before <= MAX_CLICKS


def export_of_two_years():
    """An export with a chat of this year and one from before."""
    chats = {"Moving house, written on the train to York": (MOVED, THIS_YEAR), "Bees": (OLD, THIS_YEAR - 2)}
    at = {year: datetime(year, 1, 1, 9, tzinfo=UTC).timestamp() for _, year in chats.values()}
    made = [
        as_exported(title, tuple(each | {"at": at[year]} for each in by_turns(said)))
        for title, (said, year) in chats.items()
    ]
    return as_file(exported(made))


def test_import_only_this_years_chats(vera):
    page = vera.page
    with from_the_start(vera):
        vera.follow("Import chats")
        vera.choose_file(page.get_by_label("Export file"), export_of_two_years())
        vera.press(f"Only {THIS_YEAR}")
        vera.press(IMPORT)
    vera.shows(SAVED)
    vera.shows_no("Bees")
    page.set_viewport_size(PHONE)
    (cut,) = vera.main.locator(".import-list tbody th").evaluate_all(CUT)
    assert not cut, "the titles of two chats can be told apart"
    page.set_viewport_size(WIDE)


def test_find_when_i_moved_and_correct_a_wrong_fact(vera):
    page, home = vera.page, vera.page.locator(".fact").filter(has_text="York")
    with from_the_start(vera) as navigation:
        vera.follow("Memory", within=navigation)
        vera.follow("Facts", within=navigation)
        vera.write("Search facts", "moved")
        expect(page.locator(".fact").filter(has_not_text="York")).to_have_count(0)
        expect(home).to_contain_text(f"since Nov {THIS_YEAR - 1}")
        home.hover()
        vera.follow("Edit", within=home)
        vera.write("Fact in one sentence", "You live in Leeds.")
        vera.press("Save")
    vera.notice("Your wording was saved.")


def test_see_why_the_assistant_said_something_and_stop_it_remembering(vera):
    page, question = vera.page, "Where do I live?"
    ask(vera, question)
    saves = page.get_by_label("Save this chat to memory")
    with from_the_start(vera) as navigation:
        vera.follow(question, within=navigation)
        vera.follow("How it was found")
    expect(page.get_by_role("heading", name="How it was found")).to_be_visible()
    with from_the_start(vera) as navigation:
        vera.follow(question, within=navigation)
        with page.expect_response("**/switches/"):
            vera.check(page.get_by_text("Save this chat to memory"))
    page.reload()
    expect(saves).not_to_be_checked()


def test_forget_a_person(vera):
    with from_the_start(vera) as navigation:
        vera.follow("Memory", within=navigation)
        vera.hand.press(vera.page, vera.main.get_by_role("link", name="Forget", exact=True))
        vera.page.get_by_placeholder("Name").fill("Olga")
        vera.press("Preview")
        vera.shows("My sister is called Olga.")
        vera.press(re.compile("Forget"))
    vera.shows("Recall can’t find it any more.")


def test_connect_an_mcp_client_and_a_local_model(vera):
    with from_the_start(vera) as navigation:
        vera.follow("Settings", within=navigation)
        vera.follow("Connections", within=navigation)
    vera.shows(f"{vera.address}/mcp")
    with OpenAIServer() as server, from_the_start(vera):
        vera.follow("Connect a model")
        vera.follow("Ollama")
        vera.write("Base URL", server.base_url)
        vera.press("Test and connect")
        vera.notice("Connected.")
