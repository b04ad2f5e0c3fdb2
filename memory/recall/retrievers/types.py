"""What retrievers receive and return."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import NamedTuple
from uuid import UUID

from llm.types import EmbeddingModel, Vectors
from memory.facts.retrieval import DateRange
from memory.models import EmbeddingSpace
from memory.recall.types import NONE, Query, RecallRequest, Unfiled
from memory.search.scope import WHOLE_PALACE, SearchScope
from memory.text.languages import language_of
from memory.text.stop_words import FUNCTION_WORDS

TRUST_IN_LATIN_SCRIPT, TRUST_IN_OTHER_SCRIPTS = 0.25, 0.1
"""What similarity is worth in a language the model does not read: it still knows names and loanwords."""


def trust_in_meaning(question: str, model: EmbeddingModel) -> float:
    """How far (0 to 1) this model's similarity can be trusted for the language of a question."""
    language = language_of(question)
    if not model.languages or not language or language in model.languages:
        return 1.0
    return TRUST_IN_LATIN_SCRIPT if language in FUNCTION_WORDS else TRUST_IN_OTHER_SCRIPTS


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """The question's vector with its model and space. `trust` (0 to 1) is what similarity is worth in
    the question's language; `indexed` says that an ANN index covers the user's vectors."""

    model: EmbeddingModel
    space: EmbeddingSpace
    vector: Vectors
    trust: float = 1.0
    indexed: bool = False

    def calibrated(self, cosine: float) -> float:
        """The calibrated similarity (0 to 1) for a raw cosine, scaled by trust."""
        return self.trust * self.model.calibrated_question(cosine)


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What every retriever receives. `meaning` is None if the question has no vector; `scope` limits
    the search; `unfiled` are messages of other chats that have no drawer yet."""

    request: RecallRequest
    query: Query
    meaning: Meaning | None = None
    scope: SearchScope = WHOLE_PALACE
    unfiled: tuple[Unfiled, ...] = ()

    @property
    def user_id(self) -> UUID:
        return self.request.user_id

    @property
    def date_range(self) -> DateRange:
        """The time asked about: the days the question names, or else the present moment."""
        span, zone = self.query.span, self.request.settings.zone
        if span is None:
            return DateRange(self.request.now, self.request.now)
        return DateRange(
            datetime.combine(span.start, time.min, zone), datetime.combine(span.end, time.min, zone)
        )


class Finding(NamedTuple):
    """A drawer with its signals, the half-open character range of its best passage if known, and the
    ids of the facts (`facts`) and entities (`graph`) that led to it. `unfiled` is the message if it has no
    drawer yet; its drawer will have the same id."""

    drawer_id: UUID
    signals: Mapping[str, float]
    span: tuple[int, int] | None = None
    retrievers: Mapping[str, tuple[UUID, ...]] = NONE
    unfiled: Unfiled | None = None


Search = Callable[[SearchContext, int], Iterable[Finding]]
"""A retriever: takes the context and the maximum number of drawers."""
