"""Tokens for programs: one is made, seen once, kept, and revoked after being asked."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.visitors import PASSWORD
from tests.browser.walks.walker import Walker

pytestmark = pytest.mark.drill


@pytest.fixture(scope="module")
def tuva(settle: Settle) -> Walker:
    """Somebody without a token."""
    return settle("Tuva")


def test_a_token_is_made_works_and_is_revoked(tuva: Walker) -> None:
    page = tuva.page
    tuva.go("/accounts/tokens/")
    tuva.press("Create token")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    tuva.write("Name", "Weather vane")
    tuva.tick(page.get_by_label("Chat, and store the chats"))
    tuva.press("Create token")
    tuva.write("Password", PASSWORD)
    tuva.press("Confirm")
    tuva.reads("Copy it now")
    secret = page.locator("#token").inner_text()
    assert answer_to(tuva, secret) == 200
    working = page.get_by_role("region", name="Active tokens")
    expect(working).to_contain_text("Weather vane")
    expect(working).not_to_contain_text("chat")
    look_again(tuva, secret)
    expect(working.get_by_role("listitem")).to_have_count(1)

    tuva.follow("Revoke Weather vane")
    tuva.follow("Cancel")
    expect(working).to_contain_text("Weather vane")
    tuva.follow("Revoke Weather vane")
    tuva.press("Revoke")
    tuva.reads("No tokens yet.")
    assert answer_to(tuva, secret) == 401
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
    tuva.go("/accounts/tokens/")
    tuva.reads("No tokens yet.")


def look_again(walker: Walker, secret: str) -> None:
    """Come back to the page that showed a token, which sends no form again, and load it anew."""
    walker.go("/accounts/")
    walker.page.go_back()
    walker.lacks(secret)
    walker.page.reload()
    walker.lacks(secret)
    walker.reads("Weather vane")


def answer_to(walker: Walker, secret: str) -> int:
    """What a program with this token hears when it asks for facts."""
    asked = walker.visitor.context.request
    answer = asked.get(
        f"{walker.visitor.address}/api/v1/facts", headers={"Authorization": f"Bearer {secret}"}
    )
    return answer.status
