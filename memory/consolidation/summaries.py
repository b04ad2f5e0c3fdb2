"""Finds closets and rooms whose summary is not that of their drawers, and drafts a new one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q
from uuid_utils.compat import uuid7

from memory.consolidation.changes import Change, Draft, Place, RowChange, stamp
from memory.consolidation.extracts import extract
from memory.models import ConsolidationChange, Drawer, Summary

FEWEST_DRAWERS = 4
"""Three messages are read as quickly as what they are about."""
MOST_PLACES = 200
DRAWERS_READ = 80
CHARACTERS_READ = 2_000

_PLACES = """
SELECT room_id, {closet} AS closet_id, encode(sha256(string_agg(id::text, ' ' ORDER BY id)::bytea), 'hex')
FROM memory_drawer
WHERE user_id = %s AND deleted_at IS NULL AND NOT sensitive
GROUP BY room_id, {group} HAVING count(*) >= %s
ORDER BY max(said_at) DESC, room_id, closet_id
"""


def drafts(user_id: UUID) -> Iterator[Draft]:
    """New summaries by rules for up to 200 places whose drawers are not those of their summary,
    the most recent first. Sensitive drawers are not read."""
    shown = _shown(user_id)
    due = (place for place in _places(user_id) if _differs(place, shown.get(place.id)))
    for _, place in zip(range(MOST_PLACES), due, strict=False):
        text = extract(words_of(user_id, place))
        if text:
            old = shown.get(place.id)
            yield Draft(uuid7(), place, text, Summary.Writer.RULES, old.id if old else None)


def rewritable(user_id: UUID) -> Iterator[Draft]:
    """The summaries by rules that are up to date, as drafts that a model may write better."""
    places = {place.id: place for place in _places(user_id)}
    for subject_id, old in _shown(user_id).items():
        place = places.get(subject_id)
        if place and old.written_by == Summary.Writer.RULES and not _differs(place, old):
            yield Draft(uuid7(), place, old.text, Summary.Writer.RULES, old.id)


def words_of(user_id: UUID, place: Place) -> list[str]:
    """What was said in a place: by the person, or by all when they said nothing there."""
    where = {"closet_id": place.closet_id} if place.closet_id else {"room_id": place.room_id}
    drawers = Drawer.objects.live().filter(user_id=user_id, sensitive=False, **where)
    own = drawers.filter(Q(role=Drawer.Role.USER) | Q(role=Drawer.Role.NOTE))
    chosen = own if own.exists() else drawers
    texts = chosen.order_by("source_sequence", "id").values_list("content", flat=True)
    return [text[:CHARACTERS_READ] for text in texts[:DRAWERS_READ]]


def shown(draft: Draft, now: datetime) -> Change:
    """The change that puts a draft in the place of the summary before it."""
    at = stamp(now)
    rows = [RowChange("summary", draft.id, {"shown_at": None}, {"shown_at": at})]
    if draft.replaces:
        rows.append(RowChange("summary", draft.replaces, {"retired_at": None}, {"retired_at": at}))
    kind = ConsolidationChange.Kind.SUMMARISED
    subject = "closet" if draft.place.closet_id else "room"
    return Change(kind.value, subject, draft.place.id, tuple(rows), (draft.id,))


def keep_drafts(user_id: UUID, made: Sequence[Draft], now: datetime) -> None:
    """Store drafts, which nobody is shown until their change is applied."""
    Summary.objects.bulk_create(
        Summary(
            user_id=user_id,
            id=draft.id,
            subject_id=draft.place.id,
            room_id=draft.place.room_id,
            closet_id=draft.place.closet_id,
            text=draft.text,
            written_by=draft.written_by,
            digest=draft.place.digest,
            made_at=now,
        )
        for draft in made
    )


def drop_drafts(user_id: UUID) -> None:
    """Erase drafts that were never shown, or are shown no longer."""
    Summary.objects.filter(user_id=user_id, shown_at=None).delete()


def _places(user_id: UUID) -> Iterable[Place]:
    with connection.cursor() as cursor:
        for closet, group in (("closet_id", "closet_id"), ("NULL::uuid", "2")):
            cursor.execute(_PLACES.format(closet=closet, group=group), [user_id, FEWEST_DRAWERS])
            yield from (Place(*row) for row in cursor.fetchall())


def _shown(user_id: UUID) -> Mapping[UUID, Any]:
    rows = Summary.objects.filter(user_id=user_id, shown_at__isnull=False, retired_at=None)
    ordered = rows.only("user_id", "id", "subject_id", "digest", "written_by", "text")
    return {summary.subject_id: summary for summary in ordered.order_by("shown_at", "id")}


def _differs(place: Place, summary: Summary | None) -> bool:
    return summary is None or summary.digest != place.digest
