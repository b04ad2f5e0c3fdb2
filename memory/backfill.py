"""Repairs drawers that have no vector of their owner's model: after an outage of the embedder,
or after the owner chose another model."""

from uuid import UUID

from llm.gateway import Embedder
from memory.embedding import embed_drawers, embedder_for
from memory.index import file_vectors, space_for, without_vectors
from memory.models import Drawer
from memory.preferences import preferences_of

BATCH = 32


def backfill(user_id: UUID, most: int) -> int:
    """Embed up to `most` drawers that wait for a vector; returns how many were done.

    Raises ModelError when the embedder cannot be had.
    """
    embedder = embedder_for(preferences_of(user_id).embedding_model)
    done = 0
    while done < most:
        count = _embed_batch(user_id, embedder, min(BATCH, most - done))
        if count == 0:
            break
        done += count
    return done


def waiting(user_id: UUID, most: int = 1000) -> int:
    """How many drawers wait for a vector of the owner's model, counted up to `most`.

    Raises ModelError when the embedder cannot be had.
    """
    embedder = embedder_for(preferences_of(user_id).embedding_model)
    return len(without_vectors(user_id, space_for(embedder.model), most))


def _embed_batch(user_id: UUID, embedder: Embedder, size: int) -> int:
    space = space_for(embedder.model)
    ids = without_vectors(user_id, space, size)
    drawers = Drawer.objects.filter(user_id=user_id, id__in=ids).values_list("id", "content")
    embedded = embed_drawers(embedder, list(drawers))
    return len(ids) if file_vectors(user_id, space, embedded.rows) else 0
