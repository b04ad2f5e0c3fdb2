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
    ulla.press("I agree: save my chats to memory")
    ulla.reads("Welcome to your palace")
    page.go_back()
    ulla.reads("You agreed on")
    ulla.go("/accounts/welcome/")
    ulla.follow("Start a chat")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    page.go_back()
    ulla.reads("Welcome to your palace")


@pytest.mark.drill
def test_the_demo_is_somebody_else_and_is_left_again(settle: Settle) -> None:
    ulla = settle("Ursula")
    ulla.press("Open the demo")
    ulla.reads("This is the demo palace of Mira")
    ulla.until("/memory/", "tree-item")
    ulla.press("Back to your palace")
    ulla.reads("Nothing here yet")
    ulla.go("/chat/demo/")
    ulla.press("Remove demo")
    ulla.notice("The demo was removed")
