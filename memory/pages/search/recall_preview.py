"""Preview the recall for a message without storing anything."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from llm.tokens import estimate_tokens
from memory.pages.search.traces import Bar, Ground, TraceView, grounds, legend, trace_view
from memory.recall.pipeline import recall
from memory.recall.reasons import Signal
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import Hit, Recall, RecallRequest, RecallSettings

EARLIER_TURNS = 6


@dataclass(frozen=True, slots=True)
class Trial:
    """A message to try, the person's earlier ones (newest last), by which settings and when."""

    message: str
    earlier: tuple[str, ...]
    settings: RecallSettings
    now: datetime


@dataclass(frozen=True, slots=True)
class TriedHit:
    """A drawer that would be included, and why."""

    hit: Hit
    ground: Ground


@dataclass(frozen=True, slots=True)
class Tried:
    """What would happen: the way there, the drawers, and the block word for word. Of `tokens`, those
    of the whole block, `drawer_tokens` are the drawers' words."""

    trace: TraceView
    hits: tuple[TriedHit, ...]
    block: str
    tokens: int
    drawer_tokens: int
    budget: int
    message_length: int
    legend: tuple[Signal, ...]


def try_out(user_id: UUID, trial: Trial) -> Tried:
    """What a reply to this message would be given. Only what a model costs is written down."""
    found = recall(
        RecallRequest(
            user_id=user_id,
            message=trial.message,
            now=trial.now,
            history=trial.earlier[-EARLIER_TURNS:],
            settings=trial.settings,
            called_at=timezone.now(),
        )
    )
    stored = [hit_as_json(hit) for hit in found.hits]
    trace = trace_view(user_id, trace_as_json(found.trace), stored)
    hits = _hits(user_id, found, stored)
    return Tried(
        trace=trace,
        hits=hits,
        block=found.block,
        tokens=estimate_tokens(found.block),
        drawer_tokens=sum(hit.tokens for hit in found.hits),
        budget=trial.settings.token_budget,
        message_length=len(trial.message),
        legend=legend(_all_bars(trace, hits)),
    )


def _hits(user_id: UUID, found: Recall, stored: Sequence[Mapping[str, Any]]) -> tuple[TriedHit, ...]:
    why = grounds(user_id, stored)
    return tuple(TriedHit(hit, ground) for hit, ground in zip(found.hits, why, strict=True))


def _all_bars(trace: TraceView, hits: Iterable[TriedHit]) -> Iterable[Iterable[Bar]]:
    yield from (each.ground.bars for each in hits)
    yield from (each.bars for each in trace.considered)
