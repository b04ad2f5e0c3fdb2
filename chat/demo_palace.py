"""Loads the demo palace, and removes it without a trace."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from chat.demo import demo_conversations
from chat.import_filing import file_conversation
from chat.models import Conversation, Message
from chat.transcripts import turns
from memory.activity import Happening, record
from memory.ledger import sole_miner, spoken_digest, text_digest
from memory.mining.pipeline import verbatim
from memory.models import ActivityEvent, RecallTrace
from memory.transcripts import CONVERSATION
from memory.withdrawal import Sources, withdraw


class DemoBeingRemoved(Exception):
    """The demo palace is on its way out and cannot be loaded before it is gone."""


def load_demo(user_id: UUID, now: datetime) -> int:
    """Add the demo chats that are not there yet, to be mined; returns how many that were.

    Raises DemoBeingRemoved.
    """
    if removal_due(user_id) and not remove_demo(user_id):
        raise DemoBeingRemoved
    with transaction.atomic():
        filed = [
            file_conversation(user_id, conversation, now, is_demo=True).messages
            for conversation in demo_conversations(now)
        ]
        added = sum(map(bool, filed))
        if added:
            details = {"conversations": added, "messages": sum(filed)}
            record(user_id, Happening(ActivityEvent.Kind.DEMO, None, details), now)
    return added


def demo_is_loaded(user_id: UUID) -> bool:
    """Whether chats of the demo palace are there to be seen."""
    return _demo(user_id).filter(deleted_at=None).exists()


def ask_to_remove(user_id: UUID, now: datetime) -> bool:
    """Hide the demo chats, so that no miner begins with them; False when there are none."""
    hidden = _demo(user_id).filter(deleted_at=None).update(deleted_at=now)
    return bool(hidden) or removal_due(user_id)


def removal_due(user_id: UUID) -> bool:
    """Whether a removal of the demo palace was asked for and is not done."""
    return _demo(user_id).exists() and not demo_is_loaded(user_id)


def remove_demo(user_id: UUID) -> bool:
    """Erase the hidden demo chats and all that was learned from them alone.

    False, and nothing done, while a miner is at work for this person. Running it twice is fine.
    """
    with sole_miner(user_id) as alone:
        if not alone:
            return False
        if removal_due(user_id):
            with transaction.atomic():
                _remove(user_id)
    return True


def _remove(user_id: UUID) -> None:
    ids = tuple(_demo(user_id).order_by("id").values_list("id", flat=True))
    messages = Message.objects.filter(user_id=user_id, conversation_id__in=ids)
    sources = Sources(CONVERSATION, ids, _digests(ids, messages), since=ids[0])
    withdraw(user_id, sources)
    traces = messages.filter(trace_id__isnull=False).values_list("trace_id", flat=True)
    RecallTrace.objects.filter(user_id=user_id, id__in=list(traces)).delete()
    ActivityEvent.objects.filter(user_id=user_id, kind=ActivityEvent.Kind.DEMO).delete()
    messages.delete()
    Conversation.objects.filter(user_id=user_id, id__in=ids).delete()


def _digests(ids: tuple[UUID, ...], messages: QuerySet[Message]) -> tuple[bytes, ...]:
    """What tombstones of these chats would be known by."""
    digests = [text_digest(str(conversation_id)) for conversation_id in ids]
    for turn in turns(messages):
        digests += [text_digest(str(turn.message_id)), spoken_digest(verbatim(turn), turn.said_at)]
    return tuple(digests)


def _demo(user_id: UUID) -> QuerySet[Conversation]:
    return Conversation.objects.filter(user_id=user_id, is_demo=True)
