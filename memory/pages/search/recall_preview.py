"""Preview the recall for a message without storing anything."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from llm.tokens import estimate_tokens
from memory.pages.search.traces import Considered, trace_view
from memory.recall.pipeline import recall
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import Hit, RecallRequest, RecallSettings


@dataclass(frozen=True, slots=True)
class Preview:
    """What a model would get with a message: the drawers, all that were considered, and the tokens of the
    whole block."""

    hits: tuple[Hit, ...]
    considered: tuple[Considered, ...]
    tokens: int


def preview(user_id: UUID, message: str, settings: RecallSettings, now: datetime) -> Preview:
    """What these settings would recall for a message. Only the cost of models is recorded."""
    found = recall(RecallRequest(user_id, message, now, settings=settings))
    hits = [hit_as_json(hit) for hit in found.hits]
    trace = trace_view(user_id, trace_as_json(found.trace), hits)
    return Preview(found.hits, trace.considered, estimate_tokens(found.block))
