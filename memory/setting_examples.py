"""What settings would have come to: the last recall again, and how many facts would wait."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memory.models import Fact, MemoryPreferences, RecallTrace
from memory.recall.settings import settings_from
from memory.traces import Considered
from memory.trials import Trial, TriedHit, try_out

LEFT_OUT_SHOWN = 3
TRACES_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class Example:
    """The last message that was searched for, when, and what these settings would recall for it;
    `before` is how many drawers it had then. `waiting` of `facts` would wait in the review."""

    message: str
    at: datetime | None
    before: int
    kept: tuple[TriedHit, ...]
    left_out: tuple[Considered, ...]
    tokens: int
    waiting: int
    facts: int


def example(user_id: UUID, preferences: MemoryPreferences, now: datetime) -> Example:
    """What these preferences would come to; the message is empty before the first recall.

    No model chooses among the drawers here, so that looking costs nothing.
    """
    facts = Fact.objects.filter(user_id=user_id, status=Fact.Status.ACTIVE, deleted_at=None)
    waiting = facts.filter(confidence__lt=preferences.review_threshold)
    last = _last_recall(user_id)
    message = last.trace["query"]["text"] if last else ""
    settings = replace(settings_from(preferences), rerank=False)
    tried = try_out(user_id, Trial(message, (), settings, now)) if message else None
    return Example(
        message=message,
        at=last.at if last else None,
        before=len(last.hits) if last else 0,
        kept=tried.hits if tried else (),
        left_out=_left_out(tried.trace.considered) if tried else (),
        tokens=tried.tokens if tried else 0,
        waiting=waiting.count(),
        facts=facts.count(),
    )


def _last_recall(user_id: UUID) -> RecallTrace | None:
    rows = RecallTrace.objects.filter(user_id=user_id).order_by("-at", "-id")[:TRACES_LOOKED_AT]
    return next((row for row in rows if (row.trace.get("query") or {}).get("text")), None)


def _left_out(considered: tuple[Considered, ...]) -> tuple[Considered, ...]:
    """The best of those that were found and not kept."""
    missed = [each for each in considered if not each.recalled and each.pointer]
    return tuple(missed[:LEFT_OUT_SHOWN])
