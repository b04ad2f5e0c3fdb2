import re
import time

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.models import ApiToken, User
from accounts.tenancy import tenant
from accounts.tokens import bearer_of
from tests.html import check_page

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/tokens/"
HERE = "http://testserver/api/v1/account"
TOKEN = re.compile(r"pal_[0-9a-f]{32}_[\w-]{43}")
GIVEN = {"name": "حاسوب 💻", "scopes": ["read", "chat"]}


@pytest.fixture
def alice_client(confirmed: Client) -> Client:
    return confirmed


def made(client: Client) -> str:
    (text,) = TOKEN.findall(check_page(client.post(ADDRESS, GIVEN, follow=True)))
    return str(text)


def revoking(alice: User) -> str:
    with tenant(alice.id):
        return f"{ADDRESS}{ApiToken.objects.get().id}/revoke/"


def test_nobody_is_shown_a_token_that_is_not_theirs_or_was_tampered_with(
    alice_client: Client, bob_client: Client
) -> None:
    kept = alice_client.post(ADDRESS, GIVEN).cookies["new_token"].value
    bob_client.cookies["new_token"] = kept
    assert not TOKEN.search(check_page(bob_client.get(ADDRESS)))
    alice_client.cookies["new_token"] = kept.replace("pal_", "pal_0")
    assert "Your new token" not in check_page(alice_client.get(ADDRESS))


def test_a_token_that_nobody_looked_at_in_time_is_not_shown(
    alice_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_at = time.time()
    alice_client.post(ADDRESS, GIVEN)
    monkeypatch.setattr("django.core.signing.time.time", lambda: made_at + 62)
    assert "Your new token" not in check_page(alice_client.get(ADDRESS))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": ""}, "This field is required."),
        ({"scopes": []}, "Choose at least one permission"),
        ({"scopes": ["root"]}, "Select a valid choice"),
        ({"name": "x" * 121}, "at most 120 characters"),
    ],
)
def test_refusals_make_nothing(alice_client: Client, change: dict, sentence: str) -> None:
    html = check_page(alice_client.post(ADDRESS, GIVEN | change), 422)
    assert sentence in html
    assert not TOKEN.search(html)
    assert "No tokens yet" in html


def test_revoking_asks_first(alice_client: Client, alice: User) -> None:
    text = made(alice_client)
    address = revoking(alice)
    assert "Cancel" in check_page(alice_client.get(address))
    assert bearer_of(f"Bearer {text}", HERE, timezone.now())
    html = check_page(alice_client.post(address, follow=True))
    assert "Token revoked." in html
    assert bearer_of(f"Bearer {text}", HERE, timezone.now()) is None
    assert alice_client.post(address).status_code == 404


def test_somebody_elses_token_is_not_there(
    alice_client: Client, bob_client: Client, client: Client, alice: User
) -> None:
    text = made(alice_client)
    address = revoking(alice)
    assert bob_client.get(address).status_code == 404
    assert bob_client.post(address).status_code == 404
    assert client.post(address).status_code == 302
    assert alice_client.put(address).status_code == 405
    assert bearer_of(f"Bearer {text}", HERE, timezone.now())
    assert "حاسوب" not in check_page(bob_client.get(ADDRESS))


def test_a_token_is_made_after_the_password_and_shown_once(
    signed_in: Client, alice: User, settings: Settings
) -> None:
    assert "No tokens yet" in check_page(signed_in.get(ADDRESS))
    assert signed_in.post(ADDRESS, GIVEN).headers["Location"].startswith("/accounts/confirm/")
    given = {"password": "alice-password-1", "next": ADDRESS}
    answer = signed_in.post("/accounts/confirm/", given, follow=True)
    assert "no-store" in answer.headers["Cache-Control"]
    (text,) = TOKEN.findall(check_page(answer))
    bearer = bearer_of(f"Bearer {text}", HERE, timezone.now())
    assert bearer
    assert (bearer.user, set(bearer.scopes)) == (alice, {"read", "chat"})
    html = check_page(signed_in.get(ADDRESS))
    assert "حاسوب 💻" in html
    assert "http://testserver/mcp</code>" in html
    assert not TOKEN.search(html)
    assert "You already have a token with this name" in check_page(signed_in.post(ADDRESS, GIVEN), 422)


def test_a_new_token_is_kept_for_its_page_in_a_safe_cookie(alice_client: Client, settings: Settings) -> None:
    settings.SESSION_COOKIE_SECURE = True
    sent = alice_client.post(ADDRESS, GIVEN)
    assert (sent.status_code, sent.headers["Location"]) == (302, ADDRESS)
    kept = sent.cookies["new_token"]
    assert (kept["path"], kept["httponly"], kept["secure"]) == (ADDRESS, True, True)
    assert (kept["samesite"], kept["max-age"]) == ("Strict", 60)
