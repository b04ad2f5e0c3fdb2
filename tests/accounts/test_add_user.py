import hashlib
import sys
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from accounts.models import ApiToken, User
from accounts.tenancy import tenant

pytestmark = pytest.mark.django_db


def add_user(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("add_user", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_it_prints_the_id() -> None:
    (printed,) = add_user("Ann@Example.org", "--password", "p")
    user = User.objects.get(id=UUID(printed))
    assert user.email == "ann@example.org"
    assert user.check_password("p")
    assert not user.is_staff


def test_staff() -> None:
    add_user("ann@example.org", "--password", "p", "--staff")
    user = User.objects.get()
    assert user.is_staff
    assert user.is_superuser


def test_the_token_is_printed_once_and_kept_as_a_digest() -> None:
    printed, token = add_user("ann@example.org", "--password", "p", "--token")
    user_id = UUID(printed)
    with tenant(user_id):
        kept = ApiToken.objects.get()
    assert kept.user_id == user_id
    assert kept.digest == hashlib.sha256(token.encode()).hexdigest()
    assert token.startswith(f"pal_{user_id.hex}_")


def test_without_password_or_terminal_nobody_can_sign_in(monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())
    add_user("ann@example.org")
    assert not User.objects.get().has_usable_password()


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "usable"), [(["secret", "secret"], True), ([""], False)])
def test_a_terminal_asks(monkeypatch: Any, typed: list[str], usable: bool) -> None:
    answers = iter(typed)
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(answers))
    add_user("ann@example.org")
    assert User.objects.get().has_usable_password() is usable


def test_two_passwords_that_differ(monkeypatch: Any) -> None:
    answers = iter(["one", "two"])
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(answers))
    with pytest.raises(CommandError, match="differ"):
        add_user("ann@example.org")
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["not-an-address"], "is not an e-mail address"),
        (["ALICE@example.org", "--password", "p"], "has an account already"),
        (["ann@example.org", "--password", ""], "is empty"),
        (["a\x00@example.org", "--password", "p"], "is not an e-mail address"),
    ],
)
def test_refusals_change_nothing(alice: User, arguments: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence) as refusal:
        add_user(*arguments)
    assert refusal.value.returncode == 1
    assert User.objects.count() == 1
