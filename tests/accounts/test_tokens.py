"""Tokens for programs: access, revocation, and their page."""

import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import tokens
from accounts.models import ApiToken, User
from accounts.tenancy import NOBODY, current_scope, operator, tenant
from accounts.tokens import (
    NameTaken,
    TokensUnavailable,
    bearer_of,
    issue_token,
    revoke_everything,
    revoke_token,
    tokens_of,
)
from memory.models import ActivityEvent
from tests.html import check_page

HERE = "http://testserver/api/v1/account"
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def token(as_alice):
    return issue_token(as_alice.id, "Laptop", NOW, ("read", "chat"))


def kept(user_id):
    with tenant(user_id):
        return ApiToken.objects.get()


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Basic {token}",
        "{token}",
        "Bearer {token}x",
        "Bearer pal_none_{token}",
        "Bearer {token} {token}",
        "Bearer {other}",
        "Bearer \x00{token}",
    ],
)
def test_malformed_authorization_headers_are_refused(bob, token, header):
    other = token.replace(token[4:36], bob.id.hex)
    assert bearer_of(header.format(token=token, other=other), HERE, NOW) is None


def test_last_use_is_written_once_an_hour(alice, token, django_assert_num_queries):
    def used(after):
        with django_assert_num_queries(3 if after in first_of_hour else 2) as seen:
            assert bearer_of(f"Bearer {token}", HERE, NOW + after)
        assert isinstance(seen, CaptureQueriesContext)
        return [query["sql"] for query in seen if query["sql"].startswith("UPDATE")]

    first_of_hour = {timedelta(0), timedelta(hours=1)}
    assert len(used(timedelta(0))) == 1
    assert kept(alice.id).last_used_at == NOW
    assert used(timedelta(minutes=59)) == []
    assert kept(alice.id).last_used_at == NOW
    assert len(used(timedelta(hours=1))) == 1
    assert kept(alice.id).last_used_at == NOW + timedelta(hours=1)


def test_token_names_are_unique_among_valid_tokens_of_a_user(alice, bob, token):
    with pytest.raises(NameTaken):
        issue_token(alice.id, "Laptop", NOW)
    with tenant(bob.id):
        issue_token(bob.id, "Laptop", NOW)
    revoke_token(tokens_of(alice.id).get(), NOW)
    issue_token(alice.id, "Laptop", NOW)
    assert tokens_of(alice.id).count() == 1


def test_token_identifies_user_and_scopes_and_is_stored_as_digest(alice):
    with tenant(alice.id):
        text = issue_token(alice.id, "Laptop", NOW, ("read", "chat"))
    bearer = bearer_of(f"Bearer {text}", HERE, NOW)
    assert bearer
    assert bearer.user == alice
    assert [bearer.may(scope) for scope in ("read", "chat", "write")] == [True, True, False]
    assert current_scope() == NOBODY
    secret = text.partition("_")[2]
    assert not [value for value in vars(kept(alice.id)).values() if secret in str(value)]


@pytest.fixture
def disable_database(monkeypatch):
    def unavailable(*given):
        raise OperationalError

    return lambda: monkeypatch.setattr(tokens, "_read_api_token", unavailable)


def test_known_token_works_for_five_minutes_without_a_database(alice, token, disable_database):
    header = f"Bearer {token}"
    assert bearer_of(header, HERE, NOW)
    disable_database()
    bearer = bearer_of(header, HERE, NOW + timedelta(minutes=4))
    assert bearer
    assert bearer.user == alice
    for unknown, at in ((header, NOW + timedelta(minutes=5)), (f"{header[:-2]}xx", NOW)):
        with pytest.raises(TokensUnavailable):
            bearer_of(unknown, HERE, at)
    assert bearer_of("Bearer of news", HERE, NOW) is None, "this cannot be a token"


def test_revoked_tokens_and_those_of_inactive_accounts_are_refused(alice, token, disable_database):
    header = f"Bearer {token}"
    User.objects.filter(id=alice.id).update(is_active=False)
    assert bearer_of(header, HERE, NOW) is None
    User.objects.filter(id=alice.id).update(is_active=True)
    assert bearer_of(header, HERE, NOW)
    revoke_token(kept(alice.id), NOW)
    assert bearer_of(header, HERE, NOW) is None
    revoke_token(kept(alice.id), NOW + timedelta(days=1))
    assert kept(alice.id).revoked_at == NOW
    disable_database()
    with pytest.raises(TokensUnavailable):
        bearer_of(header, HERE, NOW)


def test_token_changes_are_activity_events_without_secrets(alice):
    with tenant(alice.id):
        text = issue_token(alice.id, "Laptop", NOW, ("read",))
        with pytest.raises(NameTaken):
            issue_token(alice.id, "Laptop", NOW)
    with operator():
        for _ in range(2):
            revoke_token(kept(alice.id), NOW)
    with tenant(alice.id):
        others = [issue_token(alice.id, name, NOW) for name in ("Phone", "Watch")]
    for _ in range(2):
        revoke_everything(alice.id, NOW)
    with tenant(alice.id):
        events = list(ActivityEvent.objects.filter(kind="token_changed").order_by("id"))
        digests = list(ApiToken.objects.values_list("digest", flat=True))
    changes = [(event.details["change"], event.details.get("name", "")) for event in events]
    assert changes == [
        ("created", "Laptop"),
        ("revoked", "Laptop"),
        ("created", "Phone"),
        ("created", "Watch"),
        ("all_revoked", ""),
    ]
    assert events[0].details["scopes"] == ["read"]
    assert events[-1].details["count"] == 2
    written = str([event.details for event in events])
    assert not any(secret in written for secret in (text, *others, *digests))


pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/tokens/"
TOKEN = re.compile(r"pal_[0-9a-f]{32}_[\w-]{43}")
GIVEN = {"name": "حاسوب 💻", "scopes": ["read", "chat"]}


@pytest.fixture
def confirmed(confirmed):
    return confirmed


def made(client):
    html = check_page(client.post(ADDRESS, GIVEN, follow=True))
    assert "Read</span>" in html, "the first word of the permission"
    (text,) = TOKEN.findall(html)
    return str(text)


def revoke_url(alice):
    with tenant(alice.id):
        return f"{ADDRESS}{ApiToken.objects.get().id}/revoke/"


def test_new_token_cookie_is_bound_to_the_user_and_signed(confirmed, bob_client):
    kept = confirmed.post(ADDRESS, GIVEN).cookies["new_token"].value
    bob_client.cookies["new_token"] = kept
    assert not TOKEN.search(check_page(bob_client.get(ADDRESS)))
    confirmed.cookies["new_token"] = kept.replace("pal_", "pal_0")
    assert "Your new token" not in check_page(confirmed.get(ADDRESS))


def test_new_token_cookie_expires(confirmed, monkeypatch):
    made_at = time.time()
    confirmed.post(ADDRESS, GIVEN)
    monkeypatch.setattr("django.core.signing.time.time", lambda: made_at + 62)
    assert "Your new token" not in check_page(confirmed.get(ADDRESS))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": ""}, "This field is required."),
        ({"scopes": []}, "Choose at least one permission"),
        ({"scopes": ["root"]}, "Select a valid choice"),
        ({"name": "x" * 121}, "at most 120 characters"),
    ],
)
def test_invalid_form_creates_no_token(confirmed, change, sentence):
    html = check_page(confirmed.post(ADDRESS, GIVEN | change), 422)
    assert sentence in html
    assert not TOKEN.search(html)
    assert "No tokens yet" in html


def test_revoking_needs_confirmation(confirmed, alice):
    text = made(confirmed)
    address = revoke_url(alice)
    assert "Cancel" in check_page(confirmed.get(address))
    assert bearer_of(f"Bearer {text}", HERE, timezone.now())
    html = check_page(confirmed.post(address, follow=True))
    assert "Token revoked." in html
    assert bearer_of(f"Bearer {text}", HERE, timezone.now()) is None
    assert confirmed.post(address).status_code == 404


def test_tokens_of_others_are_not_found(confirmed, bob_client, client, alice):
    text = made(confirmed)
    address = revoke_url(alice)
    assert bob_client.get(address).status_code == 404
    assert bob_client.post(address).status_code == 404
    assert client.post(address).status_code == 302
    assert confirmed.put(address).status_code == 405
    assert bearer_of(f"Bearer {text}", HERE, timezone.now())
    assert "حاسوب" not in check_page(bob_client.get(ADDRESS))


def test_creating_a_token_needs_the_password_and_shows_it_once(signed_in, alice, settings):
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


def test_new_token_cookie_is_secure_and_short_lived(confirmed, settings):
    settings.SESSION_COOKIE_SECURE = True
    sent = confirmed.post(ADDRESS, GIVEN)
    assert (sent.status_code, sent.headers["Location"]) == (302, ADDRESS)
    kept = sent.cookies["new_token"]
    assert (kept["path"], kept["httponly"], kept["secure"]) == (ADDRESS, True, True)
    assert (kept["samesite"], kept["max-age"]) == ("Strict", 60)
