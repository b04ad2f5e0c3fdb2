"""How long recall takes beside what it cannot do without: the question's vector, and one bare scan
of the person's vectors."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from statistics import quantiles
from time import perf_counter
from uuid import UUID

from django.db import connection
from pgvector import HalfVector

from accounts.tenancy import tenant
from bench.errors import BenchmarkImpossible
from llm import current
from llm.types import Vectors
from memory.answering import answering_of
from memory.index import prefix
from memory.models import EmbeddingSpace
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest, RecallSettings

WARM_UP = 5
SCANNED = 20


@dataclass(frozen=True, slots=True)
class Timed:
    """One recall and its two parts in milliseconds, and whether every arm answered."""

    total: float
    embedding: float
    scan: float
    complete: bool


def time_recalls(
    user_id: UUID, questions: Iterable[str], now: datetime, *, embedding_model: str = ""
) -> list[Timed]:
    """Recall, embedding and scan for each question, one after another, without the first five, for
    a person who has chosen this embedding model."""
    settings = RecallSettings(embedding_model=embedding_model)
    with tenant(user_id):
        requests = (
            RecallRequest(user_id=user_id, message=question, now=now, settings=settings)
            for question in questions
        )
        return [_timed(request) for request in requests][WARM_UP:]


def summary(timed: list[Timed]) -> dict[str, float]:
    """Percentiles in milliseconds, the ratio of recall to its two parts, and the share of recalls
    that lacked nothing."""
    totals = [each.total for each in timed]
    bare = [each.embedding + each.scan for each in timed]
    return {
        "total_ms_p50": percentile(totals, 50),
        "total_ms_p95": percentile(totals, 95),
        "embedding_ms_p50": percentile([each.embedding for each in timed], 50),
        "scan_ms_p50": percentile([each.scan for each in timed], 50),
        "ratio_p50": round(percentile(totals, 50) / percentile(bare, 50), 2),
        "ratio_p95": round(percentile(totals, 95) / percentile(bare, 95), 2),
        "complete": round(sum(each.complete for each in timed) / len(timed), 3),
    }


def percentile(values: list[float], percent: int) -> float:
    """This percentile of at least two values, with two decimals."""
    return round(quantiles(values, n=100, method="inclusive")[percent - 1], 2)


def _timed(request: RecallRequest) -> Timed:
    started = perf_counter()
    answer = recall(request)
    recalled = perf_counter()
    space = answering_of(request.user_id).space
    if space is None:
        raise BenchmarkImpossible("A palace was loaded without vectors.")
    asked = perf_counter()
    vector = current.embedder().embed_query(request.message).vectors[0]
    embedded = perf_counter()
    scan(request.user_id, space, vector)
    scanned = perf_counter()
    return Timed(
        total=(recalled - started) * 1000,
        embedding=(embedded - asked) * 1000,
        scan=(scanned - embedded) * 1000,
        complete=not answer.trace.degraded,
    )


def scan(user_id: UUID, space: EmbeddingSpace, vector: Vectors) -> list[UUID]:
    """The drawers of the nearest 20 vectors by one plain statement, compared with all."""
    text = HalfVector(prefix(vector, space)).to_text()
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT drawer_id FROM memory_drawervector
            WHERE user_id = %s AND space_id = %s AND NOT hidden
            ORDER BY embedding <#> %s::halfvec, drawer_id LIMIT %s
            """,
            [user_id, space.id, text, SCANNED],
        )
        return [row[0] for row in cursor.fetchall()]
