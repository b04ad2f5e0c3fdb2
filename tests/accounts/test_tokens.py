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
from accounts.tenancy import NOBODY, current_scope, operator, tenant, visitor
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

pytestmark = pytest.mark.django_db
HERE = "http://testserver/api/v1/account"
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ADDRESS = "/accounts/tokens/"
TOKEN = re.compile(r"pal_[0-9a-f]{32}_[\w-]{43}")
GIVEN = {"name": "حاسوب 💻", "scopes": ["read", "chat"]}


@pytest.fixture
def token(as_alice):
    return issue_token(as_alice.id, "Laptop", NOW, ("read", "chat"))


def kept(user_id):
    with tenant(user_id):
        return ApiToken.objects.get()


def test_token_identifies_user_and_scopes_only_in_a_valid_header(alice, bob, token):
    with visitor():
        bearer = bearer_of(f"Bearer {token}", HERE, NOW)
        assert current_scope() == NOBODY
    assert bearer.user == alice
    assert [bearer.may(scope) for scope in ("read", "chat", "write")] == [True, True, False]
    secret, other = token.partition("_")[2], token.replace(token[4:36], bob.id.hex)
    assert not [value for value in vars(kept(alice.id)).values() if secret in str(value)]
    for header in (
        *("", "Bearer", f"Basic {token}", token, f"Bearer {token}x", f"Bearer pal_none_{token}"),
        *(f"Bearer {token} {token}", f"Bearer {other}", f"Bearer \x00{token}"),
    ):
        assert bearer_of(header, HERE, NOW) is None, header


def test_last_use_is_written_once_an_hour(alice, token, django_assert_num_queries):
    for minutes, updates in ((0, 1), (59, 0), (60, 1)):
        with django_assert_num_queries(2 + updates) as seen:
            assert bearer_of(f"Bearer {token}", HERE, NOW + timedelta(minutes=minutes))
        assert isinstance(seen, CaptureQueriesContext)
        assert sum(query["sql"].startswith("UPDATE") for query in seen) == updates
        assert kept(alice.id).last_used_at == NOW + timedelta(minutes=minutes if updates else 0)


@pytest.fixture
def disable_database(monkeypatch):
    def unavailable(*given):
        raise OperationalError

    return lambda: monkeypatch.setattr(tokens, "_read_api_token", unavailable)


def test_known_token_works_for_five_minutes_without_a_database(alice, token, disable_database):
    header = f"Bearer {token}"
    assert bearer_of(header, HERE, NOW)
    disable_database()
    assert bearer_of(header, HERE, NOW + timedelta(minutes=4)).user == alice
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


def test_names_are_unique_among_valid_tokens_and_changes_are_events_without_secrets(alice, bob):
    with tenant(bob.id):
        issue_token(bob.id, "Laptop", NOW)
    with tenant(alice.id):
        text = issue_token(alice.id, "Laptop", NOW, ("read",))
        with pytest.raises(NameTaken):
            issue_token(alice.id, "Laptop", NOW)
    with operator():
        for _ in range(2):
            revoke_token(kept(alice.id), NOW)
    with tenant(alice.id):
        others = [issue_token(alice.id, name, NOW) for name in ("Laptop", "Watch")]
        assert tokens_of(alice.id).count() == 2
    for _ in range(2):
        revoke_everything(alice.id, NOW)
    with tenant(alice.id):
        events = list(ActivityEvent.objects.filter(kind="token_changed").order_by("id"))
        digests = list(ApiToken.objects.values_list("digest", flat=True))
    changes = [(event.details["change"], event.details.get("name", "")) for event in events]
    created = [("created", "Laptop"), ("created", "Watch")]
    assert changes == [("created", "Laptop"), ("revoked", "Laptop"), *created, ("all_revoked", "")]
    assert (events[0].details["scopes"], events[-1].details["count"]) == (["read"], 2)
    written = str([event.details for event in events])
    assert [secret for secret in (text, *others, *digests) if secret in written] == []


def test_creating_a_token_needs_the_password_and_shows_it_once(signed_in, alice, settings):
    settings.SESSION_COOKIE_SECURE = True
    assert "No tokens yet" in check_page(signed_in.get(ADDRESS))
    assert signed_in.post(ADDRESS, GIVEN).headers["Location"].startswith("/accounts/confirm/")
    sent = signed_in.post("/accounts/confirm/", {"password": "alice-password-1", "next": ADDRESS})
    cookie = sent.cookies["new_token"]
    assert (cookie["path"], cookie["httponly"], cookie["secure"]) == (ADDRESS, True, True)
    assert (cookie["samesite"], cookie["max-age"]) == ("Strict", 60)
    answer = signed_in.get(sent.headers["Location"])
    assert "no-store" in answer.headers["Cache-Control"]
    html = check_page(answer)
    assert "Read</span>" in html, "the first word of the permission"
    (text,) = TOKEN.findall(html)
    bearer = bearer_of(f"Bearer {text}", HERE, timezone.now())
    assert (bearer.user, set(bearer.scopes)) == (alice, {"read", "chat"})
    html = check_page(signed_in.get(ADDRESS))
    assert "حاسوب 💻" in html
    assert "http://testserver/mcp</code>" in html
    assert not TOKEN.search(html)
    assert "You already have a token with this name" in check_page(signed_in.post(ADDRESS, GIVEN), 422)


def test_new_token_cookie_is_bound_to_the_user_signed_and_expires(confirmed, bob_client, monkeypatch):
    made_at = time.time()
    cookie = confirmed.post(ADDRESS, GIVEN).cookies["new_token"].value
    bob_client.cookies["new_token"] = cookie
    assert not TOKEN.search(check_page(bob_client.get(ADDRESS)))
    confirmed.cookies["new_token"] = cookie.replace("pal_", "pal_0")
    assert "Your new token" not in check_page(confirmed.get(ADDRESS))
    confirmed.cookies["new_token"] = cookie
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


def test_owner_revokes_a_token_after_confirmation(confirmed, bob_client, alice):
    (text,) = TOKEN.findall(check_page(confirmed.post(ADDRESS, GIVEN, follow=True)))
    address = f"{ADDRESS}{kept(alice.id).id}/revoke/"
    assert "حاسوب" not in check_page(bob_client.get(ADDRESS))
    assert "Cancel" in check_page(confirmed.get(address))
    assert bearer_of(f"Bearer {text}", HERE, timezone.now())
    assert "Token revoked." in check_page(confirmed.post(address, follow=True))
    assert bearer_of(f"Bearer {text}", HERE, timezone.now()) is None
    assert confirmed.post(address).status_code == 404
