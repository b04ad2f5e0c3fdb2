"""Forgets at a person's wish: what is in memory, what was made of it, and on wish the chats.

A wish goes into the trash first, from which it can be taken back for 30 days, or is carried out at
once. Whenever something becomes final, every table is searched for its words, and the receipt says
what that found.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from uuid_utils.compat import uuid7

from chat.models import Conversation, ImportRun, Message
from chat.outdated import discard_outdated
from chat.redaction import Reach, chats_touched, redact, said_in, with_words_of
from chat.uploads import discard_uploads, drop_uploads, waiting_uploads
from chat.wishes import Wanted, scope_of
from memory import erasure
from memory.activity import Happening, record
from memory.forgetting.burial import bury, bury_source
from memory.forgetting.counts import counts_of
from memory.forgetting.erasing import Doomed, doomed, erase, erase_entity, together
from memory.forgetting.receipts import Wish, mark_final, open_receipt, receipt_of
from memory.forgetting.residue import search_for
from memory.forgetting.scopes import NothingToForget, Scope, drawers_in, same_entities
from memory.ledger import keep_again, let_go
from memory.models import ActivityEvent, Drawer, Entity, Forgetting
from memory.placement import lock_palace
from memory.table_statistics import renew_all_statistics
from memory.transcripts import CONVERSATION

KEPT = timedelta(days=30)
WHOLE = ("source", "project", "agent", "everything")
EXAMPLES = 5
AT_ONCE = 20


class NotForgotten(Exception):
    """There is no such forgetting, or it was taken back or made final already."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What forgetting would take: rows by store, and the first of the words."""

    counts: dict[str, int]
    examples: tuple[Drawer, ...]


def preview(user_id: UUID, wanted: Wanted) -> Preview:
    """Look at what a wish would take; nothing is changed. Raises NothingToForget."""
    scope = scope_of(user_id, wanted)
    drawers = drawers_in(user_id, scope)
    chats = _whole_chats(user_id, scope)
    uploads = _uploads_reached(user_id, scope.kind)
    rest = uploads or (scope.kind == "everything" and _waiting(user_id).exists())
    if not drawers.exists() and not chats.exists() and not rest:
        raise NothingToForget
    counts = counts_of(user_id, drawers) | _in_chats(user_id, drawers, chats, wanted)
    counts |= {"uploads": uploads} if uploads else {}
    shown = drawers.select_related("wing", "closet").order_by("said_at", "id")[:EXAMPLES]
    return Preview(counts, tuple(shown))


def forget(user_id: UUID, wanted: Wanted, now: datetime) -> Forgetting:
    """Put what a wish covers into the trash; `bring_back` with the receipt's id undoes it. Raises
    NothingToForget."""
    with transaction.atomic():
        receipt = _put_away(user_id, wanted, now, _uploads_reached(user_id, wanted.kind))
    discard_outdated(user_id)
    return receipt


def forget_now(user_id: UUID, wanted: Wanted, now: datetime) -> Forgetting:
    """Erase what a wish covers at once, past the trash, and search for what is left. Of everything,
    what lies in the trash is a part. Raises NothingToForget."""
    with _uploads_dropped(user_id, wanted.kind, now) as uploads:
        earlier = _erase_trash(user_id, now) if wanted.kind == "everything" else []
        receipt = _put_away(user_id, wanted, now, uploads + len(earlier))
        gone = _erase(receipt, now, uploads)
    gone = together(gone, [each for _, each in earlier])
    return _prove(gone, receipt, now, [each for each, _ in earlier])


def erase_now(user_id: UUID, deletion_id: UUID, now: datetime) -> Forgetting:
    """Make a forgetting that waits in the trash final now. Raises NotForgotten."""
    receipt = _waiting(user_id).filter(id=deletion_id).first()
    if receipt is None:
        raise NotForgotten
    with _uploads_dropped(user_id, receipt.scope, receipt.at) as uploads:
        if not _waiting(user_id).filter(id=deletion_id).exists():
            raise NotForgotten
        gone = _erase(receipt, now, uploads)
    return _prove(gone, receipt, now)


def bring_back(user_id: UUID, deletion_id: UUID, now: datetime) -> Forgetting:
    """Take a forgetting back: memory as it was, and the chats that were hidden with it. Raises
    NotForgotten."""
    with transaction.atomic():
        receipt = _waiting(user_id).filter(id=deletion_id).first()
        if receipt is None:
            raise NotForgotten
        ids = [chat.id for chat in _hidden_with(receipt)]
        Conversation.objects.filter(user_id=user_id, id__in=ids).update(deleted_at=None)
        keep_again(user_id, CONVERSATION, ids)
        try:
            erasure.undo(user_id, deletion_id, now)
        except erasure.NotInTrash as error:
            if receipt.counts.get("drawers"):
                raise NotForgotten from error
            erasure.unbury(user_id, deletion_id, now)
    return receipt_of(user_id, deletion_id)


def empty_trash(user_id: UUID, now: datetime) -> int:
    """Make final what was forgotten 30 days ago; returns how many drawers that took."""
    before = now - KEPT
    drawers = 0
    for receipt in _waiting(user_id).filter(at__lt=before).order_by("at", "id")[:AT_ONCE]:
        drawers += erase_now(user_id, receipt.id, now).erased.get("drawers", 0)
    return drawers + erasure.purge(user_id, before)


def uploads_untouched(receipt: Forgetting) -> QuerySet[ImportRun]:
    """Files that were waiting to be imported when something was forgotten and still are: they may
    hold the words. What is imported of them later stays forgotten; `chat.uploads.cancel` deletes
    them."""
    until = receipt.final_at or receipt.at
    runs = waiting_uploads(receipt.user_id).filter(started_at__lte=until)
    return runs if receipt.undone_at is None else runs.none()


def _whole_chats(user_id: UUID, scope: Scope) -> QuerySet[Conversation]:
    """The chats that a wish covers from beginning to end, those without a word left apart."""
    chats = Conversation.objects.filter(user_id=user_id, deleted_at=None, incognito=False)
    chats = chats.order_by("id")
    if scope.kind == "everything":
        return chats
    return chats.filter(id__in=scope.sources) if scope.kind in WHOLE else chats.none()


def _in_chats(
    user_id: UUID, drawers: QuerySet[Drawer], chats: QuerySet[Conversation], wanted: Wanted
) -> dict[str, int]:
    if not wanted.with_chats:
        return {"chats": 0, "messages": 0}
    messages = Message.objects.filter(
        Q(id__in=drawers.values("source_message_id")) | Q(conversation_id__in=chats.values("id")),
        user_id=user_id,
    )
    return {"chats": chats.count(), "messages": messages.count()}


def _put_away(user_id: UUID, wanted: Wanted, now: datetime, others: int) -> Forgetting:
    scope = scope_of(user_id, wanted)
    chats = list(_whole_chats(user_id, scope).select_for_update())
    lock_palace(user_id)
    receipt = _throw_away(user_id, scope, wanted, now)
    if receipt is None:
        if not chats and not others:
            raise NothingToForget
        receipt = _without_drawers(user_id, scope, wanted, now)
    bury(user_id, said_in(chats), receipt.id)
    if wanted.with_chats:
        _hide_chats(user_id, chats, now)
    return receipt


def _throw_away(user_id: UUID, scope: Scope, wanted: Wanted, now: datetime) -> Forgetting | None:
    try:
        thrown = erasure.throw_away(user_id, scope, now, with_chats=wanted.with_chats)
    except erasure.NothingToDelete:
        return None
    return receipt_of(user_id, thrown.id)


def _without_drawers(user_id: UUID, scope: Scope, wanted: Wanted, now: datetime) -> Forgetting:
    """Chats of which nothing is in memory are forgotten before anything can be."""
    deletion_id = uuid7()
    if scope.kind == "source":
        bury_source(user_id, scope.object_id, deletion_id)
    return open_receipt(user_id, deletion_id, Wish(scope, {}, wanted.with_chats), now)


def _hide_chats(user_id: UUID, chats: Sequence[Conversation], now: datetime) -> None:
    ids = [chat.id for chat in chats]
    Conversation.objects.filter(user_id=user_id, id__in=ids).update(deleted_at=now)
    for conversation_id in ids:
        let_go(user_id, CONVERSATION, conversation_id, now)


def _uploads_reached(user_id: UUID, kind: str) -> int:
    """How many uploads a wish covers: whoever wants everything gone wants nothing of it to come."""
    return waiting_uploads(user_id).count() if kind == "everything" else 0


@contextmanager
def _uploads_dropped(user_id: UUID, kind: str, before: datetime) -> Iterator[int]:
    """A transaction in which the uploads that a wish covers are dropped, and how many they are.
    Their files go when it is committed."""
    with transaction.atomic():
        dropped = drop_uploads(user_id, before) if kind == "everything" else []
        yield len(dropped)
    discard_uploads(dropped)


def _waiting(user_id: UUID) -> QuerySet[Forgetting]:
    """What lies in the trash and can still be taken back."""
    return Forgetting.objects.filter(user_id=user_id, final_at=None, undone_at=None)


def _erase(receipt: Forgetting, now: datetime, uploads: int) -> Doomed:
    """Erase what a forgetting put into the trash, chats before memory.

    Chats are locked before the palace, as everywhere.
    """
    user_id = receipt.user_id
    removed = _removed_before(receipt)
    bury(user_id, said_in(removed), receipt.id)
    drawers = Drawer.objects.filter(user_id=user_id, deletion_id=receipt.id)
    ids = list(drawers.values_list("id", flat=True))
    chats = (*_hidden_with(receipt), *removed)
    touched = list(chats_touched(user_id, ids).select_for_update().order_by("id"))
    lock_palace(user_id)
    gone = with_words_of(doomed(user_id, ids), chats)
    gone = replace(gone, chats=gone.chats | {chat.id for chat in (*touched, *chats)})
    counts = redact(gone, Reach(chats, kept=not receipt.with_chats, deletion_id=receipt.id))
    counts |= erase(gone) | ({"uploads": uploads} if uploads else {})
    if receipt.scope == "entity":
        counts["entities"] += _erase_entity(user_id, receipt.object_id)
    record(user_id, Happening(ActivityEvent.Kind.PURGED, None, {"drawers": len(ids)}), now)
    receipt.erased, receipt.final_at = counts, now
    receipt.save(update_fields=("erased", "final_at"))
    return gone


def _hidden_with(receipt: Forgetting) -> tuple[Conversation, ...]:
    """The chats that were hidden at the moment of a forgetting, locked."""
    if not receipt.with_chats or receipt.scope not in WHOLE:
        return ()
    hidden = Conversation.objects.filter(user_id=receipt.user_id, deleted_at=receipt.at)
    return tuple(hidden.filter(is_demo=False).select_for_update().order_by("id"))


def _removed_before(receipt: Forgetting) -> tuple[Conversation, ...]:
    """The chats that were deleted earlier and can still be restored, if a wish is for everything."""
    if not receipt.with_chats or receipt.scope != "everything":
        return ()
    messages = Message.objects.filter(user_id=receipt.user_id, conversation_id=OuterRef("id"))
    removed = Conversation.objects.filter(
        Exists(messages), user_id=receipt.user_id, deleted_at__lt=receipt.at, is_demo=False
    )
    return tuple(removed.select_for_update().order_by("id"))


def _erase_trash(user_id: UUID, now: datetime) -> list[tuple[Forgetting, Doomed]]:
    """Erase what was forgotten before and lies in the trash, and what facts were deleted."""
    waiting = list(_waiting(user_id).order_by("at", "id"))
    erased = [(receipt, _erase(receipt, now, 0)) for receipt in waiting]
    erasure.purge(user_id, now)
    return erased


def _erase_entity(user_id: UUID, entity_id: UUID | None) -> int:
    """Who or what a wish named goes whole, with the names its owner gave it."""
    entity = entity_id and Entity.objects.filter(user_id=user_id, id=entity_id).first()
    return erase_entity(user_id, same_entities(entity)) if entity else 0


def _prove(
    gone: Doomed, receipt: Forgetting, now: datetime, earlier: Sequence[Forgetting] = ()
) -> Forgetting:
    """Search for what is left, after all is committed, and write it into the receipt, and into those
    of what was forgotten earlier and went with it."""
    renew_all_statistics()
    files = discard_outdated(receipt.user_id)
    erased = receipt.erased | ({"files": files} if files else {})
    residue = search_for(gone).as_json()
    for each in earlier:
        mark_final(each, each.erased, residue, now)
    return mark_final(receipt, erased, residue, now)
