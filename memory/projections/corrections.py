"""The owner's changes to their profile: their own text, and hidden values.

Nothing is overwritten, and all of it can be undone.
"""

from datetime import datetime
from uuid import UUID

from accounts.owned import first_or_raise
from memory.changes.activity import record
from memory.models import ActivityEvent, Fact, HiddenValue, ProfileText
from memory.placement import locked_palace
from memory.projections.values import value_digest

KIND = ActivityEvent.Kind.PROFILE_CHANGED


def write_own_words(user_id: UUID, text: str, now: datetime) -> ProfileText | None:
    """Replace the generated text with this one; an empty text restores the generated one.

    Returns the version that was current before, if any.
    """
    with locked_palace(user_id):
        before = ProfileText.objects.filter(user_id=user_id, ended_at=None).first()
        if before is not None and before.text == text:
            return before
        if before is not None:
            before.ended_at = now
            before.save(update_fields=("ended_at",))
        if text.strip():
            ProfileText.objects.create(user_id=user_id, text=text, written_at=now)
        if before is not None or text.strip():
            _record_change(user_id, "own_words" if text.strip() else "own_words_ended", now)
    return before


def restore_version(user_id: UUID, words_id: UUID, now: datetime) -> ProfileText | None:
    """Restore an earlier version as a new one; returns the version that was current before, if any.

    Raises NotFound.
    """
    earlier = _version(user_id, words_id)
    return write_own_words(user_id, earlier.text, now)


def erase_words(user_id: UUID, words_id: UUID, now: datetime) -> None:
    """Erase a version of the owner's text for good. Raises NotFound."""
    with locked_palace(user_id):
        _version(user_id, words_id).delete()
        _record_change(user_id, "own_words_erased", now)


def set_hidden(user_id: UUID, fact_id: UUID, now: datetime, *, hidden: bool) -> None:
    """Hide the value of a fact from the profile, or show it there again. Raises NotFound."""
    with locked_palace(user_id):
        fact = first_or_raise(Fact.objects.filter(user_id=user_id, id=fact_id, deleted_at=None))
        values = HiddenValue.objects.filter(user_id=user_id, digest=value_digest(fact))
        if hidden is values.exists():
            return
        if hidden:
            HiddenValue.objects.create(user_id=user_id, digest=value_digest(fact), hidden_at=now)
        else:
            values.delete()
        _record_change(user_id, "hidden" if hidden else "shown", now, fact_id)


def _version(user_id: UUID, words_id: UUID) -> ProfileText:
    return first_or_raise(ProfileText.objects.filter(user_id=user_id, id=words_id))


def _record_change(user_id: UUID, change: str, now: datetime, fact_id: UUID | None = None) -> None:
    record(user_id, KIND, {"change": change}, now, subject_id=fact_id)
