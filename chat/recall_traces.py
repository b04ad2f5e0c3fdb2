"""Recalls that belong to no reply: those of programs, and those whose reply was never stored.

Their traces contain the question and are not deleted with any chat. They are erased along with what they
recalled, and after 90 days at the latest.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import QuerySet

from chat.models import Message
from memory.forgetting.erasure import as_text
from memory.forgetting.identifying_words import Words
from memory.forgetting.receipts import waiting
from memory.models import RecallTrace
from memory.preferences import preferences_of

RETENTION = timedelta(days=90)
BATCH_SIZE = 200
TABLE = RecallTrace._meta.db_table


def recalls_without_reply(user_id: UUID) -> QuerySet[RecallTrace]:
    """The traces of recalls that no message refers to."""
    return RecallTrace.objects.filter(user_id=user_id, without_reply=True)


def readable_recalls(user_id: UUID) -> QuerySet[RecallTrace]:
    """The traces that their owner can read: none of chats in the trash, nor of recalls that were forgotten
    with everything."""
    deleted = Message.objects.filter(
        user_id=user_id, conversation__deleted_at__isnull=False, trace_id__isnull=False
    )
    found = RecallTrace.objects.filter(user_id=user_id).exclude(id__in=deleted.values("trace_id"))
    last = waiting(user_id).filter(scope="everything").order_by("-at").first()
    return found.exclude(without_reply=True, at__lte=last.at) if last else found


def erase_recalls(user_id: UUID, drawer_ids: Collection[UUID], words: Words) -> int:
    """Erase the traces of recalls that chose any of these drawers or that hold any of these words."""
    forgotten = {str(drawer_id) for drawer_id in drawer_ids}
    traces = recalls_without_reply(user_id)
    ids = [
        trace.id
        for trace in traces.iterator(BATCH_SIZE)
        if forgotten & {hit.get("drawer_id") for hit in trace.hits}
        or any(_columns_containing(trace, words).values())
    ]
    traces.filter(id__in=ids).delete()
    return len(ids)


def erase_all_recalls(user_id: UUID) -> int:
    """Erase every trace of a recall without a reply."""
    traces = recalls_without_reply(user_id)
    count = traces.count()
    traces.delete()
    return count


def erase_old_recalls(user_id: UUID, now: datetime) -> None:
    """Erase the traces that are older than 90 days, or than the chats their owner keeps."""
    days = preferences_of(user_id).retention_days
    kept = min(RETENTION, timedelta(days=days)) if days else RETENTION
    recalls_without_reply(user_id).filter(at__lt=now - kept).delete()


def residue(user_id: UUID, words: Words) -> Mapping[tuple[str, str], int]:
    """How many traces hold any of these words, by table and column."""
    counts: dict[tuple[str, str], int] = {}
    for trace in recalls_without_reply(user_id).iterator(BATCH_SIZE):
        for column, found in _columns_containing(trace, words).items():
            counts[TABLE, column] = counts.get((TABLE, column), 0) + found
    return counts


def _columns_containing(trace: RecallTrace, words: Words) -> Mapping[str, bool]:
    return {column: words.are_in(as_text(getattr(trace, column))) for column in ("trace", "hits")}
