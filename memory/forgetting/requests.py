"""Requests to forget: preview, move to the trash, erase, and verify that nothing is left.

A request first moves everything to the trash, where it can be restored for 30 days, unless it is erased at
once. Whenever something is erased, every table is searched for its words, and the receipt states the result.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from uuid_utils.compat import uuid7

from memory.aaak import parse_pointer
from memory.changes.activity import record
from memory.drawers import find_by_pointer
from memory.facts.queries import with_words
from memory.forgetting import trash
from memory.forgetting.erasure import (
    ErasureTargets,
    collect_targets,
    combined,
    counts_of,
    erase,
    erase_entity,
    facts_resting_on,
)
from memory.forgetting.holders import Sources, holders
from memory.forgetting.receipts import mark_final, open_receipt, waiting
from memory.forgetting.scopes import ForgetRequest, NothingToForget, Scope, drawers_in, same_entities
from memory.forgetting.tombstones import add_source_tombstone
from memory.forgetting.trash import RETENTION, NotInTrash
from memory.forgetting.verification import find_residue
from memory.graph.resolution import find_entity
from memory.models import ActivityEvent, Drawer, Entity, Fact, Forgetting, Wing, WingName
from memory.placement import find_wing, lock_palace
from memory.search.index import discard_statistics
from memory.text.names import slugify

EXAMPLES, FACTS = 5, 10
BATCH = 20


@dataclass(frozen=True, slots=True)
class Preview:
    """What a request would forget: counts by store, and its first drawers and facts."""

    counts: dict[str, int]
    examples: tuple[Drawer, ...]
    facts: tuple[Fact, ...]


def preview(user_id: UUID, request: ForgetRequest) -> Preview:
    """Count what a request would forget, without changing anything. Raises NothingToForget."""
    scope = scope_of(user_id, request)
    drawers = drawers_in(user_id, scope)
    includes_trash = scope.kind == "everything" and waiting(user_id).exists()
    if not (drawers.exists() or includes_trash or _holds_more(user_id, scope)):
        raise NothingToForget
    counts = counts_of(user_id, drawers)
    counts |= _merged_counts(holder.count(user_id, request, scope, drawers) for holder in holders())
    shown = drawers.select_related("wing", "closet").order_by("said_at", "id")[:EXAMPLES]
    facts = facts_resting_on(user_id, drawers.values("id")).order_by("valid_from", "id")[:FACTS]
    return Preview(counts, tuple(shown), with_words(user_id, facts))


def forget(user_id: UUID, request: ForgetRequest, now: datetime) -> Forgetting:
    """Move what a request covers to the trash; `trash.undo` with the receipt's id restores it.

    Raises NothingToForget.
    """
    with transaction.atomic():
        receipt = _move_request_to_trash(user_id, request, now)
    _after_commit(user_id)
    return receipt


def forget_now(user_id: UUID, request: ForgetRequest, now: datetime) -> Forgetting:
    """Erase what a request covers, bypassing the trash, and search for what is left.

    A request for everything includes the trash. Raises NothingToForget.
    """
    everything = request.kind == "everything"
    with transaction.atomic():
        dropped = _drop_incoming(user_id, request.kind, now)
        earlier = _erase_trash(user_id, now) if everything else []
        receipt = _move_request_to_trash(user_id, request, now, erased=bool(dropped or earlier))
        targets = _erase(receipt, now, dropped)
    targets = combined(targets, [each for _, each in earlier])
    return _verify(targets, receipt, now, [each for each, _ in earlier])


def erase_now(user_id: UUID, deletion_id: UUID, now: datetime) -> Forgetting:
    """Erase a deletion in the trash. Raises NotInTrash."""
    receipt = waiting(user_id).filter(id=deletion_id).first()
    if receipt is None:
        raise NotInTrash
    with transaction.atomic():
        dropped = _drop_incoming(user_id, receipt.scope, receipt.at)
        if not waiting(user_id).filter(id=deletion_id).exists():
            raise NotInTrash
        targets = _erase(receipt, now, dropped)
    return _verify(targets, receipt, now)


def empty_trash(user_id: UUID, now: datetime) -> int:
    """Erase deletions older than 30 days; returns the number of drawers. Each is verified, so of many some
    are left to the next sweep."""
    before = now - RETENTION
    receipts = list(waiting(user_id).filter(at__lt=before).order_by("at", "id")[:BATCH])
    drawers: int = sum(erase_now(user_id, each.id, now).erased.get("drawers", 0) for each in receipts)
    return drawers + (trash.purge(user_id, before) if len(receipts) < BATCH else 0)


def scope_of(user_id: UUID, request: ForgetRequest) -> Scope:
    """Resolve a request to ids. Raises NothingToForget."""
    if request.kind == "project":
        return _project(user_id, request)
    if request.kind in ("agent", "import", "source"):
        return _chats(user_id, request)
    found = request.object_id or _find_by_name(user_id, request)
    return Scope(request.kind, found, since=request.since, until=request.until)


def _find_by_name(user_id: UUID, request: ForgetRequest) -> UUID | None:
    found: Any = None
    if not request.name:
        return None
    if request.kind == "drawer":
        pointer = parse_pointer(request.name)
        found = find_by_pointer(user_id, pointer) if pointer else None
    elif request.kind == "wing":
        found = find_wing(user_id, request.name)
    elif request.kind == "entity":
        found = find_entity(user_id, request.name)
    if found is None:
        raise NothingToForget
    named: UUID = found.id
    return named


def _project(user_id: UUID, request: ForgetRequest) -> Scope:
    """The wing of a project and the chats that belong to it."""
    wings = Wing.objects.filter(user_id=user_id, kind=Wing.Kind.PROJECT)
    named = WingName.objects.filter(user_id=user_id, slug=slugify(request.name or "-"))
    wing = wings.filter(
        Q(id__in=named.values("wing_id")) if request.name else Q(id=request.object_id)
    ).first()
    names = [request.name] if request.name else []
    if wing is not None:
        names += wing.names.values_list("name", flat=True)
    found = _sources(user_id, request, names)
    if wing is None and not found.ids:
        raise NothingToForget
    wing_ids = (wing.id,) if wing else ()
    return Scope("project", wing.id if wing else None, sources=found.ids, wings=wing_ids)


def _chats(user_id: UUID, request: ForgetRequest) -> Scope:
    """One chat, the chats of an import, or those with an agent and the wing about it."""
    found = _sources(user_id, request, ())
    if request.kind == "source":
        chat = request.object_id
        mined = chat and Drawer.objects.filter(user_id=user_id, source_id=chat).exists()
        if chat is None or not (found.ids or mined):
            raise NothingToForget
        return Scope("source", chat, sources=(chat,))
    if found.object_id is None:
        raise NothingToForget
    if request.kind == "import":
        return Scope("import", found.object_id, found.ids)
    named = WingName.objects.filter(user_id=user_id, slug=slugify(found.name))
    wings = Wing.objects.filter(user_id=user_id, kind=Wing.Kind.AGENT, id__in=named.values("wing_id"))
    return Scope("agent", found.object_id, found.ids, tuple(wings.values_list("id", flat=True)))


def _sources(user_id: UUID, request: ForgetRequest, names: Collection[str]) -> Sources:
    candidates = (holder.sources(user_id, request, names) for holder in holders())
    return next((found for found in candidates if found.ids or found.object_id), Sources())


def _holds_more(user_id: UUID, scope: Scope) -> bool:
    return any(holder.holds(user_id, scope) for holder in holders())


def _move_request_to_trash(
    user_id: UUID, request: ForgetRequest, now: datetime, *, erased: bool = False
) -> Forgetting:
    """Move the scope of a request to the trash. Finding nothing is an error unless something was `erased`
    already."""
    scope = scope_of(user_id, request)
    for holder in holders():
        holder.lock(user_id, scope)
    lock_palace(user_id)
    drawers = drawers_in(user_id, scope)
    held = _merged_counts(holder.count(user_id, request, scope, drawers) for holder in holders())
    try:
        receipt = trash.move_to_trash(user_id, scope, now, with_chats=request.with_chats)
    except NothingToForget:
        if not erased and not _holds_more(user_id, scope):
            raise
        deletion_id = uuid7()  # of chats that have no drawers yet
        if scope.kind == "source":
            add_source_tombstone(user_id, scope.object_id, deletion_id)
        receipt = open_receipt(user_id, deletion_id, scope, {}, now, with_chats=request.with_chats)
    receipt.counts |= held
    receipt.save(update_fields=("counts",))
    for holder in holders():
        holder.hide(receipt, scope)
    return receipt


def _drop_incoming(user_id: UUID, kind: str, before: datetime) -> dict[str, int]:
    return _merged_counts(holder.drop_incoming(user_id, kind, before) for holder in holders())


def _erase(receipt: Forgetting, now: datetime, dropped: dict[str, int]) -> ErasureTargets:
    """Erase a deletion, the rows of other holders first."""
    user_id = receipt.user_id
    drawers = Drawer.objects.filter(user_id=user_id, deletion_id=receipt.id)
    ids = list(drawers.values_list("id", flat=True))
    external = [holder.external_targets(receipt, ids) for holder in holders()]
    lock_palace(user_id)
    texts = (text for each in external for text in each.texts)
    targets = collect_targets(user_id, ids, texts, frozenset().union(*(each.chats for each in external)))
    counts = (
        _merged_counts(holder.redact(receipt, targets) for holder in holders()) | erase(targets) | dropped
    )
    if receipt.scope == "entity" and receipt.object_id:
        for entity in Entity.objects.filter(user_id=user_id, id=receipt.object_id):
            counts["entities"] += erase_entity(user_id, same_entities(entity))
    record(user_id, ActivityEvent.Kind.PURGED, {"drawers": len(ids)}, now)
    receipt.erased, receipt.final_at = counts, now
    receipt.save(update_fields=("erased", "final_at"))
    return targets


def _erase_trash(user_id: UUID, now: datetime) -> list[tuple[Forgetting, ErasureTargets]]:
    """Erase everything in the trash, and facts deleted on their own."""
    erased = [(receipt, _erase(receipt, now, {})) for receipt in waiting(user_id).order_by("at", "id")]
    trash.purge(user_id, now)
    return erased


def _verify(
    targets: ErasureTargets, receipt: Forgetting, now: datetime, earlier: Sequence[Forgetting] = ()
) -> Forgetting:
    """Search for residue after the commit, and record the result in this receipt and in those of `earlier`
    requests that were erased with it."""
    discard_statistics()
    erased = receipt.erased | _after_commit(receipt.user_id)
    residue = find_residue(targets)
    for each in earlier:
        mark_final(each, each.erased, residue, now)
    return mark_final(receipt, erased, residue, now)


def _after_commit(user_id: UUID) -> dict[str, int]:
    return _merged_counts(holder.after_commit(user_id) for holder in holders())


def _merged_counts(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    return {store: count for each in counts for store, count in each.items()}
