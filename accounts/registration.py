"""Creates accounts, for visitors and for operators."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db import connection, transaction
from django.db.models import QuerySet

from accounts.models import User

# An arbitrary lock id that nothing else uses.
CREATION_LOCK = 0x70616C61


class EmailTaken(Exception):
    """An account with this email address exists."""


def unfinished_accounts() -> QuerySet[User]:
    """Accounts whose visitor left before creating the passkey: nobody can sign in to them."""
    return User.objects.filter(
        password__startswith=UNUSABLE_PASSWORD_PREFIX,
        last_login=None,
        authenticator=None,
        emailaddress__primary=True,  # only sign-up creates it before the first sign-in
    )


def site_is_empty() -> bool:
    """Whether there are no accounts yet."""
    return not User.objects.exclude(pk__in=unfinished_accounts().values("pk")).exists()


@contextmanager
def account_creation_lock() -> Iterator[None]:
    """Hold the lock for creating accounts, so that a site gets one owner."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [CREATION_LOCK])
        yield


def email_is_taken(email: str) -> bool:
    """Whether an account has this address, ignoring case."""
    return User.objects.filter(email__iexact=email).exists()


def add_account(email: str, password: str | None, *, is_staff: bool) -> User:
    """Create an account for an operator; staff, and the first account of a site, are superusers.

    Raises EmailTaken.
    """
    with account_creation_lock():
        if email_is_taken(email):
            raise EmailTaken
        is_staff = is_staff or site_is_empty()
        return User.objects.create_user(email, password, is_staff=is_staff, is_superuser=is_staff)
