import hashlib
import sys
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError

from accounts.models import ApiToken, User
from accounts.tenancy import tenant
from tests.commands import Terminal, run_command

pytestmark = pytest.mark.django_db


def add_user(*arguments: str) -> list[str]:
    return run_command("add_user", *arguments).splitlines()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["not-an-address"], "is not an email address"),
        (["ALICE@example.org", "--password", "p"], "already has an account"),
        (["ann@example.org", "--password", ""], "is empty"),
        (["a\x00@example.org", "--password", "p"], "is not an email address"),
    ],
)
def test_refused_arguments_change_nothing(alice: User, arguments: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence) as refusal:
        add_user(*arguments)
    assert refusal.value.returncode == 1
    assert User.objects.count() == 1


def test_command_prints_the_id_and_a_token_stored_as_digest() -> None:
    printed, token = add_user("Ann@Example.org", "--password", "p", "--token")
    user = User.objects.get(id=UUID(printed))
    assert user.email == "ann@example.org"
    assert user.check_password("p")
    assert not user.is_staff
    with tenant(user.id):
        kept = ApiToken.objects.get()
    assert kept.digest == hashlib.sha256(token.encode()).hexdigest()
    assert token.startswith(f"pal_{user.id.hex}_")


def test_staff_without_a_password_cannot_sign_in(monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())
    add_user("ann@example.org", "--staff")
    user = User.objects.get()
    assert (user.is_staff, user.is_superuser, user.has_usable_password()) == (True, True, False)


@pytest.mark.parametrize(("typed", "usable"), [(["word", "word"], True), ([""], False), (["a", "b"], None)])
def test_password_is_typed_twice_on_a_terminal(
    monkeypatch: Any, typed: list[str], usable: bool | None
) -> None:
    answers = iter(typed)
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(answers))
    if usable is None:
        with pytest.raises(CommandError, match="do not match"):
            add_user("ann@example.org")
    else:
        add_user("ann@example.org")
    assert [user.has_usable_password() for user in User.objects.all()] == [usable] * (usable is not None)
