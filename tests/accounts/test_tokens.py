from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError
from django.test.utils import CaptureQueriesContext

from accounts import tokens
from accounts.models import ApiToken, User
from accounts.tenancy import NOBODY, current_scope, operator, tenant
from accounts.tokens import (
    NameTaken,
    TokensUnreadable,
    bearer_of,
    issue_token,
    revoke_everything,
    revoke_token,
    tokens_of,
)
from memory.models import ActivityEvent

HERE = "http://testserver/api/v1/account"
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def token(as_alice: User) -> str:
    return issue_token(as_alice.id, "Laptop", NOW, ("read", "chat"))


def kept(user_id: UUID) -> ApiToken:
    with tenant(user_id):
        return ApiToken.objects.get()


@pytest.mark.parametrize(
    "made",
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
def test_nothing_else_opens_anything(bob: User, token: str, made: str) -> None:
    other = token.replace(token[4:36], bob.id.hex)
    assert bearer_of(made.format(token=token, other=other), HERE, NOW) is None


def test_last_use_is_written_once_an_hour(alice: User, token: str, django_assert_num_queries: Any) -> None:
    def used(after: timedelta) -> list[str]:
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


def test_two_tokens_of_one_name(alice: User, bob: User, token: str) -> None:
    with pytest.raises(NameTaken):
        issue_token(alice.id, "Laptop", NOW)
    with tenant(bob.id):
        issue_token(bob.id, "Laptop", NOW)
    revoke_token(tokens_of(alice.id).get(), NOW)
    issue_token(alice.id, "Laptop", NOW)
    assert tokens_of(alice.id).count() == 1


def test_a_token_says_whose_it_is_and_what_it_may(alice: User) -> None:
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
def take_database_away(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def away(*given: Any) -> None:
        raise OperationalError

    return lambda: monkeypatch.setattr(tokens, "_read_api_token", away)


def test_a_known_token_works_for_some_minutes_without_a_database(
    alice: User, token: str, take_database_away: Callable[[], None]
) -> None:
    header = f"Bearer {token}"
    assert bearer_of(header, HERE, NOW)
    take_database_away()
    bearer = bearer_of(header, HERE, NOW + timedelta(minutes=4))
    assert bearer
    assert bearer.user == alice
    for unknown, at in ((header, NOW + timedelta(minutes=5)), (f"{header[:-2]}xx", NOW)):
        with pytest.raises(TokensUnreadable):
            bearer_of(unknown, HERE, at)
    assert bearer_of("Bearer of news", HERE, NOW) is None, "this can be no token"


def test_revoked_tokens_and_switched_off_accounts_open_nothing(
    alice: User, token: str, take_database_away: Callable[[], None]
) -> None:
    header = f"Bearer {token}"
    User.objects.filter(id=alice.id).update(is_active=False)
    assert bearer_of(header, HERE, NOW) is None
    User.objects.filter(id=alice.id).update(is_active=True)
    assert bearer_of(header, HERE, NOW)
    revoke_token(kept(alice.id), NOW)
    assert bearer_of(header, HERE, NOW) is None
    revoke_token(kept(alice.id), NOW + timedelta(days=1))
    assert kept(alice.id).revoked_at == NOW
    take_database_away()
    with pytest.raises(TokensUnreadable):
        bearer_of(header, HERE, NOW)


def test_what_happens_to_tokens_is_an_event_without_their_text(alice: User) -> None:
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
    told = [(event.details["change"], event.details.get("name", "")) for event in events]
    assert told == [
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
