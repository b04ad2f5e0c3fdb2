"""Which model's vectors answer: those of the chosen model, or of its predecessor until the switch.

The chosen model takes over once it has embedded everything. A question is never compared with another model's
vectors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.db import connection
from django.db.models.functions import Left
from django.utils.translation import gettext_noop

from llm.embedding_models import E5_SMALL
from llm.errors import EmbedderUnavailable, ModelError
from llm.gateway import Embedder
from llm.types import EmbeddingModel
from memory.models import ActivityEvent, Drawer, EmbeddingSpace
from memory.preferences import change_preferences, preferences_of
from memory.search.embedding_prefetch import EmbeddingPrefetch
from memory.search.index import space_for
from memory.text.languages import language_of
from memory.usage.metering import earlier_embedder_for, embedder_for, embedding_model, is_available
from memory.usage.records import Purpose

_ANSWERING = """
SELECT palace.answering_since, palace.mixed, palace.indexed,
  space.id, space.name, space.version, space.dimensions, space.search_dimensions
FROM memory_palace palace LEFT JOIN memory_embeddingspace space ON space.id = palace.answering_id
WHERE palace.user_id = %s
"""

LATEST, FEW, SHARE = 100, 3, 0.2
"""How many of the user's latest messages are looked at, and the number and share of them that must be in
another language for the multilingual model to take over."""
BEGINNING = 300

NOBODY = gettext_noop("No embedding model is available.")

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True)
class ActiveSpace:
    """The space whose vectors answer (None before there are any), since when, whether vectors of other
    spaces may remain, and whether an ANN index covers them."""

    space: EmbeddingSpace | None = None
    since: datetime | None = None
    mixed: bool = False
    indexed: bool = False

    def is_of(self, model: EmbeddingModel) -> bool:
        """Whether this model made the answering vectors."""
        return self.space is not None and made_by(self.space, model)


@dataclass(frozen=True, slots=True)
class Reader:
    """A model with its space; `answers` when its vectors answer, `indexed` when an ANN index covers
    them."""

    embedder: Embedder
    space: EmbeddingSpace
    answers: bool = True
    indexed: bool = False


def follow_languages(user_id: UUID, now: datetime) -> bool:
    """Choose the multilingual local model for a user who writes in languages the default one does not read.

    Returns whether it was chosen: never for a user whose model was changed before, by them or by this."""
    try:
        default = embedding_model("")
    except ModelError:
        return False
    if not default.languages or preferences_of(user_id).embedding_model:
        return False
    changes = ActivityEvent.objects.filter(user_id=user_id, kind=ActivityEvent.Kind.SETTINGS)
    if changes.filter(details__changed__contains="embedding_model").exists():
        return False
    if not _writes_otherwise(user_id, default) or not is_available(E5_SMALL.name):
        return False
    return bool(change_preferences(user_id, {"embedding_model": E5_SMALL.name}, now))


def _writes_otherwise(user_id: UUID, model: EmbeddingModel) -> bool:
    said = Drawer.objects.live().filter(user_id=user_id, role=Drawer.Role.USER).order_by("-id")
    texts = said.values_list(Left("content", BEGINNING), flat=True)[:LATEST]
    languages = [language for language in map(language_of, texts) if language]
    others = [language for language in languages if language not in model.languages]
    return len(others) >= max(FEW, SHARE * len(languages))


def first_available(asked: Sequence[Reader], ask: Callable[[Reader], AnswerT]) -> AnswerT:
    """The answer of the first model that gives one. Raises the first ModelError when none does."""
    failure: ModelError | None = None
    for reader in asked:
        try:
            return ask(reader)
        except ModelError as error:
            failure = failure or error
    raise failure or EmbedderUnavailable(NOBODY, permanent=True)


def made_by(space: EmbeddingSpace, model: EmbeddingModel) -> bool:
    """Whether this model at this version makes the vectors of this space."""
    return (space.name, space.version) == (model.name, model.version)


def active_space_of(user_id: UUID) -> ActiveSpace:
    """The user's active embedding space."""
    with connection.cursor() as cursor:
        cursor.execute(_ANSWERING, [user_id])
        row = cursor.fetchone()
    if row is None:
        return ActiveSpace()
    since, mixed, indexed, *space = row
    return ActiveSpace(EmbeddingSpace(*space) if space[0] else None, since, mixed, indexed)


def readers(chosen: str, purpose: Purpose, ahead: EmbeddingPrefetch | None = None) -> list[Reader]:
    """The models to ask in order: the answering one, then the chosen one if it differs, both serving
    what `ahead` already embeds. Raises ModelError when neither is available."""
    answering = active_space_of(purpose.user_id)
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


def _earlier(answering: ActiveSpace, purpose: Purpose, ahead: EmbeddingPrefetch | None) -> list[Reader]:
    space = answering.space
    if space is None:
        return []
    try:
        embedder = earlier_embedder_for((space.name, space.version), purpose, ahead)
    except ModelError:
        return []  # the model is gone; callers continue with the chosen one
    return [Reader(embedder, space, indexed=answering.indexed)]
