"""Puts a haystack into the ledger of a person of its own and mines it as the product would."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from accounts.models import User
from accounts.tenancy import tenant
from bench.datasets import BenchQuestion, BenchSession
from bench.errors import BenchmarkImpossible
from chat.mining import mine_person, unmined_messages
from chat.models import Conversation, Message

ENOUGH = timedelta(hours=6)


def owner_of(question: BenchQuestion) -> User:
    """The person whose palace holds the haystack of this question."""
    address = f"{question.id.lower()}@bench.invalid"
    user, _ = User.objects.get_or_create(email=address)
    return user


def ingest(user_id: UUID, sessions: Sequence[BenchSession], now: datetime) -> int:
    """Write the sessions that are not there yet and mine everything; returns the messages."""
    with tenant(user_id):
        known = set(
            Conversation.objects.filter(user_id=user_id).values_list("external_id", flat=True)
        )
        new = [session for session in sessions if session.key not in known]
        with transaction.atomic():
            count = sum(_write(user_id, session) for session in new)
        mine_person(user_id, lambda: now, ENOUGH)
        if unmined_messages(user_id):
            raise BenchmarkImpossible("Some messages of the haystack could not be mined.")
    return count


def _write(user_id: UUID, session: BenchSession) -> int:
    count = len(session.turns)
    conversation = Conversation.objects.create(
        user_id=user_id,
        source=Conversation.Source.IMPORT,
        external_id=session.key,
        started_at=session.said_at,
        last_message_at=session.said_at,
        mine_requested_at=session.said_at,
        last_sequence=count,
        head_sequence=count,
    )
    Message.objects.bulk_create(
        Message(
            user_id=user_id,
            conversation_id=conversation.id,
            sequence=number,
            parent_sequence=number - 1 or None,
            role=turn.role,
            content=turn.content,
            said_at=session.said_at,
        )
        for number, turn in enumerate(session.turns, start=1)
    )
    return count
