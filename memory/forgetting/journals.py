"""What journals, undo histories and traces still say of what was forgotten."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import connection, models
from django.db.models import Q

from memory.forgetting.words import Words
from memory.models import (
    ActivityEvent,
    ConsolidationChange,
    ConsolidationRun,
    FactVersion,
    GraphEdit,
    PalaceEdit,
    Profile,
)

AT_ONCE = 500
KEPT_TO_UNDO: tuple[tuple[type[models.Model], str], ...] = (
    (GraphEdit, "details"),
    (PalaceEdit, "details"),
    (FactVersion, "content"),
)
CODES = frozenset(
    ("action", "by", "change", "decision", "error", "method", "notes", "reason", "scope", "table")
)
"""Values in journals that are one of Palace's own words or sentences."""

_TRACES = """
UPDATE memory_recalltrace SET
  hits = coalesce((
    SELECT jsonb_agg(hit) FROM jsonb_array_elements(hits) AS hit
    WHERE (hit ->> 'drawer_id')::uuid <> ALL(%(ids)s)), '[]'),
  trace = CASE WHEN trace -> 'considered' IS NULL THEN trace ELSE
    jsonb_set(trace, '{considered}', coalesce((
      SELECT jsonb_agg(one) FROM jsonb_array_elements(trace -> 'considered') AS one
      WHERE (one ->> 'drawer_id')::uuid <> ALL(%(ids)s)), '[]')) END
WHERE user_id = %(user)s AND (
  EXISTS (SELECT 1 FROM jsonb_array_elements(hits) AS hit
          WHERE (hit ->> 'drawer_id')::uuid = ANY(%(ids)s))
  OR EXISTS (SELECT 1 FROM jsonb_array_elements(trace -> 'considered') AS one
             WHERE (one ->> 'drawer_id')::uuid = ANY(%(ids)s)))
"""


def forget_in_traces(user_id: UUID, drawer_ids: Sequence[UUID]) -> int:
    """Take drawers out of the traces of recalls that found them; returns of how many."""
    with connection.cursor() as cursor:
        cursor.execute(_TRACES, {"user": user_id, "ids": list(drawer_ids)})
        return int(cursor.rowcount)


def forget_in_journals(user_id: UUID, gone: frozenset[UUID], words: Words) -> int:
    """Let journals forget rows that are erased and every value that has the words; returns in how
    many entries. What they kept to undo a change with such words cannot be undone any more."""
    count = _scrub(ActivityEvent, user_id, "details", words)
    count += _scrub_changes(user_id, gone, words)
    for model, column in KEPT_TO_UNDO:
        rows = model._default_manager.filter(user_id=user_id).values_list("id", column)
        told = [row_id for row_id, kept in rows.iterator(AT_ONCE) if words.are_in(as_text(kept))]
        count += model._default_manager.filter(user_id=user_id, id__in=told).delete()[0]
    return count + _forget_prose(user_id, words)


def without(value: Any, words: Words) -> Any:
    """A JSON value with every text emptied that has any of these words. Names of values stay, and
    so do those texts that only Palace writes."""
    if isinstance(value, dict):
        return {
            name: inner if name in CODES else without(inner, words) for name, inner in value.items()
        }
    if isinstance(value, list):
        return [without(inner, words) for inner in value]
    return "" if isinstance(value, str) and words.are_in(value) else value


def as_text(value: Any) -> str:
    """Every text in a JSON value and the names of its values, but for those only Palace writes."""
    if isinstance(value, dict):
        return "\n".join(
            f"{name}\n{as_text(inner)}" for name, inner in value.items() if name not in CODES
        )
    if isinstance(value, list):
        return "\n".join(map(as_text, value))
    return value if isinstance(value, str) else ""


def _scrub(model: type[models.Model], user_id: UUID, column: str, words: Words) -> int:
    rows = model._default_manager.filter(user_id=user_id)
    changed: list[Any] = []
    for row in rows.iterator(AT_ONCE):
        told = getattr(row, column)
        kept = without(told, words)
        if kept != told:
            setattr(row, column, kept)
            changed.append(row)
    for row in changed:
        row.save(update_fields=(column,))
    return len(changed)


def _scrub_changes(user_id: UUID, gone: frozenset[UUID], words: Words) -> int:
    """Empty what tidying up kept of rows that are erased or have the words; a plan that was not
    applied yet goes as a whole."""
    runs = ConsolidationRun.objects.filter(user_id=user_id)
    runs.filter(state=ConsolidationRun.State.PLANNED).delete()
    kept = ConsolidationChange.objects.filter(user_id=user_id).exclude(rows=[], details={})
    told = [
        change.id
        for change in kept.iterator(AT_ONCE)
        if not gone.isdisjoint({change.subject_id, *change.others, *_row_ids(change.rows)})
        or words.are_in(as_text([change.rows, change.details]))
    ]
    changes = ConsolidationChange.objects.filter(user_id=user_id, id__in=told)
    return changes.update(rows=[], details={})


def _row_ids(rows: Iterable[Any]) -> set[UUID]:
    found = (row.get("id") for row in rows if isinstance(row, dict))
    return {UUID(str(each)) for each in found if each}


def _forget_prose(user_id: UUID, words: Words) -> int:
    """The profile's prose is written anew from what is left."""
    stored = Profile.objects.filter(~Q(paragraphs=[]), user_id=user_id).first()
    if stored is None or not words.are_in(" ".join(stored.paragraphs)):
        return 0
    return Profile.objects.filter(user_id=user_id).update(digest=b"", paragraphs=[])
