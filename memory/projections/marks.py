"""Whether anything changed since skills and insights were last made, told by one cheap question
each to the facts and to the mined windows."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.aggregates import BitXor
from django.db.models import BigIntegerField, F, Func, TextField, Value
from django.db.models.functions import Cast, Concat

from memory.models import Fact, MinedWindow, ProjectionMark

_FIELDS = ("id", "status", "times_seen", "valid_from", "valid_to", "deleted_at", "version")


@dataclass(frozen=True, slots=True)
class Mark:
    """What the mined windows and the facts come to; `looked_at` is None before the first look."""

    windows: int
    facts: int
    looked_at: datetime | None = None


def mark_now(user_id: UUID) -> Mark:
    """The mark of this moment. Two states of the facts have the same one by chance only."""
    text = Concat(*(Cast(F(name), TextField()) for name in _FIELDS), output_field=TextField())
    hashed = Func(text, Value(0), function="hashtextextended", output_field=BigIntegerField())
    facts = Fact.objects.filter(user_id=user_id).aggregate(state=BitXor(hashed))
    windows = MinedWindow.objects.filter(user_id=user_id).count()
    return Mark(windows, facts["state"] or 0)


def mark_then(user_id: UUID) -> Mark:
    """The mark of the last look."""
    row = ProjectionMark.objects.filter(user_id=user_id).first()
    return Mark(row.windows, row.facts, row.looked_at) if row else Mark(0, 0)


def keep_mark(user_id: UUID, mark: Mark, now: datetime) -> None:
    """Remember that what this mark stands for was looked at."""
    ProjectionMark.objects.update_or_create(
        user_id=user_id,
        defaults={"windows": mark.windows, "facts": mark.facts, "looked_at": now},
    )
