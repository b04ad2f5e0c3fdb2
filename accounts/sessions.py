"""Browser sessions. A tenant cannot read them: their rows do not say whose they are."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from allauth.usersessions.models import UserSession
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils.crypto import salted_hmac

from accounts.tenancy import visitor

BATCH_SIZE = 1_000
# Substrings of user agents, and the names they stand for.
BROWSERS = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
SYSTEMS = {name: name for name in ("Android", "iPhone", "iPad", "Windows")}
SYSTEMS |= {"Mac OS X": "macOS", "CrOS": "ChromeOS", "Linux": "Linux"}


class SessionStore(db.SessionStore):
    """Django's sessions in the database, read and written as a visitor."""

    def load(self) -> dict[str, Any]:
        with visitor():
            return super().load()

    def exists(self, session_key: str) -> bool:
        with visitor():
            return super().exists(session_key)

    def save(self, must_create: bool = False) -> None:
        """Write the session; a new key is tried until one is free."""
        with visitor():
            super().save(must_create)

    def delete(self, session_key: str | None = None) -> None:
        with visitor():
            super().delete(session_key)


def session_id(session_key: str) -> str:
    """The id of a session in other tables; it cannot be used to sign in."""
    return salted_hmac("accounts.session", session_key).hexdigest()


def open_session_ids(user_id: UUID, now: datetime) -> list[str]:
    """The ids of the user's sessions that have neither ended nor expired."""
    keys = UserSession.objects.filter(user_id=user_id).values_list("session_key", flat=True)
    alive = Session.objects.filter(session_key__in=list(keys), expire_date__gt=now)
    with visitor():
        return [session_id(key) for key in alive.values_list("session_key", flat=True)]


def remove_expired_sessions(now: datetime) -> None:
    """Delete expired sessions in batches."""
    end_sessions(
        Session.objects.filter(expire_date__lte=now).values_list("session_key", flat=True)[:BATCH_SIZE]
    )


def sessions_with(words: Collection[str]) -> list[str]:
    """The keys of all sessions that contain any of these words, such as an id or an address."""
    with visitor():
        return [
            session.session_key
            for session in Session.objects.iterator()
            if any(word in str(session.get_decoded()) for word in words)
        ]


def end_sessions(keys: Collection[str]) -> None:
    """Sign these sessions out."""
    with visitor():
        UserSession.objects.filter(session_key__in=list(keys)).delete()
        Session.objects.filter(session_key__in=list(keys)).delete()


def browser_name(user_agent: str) -> str:
    """A browser and its operating system, such as `Firefox on Linux`; empty if unknown."""
    browser = next((name for mark, name in BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    return " on ".join(filter(None, (browser, system)))
