"""Removes the vectors of models that a person has turned away from, some time after the chosen one
answers: a search that began before then still finds what it compares with."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from llm.errors import ModelError
from memory.answering import answering_of
from memory.backfill import chosen_space
from memory.index import remove_other_vectors
from memory.locks import EMBEDDING, alone
from memory.models import EmbeddingSpace
from memory.placement import lock_palace

REST = timedelta(minutes=10)
BATCH = 2000


def removal_is_due(user_id: UUID, now: datetime) -> bool:
    """Whether there may be vectors that nobody will ask for again."""
    return _space_to_keep(user_id, now) is not None


def remove_abandoned(user_id: UUID, now: datetime) -> int:
    """Remove them in small transactions; returns how many there were."""
    removed = 0
    with alone(user_id, EMBEDDING) as won:
        while won and (space := _space_to_keep(user_id, now)):
            removed += _remove_some(user_id, space)
    return removed


def _space_to_keep(user_id: UUID, now: datetime) -> EmbeddingSpace | None:
    answering = answering_of(user_id)
    settled = answering.since is None or answering.since <= now - REST
    if answering.space is None or not answering.mixed or not settled:
        return None
    try:
        return answering.space if chosen_space(user_id) == answering.space else None
    except ModelError:
        return None


def _remove_some(user_id: UUID, space: EmbeddingSpace) -> int:
    with transaction.atomic():
        palace = lock_palace(user_id)
        count = remove_other_vectors(user_id, space, BATCH)
        if count == 0:
            palace.mixed = False
            palace.save(update_fields=["mixed"])
    return count
