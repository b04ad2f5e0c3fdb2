"""Puts drawers into the trash and takes them out again, with all that was derived from them.

A deletion has an id of its own, so that undoing it restores exactly what it took, no more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Least
from uuid_utils.compat import uuid7

from memory.activity import Happening, record
from memory.facts import (
    begin_earlier,
    begin_later,
    begin_with,
    end_again,
    make_room_for,
    reopen,
    settle_around,
    settle_ended_in,
)
from memory.forgetting.burial import bury, bury_source
from memory.forgetting.counts import counts_of
from memory.forgetting.erasing import doomed, erase
from memory.forgetting.receipts import Wish, mark_undone, open_receipt
from memory.forgetting.scopes import NothingToForget, Scope, drawers_in
from memory.graph.orphans import remove_orphans
from memory.graph.settlement import resettle
from memory.index import hide, show
from memory.models import ActivityEvent, Drawer, Fact, FactSource, RelationSource, Tombstone
from memory.placement import lock_palace
from memory.projections.clearing import forget_derived
from memory.summaries import forget_summaries


class NothingToDelete(NothingToForget):
    """There is no such drawer, closet, room or wing, or all of it is in the trash already."""


class NotInTrash(Exception):
    """There is no such deletion, or it was undone or made final already."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """What went into the trash together; `id` undoes it."""

    id: UUID
    drawers: int
    facts: int
    relations: int


def delete(user_id: UUID, scope: str, object_id: UUID, now: datetime) -> Deletion:
    """Put a drawer, closet, room, wing or everything of one source into the trash, as
    `throw_away` does. Raises NothingToDelete."""
    return throw_away(user_id, Scope(scope, object_id), now)


def throw_away(user_id: UUID, scope: Scope, now: datetime, *, with_chats: bool = False) -> Deletion:
    """Put all that a wish covers into the trash, and keep a receipt.

    Recall cannot find the drawers from the moment this commits; facts and relations known from
    them alone go too, and a tombstone keeps mining and imports from bringing them back.
    `with_chats` notes that the words are to go out of the chats too when the trash is emptied.
    Raises NothingToDelete.
    """
    with transaction.atomic():
        lock_palace(user_id)
        return _trash(drawers_in(user_id, scope), scope, now, with_chats=with_chats)


def delete_chosen(user_id: UUID, chosen: Mapping[str, Sequence[UUID]], now: datetime) -> Deletion:
    """Put what was chosen into the trash as one deletion: ids of drawers, closets, rooms and wings
    by scope. Raises NothingToDelete."""
    inside = Q(id__in=chosen.get("drawer", ()))
    for place in ("closet", "room", "wing"):
        inside |= Q(**{f"{place}_id__in": chosen.get(place, ())})
    with transaction.atomic():
        lock_palace(user_id)
        drawers = Drawer.objects.filter(inside, user_id=user_id)
        return _trash(drawers, Scope("selection"), now)


def take_back(user_id: UUID, event_id: UUID, now: datetime) -> Deletion:
    """Put what one mining of a chat remembered into the trash, and mark that event as undone.

    Undoing the deletion clears the mark. Raises NothingToDelete.
    """
    with transaction.atomic():
        lock_palace(user_id)
        event = ActivityEvent.objects.filter(
            user_id=user_id, id=event_id, kind=ActivityEvent.Kind.MINED
        ).first()
        if event is None:
            raise NothingToDelete
        chosen = Drawer.objects.filter(user_id=user_id, id__in=event.details["drawers"])
        deletion = _trash(chosen, Scope("event", event_id), now)
        event.undone_at = now
        event.details["deletion"] = str(deletion.id)
        event.save(update_fields=("undone_at", "details"))
    return deletion


def undo(user_id: UUID, deletion_id: UUID, now: datetime) -> Deletion:
    """Take back a deletion: the same drawers, facts and relations, as they were. Raises
    NotInTrash."""
    with transaction.atomic():
        lock_palace(user_id)
        drawers = Drawer.objects.filter(user_id=user_id, deletion_id=deletion_id)
        ids = list(drawers.values_list("id", flat=True))
        if not ids:
            raise NotInTrash
        back = {"deleted_at": None, "deletion_id": None}
        drawers.update(**back)
        show(user_id, ids)
        facts = _restore_facts(user_id, ids)
        relations = len(resettle(user_id, _sources_in(user_id, ids)).made)
        unbury(user_id, deletion_id, now)
        ActivityEvent.objects.filter(
            user_id=user_id,
            kind=ActivityEvent.Kind.DELETED,
            details__deletion=str(deletion_id),
        ).update(undone_at=now)
        ActivityEvent.objects.filter(
            user_id=user_id,
            kind=ActivityEvent.Kind.MINED,
            details__deletion=str(deletion_id),
        ).update(undone_at=None)
        restored = Deletion(deletion_id, len(ids), facts, relations)
        record(user_id, _restored(restored), now)
    return restored


def unbury(user_id: UUID, deletion_id: UUID, now: datetime) -> None:
    """Let what a deletion buried be mined again. Runs in a transaction."""
    Tombstone.objects.filter(user_id=user_id, deletion_id=deletion_id).delete()
    mark_undone(user_id, deletion_id, now)


def was_taken_back(user_id: UUID, deletion_id: UUID) -> bool:
    """Whether this deletion was undone before."""
    return ActivityEvent.objects.filter(
        user_id=user_id, kind=ActivityEvent.Kind.RESTORED, details__deletion=str(deletion_id)
    ).exists()


def purge(user_id: UUID, before: datetime) -> int:
    """Erase for good what has been in the trash since before a moment; returns the drawers.

    Nothing is said in any receipt: `chat.forgetting.empty_trash` does the same with one.
    """
    old = Drawer.objects.filter(user_id=user_id, deleted_at__lt=before)
    facts = Fact.objects.filter(user_id=user_id, deleted_at__lt=before)
    if not old.exists() and not facts.exists():
        return 0
    with transaction.atomic():
        lock_palace(user_id)
        ids = list(old.values_list("id", flat=True))
        erase(doomed(user_id, ids))
        facts.delete()
        remove_orphans(user_id)
    return len(ids)


def _trash(
    chosen: QuerySet[Drawer], scope: Scope, now: datetime, *, with_chats: bool = False
) -> Deletion:
    drawers = list(
        chosen.filter(deleted_at=None).only(
            "user_id", "id", "content", "said_at", "source_message_id"
        )
    )
    if not drawers:
        raise NothingToDelete
    user_id, deletion_id = drawers[0].user_id, uuid7()
    ids = [drawer.id for drawer in drawers]
    counts = counts_of(user_id, Drawer.objects.filter(user_id=user_id, id__in=ids))
    gone = {"deleted_at": now, "deletion_id": deletion_id}
    Drawer.objects.filter(user_id=user_id, id__in=ids).update(**gone)
    hide(user_id, ids)
    forget_summaries(user_id, ids)
    facts = _trash_facts(user_id, ids, gone)
    relations = resettle(user_id, _sources_in(user_id, ids), gone=gone).gone
    _bury(user_id, drawers, deletion_id)
    if scope.kind == "source":
        bury_source(user_id, scope.object_id, deletion_id)
    deletion = Deletion(deletion_id, len(ids), facts, relations)
    counts |= {"facts": facts, "relations": relations}
    open_receipt(user_id, deletion_id, Wish(scope, counts, with_chats), now)
    record(user_id, _deleted(scope, deletion), now)
    return deletion


def _trash_facts(user_id: UUID, drawer_ids: Sequence[UUID], gone: Mapping[str, Any]) -> int:
    """Trash facts whose sources are all in the trash now; what they had ended holds again."""
    sources = FactSource.objects.filter(user_id=user_id, fact_id=OuterRef("id"))
    unfounded = Fact.objects.filter(
        Exists(sources.filter(drawer_id__in=drawer_ids)),
        ~Exists(sources.filter(drawer__deleted_at=None)),
        user_id=user_id,
        deleted_at=None,
    )
    ids = list(unfounded.values_list("id", flat=True))
    Fact.objects.filter(user_id=user_id, id__in=ids).update(**gone)
    reopen(user_id, ids)
    begin_later(user_id, drawer_ids)
    settle_ended_in(user_id, drawer_ids)
    forget_derived(user_id, ids)
    return len(ids)


def _sources_in(user_id: UUID, drawer_ids: Sequence[UUID]) -> QuerySet[RelationSource]:
    return RelationSource.objects.filter(user_id=user_id, drawer_id__in=drawer_ids)


def _restore_facts(user_id: UUID, drawer_ids: Sequence[UUID]) -> int:
    """Facts that these drawers support come back, unless the same fact was learned anew since:
    then their sources join it."""
    sources = FactSource.objects.filter(user_id=user_id, drawer_id__in=drawer_ids)
    facts = Fact.objects.filter(
        user_id=user_id,
        deletion_id__isnull=False,
        deleted_by_owner=False,
        id__in=sources.values("fact_id"),
    )
    twin = Fact.objects.filter(
        user_id=OuterRef("user_id"), content_hash=OuterRef("content_hash"), deleted_at=None
    ).exclude(status=Fact.Status.SUPERSEDED)
    learned_anew = facts.filter(Exists(twin)).exclude(status=Fact.Status.SUPERSEDED)
    merged = list(learned_anew)
    end_again(user_id, drawer_ids)
    make_room_for(merged)
    joined = [_join(fact) for fact in merged]
    begin_with(user_id, joined)
    back = facts.exclude(id__in=[fact.id for fact in merged])
    returning = list(back)
    make_room_for(returning)
    ids = [fact.id for fact in returning]
    Fact.objects.filter(user_id=user_id, id__in=ids).update(deleted_at=None, deletion_id=None)
    settle_around(user_id, ids)
    begin_earlier(user_id, drawer_ids)
    settle_ended_in(user_id, drawer_ids)
    return len(ids)


def _join(fact: Fact) -> UUID:
    """Give the sources of a fact in the trash to the one that was learned anew; returns its id."""
    known = FactSource.objects.filter(user_id=fact.user_id)
    twin = (
        Fact.objects.filter(
            user_id=fact.user_id, content_hash=bytes(fact.content_hash), deleted_at=None
        )
        .exclude(status=Fact.Status.SUPERSEDED)
        .get()
    )
    there = set(known.filter(fact_id=twin.id).values_list("drawer_id", "start"))
    own = known.filter(fact_id=fact.id)
    moving = [link.id for link in own if (link.drawer_id, link.start) not in there]
    known.filter(id__in=moving).update(fact_id=twin.id)
    Fact.objects.filter(user_id=fact.user_id, id=twin.id).update(
        times_seen=F("times_seen") + len(moving), valid_from=Least("valid_from", fact.valid_from)
    )
    return twin.id


def _bury(user_id: UUID, drawers: list[Drawer], deletion_id: UUID) -> None:
    said = ((each.source_message_id, each.content, each.said_at) for each in drawers)
    bury(user_id, said, deletion_id)


def _deleted(scope: Scope, deletion: Deletion) -> Happening:
    return Happening(
        ActivityEvent.Kind.DELETED,
        scope.object_id,
        {
            "scope": scope.kind,
            "deletion": str(deletion.id),
            "drawers": deletion.drawers,
            "facts": deletion.facts,
            "relations": deletion.relations,
        },
    )


def _restored(deletion: Deletion) -> Happening:
    details = {"deletion": str(deletion.id), "drawers": deletion.drawers}
    return Happening(ActivityEvent.Kind.RESTORED, None, details)
