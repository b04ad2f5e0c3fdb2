"""Deleting conversations, and taking that back for as long as their messages are kept."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from chat.forgetting import bring_back, forget
from chat.incognito import erase
from chat.models import Conversation, Message
from chat.wishes import Wanted
from memory.ledger import keep_again, let_go
from memory.models import Forgetting
from memory.transcripts import CONVERSATION


class NotRemoved(Exception):
    """There is no such deleted chat, or it cannot be brought back any more."""


def remove(conversation: Conversation, now: datetime, *, forget_too: bool) -> int:
    """Delete the conversation; with `forget_too` what was remembered from it goes into the trash.

    Returns how many drawers that took. Else they stay, with a dated label for source. An incognito
    chat is erased at once, any other can be restored for 30 days.
    """
    if conversation.incognito:
        erase(conversation)
        return 0
    if forget_too:
        receipt = forget(conversation.user_id, Wanted("source", conversation.id), now)
        conversation.refresh_from_db(fields=["deleted_at"])
        return int(receipt.counts.get("drawers", 0))
    with transaction.atomic():
        conversation.deleted_at = now
        conversation.save(update_fields=("deleted_at",))
        let_go(conversation.user_id, CONVERSATION, conversation.id, now)
    return 0


def removed(user_id: UUID) -> QuerySet[Conversation]:
    """Deleted chats that can be restored, the latest first.

    Those that a larger wish to forget took along come back with that wish alone.
    """
    messages = Message.objects.filter(user_id=user_id, conversation_id=OuterRef("id"))
    wishes = Forgetting.objects.filter(user_id=user_id, with_chats=True, at=OuterRef("deleted_at"))
    chats = Conversation.objects.filter(
        Exists(messages), user_id=user_id, deleted_at__isnull=False, expired_at=None, is_demo=False
    )
    larger = wishes.exclude(scope="source")
    return chats.exclude(Exists(larger)).order_by("-deleted_at", "-id")


def restore(user_id: UUID, conversation_id: UUID, now: datetime) -> Conversation:
    """Bring a deleted chat back, and what was forgotten with it. Raises NotRemoved."""
    with transaction.atomic():
        chat = removed(user_id).select_for_update().filter(id=conversation_id).first()
        if chat is None or chat.deleted_at is None:
            raise NotRemoved
        forgotten = Forgetting.objects.filter(
            user_id=user_id, object_id=chat.id, at=chat.deleted_at, final_at=None, undone_at=None
        ).first()
        if forgotten is None:
            chat.deleted_at = None
            chat.save(update_fields=("deleted_at",))
            keep_again(user_id, CONVERSATION, [chat.id])
        else:
            bring_back(user_id, forgotten.id, now)
            chat.refresh_from_db()
    return chat
