"""Records every model call and what it cost."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection
from uuid_utils.compat import uuid7

from llm.types import Usage as ModelUsage
from memory.models import Usage
from memory.sql import fetch_prepared

MAX_NAME_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Purpose:
    """The user, purpose (a `Usage.Source`), time and job of a model call."""

    user_id: UUID
    source: str
    now: datetime
    job_id: UUID | None = None


def record_usage(purpose: Purpose, usage: ModelUsage) -> None:
    """Record a call in a row of its own or, if it was free, in a daily row."""
    if usage.cost_usd == 0:
        _add_to_day(purpose, usage)
        return
    Usage.objects.create(
        user_id=purpose.user_id,
        source=purpose.source,
        model=usage.model[:MAX_NAME_LENGTH],
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
        latency_ms=usage.latency_ms,
        estimated=usage.estimated,
        job_id=purpose.job_id,
        at=purpose.now,
    )


def is_recorded(purpose: Purpose) -> bool:
    """Whether a call of this job was already recorded."""
    rows = Usage.objects.filter(user_id=purpose.user_id, source=purpose.source)
    return rows.filter(job_id=purpose.job_id).exists()


def _add_to_day(purpose: Purpose, usage: ModelUsage) -> None:
    """Count a free call.

    Outside a transaction the commit is asynchronous, so a crash within a second may lose it. Inside a
    transaction it is as durable as the rest.
    """
    fetch_prepared(
        """
        INSERT INTO memory_usage AS known
          (user_id, id, source, model, day, at, calls, input_tokens, output_tokens, cost_usd,
           latency_ms, estimated)
        SELECT %(user)s::uuid, %(id)s::uuid, %(source)s, %(model)s, %(day)s::date, %(at)s::timestamptz, 1,
          %(input)s::bigint, %(output)s::bigint, 0, %(latency)s::bigint, %(estimated)s::boolean
        WHERE set_config('synchronous_commit',
          CASE WHEN %(alone)s THEN 'off' ELSE current_setting('synchronous_commit') END, TRUE)
          IS NOT NULL
        ON CONFLICT (user_id, source, model, day) DO UPDATE SET
          calls = known.calls + 1,
          input_tokens = known.input_tokens + EXCLUDED.input_tokens,
          output_tokens = known.output_tokens + EXCLUDED.output_tokens,
          latency_ms = known.latency_ms + EXCLUDED.latency_ms,
          estimated = known.estimated OR EXCLUDED.estimated
        RETURNING calls
        """,
        {
            "user": purpose.user_id,
            "id": uuid7(),
            "source": purpose.source,
            "model": usage.model[:MAX_NAME_LENGTH],
            "day": purpose.now.date(),
            "at": purpose.now,
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "latency": usage.latency_ms,
            "estimated": usage.estimated,
            "alone": not connection.in_atomic_block,
        },
    )
