"""Backfill missing vectors, after an embedder outage or a change of model, remove stale ones, and
report progress. A newly chosen model takes over once it has embedded everything."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import numpy as np
from django.utils.translation import gettext as _

from llm.errors import ModelError, ModelRefused
from memory.changes.activity import record
from memory.facts.filing import compare_later
from memory.facts.similarity import embed_statements, without_fact_vectors
from memory.locks import EMBEDDING, try_lock
from memory.models import ActivityEvent, Drawer, EmbeddingSpace, Usage
from memory.placement import locked_palace
from memory.preferences import preferences_of
from memory.search.active_embedding import ModelSpace, active_space_of, model_spaces
from memory.search.embedding import (
    MAX_CHARACTERS_AT_ONCE,
    DrawerText,
    Embedded,
    embed_drawers,
    embed_sentences,
    embeddable_at_once,
    file_embedded,
)
from memory.search.index import (
    FIRST,
    ChunkRow,
    remove_other_vectors,
    space_for,
    without_sentences,
    without_vectors,
)
from memory.usage.budgets import BudgetSpent, require_budget
from memory.usage.metering import embedding_model
from memory.usage.records import Purpose

BATCH = 32
MAX_FACTS = 256
PROBE_TEXT = "Hello."
TEXT_REJECTED_STATUSES = {400, 413, 422}
STALE_AFTER = timedelta(minutes=10)
"""How long vectors of a replaced model stay, for searches that began before the switch."""
STALE_BATCH = 2000
MAX_COUNTED = 10_000_000


@dataclass(frozen=True, slots=True)
class Switch:
    """A change of model under way: the active model, the one taking over, and how many
    of all drawers (`total`) it has embedded."""

    answering: str
    chosen: str
    read: int
    total: int


@dataclass(frozen=True, slots=True)
class VectorState:
    """Progress of a user's vectors: `waiting` drawers without one (counted up to `most`), the model
    `switch` under way, if any, a sentence about what is wrong, and whether vector search is down."""

    waiting: int
    most: int
    switch: Switch | None = None
    trouble: str = ""
    down: bool = False


def backfill(user_id: UUID, limit: int, now: datetime) -> int:
    """Embed up to `limit` drawers, fewer if they are long, and return how many were done: first those
    without any vector, then those the chosen model has not embedded. Once none waits, the chosen model
    takes over.

    Does nothing while another process backfills for the same user, so nothing is paid for twice.
    Raises ModelError when a model is unavailable, after the other model has done its part.
    """
    purpose = Purpose(user_id, Usage.Source.EMBED, now)
    done = 0
    failure: ModelError | None = None
    with try_lock(user_id, EMBEDDING) as won:
        for model_space in model_spaces(preferences_of(user_id).embedding_model, purpose) if won else ():
            try:
                done += _embed_waiting(user_id, model_space, limit - done)
            except ModelError as error:
                failure = failure or error
        if won:
            switch_when_complete(user_id, now)
    if failure:
        raise failure
    return done


def has_work(user_id: UUID) -> bool:
    """Whether drawers or facts wait for a vector, or the chosen model waits to take over.

    Raises ModelError when the chosen model is unavailable.
    """
    chosen = chosen_space(user_id)
    if active_space_of(user_id).space not in {None, chosen} or _is_behind(user_id, chosen):
        return True
    model = embedding_model(preferences_of(user_id).embedding_model)
    return model.sentences and bool(without_sentences(user_id, chosen, 1))


def waiting(user_id: UUID, limit: int = 1000) -> int:
    """How many drawers vector search cannot find yet, counted up to `limit`. Raises ModelError."""
    space = active_space_of(user_id).space or chosen_space(user_id)
    return len(without_vectors(user_id, space, limit))


def not_embedded(user_id: UUID, limit: int) -> int:
    """How many drawers the chosen model has not embedded yet, counted up to `limit`. Raises ModelError."""
    return len(without_vectors(user_id, chosen_space(user_id), limit))


def affordable(user_id: UUID, now: datetime) -> bool:
    """Whether the user's budget allows embedding now. Raises ModelError."""
    model = embedding_model(preferences_of(user_id).embedding_model)
    try:
        require_budget(Purpose(user_id, Usage.Source.EMBED, now), model.name)
    except BudgetSpent:
        return False
    return True


def chosen_space(user_id: UUID) -> EmbeddingSpace:
    """The embedding space of the user's chosen model. Raises ModelError when the site does not offer it."""
    return space_for(embedding_model(preferences_of(user_id).embedding_model))


def switch_when_complete(user_id: UUID, now: datetime) -> bool:
    """Switch search to the chosen model if it has embedded everything; returns whether it switched.
    Raises ModelError when the model is unavailable."""
    if active_space_of(user_id).space == chosen_space(user_id):
        return False
    with locked_palace(user_id) as palace:
        chosen = chosen_space(user_id)
        if palace.active_space_id == chosen.id or _is_behind(user_id, chosen):
            return False
        before, palace.active_space = palace.active_space, chosen
        palace.active_since = now
        palace.mixed = before is not None
        palace.indexed = False
        palace.save(update_fields=["active_space", "active_since", "mixed", "indexed"])
        if before is not None:
            details = {"model": chosen.name, "before": before.name}
            record(user_id, ActivityEvent.Kind.REEMBEDDED, details, now)
    return True


def file_backfilled(user_id: UUID, space: EmbeddingSpace, embedded: Embedded) -> None:
    """Store vectors of existing drawers, skipping drawers deleted in the meantime."""
    with locked_palace(user_id):
        ids = {row.drawer_id for row in embedded.rows} | embedded.sentences.keys()
        live = set(Drawer.objects.live().filter(user_id=user_id, id__in=ids).values_list("id", flat=True))
        file_embedded(user_id, space, embedded.of(live))


def _is_behind(user_id: UUID, space: EmbeddingSpace) -> bool:
    return bool(without_vectors(user_id, space, 1) or without_fact_vectors(user_id, space, 1))


def _embed_waiting(user_id: UUID, model_space: ModelSpace, limit: int) -> int:
    """Embed up to `limit` drawers with one model, then facts once no drawer waits."""
    done, remaining = 0, MAX_CHARACTERS_AT_ONCE
    for ids in _batches(user_id, model_space.space, limit):
        texts = _texts(user_id, ids)
        fitting = embeddable_at_once(texts, remaining) or texts[:1]
        embedded = _embed(model_space, fitting)
        read = [each.id for each in fitting] if len(fitting) < len(texts) else ids
        file_backfilled(user_id, model_space.space, _with_zero_vectors(model_space, read, embedded))
        done += len(read)
        remaining -= sum(len(each.text) for each in fitting)
        if len(read) < len(ids) or remaining <= 0:
            return done
    if done < limit:
        _embed_waiting_sentences(user_id, model_space, limit - done)
        _embed_waiting_facts(user_id, model_space)
    return done


def _texts(user_id: UUID, ids: Iterable[UUID]) -> list[DrawerText]:
    drawers = Drawer.objects.filter(user_id=user_id, id__in=list(ids))
    return [DrawerText(*row) for row in drawers.values_list("id", "content", "role")]


def _embed_waiting_sentences(user_id: UUID, model_space: ModelSpace, limit: int) -> None:
    """Embed the sentences of up to `limit` drawers that have chunk vectors only."""
    left = limit if model_space.embedder.model.sentences else 0
    while left > 0 and (ids := without_sentences(user_id, model_space.space, min(BATCH, left))):
        embedded = embed_sentences(model_space.embedder, _texts(user_id, ids))
        file_backfilled(user_id, model_space.space, embedded)
        left -= len(ids)


def _embed(model_space: ModelSpace, texts: Sequence[DrawerText]) -> Embedded:
    try:
        return embed_drawers(model_space.embedder, texts)
    except ModelRefused as refusal:
        if refusal.status not in TEXT_REJECTED_STATUSES:
            raise
    model_space.embedder.embed_documents([PROBE_TEXT])  # a model that refuses even this is misconfigured
    rows: list[ChunkRow] = []
    sentences: dict[UUID, bytes] = {}
    for text in texts:
        with suppress(ModelRefused):
            embedded = embed_drawers(model_space.embedder, [text])
            rows += embedded.rows
            sentences |= embedded.sentences
    return Embedded(tuple(rows), sentences)


def _with_zero_vectors(model_space: ModelSpace, ids: Iterable[UUID], embedded: Embedded) -> Embedded:
    """Add a zero vector for each drawer the model rejects, so that backfill stops retrying it. The
    drawer stays findable by its words."""
    missing = set(ids).difference(row.drawer_id for row in embedded.rows)
    zeros = np.zeros(model_space.space.dimensions, dtype=np.float32)
    zero_rows = (ChunkRow(each, 0, 0, zeros) for each in sorted(missing))
    return Embedded((*embedded.rows, *zero_rows), embedded.sentences)


def _batches(user_id: UUID, space: EmbeddingSpace, limit: int) -> Iterator[list[UUID]]:
    last = FIRST
    while limit > 0:
        ids = without_vectors(user_id, space, min(BATCH, limit), last)
        if not ids:
            return
        yield ids
        last = ids[-1]
        limit -= len(ids)


def _embed_waiting_facts(user_id: UUID, model_space: ModelSpace) -> None:
    """Embed waiting facts and compare them with the existing ones."""
    known: set[UUID] = set()
    while True:
        waiting = without_fact_vectors(user_id, model_space.space, MAX_FACTS)
        facts = [fact for fact in waiting if fact.id not in known]
        if not facts:
            return
        known.update(fact.id for fact in facts)
        statements = [fact.statement for fact in facts]
        vectors = embed_statements(
            model_space.embedder, statements, preferences_of(user_id).duplicate_similarity
        )
        with locked_palace(user_id):
            compare_later(user_id, [fact.id for fact in facts], vectors)


def removal_is_due(user_id: UUID, now: datetime) -> bool:
    """Whether vectors of a replaced model may remain."""
    return _space_to_keep(user_id, now) is not None


def remove_stale_vectors(user_id: UUID, now: datetime) -> int:
    """Remove the vectors of replaced models in small transactions; returns how many there were."""
    removed = 0
    with try_lock(user_id, EMBEDDING) as won:
        while won and (space := _space_to_keep(user_id, now)):
            removed += _remove_batch(user_id, space)
    return removed


def _space_to_keep(user_id: UUID, now: datetime) -> EmbeddingSpace | None:
    active = active_space_of(user_id)
    settled = active.since is None or active.since <= now - STALE_AFTER
    if active.space is None or not active.mixed or not settled:
        return None
    try:
        return active.space if chosen_space(user_id) == active.space else None
    except ModelError:
        return None


def _remove_batch(user_id: UUID, space: EmbeddingSpace) -> int:
    with locked_palace(user_id) as palace:
        count = remove_other_vectors(user_id, space, STALE_BATCH)
        if count == 0:
            palace.mixed = False
            palace.save(update_fields=["mixed"])
    return count


def vector_state(user_id: UUID, limit: int, now: datetime) -> VectorState:
    """The state of a user's vectors. Does not raise when a model is unavailable."""
    purpose = Purpose(user_id, Usage.Source.EMBED, now)
    try:
        spaces = model_spaces(preferences_of(user_id).embedding_model, purpose)
    except ModelError as error:
        return VectorState(0, limit, trouble=str(error), down=True)
    unsearchable = waiting(user_id, limit)
    probes = (each.embedder.probe() for each in spaces)
    troubles = [probe.words for probe in probes if probe.state != "up"]
    down = len(troubles) == len(spaces)
    try:
        switch = _switch(user_id)
        if unsearchable or switch:
            troubles.append(_budget(user_id, now))
    except ModelError as error:
        return VectorState(unsearchable, limit, None, " ".join([*troubles, str(error)]), down)
    return VectorState(unsearchable, limit, switch, " ".join(filter(None, troubles)), down)


def _switch(user_id: UUID) -> Switch | None:
    space = active_space_of(user_id).space
    chosen = chosen_space(user_id)
    if space is None or space == chosen:
        return None
    left = not_embedded(user_id, MAX_COUNTED)
    total = Drawer.objects.live().filter(user_id=user_id).count()
    return Switch(space.name, chosen.name, max(0, total - left), total)


def _budget(user_id: UUID, now: datetime) -> str:
    if affordable(user_id, now):
        return ""
    return _("This month’s budget is spent, so the remaining drawers wait until next month.")
