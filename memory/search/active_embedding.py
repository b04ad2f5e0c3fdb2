"""Which model's vectors searches use: the chosen model's, or its predecessor's until the switch.

The chosen model takes over once it has embedded everything. A question is never compared with another model's
vectors.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

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
from memory.sql import fetch_prepared
from memory.text.languages import language_of
from memory.usage.metering import earlier_embedder_for, embedder_for, embedding_model, is_available
from memory.usage.records import Purpose

_ACTIVE_SPACE = """
SELECT palace.active_since, palace.mixed, palace.indexed,
  space.id, space.name, space.version, space.dimensions, space.search_dimensions
FROM memory_palace palace LEFT JOIN memory_embeddingspace space ON space.id = palace.active_space_id
WHERE palace.user_id = %(user)s
"""

LATEST_MESSAGES, MIN_OTHERS, MIN_SHARE = 100, 3, 0.2
"""How many of the user's latest messages are read, and the number and share of them that must be in
another language for the multilingual model to take over."""
MAX_READ_LENGTH = 300
MIN_WORDS, MIN_FOREIGN_WORDS = 4, 2
"""The fewest words, and words with non-ASCII letters, of a sentence that counts as an unlisted language."""

NO_MODEL = gettext_noop("No embedding model is available.")

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class ActiveSpace:
    """The space that searches use (None before it has vectors), since when, whether vectors of other
    spaces may remain, and whether an ANN index covers it."""

    space: EmbeddingSpace | None = None
    since: datetime | None = None
    mixed: bool = False
    indexed: bool = False

    def is_of(self, model: EmbeddingModel) -> bool:
        """Whether this model at this version made the vectors of this space."""
        space = self.space
        return space is not None and (space.name, space.version) == (model.name, model.version)


@dataclass(frozen=True, slots=True)
class ModelSpace:
    """A model with its space; `answers` if searches use its vectors, `indexed` if an ANN index covers
    them."""

    embedder: Embedder
    space: EmbeddingSpace
    answers: bool = True
    indexed: bool = False


def follow_languages(user_id: UUID, upcoming: Iterable[str], now: datetime) -> bool:
    """Choose the multilingual local model for a user who writes in languages the default one does not read,
    judging by the `upcoming` messages, which have no drawers yet, and by the latest drawers.

    Returns whether it was chosen: never for a user whose model they or this function changed before."""
    try:
        default = embedding_model("")
    except ModelError:
        return False
    if not default.languages or preferences_of(user_id).embedding_model:
        return False
    changes = ActivityEvent.objects.filter(user_id=user_id, kind=ActivityEvent.Kind.SETTINGS)
    if changes.filter(details__changed__contains="embedding_model").exists():
        return False
    if not _writes_unread_languages(user_id, upcoming, default) or not is_available(E5_SMALL.name):
        return False
    return bool(change_preferences(user_id, {"embedding_model": E5_SMALL.name}, now))


def _writes_unread_languages(user_id: UUID, upcoming: Iterable[str], model: EmbeddingModel) -> bool:
    said = Drawer.objects.live().filter(user_id=user_id, role=Drawer.Role.USER).order_by("-id")
    filed = said.values_list(Left("content", MAX_READ_LENGTH), flat=True)[:LATEST_MESSAGES]
    texts = [*upcoming, *filed][:LATEST_MESSAGES]
    languages = [language for text in texts if (language := language_of(text) or _unlisted(text))]
    others = [language for language in languages if language not in model.languages]
    return len(others) >= max(MIN_OTHERS, MIN_SHARE * len(languages))


def _unlisted(text: str) -> str:
    """“und” for a sentence in a language without word lists, such as Czech. At least two words must have
    non-ASCII letters, because a single one may be a name or a loanword in English."""
    words = text.split()
    foreign = [word for word in words if not "".join(filter(str.isalpha, word)).isascii()]
    return "und" if len(words) >= MIN_WORDS and len(foreign) >= MIN_FOREIGN_WORDS else ""


def first_available(spaces: Sequence[ModelSpace], ask: Callable[[ModelSpace], ResultT]) -> ResultT:
    """The answer of the first model that gives one. Raises the first ModelError when none does."""
    failure: ModelError | None = None
    for model_space in spaces:
        try:
            return ask(model_space)
        except ModelError as error:
            failure = failure or error
    raise failure or EmbedderUnavailable(NO_MODEL, permanent=True)


def active_space_of(user_id: UUID) -> ActiveSpace:
    """The user's active embedding space."""
    for since, mixed, indexed, *space in fetch_prepared(_ACTIVE_SPACE, {"user": user_id}):
        return ActiveSpace(EmbeddingSpace(*space) if space[0] else None, since, mixed, indexed)
    return ActiveSpace()


def model_spaces(
    chosen: str, purpose: Purpose, prefetch: EmbeddingPrefetch | None = None
) -> list[ModelSpace]:
    """The models to try in order: the active one, then the chosen one if it differs, both serving
    what `prefetch` already embeds. Raises ModelError when neither is available."""
    active = active_space_of(purpose.user_id)
    try:
        embedder = embedder_for(chosen, purpose, prefetch)
    except ModelError:
        if found := _active_model_spaces(active, purpose, prefetch):
            return found
        raise
    if active.space is not None and active.is_of(embedder.model):
        return [ModelSpace(embedder, active.space, indexed=active.indexed)]
    space = space_for(embedder.model)
    found = _active_model_spaces(active, purpose, prefetch)
    return [*found, ModelSpace(embedder, space, answers=active.space is None)]


def _active_model_spaces(
    active: ActiveSpace, purpose: Purpose, prefetch: EmbeddingPrefetch | None
) -> list[ModelSpace]:
    space = active.space
    if space is None:
        return []
    try:
        embedder = earlier_embedder_for((space.name, space.version), purpose, prefetch)
    except ModelError:
        return []  # the model is gone; callers fall back to the chosen one
    return [ModelSpace(embedder, space, indexed=active.indexed)]
