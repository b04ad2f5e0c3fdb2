"""What an arm of recall is asked, and what it brings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import NamedTuple
from uuid import UUID

from llm.types import EmbeddingModel, Vectors
from memory.facts.finding import Stretch
from memory.models import EmbeddingSpace
from memory.narrowing import WHOLE_PALACE, Part
from memory.recall.types import NONE, Query, RecallRequest


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """The question as a vector, with the model and space it belongs to. `trust` (0 to 1) is what
    this model's likeness is worth in the language of the question. `indexed` says that the
    person's vectors there are so many that they have an index of their own."""

    model: EmbeddingModel
    space: EmbeddingSpace
    vector: Vectors
    trust: float = 1.0
    indexed: bool = False

    def calibrated(self, cosine: float) -> float:
        """How well a text answers the question, 0 to 1, from the cosine of their vectors, as far
        as the model can be trusted."""
        return self.trust * self.model.calibrated_question(cosine)


@dataclass(frozen=True, slots=True)
class Asked:
    """What every arm is asked. `meaning` is None when the question has no vector; `part` is the
    part of the palace in which is looked."""

    request: RecallRequest
    query: Query
    meaning: Meaning | None = None
    part: Part = WHOLE_PALACE

    @property
    def user_id(self) -> UUID:
        """Whose memory is searched."""
        return self.request.user_id

    @property
    def stretch(self) -> Stretch:
        """The time that is asked about: the days the question names, or the moment it is asked."""
        span, zone = self.query.span, self.request.settings.zone
        if span is None:
            return Stretch(self.request.now, self.request.now)
        return Stretch(
            datetime.combine(span.start, time.min, zone), datetime.combine(span.end, time.min, zone)
        )


class Finding(NamedTuple):
    """A drawer that an arm found: its signals by name, and the half-open character range of its
    best passage, where the arm knows one. `brought_by` names the facts, people or things that led to
    it, by signal and id, for the owner to read."""

    drawer_id: UUID
    signals: Mapping[str, float]
    span: tuple[int, int] | None = None
    brought_by: Mapping[str, tuple[UUID, ...]] = NONE


Search = Callable[[Asked, int], Iterable[Finding]]
"""An arm: what is asked and how many drawers it may bring at most, to what it found."""
