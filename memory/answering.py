"""Whose vectors answer: those of the model a person chose, or, until it has read everything, those
of the model before it. No question is ever compared with the vectors of another model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.db import connection
from django.utils.translation import gettext_noop

from llm.errors import EmbedderUnavailable, ModelError
from llm.gateway import Embedder
from llm.types import EmbeddingModel
from memory.embedding_ahead import EmbeddingAhead
from memory.index import space_for
from memory.metering import earlier_embedder_for, embedder_for
from memory.models import EmbeddingSpace
from memory.usage import Purpose

_ANSWERING = """
SELECT palace.answering_since, palace.mixed, palace.indexed,
  space.id, space.name, space.version, space.dimensions, space.search_dimensions
FROM memory_palace palace LEFT JOIN memory_embeddingspace space ON space.id = palace.answering_id
WHERE palace.user_id = %s
"""

NOBODY = gettext_noop("No embedding model can be asked.")

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True)
class Answering:
    """The space whose vectors answer, None before there are any; since when; whether vectors of
    other spaces may lie beside them; whether they have an index of their own."""

    space: EmbeddingSpace | None = None
    since: datetime | None = None
    mixed: bool = False
    indexed: bool = False

    def is_of(self, model: EmbeddingModel) -> bool:
        """Whether this model made the vectors that answer."""
        return self.space is not None and made_by(self.space, model)


@dataclass(frozen=True, slots=True)
class Reader:
    """A model that may be asked, and the space its vectors lie in. `answers` says that it is the
    one whose vectors answer; `indexed` that those have an index of their own."""

    embedder: Embedder
    space: EmbeddingSpace
    answers: bool = True
    indexed: bool = False


def first_answer(asked: Sequence[Reader], ask: Callable[[Reader], AnswerT]) -> AnswerT:
    """What the first of these models answers that can; raises the ModelError of the very first
    when none can."""
    failure: ModelError | None = None
    for reader in asked:
        try:
            return ask(reader)
        except ModelError as error:
            failure = failure or error
    raise failure or EmbedderUnavailable(NOBODY, permanent=True)


def made_by(space: EmbeddingSpace, model: EmbeddingModel) -> bool:
    """Whether this model makes the vectors of this space."""
    return (space.name, space.version) == (model.name, model.version)


def answering_of(user_id: UUID) -> Answering:
    """What answers for a person now."""
    with connection.cursor() as cursor:
        cursor.execute(_ANSWERING, [user_id])
        row = cursor.fetchone()
    if row is None:
        return Answering()
    since, mixed, indexed, *space = row
    return Answering(EmbeddingSpace(*space) if space[0] else None, since, mixed, indexed)


def readers(chosen: str, purpose: Purpose, ahead: EmbeddingAhead | None = None) -> list[Reader]:
    """The models to ask, in this order: the one whose vectors answer, then the one the person
    chose, where that is another. What `ahead` has begun is taken.

    Raises ModelError when neither can be had.
    """
    answering = answering_of(purpose.user_id)
    found: list[Reader] = []
    try:
        wanted = embedder_for(chosen, purpose, ahead)
    except ModelError:
        found = _earlier(answering, purpose, ahead)
        if not found:
            raise
        return found
    if answering.space is not None and answering.is_of(wanted.model):
        return [Reader(wanted, answering.space, indexed=answering.indexed)]
    space = space_for(wanted.model)
    found = _earlier(answering, purpose, ahead)
    return [*found, Reader(wanted, space, answers=answering.space is None)]


def _earlier(answering: Answering, purpose: Purpose, ahead: EmbeddingAhead | None) -> list[Reader]:
    space = answering.space
    if space is None:
        return []
    try:
        embedder = earlier_embedder_for((space.name, space.version), purpose, ahead)
    except ModelError:
        return []  # the model is gone; whoever asks goes on with the one that was chosen
    return [Reader(embedder, space, indexed=answering.indexed)]
