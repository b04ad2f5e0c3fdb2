"""Reads and changes what a person has chosen about their memory."""

from uuid import UUID

from memory.models import MemoryPreferences


def preferences_of(user_id: UUID) -> MemoryPreferences:
    """The person's choices, or the defaults, unsaved, when they have made none."""
    found = MemoryPreferences.objects.filter(user_id=user_id).first()
    return found or MemoryPreferences(user_id=user_id)
