"""Puts a haystack into the ledger of a person of its own and mines it as the product would."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID

from django.db import transaction

from accounts.models import User
from accounts.tenancy import tenant
from bench.cases import BenchSession
from bench.errors import BenchmarkImpossible
from chat.mining import mine_person, unmined_messages
from chat.models import Conversation, Message
from memory.sanitising import storable

ENOUGH = timedelta(hours=6)
AT_ONCE = 200


def owner_of(name: str) -> User:
    """The person whose palace holds the haystack of this name."""
    local = "".join(letter if letter.isalnum() else "-" for letter in name.lower())
    user, _ = User.objects.get_or_create(email=f"{local}@bench.invalid")
    return user


def kept_sessions(user_id: UUID) -> set[str]:
    """The keys of the chats that a person's ledger holds."""
    with tenant(user_id):
        chats = Conversation.objects.filter(user_id=user_id)
        return {key for key in chats.values_list("external_id", flat=True) if key}


def ingest(user_id: UUID, sessions: Sequence[BenchSession], now: datetime) -> int:
    """Write the sessions that are not there yet and mine everything; returns the messages."""
    known = kept_sessions(user_id)
    new = list({each.key: each for each in sessions if each.key not in known}.values())
    with tenant(user_id):
        with transaction.atomic():
            for some in _several(new):
                _write(user_id, some)
        mine_person(user_id, lambda: now, ENOUGH)
        if unmined_messages(user_id):
            raise BenchmarkImpossible("Some messages of the haystack could not be mined.")
    return sum(len(session.turns) for session in new)


def _several(sessions: Sequence[BenchSession]) -> Iterator[list[BenchSession]]:
    left = iter(sessions)
    while some := list(islice(left, AT_ONCE)):
        yield some


def _write(user_id: UUID, sessions: Sequence[BenchSession]) -> None:
    chats = [_conversation(user_id, session) for session in sessions]
    Conversation.objects.bulk_create(chats)
    Message.objects.bulk_create(
        message
        for chat, session in zip(chats, sessions, strict=True)
        for message in _messages(chat, session)
    )


def _conversation(user_id: UUID, session: BenchSession) -> Conversation:
    times = [turn.said_at or session.said_at for turn in session.turns]
    last = max(times, default=session.said_at)
    return Conversation(
        user_id=user_id,
        source=Conversation.Source.IMPORT,
        external_id=session.key,
        started_at=session.said_at,
        last_message_at=last,
        mine_requested_at=last,
        last_sequence=len(session.turns),
        head_sequence=len(session.turns),
    )


def _messages(chat: Conversation, session: BenchSession) -> Iterator[Message]:
    for number, turn in enumerate(session.turns, start=1):
        yield Message(
            user_id=chat.user_id,
            conversation_id=chat.id,
            sequence=number,
            parent_sequence=number - 1 or None,
            role=turn.role,
            content=storable(turn.content).text,
            said_at=turn.said_at or session.said_at,
        )
