"""Opening accounts, signing in, and the sessions that follow."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.tokens import default_token_generator
from django.db import connection, transaction
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.http import urlsafe_base64_decode

from accounts.models import User
from accounts.sessions import USER_AGENT_KEY, Session

# Any fixed number that no other part of the site locks.
OPENING_LOCK = 0x70616C61
BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


class AddressTaken(Exception):
    """Somebody has an account with this address."""


class SignUpClosed(Exception):
    """The site takes no new accounts from visitors."""


@dataclass(frozen=True, slots=True)
class NewAccount:
    """What a person gives to get an account; no password means that none can be used."""

    email: str
    password: str | None
    name: str = ""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session as its owner sees it. `id` names it on pages and cannot be used to sign in."""

    id: str
    browser: str
    started_at: datetime
    is_this: bool


def site_is_empty() -> bool:
    """Whether nobody has an account yet."""
    return not User.objects.exists()


def may_sign_up() -> bool:
    """Whether a visitor can open an account: the first always, others when it is switched on."""
    return settings.SIGN_UP or site_is_empty()


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Two visitors of an empty site must not both find it empty."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [OPENING_LOCK])
        yield


def _create(account: NewAccount, *, is_staff: bool) -> User:
    if User.objects.filter(email__iexact=account.email).exists():
        raise AddressTaken
    return User.objects.create_user(
        account.email,
        account.password,
        name=account.name,
        is_staff=is_staff,
        is_superuser=is_staff,
    )


def open_account(account: NewAccount) -> User:
    """Open an account for a visitor; the first of a site owns it and is staff.

    Raises SignUpClosed when visitors may not, AddressTaken when the address has an account.
    """
    with _one_at_a_time():
        first = site_is_empty()
        if not (first or settings.SIGN_UP):
            raise SignUpClosed
        return _create(account, is_staff=first)


def add_account(account: NewAccount, *, is_staff: bool) -> User:
    """Open an account on the word of the person who runs the server; raises AddressTaken."""
    with _one_at_a_time():
        return _create(account, is_staff=is_staff)


def begin_session(request: HttpRequest, user: User) -> None:
    """Sign the person in on this browser and note which browser it is."""
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    given = request.headers.get("User-Agent", "")
    request.session[USER_AGENT_KEY] = "".join(c for c in given if c.isprintable())[:200]


def browser_name(user_agent: str) -> str:
    """A browser and its system in words, such as `Firefox on Linux`; empty when unknown."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    return " on ".join(filter(None, (browser, system)))


def session_id(session_key: str) -> str:
    """What names a session on pages and in other tables; nobody can sign in with it."""
    return salted_hmac("accounts.session", session_key).hexdigest()


def open_sessions(user_id: UUID, current_key: str | None, now: datetime) -> list[OpenSession]:
    """The person's sessions that have not expired: this one first, then the newest."""
    rows = Session.objects.filter(user_id=user_id, expire_date__gt=now).order_by("-started_at")
    found = [
        OpenSession(
            id=session_id(row.session_key),
            browser=browser_name(row.user_agent),
            started_at=row.started_at,
            is_this=row.session_key == current_key,
        )
        for row in rows
    ]
    return sorted(found, key=lambda session: not session.is_this)


def agree(user_id: UUID, now: datetime) -> None:
    """Note when a person first agreed to what Palace keeps."""
    User.objects.filter(pk=user_id, agreed_at=None).update(agreed_at=now)


def close_session(user_id: UUID, public_id: str) -> bool:
    """Sign the person out of one session; False when they have none of this id."""
    for row in Session.objects.filter(user_id=user_id):
        if secrets.compare_digest(session_id(row.session_key), public_id):
            row.delete()
            return True
    return False


def close_sessions(user_id: UUID, *, except_key: str | None = None) -> int:
    """Sign the person out everywhere but in the session `except_key`; how many ended."""
    return Session.objects.filter(user_id=user_id).exclude(session_key=except_key).delete()[0]


def user_of_reset_link(uid: str, token: str) -> User | None:
    """Whom a link to a new password was sent to; None when it is spent, too old or forged."""
    try:
        user = User.objects.filter(pk=UUID(urlsafe_base64_decode(uid).decode()), is_active=True)
    except ValueError:
        return None
    found = user.first()
    return found if found and default_token_generator.check_token(found, token) else None
