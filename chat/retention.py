"""Empties expired and deleted chats.

What was mined from them stays, with a dated label as its source.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.owned import NotFound
from chat.branches import messages_of
from chat.incognito import erase
from chat.mining.run import REQUESTED_OR_IMPORTED, progress_of_chats
from chat.models import Conversation, Generation, Message
from memory.changes.activity import record
from memory.changes.log import forget_changes_of
from memory.forgetting.requests import forget
from memory.forgetting.scopes import ForgetRequest
from memory.forgetting.trash import undo
from memory.mining.progress import mark_source_kept, mark_source_removed
from memory.mining.transcripts import CONVERSATION
from memory.models import ActivityEvent, Forgetting, MemoryPreferences, MiningProgress, RecallTrace
from memory.preferences import preferences_of

KEEP_DELETED_FOR = timedelta(days=30)
BATCH_SIZE = 50


def empty_old_chats(user_id: UUID, now: datetime) -> list[int]:
    """Remove the messages of up to 50 chats each that have expired or were deleted long ago; returns how many
    of each chat.

    An empty row of each chat stays, so that an import does not bring it back. An event records how many chats
    expired.
    """
    expired = _empty_chats(expired_chats(user_id, now), now)
    deleted_chats = Conversation.objects.filter(
        user_id=user_id, expired_at=None, deleted_at__lt=now - KEEP_DELETED_FOR
    )
    deleted = _empty_chats(deleted_chats.order_by("deleted_at", "id"), now)
    if expired:
        counts = {"conversations": len(expired), "messages": sum(expired)}
        record(user_id, ActivityEvent.Kind.EXPIRED, counts, now)
    return expired + deleted


def _empty_chats(chats: QuerySet[Conversation], now: datetime) -> list[int]:
    """Empty the first of these chats, but none in which somebody has just written."""
    return [count for chat in chats[:BATCH_SIZE] if (count := _empty(chat, now)) is not None]


def expired_chats(user_id: UUID, now: datetime) -> QuerySet[Conversation]:
    """Chats that have been idle for as many days as their owner keeps chats.

    Those waiting to be mined are kept until they are.
    """
    preferences = preferences_of(user_id)
    chats = Conversation.objects.filter(user_id=user_id, deleted_at=None)
    if not preferences.retention_days:
        return chats.none()
    quiet_since = now - timedelta(days=preferences.retention_days)
    writing = Generation.objects.filter(user_id=user_id, conversation_id=OuterRef("id"))
    return (
        chats.filter(~Exists(writing), last_message_at__lt=quiet_since)
        .exclude(id__in=_waiting_for_mining(user_id, preferences).values("id"))
        .order_by("last_message_at", "id")
    )


def _waiting_for_mining(user_id: UUID, preferences: MemoryPreferences) -> QuerySet[Conversation]:
    finished = progress_of_chats().filter(
        Q(mined_through__gte=OuterRef("last_sequence")) | Q(state=MiningProgress.State.DISCARDED)
    )
    chats = Conversation.objects.filter(~Exists(finished), user_id=user_id, last_sequence__gt=0).to_mine()
    return chats if preferences.auto_mine else chats.filter(REQUESTED_OR_IMPORTED)


def _empty(chat: Conversation, now: datetime) -> int | None:
    """Remove the messages of a chat; returns how many, or None if somebody has just written there."""
    with transaction.atomic():
        locked = Conversation.objects.select_for_update().get(user_id=chat.user_id, id=chat.id)
        if locked.last_message_at != chat.last_message_at:
            return None
        count = empty(locked)
        locked.deleted_at, locked.expired_at = locked.deleted_at or now, now
        locked.save(update_fields=("deleted_at", "expired_at"))
        mark_source_removed(locked.user_id, CONVERSATION, locked.id, now)
    return count


def empty(chat: Conversation) -> int:
    """Erase every message of a chat, and all else with its words; returns how many messages.

    Its empty row stays, so that an import recognises it.
    """
    forget_changes_of(chat.user_id, [chat.id])
    erase_derived(chat)
    messages = messages_of(chat)
    traces = messages.filter(trace_id__isnull=False).values("trace_id")
    RecallTrace.objects.filter(user_id=chat.user_id, id__in=traces).delete()
    count, _ = messages.delete()
    Conversation.objects.filter(user_id=chat.user_id, id=chat.id).update(title="", project="")
    return count


def erase_derived(chat: Conversation) -> None:
    """Erase the reply in progress of a chat."""
    Generation.objects.filter(user_id=chat.user_id, conversation_id=chat.id).delete()


def remove(conversation: Conversation, now: datetime, *, forget_too: bool) -> int:
    """Delete the conversation; with `forget_too`, what was mined from it goes to the trash.

    Returns how many drawers that moved. Otherwise they stay, with a dated label as their source. An incognito
    chat is erased at once; any other can be restored for 30 days.
    """
    if conversation.incognito:
        erase(conversation)
        return 0
    if forget_too:
        receipt = forget(conversation.user_id, ForgetRequest("source", conversation.id), now)
        conversation.refresh_from_db(fields=["deleted_at"])
        return int(receipt.counts.get("drawers", 0))
    with transaction.atomic():
        conversation.deleted_at = now
        conversation.save(update_fields=("deleted_at",))
        mark_source_removed(conversation.user_id, CONVERSATION, conversation.id, now)
    return 0


def restorable_chats(user_id: UUID) -> QuerySet[Conversation]:
    """Deleted chats that can be restored, the latest deleted first.

    Those deleted by a larger request to forget are only restored with that request.
    """
    messages = Message.objects.filter(user_id=user_id, conversation_id=OuterRef("id"))
    forgettings = Forgetting.objects.filter(user_id=user_id, with_chats=True, at=OuterRef("deleted_at"))
    chats = Conversation.objects.filter(
        Exists(messages), user_id=user_id, deleted_at__isnull=False, expired_at=None
    )
    larger = forgettings.exclude(scope="source")
    return chats.exclude(Exists(larger)).order_by("-deleted_at", "-id")


def restore(user_id: UUID, conversation_id: UUID, now: datetime) -> Conversation:
    """Restore a deleted chat, and what was forgotten with it. Raises NotFound."""
    with transaction.atomic():
        chat = restorable_chats(user_id).select_for_update().filter(id=conversation_id).first()
        if chat is None or chat.deleted_at is None:
            raise NotFound
        forgotten = Forgetting.objects.filter(
            user_id=user_id, object_id=chat.id, at=chat.deleted_at, final_at=None, undone_at=None
        ).first()
        if forgotten is None:
            chat.deleted_at = None
            chat.save(update_fields=("deleted_at",))
            mark_source_kept(user_id, CONVERSATION, [chat.id])
        else:
            undo(user_id, forgotten.id, now)
            chat.refresh_from_db()
    return chat
