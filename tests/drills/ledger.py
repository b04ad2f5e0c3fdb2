"""Create chats and mine them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from chat.mining.run import Round, mine_user
from chat.models import Conversation, Message

NOW = datetime(2031, 3, 5, 6, 30, tzinfo=UTC)
LONG = timedelta(minutes=5)


@dataclass
class Clock:
    """A clock that moves only on request."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        """The current time of the clock."""
        return self.now

    def move(self, **by: float) -> None:
        """Advance the clock, by the arguments of a timedelta."""
        self.now += timedelta(**by)


@dataclass(frozen=True)
class Said:
    """A message: its text, and values other than the defaults."""

    content: str
    role: str = ""
    extra: dict[str, object] = field(default_factory=dict)


def converse(
    user_id: UUID,
    *words: str | Said,
    at: datetime = NOW - timedelta(days=30),
    title: str = "A chat",
    **changes: object,
) -> Conversation:
    """Create a chat of alternating turns, a minute apart, ready for mining."""
    given: dict[str, object] = {
        "user_id": user_id,
        "title": title,
        "source": Conversation.Source.IMPORT,
        "started_at": at,
        "last_message_at": at + timedelta(minutes=len(words)),
        "last_sequence": len(words),
        "head_sequence": len(words),
    }
    conversation = Conversation.objects.create(**{**given, **changes})
    add(conversation, words, at)
    return conversation


def add(conversation: Conversation, words: Sequence[str | Said], at: datetime) -> None:
    """Append messages to a chat."""
    before = Message.objects.filter(user_id=conversation.user_id, conversation_id=conversation.id).count()
    Message.objects.bulk_create(
        Message(
            user_id=conversation.user_id,
            conversation_id=conversation.id,
            sequence=before + number + 1,
            parent_sequence=before + number or None,
            role=said.role or ("assistant" if number % 2 else "user"),
            content=said.content,
            said_at=at + timedelta(minutes=number),
            **said.extra,
        )
        for number, word in enumerate(words)
        for said in [word if isinstance(word, Said) else Said(word)]
    )
    Conversation.objects.filter(user_id=conversation.user_id, id=conversation.id).update(
        last_sequence=before + len(words), last_message_at=at + timedelta(minutes=len(words))
    )


def mine(user_id: UUID, clock: Clock | None = None) -> Round:
    """Mine everything that is due."""
    return mine_user(user_id, clock or Clock(), LONG)


def remember(user_id: UUID, *words: str | Said, **given: Any) -> Conversation:
    """Create a chat and mine it."""
    conversation = converse(user_id, *words, **given)
    mine(user_id)
    return conversation
