"""Reads and changes what a person has chosen about their memory."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import transaction

from memory.activity import Happening, record
from memory.models import ActivityEvent, MemoryPreferences


def preferences_of(user_id: UUID) -> MemoryPreferences:
    """The person's choices, or the defaults, unsaved, when they have made none."""
    found = MemoryPreferences.objects.filter(user_id=user_id).first()
    return found or MemoryPreferences(user_id=user_id)


def default_of(name: str) -> Any:
    """What a choice is for whoever has made none."""
    return getattr(MemoryPreferences(), name)


def zone_of(preferences: MemoryPreferences) -> tzinfo:
    """The person's time zone; UTC when this machine does not know its name."""
    try:
        return ZoneInfo(preferences.time_zone)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def change_preferences(user_id: UUID, choices: Mapping[str, Any], now: datetime) -> list[str]:
    """Keep these choices and write down which of them are new; returns their names.

    Raises ValidationError, and changes nothing, when one is out of bounds.
    """
    with transaction.atomic():
        preferences = preferences_of(user_id)
        changed = [name for name, value in choices.items() if getattr(preferences, name) != value]
        for name in changed:
            setattr(preferences, name, choices[name])
        preferences.full_clean(validate_unique=False)
        if changed:
            preferences.save()
            record(user_id, Happening(ActivityEvent.Kind.SETTINGS, None, {"changed": changed}), now)
    return changed
