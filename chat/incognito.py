"""Incognito chats: they are in the ledger while open in a browser, and then erased without a trace."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.sessions import open_session_ids
from chat.agents import default_agent
from chat.models import Agent, Conversation, OpenIncognito

TITLE = "Incognito chat"
CLOSED_GRACE_PERIOD = timedelta(seconds=90)
UNSEEN_TIMEOUT = timedelta(minutes=30)


def open_incognito(user_id: UUID, agent: Agent | None, session: str, now: datetime) -> Conversation:
    """A new incognito chat of this session. Its title contains no words, because browsers store titles."""
    with transaction.atomic():
        conversation = Conversation.objects.create(
            user_id=user_id,
            agent_id=(agent or default_agent(user_id)).id,
            title=TITLE,
            recall_memory=False,
            mine=False,
            incognito=True,
            started_at=now,
            last_message_at=now,
        )
        OpenIncognito.objects.create(
            user_id=user_id, conversation_id=conversation.id, session=session, seen_at=now
        )
    return conversation


def is_open_in(conversation: Conversation, session: str) -> bool:
    """Whether this session opened an incognito chat that is still open."""
    return bool(session) and _rows(conversation).filter(session=session).exists()


def mark_shown(conversation: Conversation, now: datetime) -> None:
    """Record that a page shows an incognito chat."""
    _rows(conversation).update(seen_at=now, left_at=None)


def mark_closed(conversation: Conversation, now: datetime) -> None:
    """Record that a page showing the chat was closed; showing it again cancels that."""
    _rows(conversation).update(left_at=now)


def erase(conversation: Conversation) -> None:
    """Erase an incognito chat with everything in it."""
    Conversation.objects.filter(user_id=conversation.user_id, id=conversation.id, incognito=True).delete()


def erase_abandoned(user_id: UUID, now: datetime) -> int:
    """Erase abandoned incognito chats; returns how many.

    A chat is abandoned 90 seconds after its page was closed, after half an hour without a page, or when its
    session ends.
    """
    chats = Conversation.objects.filter(user_id=user_id, incognito=True)
    kept = OpenIncognito.objects.filter(
        Q(left_at=None) | Q(left_at__gte=now - CLOSED_GRACE_PERIOD),
        user_id=user_id,
        seen_at__gte=now - UNSEEN_TIMEOUT,
        session__in=open_session_ids(user_id, now),
    )
    gone = list(chats.exclude(id__in=kept.values("conversation_id")).values_list("id", flat=True))
    Conversation.objects.filter(user_id=user_id, id__in=gone).delete()
    return len(gone)


def _rows(conversation: Conversation) -> QuerySet[OpenIncognito]:
    return OpenIncognito.objects.filter(user_id=conversation.user_id, conversation_id=conversation.id)
