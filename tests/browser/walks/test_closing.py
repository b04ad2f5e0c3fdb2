"""The end: an account is looked at, kept, and closed with everything in it."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.visitors import PASSWORD
from tests.browser.walks.walker import Walker

pytestmark = pytest.mark.drill


@pytest.fixture(scope="module")
def clara(settle: Settle) -> Walker:
    """Somebody with a note, whose site is somebody else's."""
    settle("Caretaker")
    clara = settle("Clara")
    clara.note("The clarinet is lent to Ana.", "Clarinet")
    return clara


def test_an_account_is_kept_and_then_closed_for_good(clara: Walker) -> None:
    page = clara.page
    clara.go("/memory/search/?q=clarinet")
    clara.follow("§ W")
    drawer = clara.arrive(r"/memory/drawers/")
    clara.go("/accounts/")
    clara.follow("See what is erased")
    clara.reads("Drawers, each a message or note word for word")
    clara.open("Rows in each database table")
    clara.reads("memory_drawer")
    clara.follow("Keep it")
    clara.follow("See what is erased")
    clara.press("Erase everything and close")
    clara.write("Password", "not my password")
    clara.press("Confirm")
    clara.reads("Incorrect password.")
    clara.write("Password", PASSWORD)
    clara.press("Confirm")
    clara.reads("Everything is erased, and a search of every table found nothing left.")
    expect(page.locator("#receipt")).to_contain_text("memory_drawer")

    clara.go(drawer)
    clara.arrive(r"/accounts/sign-in/")
    clara.write("Email", f"{clara.named('clara')}@example.org".lower())
    clara.hand.write(page, page.locator("input[type=password]"), PASSWORD)
    clara.press("Sign in")
    clara.reads("Incorrect email or password.")
