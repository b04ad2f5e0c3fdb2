"""The first minutes: an account, what is kept, the demo palace, and the palace without it."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Come, Settle
from tests.browser.visitors import PASSWORD
from tests.browser.walks.walker import Walker


def sign_up(walker: Walker, name: str) -> None:
    """Create an account; ends on the page that says what is kept."""
    page = walker.page
    walker.go("/accounts/sign-up/")
    walker.write("Name", walker.named(name))
    walker.write("Email", f"{walker.named(name).lower()}@example.org")
    for number in (0, 1):
        walker.hand.write(page, page.locator("input[type=password]").nth(number), PASSWORD)
    walker.press("Create account")
    walker.reads("What Palace keeps, and who can read it")


@pytest.mark.phone
def test_nobody_gets_past_what_is_kept_and_then_everything_is_open(come: Come) -> None:
    ulla = come()
    page = ulla.page
    sign_up(ulla, "Ulla")
    ulla.go("/memory/")
    ulla.reads("What Palace keeps, and who can read it")
    ulla.press("I agree: keep my chats and remember them")
    ulla.reads("Welcome to your palace")
    page.go_back()
    ulla.reads("You agreed on")
    ulla.go("/accounts/welcome/")
    ulla.follow("Start chatting")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    page.go_back()
    ulla.reads("Welcome to your palace")


@pytest.mark.drill
def test_the_demo_is_looked_at_and_removed(settle: Settle) -> None:
    ulla = settle("Ursula")
    ulla.press("Load the demo")
    ulla.told("Palace reads them now")
    ulla.until("/memory/", "tree-item")
    ulla.go("/chat/demo/")
    ulla.follow("See the palace")
    expect(ulla.page.get_by_role("treeitem").first).to_be_visible()
    ulla.go("/chat/demo/")
    ulla.press("Remove the demo")
    ulla.told("The demo is")
    ulla.until("/memory/", "Nothing here yet")
    ulla.go("/memory/")
    ulla.still_reads("Nothing here yet")
