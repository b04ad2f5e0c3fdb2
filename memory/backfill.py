"""Makes the vectors that are missing: after an outage of the embedder, or after a person chose
another model, which answers in one instant when it has read everything."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from uuid import UUID

import numpy as np
from django.db import transaction

from llm.errors import ModelError, ModelRefused
from memory.activity import Happening, record
from memory.answering import Reader, answering_of, readers
from memory.embedding import (
    DrawerText,
    Embedded,
    embed_drawers,
    embed_sentences,
    file_embedded,
)
from memory.facts import compare_later, embed_statements, without_fact_vectors
from memory.index import FIRST, ChunkRow, space_for, without_sentences, without_vectors
from memory.locks import EMBEDDING, alone
from memory.metering import embedding_model
from memory.models import ActivityEvent, Drawer, EmbeddingSpace, Fact, Usage
from memory.placement import lock_palace
from memory.preferences import preferences_of
from memory.spending import BudgetSpent, admit
from memory.usage import Purpose

BATCH = 32
MOST_FACTS = 256
PLAIN = "Hello."
ABOUT_THE_TEXT = {400, 413, 422}


def backfill(user_id: UUID, most: int, now: datetime) -> int:
    """Embed up to `most` drawers that wait for a vector, first those that cannot be found by
    meaning at all, then those that the chosen model has not read; returns how many were done. When
    nothing waits any more, the chosen model answers from then on.

    While another process does so for the same person it does nothing, so that nothing is paid for
    twice. Raises ModelError when a model cannot be had; what another could do is done by then.
    """
    purpose = Purpose(user_id, Usage.Source.EMBED, now)
    done = 0
    failure: ModelError | None = None
    with alone(user_id, EMBEDDING) as won:
        for reader in readers(preferences_of(user_id).embedding_model, purpose) if won else ():
            try:
                done += _read(user_id, reader, most - done)
            except ModelError as error:
                failure = failure or error
        if won:
            let_chosen_answer(user_id, now)
    if failure:
        raise failure
    return done


def work_waits(user_id: UUID) -> bool:
    """Whether drawers or facts wait for a vector, or the chosen model for its turn to answer.

    Raises ModelError when the chosen one cannot be had.
    """
    chosen = chosen_space(user_id)
    behind = answering_of(user_id).space not in {None, chosen} or _is_behind(user_id, chosen)
    return behind or _sentences_wait(user_id)


def waiting(user_id: UUID, most: int = 1000) -> int:
    """How many drawers cannot be found by meaning yet, counted up to `most`.

    Raises ModelError when no embedder can be had.
    """
    space = answering_of(user_id).space or chosen_space(user_id)
    return len(without_vectors(user_id, space, most))


def unread(user_id: UUID, most: int) -> int:
    """How many drawers the chosen model has not read yet, counted up to `most`.

    Raises ModelError when it cannot be had.
    """
    return len(without_vectors(user_id, chosen_space(user_id), most))


def waiting_facts(user_id: UUID, most: int = 1000) -> int:
    """How many facts wait for a vector of the chosen model, counted up to `most`.

    Raises ModelError when it cannot be had.
    """
    return len(without_fact_vectors(user_id, chosen_space(user_id), most))


def affordable(user_id: UUID, now: datetime) -> bool:
    """Whether the budget lets vectors be made now. Raises ModelError as `waiting_facts` does."""
    model = embedding_model(preferences_of(user_id).embedding_model)
    try:
        admit(Purpose(user_id, Usage.Source.EMBED, now), model.name)
    except BudgetSpent:
        return False
    return True


def chosen_space(user_id: UUID) -> EmbeddingSpace:
    """The space of the model a person chose. Raises ModelError when the site does not offer it."""
    return space_for(embedding_model(preferences_of(user_id).embedding_model))


def let_chosen_answer(user_id: UUID, now: datetime) -> bool:
    """From now on search by the vectors of the chosen model, if it has read everything; returns
    whether that is new. Raises ModelError when it cannot be had."""
    if answering_of(user_id).space == chosen_space(user_id):
        return False
    with transaction.atomic():
        palace = lock_palace(user_id)
        chosen = chosen_space(user_id)
        if palace.answering_id == chosen.id or _is_behind(user_id, chosen):
            return False
        before, palace.answering = palace.answering, chosen
        palace.answering_since = now
        palace.mixed = before is not None
        palace.indexed = False
        palace.save(update_fields=["answering", "answering_since", "mixed", "indexed"])
        if before is not None:
            details = {"model": chosen.name, "before": before.name}
            record(user_id, Happening(ActivityEvent.Kind.REEMBEDDED, None, details), now)
    return True


def file_later(user_id: UUID, space: EmbeddingSpace, embedded: Embedded) -> None:
    """File vectors of drawers that were stored before, except those that are gone by now."""
    with transaction.atomic():
        lock_palace(user_id)
        ids = embedded.drawer_ids
        live = set(
            Drawer.objects.live().filter(user_id=user_id, id__in=ids).values_list("id", flat=True)
        )
        file_embedded(user_id, space, embedded.of(live))


def _is_behind(user_id: UUID, space: EmbeddingSpace) -> bool:
    return bool(without_vectors(user_id, space, 1) or without_fact_vectors(user_id, space, 1))


def _sentences_wait(user_id: UUID) -> bool:
    space, model = chosen_space(user_id), embedding_model(preferences_of(user_id).embedding_model)
    return model.sentences and bool(without_sentences(user_id, space, 1))


def _read(user_id: UUID, reader: Reader, most: int) -> int:
    """Embed up to `most` drawers with one model, and when it has read them all, the facts."""
    done = 0
    for ids in _batches(user_id, reader.space, most):
        embedded = _embedded(reader, _texts(user_id, ids))
        file_later(user_id, reader.space, _with_blanks(reader, ids, embedded))
        done += len(ids)
    if done < most:
        _read_sentences(user_id, reader, most - done)
        _read_facts(user_id, reader)
    return done


def _texts(user_id: UUID, ids: Iterable[UUID]) -> list[DrawerText]:
    drawers = Drawer.objects.filter(user_id=user_id, id__in=list(ids))
    return [DrawerText(*row) for row in drawers.values_list("id", "content", "role")]


def _read_sentences(user_id: UUID, reader: Reader, most: int) -> None:
    """Vectors for the sentences of up to `most` drawers that were read before sentences had any."""
    left = most if reader.embedder.model.sentences else 0
    while left > 0 and (ids := without_sentences(user_id, reader.space, min(BATCH, left))):
        embedded = embed_sentences(reader.embedder, _texts(user_id, ids))
        file_later(user_id, reader.space, embedded)
        left -= len(ids)


def _embedded(reader: Reader, texts: Sequence[DrawerText]) -> Embedded:
    try:
        return embed_drawers(reader.embedder, texts)
    except ModelRefused as refusal:
        if refusal.status not in ABOUT_THE_TEXT:
            raise
    reader.embedder.embed_documents([PLAIN])  # a model that refuses even this is not set up right
    each = [_alone(reader, text) for text in texts]
    return Embedded(
        tuple(row for embedded in each for row in embedded.rows),
        tuple(row for embedded in each for row in embedded.sentences),
    )


def _alone(reader: Reader, text: DrawerText) -> Embedded:
    try:
        return embed_drawers(reader.embedder, [text])
    except ModelRefused:
        return Embedded()


def _with_blanks(reader: Reader, ids: Iterable[UUID], embedded: Embedded) -> Embedded:
    """The same vectors, and one that is like nothing for each drawer a model can make nothing of:
    it is found by its words, and nothing waits for it any more."""
    missing = set(ids).difference(row.drawer_id for row in embedded.rows)
    blank = np.zeros(reader.space.dimensions, dtype=np.float32)
    blanks = (ChunkRow(each, 0, 0, blank) for each in sorted(missing))
    return Embedded((*embedded.rows, *blanks), embedded.sentences)


def _batches(user_id: UUID, space: EmbeddingSpace, most: int) -> Iterator[list[UUID]]:
    last = FIRST
    while most > 0:
        ids = without_vectors(user_id, space, min(BATCH, most), last)
        if not ids:
            return
        yield ids
        last = ids[-1]
        most -= len(ids)


def _read_facts(user_id: UUID, reader: Reader) -> None:
    """Vectors for the facts that wait for one; those never compared before are now."""
    known: set[UUID] = set()
    while facts := _other_facts(user_id, reader.space, known):
        known.update(fact.id for fact in facts)
        vectors = embed_statements(reader.embedder, [fact.statement for fact in facts])
        with transaction.atomic():
            lock_palace(user_id)
            compare_later(user_id, [fact.id for fact in facts], vectors)


def _other_facts(user_id: UUID, space: EmbeddingSpace, known: set[UUID]) -> list[Fact]:
    facts = without_fact_vectors(user_id, space, MOST_FACTS)
    return [fact for fact in facts if fact.id not in known]
