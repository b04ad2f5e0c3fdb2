"""Reads and changes a user's memory settings, and tests text for words that must not be remembered."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

import re2
from django.db import transaction

from accounts.owned import first_or_raise
from memory.changes.activity import record
from memory.models import ActivityEvent, MemoryPreferences
from memory.text.patterns import UNSPACED, Pattern, compile_pattern, compile_words
from memory.text.sanitizing import normalise
from memory.upkeep_schedule import request_upkeep

_cached: ContextVar[MemoryPreferences | None] = ContextVar("_cached", default=None)
_UNSPACED_SCRIPT = compile_pattern(f"[{UNSPACED}]")
_FIELDS = {field.name: field for field in MemoryPreferences._meta.concrete_fields}


def preferences_of(user_id: UUID) -> MemoryPreferences:
    """The user's settings; the unsaved defaults if there are none."""
    cached = _cached.get()
    if cached is not None and cached.user_id == user_id:
        return copy(cached)
    found = MemoryPreferences.objects.filter(user_id=user_id).first()
    return found or MemoryPreferences(user_id=user_id)


@contextmanager
def cached_preferences(preferences: MemoryPreferences) -> Iterator[None]:
    """Reuse these settings inside the block: for requests that change nothing."""
    token = _cached.set(preferences)
    try:
        yield
    finally:
        _cached.reset(token)


def default_of(name: str) -> Any:
    """The default of a setting."""
    return getattr(MemoryPreferences(), name)


def zone_of(preferences: MemoryPreferences) -> tzinfo:
    """The user's time zone; UTC if this machine does not know it."""
    try:
        return ZoneInfo(preferences.time_zone)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def is_zone(name: str) -> bool:
    """Whether there is a time zone with this name."""
    return name in available_timezones()


def has_saved(user_id: UUID) -> bool:
    """Whether the user has saved settings of their own."""
    return MemoryPreferences.objects.filter(user_id=user_id).exists()


def change_preferences(user_id: UUID, choices: Mapping[str, Any], now: datetime) -> ActivityEvent | None:
    """Save these settings and record which changed; returns the event to undo, None if nothing changed.

    Raises ValidationError, without changing anything, if one is out of range.
    """
    with transaction.atomic():
        preferences = _locked(user_id)
        changed = [name for name, value in choices.items() if getattr(preferences, name) != value]
        before = {name: _as_text(preferences, name) for name in changed}
        for name in changed:
            setattr(preferences, name, choices[name])
        preferences.full_clean(validate_unique=False)
        if not changed:
            return None
        preferences.save()
        request_upkeep(user_id)
        after = {name: _as_text(preferences, name) for name in changed}
        details = {"changed": changed, "before": before, "after": after}
        return record(user_id, ActivityEvent.Kind.SETTINGS, details, now)


def undo(user_id: UUID, event_id: UUID, now: datetime) -> tuple[list[str], list[str]]:
    """Restore settings to what they were before a change. Idempotent.

    Returns the names of restored settings, and of those kept because they have changed since. Raises
    NotFound.
    """
    with transaction.atomic():
        events = ActivityEvent.objects.filter(user_id=user_id, kind=ActivityEvent.Kind.SETTINGS)
        event = first_or_raise(events.select_for_update().filter(id=event_id, details__has_key="before"))
        before, after = event.details["before"], event.details["after"]
        # An event may name a setting that no longer exists.
        changed = [name for name in event.details["changed"] if name in _FIELDS]
        if event.undone_at is not None:
            return changed, []
        preferences = _locked(user_id)
        # Compare values: 2.5 from a form is stored as 2.50.
        restorable = [n for n in changed if getattr(preferences, n) == _from_text(n, after[n])]
        change_preferences(user_id, {name: _from_text(name, before[name]) for name in restorable}, now)
        event.undone_at = now
        event.save(update_fields=("undone_at",))
    return restorable, [name for name in changed if name not in restorable]


def _locked(user_id: UUID) -> MemoryPreferences:
    """The user's settings, locked until the transaction ends."""
    MemoryPreferences.objects.select_for_update().filter(user_id=user_id).first()
    return preferences_of(user_id)


def _as_text(preferences: MemoryPreferences, name: str) -> str | None:
    """A setting as text, or None."""
    value = getattr(preferences, name)
    return None if value is None else str(_FIELDS[name].value_to_string(preferences))


def _from_text(name: str, text: str | None) -> Any:
    return _FIELDS[name].to_python(text)


def excluding(never_remember: str) -> Callable[[str], bool]:
    """A test for text that contains one of these words and phrases, which are one per line, ignoring case."""
    pattern = _exclusions(never_remember)
    return lambda text: pattern is not None and pattern.search(_comparable(text)) is not None


@lru_cache(maxsize=256)
def _exclusions(lines: str) -> Pattern | None:
    phrases = [phrase for line in lines.splitlines() if (phrase := _comparable(line))]
    if not phrases:
        return None
    unspaced = [re2.escape(phrase) for phrase in phrases if _UNSPACED_SCRIPT.search(phrase)]
    return compile_words("|".join(re2.escape(phrase) for phrase in phrases), "|".join(unspaced))


def _comparable(text: str) -> str:
    return " ".join(normalise("NFKC", text).casefold().split())
