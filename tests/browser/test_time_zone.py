"""The browser’s time zone: taken with consent, and offered when it is another one."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Arrive
from tests.browser.visitors import PASSWORD, Visitor

EMAIL = "yuki@example.org"
OFFER = "Your browser’s time zone is Asia/Calcutta, but your setting is Asia/Tokyo."
Travel = Callable[[str], Visitor]


@pytest.fixture(scope="module")
def travel(arrive: Arrive) -> Travel:
    """Lets Yuki, who lives in Tokyo, sign in with a browser in another zone."""
    yuki = arrive(timezone_id="Asia/Tokyo")
    yuki.sign_up("Yuki")
    assert yuki.complaints == []

    def sign_in(zone: str) -> Visitor:
        there = arrive(timezone_id=zone)
        there.go("/accounts/sign-in/")
        there.page.get_by_label("Email").fill(EMAIL)
        there.page.locator("input[type=password]").fill(PASSWORD)
        there.page.get_by_role("button", name="Sign in", exact=True).click()
        expect(there.page.get_by_role("heading", name="New chat")).to_be_visible()
        return there

    return sign_in


def zone_in_settings(visitor: Visitor) -> str:
    visitor.go("/memory/settings/")
    return visitor.page.get_by_label("Time zone").input_value()


def offer(page: Page) -> str:
    return page.locator("#toasts").inner_text()


def test_it_is_taken_with_consent_and_offered_elsewhere_until_it_is_declined(travel: Travel) -> None:
    home = travel("Asia/Tokyo")
    assert zone_in_settings(home) == "Asia/Tokyo"
    assert offer(home.page) == ""

    away = travel("Asia/Kolkata")
    expect(away.page.locator("#toasts")).to_contain_text(OFFER)
    away.page.get_by_role("button", name="Keep my setting").click()
    assert zone_in_settings(away) == "Asia/Tokyo"
    assert offer(away.page) == ""
    assert home.complaints == away.complaints == []


def test_it_is_changed_by_whoever_accepts(travel: Travel) -> None:
    away = travel("America/New_York")
    away.go("/memory/facts/?q=tea")
    away.page.get_by_role("button", name="Change my setting").click()
    away.notice("Dates are now shown in the time zone America/New York.")
    assert away.page.url.endswith("/memory/facts/?q=tea")
    assert zone_in_settings(away) == "America/New_York"
    assert away.complaints == []
