from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError
from django.test.utils import CaptureQueriesContext

from accounts import tokens
from accounts.models import ApiToken, User
from accounts.tenancy import NOBODY, current_scope, tenant
from accounts.tokens import (
    NameTaken,
    TokensUnreadable,
    bearer_of,
    issue_token,
    revoke_token,
    tokens_of,
)

HERE = "http://testserver/api/v1/account"
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def token(as_alice: User) -> str:
    return issue_token(as_alice.id, "Laptop", NOW, ("read", "chat"))


def kept(user_id: UUID) -> ApiToken:
    with tenant(user_id):
        return ApiToken.objects.get()


def test_a_token_says_whose_it_is_and_what_it_may(alice: User, token: str) -> None:
    bearer = bearer_of(f"Bearer {token}", HERE, NOW)
    assert bearer
    assert bearer.user == alice
    assert bearer.may("read")
    assert bearer.may("chat")
    assert not bearer.may("write")


def test_no_scope_is_left_in_force(alice: User) -> None:
    with tenant(alice.id):
        text = issue_token(alice.id, "Laptop", NOW)
    assert bearer_of(f"Bearer {text}", HERE, NOW)
    assert current_scope() == NOBODY


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


def test_only_a_digest_is_kept(alice: User, token: str) -> None:
    row = kept(alice.id)
    secret = token.rpartition("_")[2]
    assert not [value for value in vars(row).values() if secret in str(value)]


def test_a_revoked_token_opens_nothing(alice: User, token: str) -> None:
    revoke_token(kept(alice.id), NOW)
    assert bearer_of(f"Bearer {token}", HERE, NOW) is None
    revoke_token(kept(alice.id), NOW + timedelta(days=1))
    assert kept(alice.id).revoked_at == NOW


def test_an_account_that_is_switched_off_has_no_key(alice: User, token: str) -> None:
    User.objects.filter(id=alice.id).update(is_active=False)
    assert bearer_of(f"Bearer {token}", HERE, NOW) is None


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


def test_what_worked_a_moment_ago_works_while_the_database_is_away(
    alice: User, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = f"Bearer {token}"
    assert bearer_of(header, HERE, NOW)

    def away(*given: Any) -> None:
        raise OperationalError

    monkeypatch.setattr(tokens, "_read_api_token", away)
    bearer = bearer_of(header, HERE, NOW + timedelta(minutes=4))
    assert bearer
    assert bearer.user == alice
    for unknown, at in ((header, NOW + timedelta(minutes=5)), (f"{header[:-2]}xx", NOW)):
        with pytest.raises(TokensUnreadable):
            bearer_of(unknown, HERE, at)
    assert bearer_of("Bearer of news", HERE, NOW) is None, "this can be no token"


def test_a_revoked_token_is_not_remembered(alice: User, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    header = f"Bearer {token}"
    assert bearer_of(header, HERE, NOW)
    revoke_token(kept(alice.id), NOW)
    assert bearer_of(header, HERE, NOW) is None

    def away(*given: Any) -> None:
        raise OperationalError

    monkeypatch.setattr(tokens, "_read_api_token", away)
    with pytest.raises(TokensUnreadable):
        bearer_of(header, HERE, NOW)
