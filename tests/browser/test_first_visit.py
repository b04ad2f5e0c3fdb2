"""Common tasks take at most four clicks from the start page."""

import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from django.utils import timezone
from playwright.sync_api import FilePayload, Locator, ViewportSize, expect

from tests.browser.chat.talking import finished_reply, send
from tests.browser.visitors import IMPORT, PASSWORD
from tests.exports import as_exported, by_turns, exported
from tests.openai_server import OpenAIServer
from tests.palace.processes import CHECKOUT

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
WIDE, PHONE = ViewportSize(width=1366, height=850), ViewportSize(width=390, height=844)
CUT = "(cells) => cells.map((cell) => cell.scrollWidth > cell.clientWidth)"


@pytest.fixture(scope="module")
def vera(new_visitor, site):
    """The owner of the site, who may connect local servers, on a first visit."""
    made = [sys.executable, "manage.py", "createsuperuser", "--noinput", "--email", EMAIL]
    environment = site.environment | {"DJANGO_SUPERUSER_PASSWORD": PASSWORD}
    subprocess.run(made, cwd=CHECKOUT, env=environment, check=True, capture_output=True)
    vera = new_visitor(viewport=WIDE)
    vera.go("/accounts/sign-in/")
    vera.page.get_by_label("Email").fill(EMAIL)
    vera.page.locator("input[type=password]").fill(PASSWORD)
    vera.page.get_by_role("button", name="Sign in", exact=True).click()
    vera.page.get_by_role("button", name="I agree").click()
    expect(vera.page.get_by_role("heading", name="Welcome to your palace")).to_be_visible()
    return vera


@contextmanager
def on_a_phone(page):
    """Look at the page on a phone."""
    page.set_viewport_size(PHONE)
    yield
    page.set_viewport_size(WIDE)


@contextmanager
def from_the_start(visitor):
    """Start a task on the start page, and count its clicks."""
    done: list[Locator] = []

    def click(target):
        done.append(target)
        target.click()

    visitor.go("/")
    yield click
    assert len(done) <= MAX_CLICKS, done


def in_navigation(visitor, name):
    """A link in the navigation."""
    return visitor.page.get_by_role("navigation", name="Main").get_by_role("link", name=name)


def export_of_two_years():
    """An export with a chat of this year and one from before."""
    chats = {"Moving house, written on the train to York": (MOVED, THIS_YEAR), "Bees": (OLD, THIS_YEAR - 2)}
    at = {year: datetime(year, 1, 1, 9, tzinfo=UTC).timestamp() for _, year in chats.values()}
    made = [
        as_exported(title, tuple(each | {"at": at[year]} for each in by_turns(said)))
        for title, (said, year) in chats.items()
    ]
    return FilePayload(name="conversations.json", mimeType="application/json", buffer=exported(made))


def test_import_only_this_years_chats(vera):
    page, main = vera.page, vera.page.locator("main")
    with from_the_start(vera) as click:
        click(main.get_by_role("link", name="Import chats"))
        with page.expect_file_chooser() as chooser:
            click(page.get_by_label("Export file"))
        chooser.value.set_files(export_of_two_years())
        click(page.get_by_role("button", name=f"Only {THIS_YEAR}"))
        click(page.get_by_role("button", name=IMPORT))
    expect(main).to_contain_text("Everything you imported is saved to memory.")
    expect(main).not_to_contain_text("Bees")
    with on_a_phone(page):
        (cut,) = main.locator(".import-list tbody th").evaluate_all(CUT)
        assert not cut, "the titles of two chats can be told apart"


def test_find_when_i_moved_and_correct_a_wrong_fact(vera):
    page, home = vera.page, vera.page.locator(".fact").filter(has_text="York")
    with from_the_start(vera) as click:
        click(in_navigation(vera, "Memory"))
        click(in_navigation(vera, "Facts"))
        page.get_by_label("Search facts").fill("moved")
        expect(page.locator(".fact").filter(has_not_text="York")).to_have_count(0)
        expect(home).to_contain_text(f"since Nov {THIS_YEAR - 1}")
        home.hover()
        click(home.get_by_role("link", name="Edit").first)
        page.get_by_label("Fact in one sentence").fill("You live in Leeds.")
        click(page.locator("main").get_by_role("button", name="Save"))
    vera.notice("Your wording was saved.")


def test_see_why_the_assistant_said_something_and_stop_it_remembering(vera):
    page, question = vera.page, "Where do I live?"
    chat = page.locator("a.chat-link").filter(has_text=question)
    vera.go("/chat/")
    send(page, question)
    finished_reply(page)
    with from_the_start(vera) as click:
        click(chat)
        click(page.get_by_role("link", name="How it was found"))
    expect(page.get_by_role("heading", name="How it was found")).to_be_visible()
    with from_the_start(vera) as click:
        click(chat)
        with page.expect_response("**/switches/"):
            click(page.get_by_text("Save this chat to memory"))
    page.reload()
    expect(page.get_by_label("Save this chat to memory")).not_to_be_checked()


def test_forget_a_person(vera):
    page, main = vera.page, vera.page.locator("main")
    with from_the_start(vera) as click:
        click(in_navigation(vera, "Memory"))
        click(main.get_by_role("link", name="Forget", exact=True))
        page.get_by_placeholder("Name").fill("Olga")
        click(main.get_by_role("button", name="Preview").first)
        expect(main).to_contain_text("My sister is called Olga.")
        click(main.get_by_role("button", name="Forget"))
    expect(main).to_contain_text("Recall can’t find it any more.")


def test_connect_an_mcp_client_and_a_local_model(vera):
    page, main = vera.page, vera.page.locator("main")
    with from_the_start(vera) as click:
        click(in_navigation(vera, "Settings"))
        click(in_navigation(vera, "Connections"))
    expect(main.get_by_text(f"{vera.address}/mcp")).to_be_visible()
    with OpenAIServer() as server, from_the_start(vera) as click:
        click(main.get_by_role("link", name="Connect a model"))
        click(main.get_by_role("link", name="Ollama"))
        page.get_by_label("Base URL").fill(server.base_url)
        click(main.get_by_role("button", name="Test and connect"))
        vera.notice("Connected.")
