"""The end: an account is looked at, kept, and closed with everything in it."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.visitors import PASSWORD
from tests.browser.walks.walker import Walker


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
    clara.follow("Look at what that erases")
    clara.reads("Drawers, each a message or note word for word")
    clara.open("Every row, by table of the database")
    clara.reads("memory_drawer")
    clara.follow("Keep it")
    clara.follow("Look at what that erases")
    clara.write("Your password", "not my password")
    clara.press("Erase everything and close")
    clara.reads("That is not your password. Nothing was erased.")
    clara.go("/accounts/close/")
    clara.write("Your password", PASSWORD)
    clara.press("Erase everything and close")
    clara.reads("Everything is erased, and a search of every table found nothing of you.")
    expect(page.locator("#receipt")).to_contain_text("memory_drawer")

    clara.go(drawer)
    clara.arrive(r"/accounts/sign-in/")
    clara.write("E-mail", f"{clara.named('clara')}@example.org".lower())
    clara.hand.write(page, page.locator("input[type=password]"), PASSWORD)
    clara.press("Sign in")
    clara.reads("No account has this e-mail and password.")
