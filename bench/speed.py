"""Speed and size: recall among many drawers and for several clients, mining, and bytes on disk.

Recall is compared, in the same run, with its lower bound: embedding the question and one bare scan of the
user's vectors. Ratios can be compared between machines; times cannot.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from threading import Barrier
from time import perf_counter
from typing import Any
from uuid import UUID

from django.db import connection
from pgvector import HalfVector

from accounts.tenancy import tenant
from bench.cases import BenchmarkImpossible, Report
from bench.made_up import Loader, questions, sessions
from bench.palaces import ingest, owner_of
from bench.scoring import mean, percentile
from llm import current
from llm.types import Vectors
from memory.models import EmbeddingSpace
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from memory.search.active_embedding import active_space_of
from memory.search.ann_index import index_is_due, update_index
from memory.search.index import analyze_changed_tables, prefix

TURNS = 10
ASKED = 60
WARM_UP = 5
NEAREST = 20
DRAWERS_OF_OTHERS = 100


@dataclass(frozen=True, slots=True)
class Plan:
    """The sizes of loaded palaces to recall in, how many drawers to mine, how many other people own
    100 drawers each, and how many clients ask at once."""

    sizes: tuple[int, ...]
    mined: int = 0
    others: int = 0
    clients: int = 8


@dataclass(frozen=True, slots=True)
class Timed:
    """The milliseconds of one recall, of its SQL, and of its embedding and a bare scan alone.

    `complete` unless a part of recall was left out.
    """

    total: float
    sql: float
    embedding: float
    scan: float
    complete: bool


def figures(plan: Plan, now: datetime, report: Report) -> dict[str, Any]:
    """Mining and disk use, then recall at each size, and by several clients at once in the largest
    palace. Needs an empty database (`own_database`)."""
    found: dict[str, Any] = {}
    if plan.mined:
        found |= _mining(plan.mined, now)
        report(f"{plan.mined} drawers mined")
    if not plan.sizes:
        return found
    loader = Loader(now)
    for number in range(plan.others):
        loader.load(owner_of(f"other {number}").id, DRAWERS_OF_OTHERS)
    for size in plan.sizes:
        found |= _at_size(loader, size, now)
        report(f"{size} drawers measured")
    largest = owner_of(f"owner of {plan.sizes[-1]}").id
    return found | {f"{plan.clients}_clients": _at_once(largest, plan.clients, now)}


def summary(timed: Sequence[Timed]) -> dict[str, float]:
    """Percentiles in milliseconds, the ratio of recall to embedding plus bare scan, and the share of
    recalls that were complete."""
    totals = [each.total for each in timed]
    bare = [each.embedding + each.scan for each in timed]
    return {
        "total_ms_p50": percentile(totals, 50),
        "total_ms_p95": percentile(totals, 95),
        "sql_ms_p50": percentile([each.sql for each in timed], 50),
        "embedding_ms_p50": percentile([each.embedding for each in timed], 50),
        "scan_ms_p50": percentile([each.scan for each in timed], 50),
        "ratio_p50": round(percentile(totals, 50) / percentile(bare, 50), 2),
        "ratio_p95": round(percentile(totals, 95) / percentile(bare, 95), 2),
        "complete": mean(each.complete for each in timed),
    }


def scan(user_id: UUID, space: EmbeddingSpace, vector: Vectors) -> list[UUID]:
    """The drawers of the 20 nearest vectors, by one plain statement that compares all of them."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT drawer_id FROM memory_drawervector
            WHERE user_id = %s AND space_id = %s AND NOT hidden
            ORDER BY embedding <#> %s::halfvec, drawer_id LIMIT %s
            """,
            [user_id, space.id, HalfVector(prefix(vector, space)).to_text(), NEAREST],
        )
        return [row[0] for row in cursor.fetchall()]


def _mining(drawers: int, now: datetime) -> dict[str, Any]:
    user_id = owner_of("mined").id
    seconds = _seconds(lambda: ingest(user_id, list(sessions(drawers // TURNS, TURNS, 1, now)), now))
    analyze_changed_tables()
    return {
        f"mining_to_{drawers}": {"drawers_per_second": round(drawers / seconds, 1)},
        f"recall_at_{drawers}_mined": _measured(user_id, now),
        f"disk_at_{drawers}": _disk(drawers),
    }


def _disk(drawers: int) -> dict[str, float]:
    """Bytes per drawer in all tables of memory, and in each that takes a twentieth of it."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT relname, pg_total_relation_size(oid) FROM pg_class
            WHERE relkind = 'r' AND relname LIKE 'memory\\_%%' ORDER BY 2 DESC
            """
        )
        sizes = {name: size / drawers for name, size in cursor.fetchall()}
    total = sum(sizes.values())
    large = {f"bytes_{name}": round(size) for name, size in sizes.items() if size >= total / 20}
    return {"bytes_per_drawer": round(total), **large}


def _at_size(loader: Loader, size: int, now: datetime) -> dict[str, Any]:
    user_id = owner_of(f"owner of {size}").id
    loader.load(user_id, size)
    analyze_changed_tables()
    found: dict[str, Any] = {f"recall_at_{size}": _measured(user_id, now)}
    with tenant(user_id):
        if index_is_due(user_id):
            found[f"index_s_{size}"] = round(_seconds(lambda: update_index(user_id)), 1)
            found[f"recall_at_{size}_indexed"] = _measured(user_id, now)
    return found


def _at_once(user_id: UUID, clients: int, now: datetime) -> dict[str, float]:
    asked = list(questions(ASKED * 2, 13))

    def ask(question: str) -> tuple[float, bool]:
        with tenant(user_id):
            started = perf_counter()
            answer = recall(RecallRequest(user_id=user_id, message=question, now=now))
        return (perf_counter() - started) * 1000, not answer.trace.degraded

    together = Barrier(clients)

    def close(_: int) -> None:
        together.wait()  # so that each thread closes its own connection
        connection.close()

    with ThreadPoolExecutor(clients) as pool:
        started = perf_counter()
        answers = list(pool.map(ask, asked))
        seconds = perf_counter() - started
        list(pool.map(close, range(clients)))
    times = [milliseconds for milliseconds, _ in answers]
    return {
        "recalls_per_second": round(len(asked) / seconds, 1),
        "total_ms_p50": percentile(times, 50),
        "total_ms_p95": percentile(times, 95),
        "complete": mean(complete for _, complete in answers),
    }


def _measured(user_id: UUID, now: datetime) -> dict[str, float]:
    """What each question but the first five takes, one after another."""
    with tenant(user_id):
        timed = [_timed(RecallRequest(user_id, words, now)) for words in questions(ASKED, 7)]
    return summary(timed[WARM_UP:])


def _timed(request: RecallRequest) -> Timed:
    sql = 0.0

    def statement(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal sql
        began = perf_counter()
        try:
            return execute(*arguments)
        finally:
            sql += perf_counter() - began

    started = perf_counter()
    with connection.execute_wrapper(statement):
        answer = recall(request)
    total = perf_counter() - started
    started = perf_counter()
    vector = current.embedder().embed_query(request.message).vectors[0]
    embedding = perf_counter() - started
    space = active_space_of(request.user_id).space
    if space is None:
        raise BenchmarkImpossible("This palace has no vectors.")
    scanning = _seconds(lambda: scan(request.user_id, space, vector))
    complete = not answer.trace.degraded
    return Timed(total * 1000, sql * 1000, embedding * 1000, scanning * 1000, complete)


def _seconds(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started
