"""Speed, size and memory of the product, in one run on one machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from statistics import quantiles
from threading import Lock
from time import perf_counter
from typing import Any
from uuid import UUID

from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from bench.corpus import questions, sessions
from bench.ingest import ingest
from bench.isolation import own_database
from bench.processes import resident_memory
from bench.tidying import tidying
from llm import current
from llm.gateway import Embedder
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest

TURNS = 10
ASKED = 60
FACTS = 10_000
WARM_UP = 5

Report = Callable[[str], None]


@dataclass(slots=True)
class _Stopwatch:
    """Seconds in which at least one thread was at it, added up."""

    seconds: float = 0.0
    _at_work: int = 0
    _since: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def running(self) -> Iterator[None]:
        with self._lock:
            if not self._at_work:
                self._since = perf_counter()
            self._at_work += 1
        try:
            yield
        finally:
            with self._lock:
                self._at_work -= 1
                if not self._at_work:
                    self.seconds += perf_counter() - self._since

    def statement(self, execute: Any, *arguments: Any) -> Any:
        """Time one SQL statement, as Django's execute wrapper."""
        with self.running():
            return execute(*arguments)


@dataclass(slots=True)
class _TimedEmbedder:
    """The embedder, with the time it takes written down."""

    behind: Embedder
    watch: _Stopwatch = field(default_factory=_Stopwatch)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)

    def embed_documents(self, texts: Any) -> Any:
        with self.watch.running():
            return self.behind.embed_documents(texts)


def figures(
    sizes: tuple[int, ...], now: datetime, report: Report, *, facts: int = FACTS
) -> dict[str, Any]:
    """Recall, mining and disk at each number of drawers, the time it takes to tidy up
    so many facts, and the memory of both processes."""
    found: dict[str, Any] = {}
    with own_database("palace_bench_figures", keep=False):
        user = User.objects.create_user("figures@bench.invalid")
        filed = 0
        for size in sizes:
            found[f"mining_to_{size}"] = _mine(user.id, size - filed, size, now)
            filed = size
            report(f"{size} drawers mined")
            found[f"recall_at_{size}"] = _recall(user.id, now)
            found[f"disk_at_{size}"] = _disk(filed)
            report(f"{size} drawers measured")
        other = User.objects.create_user("tidying@bench.invalid")
        found[f"tidying_{facts}_facts"] = tidying(other.id, facts, now)
        report(f"{facts} facts tidied up")
        found["resident_memory_mb"] = resident_memory(user)
    return found


def _mine(user_id: UUID, more: int, seed: int, now: datetime) -> dict[str, float]:
    embedder = _TimedEmbedder(current.embedder())
    chats = list(sessions(more // TURNS, TURNS, seed, now))
    with current.using(embedder=embedder):
        started = perf_counter()
        ingest(user_id, chats, now)
        seconds = perf_counter() - started
    return {
        "drawers": more,
        "drawers_per_second": round(more / seconds, 1),
        "embedding_share": round(embedder.watch.seconds / seconds, 3),
    }


def _recall(user_id: UUID, now: datetime) -> dict[str, float]:
    totals: list[float] = []
    embeddings: list[float] = []
    statements: list[float] = []
    with tenant(user_id):
        connection.ensure_connection()
        for number, question in enumerate(questions(ASKED + WARM_UP, 7)):
            total, embedding, sql = _one_recall(user_id, question, now)
            if number >= WARM_UP:
                totals.append(total)
                embeddings.append(embedding)
                statements.append(sql)
    rest = [t - e - s for t, e, s in zip(totals, embeddings, statements, strict=True)]
    return {
        "total_ms_p50": _p(totals, 50),
        "total_ms_p95": _p(totals, 95),
        "embedding_ms_p50": _p(embeddings, 50),
        "sql_ms_p50": _p(statements, 50),
        "sql_ms_p95": _p(statements, 95),
        "rest_ms_p50": _p(rest, 50),
        "rest_share_p50": round(_p(rest, 50) / _p(totals, 50), 3),
    }


def _one_recall(user_id: UUID, question: str, now: datetime) -> tuple[float, float, float]:
    watch = _Stopwatch()
    started = perf_counter()
    with connection.execute_wrapper(watch.statement):
        answer = recall(RecallRequest(user_id=user_id, message=question, now=now))
    total = (perf_counter() - started) * 1000
    embedding = answer.trace.arms["embedding"].milliseconds
    return total, embedding, watch.seconds * 1000


def _disk(drawers: int) -> dict[str, float]:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT relname, pg_total_relation_size(oid) FROM pg_class
            WHERE relkind = 'r' AND relname LIKE 'memory\\_%%' ORDER BY 2 DESC
            """
        )
        sizes = {name: size / drawers for name, size in cursor.fetchall()}
    return {
        "bytes_per_drawer": round(sum(sizes.values())),
        **{f"bytes_{name}": round(size) for name, size in sizes.items() if size >= 50},
    }


def _p(values: list[float], percent: int) -> float:
    return round(quantiles(values, n=100, method="inclusive")[percent - 1], 2)
