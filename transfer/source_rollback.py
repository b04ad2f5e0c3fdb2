"""Rolls back everything mined from certain sources, as if it had never been mined.

Unlike a deletion this leaves no tombstone and nothing in the trash: it is for the chats of the demo
palace, which never were the person's own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, F, Min, OuterRef, QuerySet
from django.db.models.functions import Greatest

from memory.consolidation.summaries import forget_summaries
from memory.facts import drop_endings, endings_in, settle_around, settle_without
from memory.graph.orphans import remove_orphans
from memory.graph.relations import settle, tracks_of
from memory.models import (
    ActivityEvent,
    Closet,
    Drawer,
    EntityName,
    Fact,
    FactSource,
    Forgetting,
    MinedWindow,
    MiningProgress,
    Palace,
    Relation,
    RelationSource,
    Room,
    Tombstone,
    Wing,
)
from memory.placement import lock_palace
from memory.projections.clearing import forget_derived, forget_skills
from memory.search.index import forget_words


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources to roll back: their kind and ids, and the digests of their words.

    `since` is a UUIDv7 from before the first was mined: older wings, entities and aliases existed
    without them.
    """

    kind: str
    ids: tuple[UUID, ...]
    digests: tuple[bytes, ...]
    since: UUID


def withdraw(user_id: UUID, sources: Sources) -> int:
    """Erase the drawers of these sources and everything known from them alone; returns how many.

    What has other evidence stays without them, and values they had ended are valid again. Make sure
    that nobody mines the sources meanwhile.
    """
    with transaction.atomic():
        lock_palace(user_id)
        drawers = Drawer.objects.filter(user_id=user_id, source_kind=sources.kind, source_id__in=sources.ids)
        drawer_ids = list(drawers.values_list("id", flat=True))
        forget_summaries(user_id, drawer_ids)
        _withdraw_facts(user_id, drawer_ids)
        _withdraw_relations(user_id, drawer_ids, sources.since)
        gone = [*sources.ids, *drawer_ids]
        gone += _withdraw_structure(user_id, drawer_ids, sources)
        _forget_events(user_id, gone)
        _forget_progress(user_id, sources)
        _reset_empty_palace(user_id)
    return len(drawer_ids)


def _withdraw_facts(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    sources = FactSource.objects.filter(user_id=user_id)
    taken = sources.filter(drawer_id__in=drawer_ids)
    others = sources.filter(fact_id=OuterRef("id")).exclude(drawer_id__in=drawer_ids)
    known = Fact.objects.filter(user_id=user_id, id__in=taken.values("fact_id"))
    alone = list(known.filter(~Exists(others)).values_list("id", flat=True))
    lost = dict(taken.exclude(fact_id__in=alone).values_list("fact_id").annotate(Count("id")).order_by())
    starts = {drawer.said_at for drawer in _said(user_id, drawer_ids)}
    taken.delete()
    for fact_id, count in lost.items():
        _keep_without(Fact.objects.get(user_id=user_id, id=fact_id), count, starts)
    Fact.objects.filter(user_id=user_id, id__in=alone).delete()
    settle_without(user_id, alone)
    settle_around(user_id, lost)
    drop_endings(user_id, endings_in(user_id, drawer_ids))
    forget_derived(user_id, alone)


def _said(user_id: UUID, drawer_ids: Sequence[UUID]) -> QuerySet[Drawer]:
    return Drawer.objects.filter(user_id=user_id, id__in=drawer_ids).only("user_id", "id", "said_at")


def _keep_without(fact: Fact, count: int, starts: set[datetime]) -> None:
    """Keep a fact that others support: seen less often, and valid only since they said it."""
    changes: dict[str, object] = {"times_seen": Greatest(1, F("times_seen") - count)}
    if fact.valid_from in starts:
        said = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id)
        changes["valid_from"] = said.aggregate(first=Min("drawer__said_at"))["first"]
    Fact.objects.filter(user_id=fact.user_id, id=fact.id).update(**changes)


def _withdraw_relations(user_id: UUID, drawer_ids: Sequence[UUID], since: UUID) -> None:
    sources = RelationSource.objects.filter(user_id=user_id, drawer_id__in=drawer_ids)
    tracks = tracks_of(user_id, sources)
    sources.delete()
    Relation.objects.filter(user_id=user_id, drawer_id__in=drawer_ids).exclude(deleted_at=None).delete()
    for track in tracks:
        settle(track)
    _drop_unsaid_aliases(user_id, drawer_ids, since)
    remove_orphans(user_id, since=since)


def _drop_unsaid_aliases(user_id: UUID, drawer_ids: Sequence[UUID], since: UUID) -> None:
    """Drop aliases that no other drawer uses; they carry no source of their own."""
    others = Drawer.objects.filter(user_id=user_id).exclude(id__in=drawer_ids)
    for alias in EntityName.objects.filter(user_id=user_id, is_alias=True, id__gte=since):
        if not others.filter(content__icontains=alias.name).exists():
            alias.delete()


def _withdraw_structure(user_id: UUID, drawer_ids: Sequence[UUID], sources: Sources) -> list[UUID]:
    """Erase drawers, then rooms and wings left empty; returns the ids of places that are gone."""
    rooms = Room.objects.filter(user_id=user_id, source_kind=sources.kind, source_id__in=sources.ids)
    drawers = Drawer.objects.filter(user_id=user_id, id__in=drawer_ids)
    wing_ids = {
        *rooms.values_list("wing_id", flat=True),
        *drawers.values_list("wing_id", flat=True),
    }
    forget_words(user_id, drawer_ids)
    forget_skills(user_id, drawer_ids)
    drawers.delete()
    empty = rooms.filter(~Exists(Drawer.objects.filter(user_id=user_id, room_id=OuterRef("id"))))
    room_ids = list(empty.values_list("id", flat=True))
    closets = Closet.objects.filter(user_id=user_id, room_id__in=room_ids)
    gone = [*room_ids, *closets.values_list("id", flat=True)]
    empty.delete()
    wings = Wing.objects.filter(
        ~Exists(Room.objects.filter(user_id=user_id, wing_id=OuterRef("id"))),
        user_id=user_id,
        id__in=wing_ids,
        id__gte=sources.since,
    )
    gone += wings.values_list("id", flat=True)
    wings.delete()
    return gone


def _forget_events(user_id: UUID, subjects: Iterable[UUID]) -> None:
    events = ActivityEvent.objects.filter(user_id=user_id)
    about = events.filter(subject_id__in=list(subjects))
    deletions = about.filter(kind=ActivityEvent.Kind.DELETED).values_list("details__deletion", flat=True)
    Forgetting.objects.filter(user_id=user_id, id__in=list(deletions)).delete()
    events.filter(kind=ActivityEvent.Kind.RESTORED, details__deletion__in=list(deletions)).delete()
    about.delete()


def _forget_progress(user_id: UUID, sources: Sources) -> None:
    for table in (MiningProgress, MinedWindow):
        table.objects.filter(user_id=user_id, source_kind=sources.kind, source_id__in=sources.ids).delete()
    Tombstone.objects.filter(user_id=user_id, digest__in=sources.digests).delete()


def _reset_empty_palace(user_id: UUID) -> None:
    """Reset the numbering once no wing is left whose pointers could be reused."""
    if not Wing.objects.filter(user_id=user_id).exists():
        Palace.objects.filter(user_id=user_id).delete()
