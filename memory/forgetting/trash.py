"""Moves drawers to the trash, with everything derived from them, and restores them.

Each deletion has its own id, so undoing it restores exactly what it removed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Least, Left
from django.utils.functional import Promise
from uuid_utils.compat import uuid7

from accounts.owned import NotFound
from memory.changes.activity import record
from memory.changes.log import AlreadyUndone
from memory.consolidation.summaries import forget_summaries
from memory.facts.validity import same_statement, settle_drawers, settle_without
from memory.forgetting.erasure import collect_targets, counts_of, erase, facts_resting_on
from memory.forgetting.holders import holders
from memory.forgetting.receipts import SCOPES, names_in_trash, open_receipt, receipt_of, waiting
from memory.forgetting.scopes import NothingToForget, Scope, drawers_in
from memory.forgetting.tombstones import add_source_tombstone, add_tombstones
from memory.graph.orphans import remove_orphans
from memory.graph.relations import resettle
from memory.models import ActivityEvent, Drawer, Fact, FactSource, Forgetting, RelationSource, Tombstone
from memory.outgoing import MARGIN, Outgoing
from memory.paging import Page, paginate
from memory.placement import lock_palace, locked_palace
from memory.projections.values import forget_derived
from memory.search.index import hide, show

RETENTION = timedelta(days=30)
PAGE = 50
EXCERPT = 160


class NotInTrash(NotFound):
    """There is no such deletion, or it was already undone or erased."""


@dataclass(frozen=True, slots=True)
class TrashItem:
    """A deletion on the trash page: its receipt, its first drawer with the `beginning` of its text, all of it
    if `is_whole`, and the name of what was deleted, if it has one."""

    receipt: Forgetting
    drawer_id: UUID
    role: str
    beginning: str
    is_whole: bool
    name: str

    @property
    def label(self) -> Promise | str:
        """What was deleted, for display."""
        return SCOPES.get(self.receipt.scope, self.receipt.scope)

    @property
    def final_at(self) -> datetime:
        """When it will be erased."""
        return self.receipt.at + RETENTION


def delete(user_id: UUID, scope: str, object_id: UUID, now: datetime) -> Forgetting:
    """Move a drawer, closet, room, wing or everything from a source to the trash. Raises NothingToForget."""
    return move_to_trash(user_id, Scope(scope, object_id), now)


def move_to_trash(user_id: UUID, scope: Scope, now: datetime, *, with_chats: bool = False) -> Forgetting:
    """Move everything in scope to the trash; the receipt's id undoes it.

    Recall no longer finds the drawers once this commits. Facts and relations with no other source are removed
    too, and tombstones prevent mining and imports from restoring them. Raises NothingToForget.
    """
    with locked_palace(user_id):
        return _trash(drawers_in(user_id, scope), scope, now, with_chats=with_chats)


def delete_chosen(user_id: UUID, chosen: Mapping[str, Sequence[UUID]], now: datetime) -> Forgetting:
    """Move a selection to the trash as one deletion: ids of drawers, closets, rooms and wings by
    scope. Raises NothingToForget."""
    inside = Q(id__in=chosen.get("drawer", ()))
    for place in ("closet", "room", "wing"):
        inside |= Q(**{f"{place}_id__in": chosen.get(place, ())})
    with locked_palace(user_id):
        drawers = Drawer.objects.filter(inside, user_id=user_id)
        return _trash(drawers, Scope("selection"), now)


def undo_mining(user_id: UUID, event_id: UUID, now: datetime) -> Forgetting:
    """Move what one run of mining stored to the trash, and mark its event as undone.

    Undoing the deletion clears the mark. Raises NothingToForget and AlreadyUndone.
    """
    with locked_palace(user_id):
        event = ActivityEvent.objects.filter(
            user_id=user_id, id=event_id, kind=ActivityEvent.Kind.MINED
        ).first()
        if event is None:
            raise NothingToForget
        if event.undone_at is not None:
            raise AlreadyUndone(receipt_of(user_id, event.details.get("deletion")))
        chosen = Drawer.objects.filter(user_id=user_id, id__in=event.details["drawers"])
        receipt = _trash(chosen, Scope("event", event_id), now)
        event.undone_at = now
        event.details["deletion"] = str(receipt.id)
        event.save(update_fields=("undone_at", "details"))
    return receipt


def undo(user_id: UUID, deletion_id: UUID, now: datetime) -> int:
    """Restore the drawers, facts, relations and chats of a deletion as they were; returns the number of
    drawers. Raises NotInTrash."""
    with transaction.atomic():
        receipt = waiting(user_id).filter(id=deletion_id).first()
        if receipt:
            for holder in holders():
                holder.restore(receipt)
        lock_palace(user_id)
        drawers = Drawer.objects.filter(user_id=user_id, deletion_id=deletion_id)
        ids = list(drawers.values_list("id", flat=True))
        if not ids and (receipt is None or receipt.counts.get("drawers")):
            raise NotInTrash
        _restore(user_id, ids)
        Tombstone.objects.filter(user_id=user_id, deletion_id=deletion_id).delete()
        Forgetting.objects.filter(user_id=user_id, id=deletion_id).update(undone_at=now)
        if ids:
            _record_undo(user_id, deletion_id, len(ids), now)
    return len(ids)


def was_undone(user_id: UUID, deletion_id: UUID) -> bool:
    """Whether this deletion was already undone."""
    return ActivityEvent.objects.filter(
        user_id=user_id, kind=ActivityEvent.Kind.RESTORED, details__deletion=str(deletion_id)
    ).exists()


def purge(user_id: UUID, before: datetime) -> int:
    """Erase what was deleted before a moment, without updating receipts; returns the number of drawers.
    `requests.empty_trash` does the same with receipts."""
    old = Drawer.objects.filter(user_id=user_id, deleted_at__lt=before)
    facts = Fact.objects.filter(user_id=user_id, deleted_at__lt=before)
    if not old.exists() and not facts.exists():
        return 0
    with locked_palace(user_id):
        ids = list(old.values_list("id", flat=True))
        erase(collect_targets(user_id, ids))
        facts.delete()
        remove_orphans(user_id)
    return len(ids)


def deletions(user_id: UUID, after: str = "", limit: int = PAGE) -> Page[TrashItem]:
    """The deletions that can be undone, newest first. Raises CursorUnreadable."""
    page = paginate(_in_trash(user_id), "-at", "id", after, limit)
    return Page(_trash_items(user_id, page.items), page.after)


def deletion(user_id: UUID, deletion_id: UUID) -> TrashItem | None:
    """One deletion, or None if nothing of it is in the trash."""
    items = _trash_items(user_id, _in_trash(user_id).filter(id=deletion_id))
    return items[0] if items else None


def _trash(chosen: QuerySet[Drawer], scope: Scope, now: datetime, *, with_chats: bool = False) -> Forgetting:
    drawers = list(
        chosen.filter(deleted_at=None).only("user_id", "id", "content", "said_at", "source_message_id")
    )
    if not drawers:
        raise NothingToForget
    user_id, deletion_id = drawers[0].user_id, uuid7()
    ids = [drawer.id for drawer in drawers]
    counts = counts_of(user_id, Drawer.objects.filter(user_id=user_id, id__in=ids))
    gone = {"deleted_at": now, "deletion_id": deletion_id}
    Drawer.objects.filter(user_id=user_id, id__in=ids).update(**gone)
    hide(user_id, ids)
    forget_summaries(user_id, ids)
    relations = resettle(user_id, _sources_in(user_id, ids), gone=gone)
    facts = _trash_facts(user_id, ids, gone)
    messages = ((each.source_message_id, each.content, each.said_at) for each in drawers)
    add_tombstones(user_id, messages, deletion_id)
    if scope.kind == "source":
        add_source_tombstone(user_id, scope.object_id, deletion_id)
    counts |= {"facts": facts, "relations": relations}
    main = {store: counts[store] for store in ("drawers", "facts", "relations")}
    details = {"scope": scope.kind, "deletion": str(deletion_id), **main}
    record(user_id, ActivityEvent.Kind.DELETED, details, now, subject_id=scope.object_id)
    return open_receipt(user_id, deletion_id, scope, counts, now, with_chats=with_chats)


def _trash_facts(user_id: UUID, drawer_ids: Sequence[UUID], gone: Mapping[str, Any]) -> int:
    """Delete facts whose sources are now all in the trash; values they had ended hold again."""
    ids = list(facts_resting_on(user_id, drawer_ids).values_list("id", flat=True))
    Fact.objects.filter(user_id=user_id, id__in=ids).update(**gone)
    settle_without(user_id, ids)
    settle_drawers(user_id, drawer_ids)
    forget_derived(user_id, ids)
    return len(ids)


def _restore(user_id: UUID, ids: Sequence[UUID]) -> None:
    Drawer.objects.filter(user_id=user_id, id__in=ids).update(deleted_at=None, deletion_id=None)
    show(user_id, ids)
    _restore_facts(user_id, ids)
    resettle(user_id, _sources_in(user_id, ids))


def _record_undo(user_id: UUID, deletion_id: UUID, drawers: int, now: datetime) -> None:
    events = ActivityEvent.objects.filter(user_id=user_id, details__deletion=str(deletion_id))
    events.filter(kind=ActivityEvent.Kind.DELETED).update(undone_at=now)
    events.filter(kind=ActivityEvent.Kind.MINED).update(undone_at=None)
    details = {"deletion": str(deletion_id), "drawers": drawers}
    record(user_id, ActivityEvent.Kind.RESTORED, details, now)


def _sources_in(user_id: UUID, drawer_ids: Sequence[UUID]) -> QuerySet[RelationSource]:
    return RelationSource.objects.filter(user_id=user_id, drawer_id__in=drawer_ids)


def _restore_facts(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """Restore the facts these drawers support. If a fact was learned again since, its sources move to the new
    one instead."""
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
    for fact in merged:
        _move_sources(fact)
    restorable = facts.exclude(id__in=[fact.id for fact in merged])
    ids = list(restorable.values_list("id", flat=True))
    Fact.objects.filter(user_id=user_id, id__in=ids).update(deleted_at=None, deletion_id=None)
    settle_drawers(user_id, drawer_ids)


def _move_sources(fact: Fact) -> None:
    """Move the sources of a deleted fact to the one that was learned again."""
    known = FactSource.objects.filter(user_id=fact.user_id)
    twin = same_statement(fact).get()
    known_spans = set(known.filter(fact_id=twin.id).values_list("drawer_id", "start"))
    own = known.filter(fact_id=fact.id)
    moving = [link.id for link in own if (link.drawer_id, link.start) not in known_spans]
    known.filter(id__in=moving).update(fact_id=twin.id)
    Fact.objects.filter(user_id=fact.user_id, id=twin.id).update(
        times_seen=F("times_seen") + len(moving), valid_from=Least("valid_from", fact.valid_from)
    )


def _in_trash(user_id: UUID) -> QuerySet[Forgetting]:
    """The receipts of deletions with drawers in the trash."""
    held = Drawer.objects.filter(user_id=user_id, deletion_id=OuterRef("id"))
    return waiting(user_id).filter(Exists(held))


def _trash_items(user_id: UUID, receipts: Iterable[Forgetting]) -> tuple[TrashItem, ...]:
    found = {each.id: each for each in receipts}
    firsts = (
        Drawer.objects.filter(user_id=user_id, deletion_id__in=list(found))
        .order_by("deletion_id", "id")
        .distinct("deletion_id")
        .values_list("deletion_id", "id", "role", Left("content", EXCERPT + 1 + MARGIN))
    )
    # Another worker may empty the trash meanwhile.
    by_deletion = {deletion_id: first for deletion_id, *first in firsts}
    held = [receipt for key, receipt in found.items() if key in by_deletion]
    out, names = Outgoing(user_id), names_in_trash(user_id, held)
    return tuple(
        TrashItem(receipt, drawer_id, role, *out.beginning(text, EXCERPT), names.get(receipt.id, ""))
        for receipt in held
        for drawer_id, role, text in [by_deletion[receipt.id]]
    )
