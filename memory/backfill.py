"""Repairs drawers and facts that have no vector of their owner's model: after an outage of the
embedder, or after the owner chose another model."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from llm.gateway import Embedder
from llm.types import EmbeddingModel
from memory.embedding import Embedded, embed_drawers
from memory.facts import compare_later, embed_statements, without_fact_vectors
from memory.index import file_vectors, space_for, without_vectors
from memory.locks import EMBEDDING, alone
from memory.metering import embedder_for, embedding_model
from memory.models import Drawer, Usage
from memory.placement import lock_palace
from memory.preferences import preferences_of
from memory.spending import BudgetSpent, admit
from memory.usage import Purpose

BATCH = 32
MOST_FACTS = 256


def backfill(user_id: UUID, most: int, now: datetime) -> int:
    """Embed up to `most` drawers that wait for a vector; returns how many were done.

    While another process does so for the same person it does nothing, so that nothing is paid for
    twice. Raises ModelError when the embedder cannot be had.
    """
    purpose = Purpose(user_id, Usage.Source.EMBED, now)
    embedder = embedder_for(preferences_of(user_id).embedding_model, purpose)
    done = 0
    with alone(user_id, EMBEDDING) as won:
        while won and done < most:
            count = _embed_batch(user_id, embedder, min(BATCH, most - done))
            if count == 0:
                break
            done += count
        if won:
            _embed_facts(user_id, embedder)
    return done


def waiting(user_id: UUID, most: int = 1000) -> int:
    """How many drawers wait for a vector of the owner's model, counted up to `most`.

    Raises ModelError when the embedder cannot be had.
    """
    model = embedding_model(preferences_of(user_id).embedding_model)
    return len(without_vectors(user_id, space_for(model), most))


def affordable(user_id: UUID, now: datetime) -> bool:
    """Whether the budget lets vectors be made now. Raises ModelError as `waiting` does."""
    model = embedding_model(preferences_of(user_id).embedding_model)
    try:
        admit(Purpose(user_id, Usage.Source.EMBED, now), model.name)
    except BudgetSpent:
        return False
    return True


def waiting_facts(user_id: UUID, most: int = 1000) -> int:
    """How many facts wait for a vector of the owner's model, counted up to `most`.

    Raises ModelError when the embedder cannot be had.
    """
    model = embedding_model(preferences_of(user_id).embedding_model)
    return len(without_fact_vectors(user_id, space_for(model), most))


def _embed_batch(user_id: UUID, embedder: Embedder, size: int) -> int:
    space = space_for(embedder.model)
    ids = without_vectors(user_id, space, size)
    drawers = Drawer.objects.filter(user_id=user_id, id__in=ids).values_list("id", "content")
    embedded = embed_drawers(embedder, list(drawers))
    file_later(user_id, embedder.model, embedded)
    return len(ids) if embedded.rows else 0


def file_later(user_id: UUID, model: EmbeddingModel, embedded: Embedded) -> None:
    """File vectors of drawers that were stored before, except those that are gone by now."""
    with transaction.atomic():
        lock_palace(user_id)
        ids = {row.drawer_id for row in embedded.rows}
        live = set(
            Drawer.objects.live().filter(user_id=user_id, id__in=ids).values_list("id", flat=True)
        )
        rows = [row for row in embedded.rows if row.drawer_id in live]
        file_vectors(user_id, space_for(model), rows)


def _embed_facts(user_id: UUID, embedder: Embedder) -> None:
    """Vectors for some of the facts that wait for one; those never compared before are now."""
    facts = without_fact_vectors(user_id, space_for(embedder.model), MOST_FACTS)
    if facts:
        vectors = embed_statements(embedder, [fact.statement for fact in facts])
        with transaction.atomic():
            lock_palace(user_id)
            compare_later(user_id, [fact.id for fact in facts], vectors)
