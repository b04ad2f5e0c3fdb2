import pytest
from django.test import Client

from accounts.models import User
from memory.preferences import preferences_of
from tests.html import check_page

URL = "/memory/consent/"


@pytest.fixture(autouse=True)
def new_here(alice: User) -> None:
    """Alice has not been asked yet."""
    alice.agreed_at = None
    alice.save(update_fields=["agreed_at"])


def test_the_page_says_what_is_kept_before_it_asks(alice_client: Client):
    html = check_page(alice_client.get(URL))
    assert "No other user of Palace can, staff included" in html
    assert html.index("Word for word") < html.index("I agree")
    assert "You agreed on" not in html


@pytest.mark.parametrize(("answer", "by_itself"), [("by-itself", True), ("when-asked", False), ("", False)])
def test_the_answer_holds_and_is_dated(alice_client: Client, as_alice: User, answer: str, by_itself: bool):
    assert alice_client.post(URL, {"remember": answer})["Location"] == "/accounts/welcome/"
    assert preferences_of(as_alice.id).auto_mine is by_itself
    as_alice.refresh_from_db()
    first = as_alice.agreed_at
    assert first is not None
    assert "You agreed on" in check_page(alice_client.get(URL))

    alice_client.post(URL, {"remember": "by-itself"})
    as_alice.refresh_from_db()
    assert as_alice.agreed_at == first
