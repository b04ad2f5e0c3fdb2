"""Detects topic shifts in open chats, so that what came before is mined."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, Q, QuerySet

from chat.mining.run import Clock, with_pointer
from chat.mining.transcripts import transcript
from chat.models import Conversation
from llm.configuration import LOCAL
from llm.gateway import Embedder
from memory.mining.progress import progress_of
from memory.mining.topics import MAX_EXCHANGES, MIN_BEFORE, exchanges, topic_shift_after
from memory.mining.transcripts import CONVERSATION
from memory.models import MiningProgress, Usage
from memory.preferences import preferences_of
from memory.usage.metering import embedder_for
from memory.usage.records import Purpose

MIN_TURNS = 2 * (MIN_BEFORE + 1)
MAX_TURNS_READ = 2 * MAX_EXCHANGES
MAX_CHATS = 10


def chats_to_check(user_id: UUID, now: datetime) -> QuerySet[Conversation]:
    """Open chats with enough messages since they were mined, and new ones since the last check."""
    preferences = preferences_of(user_id)
    open_since = now - timedelta(minutes=preferences.idle_minutes)
    chats = Conversation.objects.filter(user_id=user_id, closed_at=None, last_message_at__gt=open_since)
    waiting = with_pointer(chats.to_mine().exclude(source=Conversation.Source.IMPORT)).filter(
        Q(topic_shift_after__lte=F("mined_through")),
        last_sequence__gte=F("mined_through") + MIN_TURNS,
        last_sequence__gt=F("scanned_through"),
    )
    return waiting if preferences.auto_mine else waiting.none()


def detect_topic_shifts(user_id: UUID, clock: Clock) -> int:
    """Compare the exchanges of a user's open chats and record where topics ended; returns in how many chats.

    Each new message is checked once, by the local model, which is free. Raises ModelError if that is
    unavailable.
    """
    found = 0
    for conversation in chats_to_check(user_id, clock())[:MAX_CHATS]:
        purpose = Purpose(user_id, Usage.Source.EMBED, clock())
        found += _check_conversation(conversation, embedder_for(LOCAL, purpose))
    return found


def _check_conversation(conversation: Conversation, embedder: Embedder) -> bool:
    progress = progress_of(conversation.user_id, CONVERSATION, conversation.id)
    turns = transcript(conversation, progress.mined_through, MAX_TURNS_READ).turns
    said = exchanges(turns)
    ended = None
    if len(said) > MIN_BEFORE:
        vectors = embedder.embed_documents([each.text for each in said]).vectors
        ended = topic_shift_after(said, vectors, embedder.model)
    # The pointer may have moved meanwhile; where a topic ended stays valid.
    MiningProgress.objects.filter(user_id=conversation.user_id, id=progress.id).update(
        scanned_through=conversation.last_sequence, topic_shift_after=ended or progress.topic_shift_after
    )
    return ended is not None
