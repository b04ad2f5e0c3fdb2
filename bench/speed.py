"""Speed of recall at size: one person among many, several clients at once, and while other work is
going on."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import Any
from uuid import UUID

from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from bench.corpus import questions, sessions
from bench.errors import BenchmarkImpossible
from bench.ingest import ingest
from bench.isolation import own_database
from bench.loading import Loader
from bench.timing import percentile, scan, summary, time_recalls
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.answering import answering_of
from memory.backfill import backfill
from memory.models import MemoryPreferences
from memory.own_index import index_is_due, settle_index
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from memory.searching import nearest
from memory.table_statistics import renew_statistics

ASKED = 60
DRAWERS_OF_OTHERS = 100
MINED_CHATS = 400
OTHER_MODEL = "another-model"

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SpeedPlan:
    """The sizes of the palaces to measure, how many other people there are with 100 drawers each,
    and how many clients ask at once."""

    sizes: tuple[int, ...]
    others: int = 0
    clients: int = 8


def speed(plan: SpeedPlan, now: datetime, report: Report) -> dict[str, Any]:
    """Figures of recall at each size. Raises BenchmarkImpossible when a small palace does not get
    exactly what exact search gives."""
    found: dict[str, Any] = {}
    with own_database("palace_bench_speed", keep=False):
        loader = Loader(now)
        small = [_person(f"other-{number}") for number in range(plan.others)]
        for user_id in small:
            loader.load(user_id, DRAWERS_OF_OTHERS)
        report(f"{plan.others} other palaces loaded")
        for size in plan.sizes:
            user_id = _person(f"owner-of-{size}")
            found |= _at_size(loader, user_id, size, now)
            report(f"{size} drawers measured")
        if small:
            found["small_palaces_exact"] = _exact(small[:20])
        found |= _under_load(user_id, plan, now, report)
    return found


def _person(name: str) -> UUID:
    return User.objects.create_user(f"{name}@bench.invalid").id


def _at_size(loader: Loader, user_id: UUID, size: int, now: datetime) -> dict[str, Any]:
    started = perf_counter()
    loader.load(user_id, size)
    loaded = perf_counter() - started
    fresh = _measured(user_id, now)
    renew_statistics()
    found: dict[str, Any] = {
        f"load_s_{size}": round(loaded, 1),
        f"recall_at_{size}_before_analyse": fresh,
        f"recall_at_{size}": _measured(user_id, now),
    }
    with tenant(user_id):
        due = index_is_due(user_id)
    if due:
        started = perf_counter()
        with tenant(user_id):
            settle_index(user_id)
        found[f"index_s_{size}"] = round(perf_counter() - started, 1)
        found[f"recall_at_{size}_indexed"] = _measured(user_id, now)
    return found


def _measured(user_id: UUID, now: datetime) -> dict[str, float]:
    return summary(time_recalls(user_id, questions(ASKED, 7), now))


def _exact(users: list[UUID]) -> float:
    """The share of the nearest 20 that search finds as a bare scan does."""
    same = asked = 0
    for user_id, question in zip(users, questions(len(users), 9), strict=True):
        vector = current.embedder().embed_query(question).vectors[0]
        with tenant(user_id):
            space = answering_of(user_id).space
            if space is None:
                raise BenchmarkImpossible("A palace was loaded without vectors.")
            wanted = scan(user_id, space, vector)
            near = [each.drawer_id for each in nearest(user_id, space, vector, len(wanted))]
        same += len(set(near) & set(wanted))
        asked += len(wanted)
    if same != asked:
        raise BenchmarkImpossible("A small palace does not get what exact search gives.")
    return same / asked


def _under_load(user_id: UUID, plan: SpeedPlan, now: datetime, report: Report) -> dict[str, Any]:
    """Recall in the largest palace: by several clients, while a new model reads it, while it is
    mined."""
    found: dict[str, Any] = {f"{plan.clients}_clients": _many(user_id, plan.clients, now)}
    report(f"{plan.clients} clients measured")
    other = FakeEmbedder(name=OTHER_MODEL)
    with current.using(other_embedders=[other]):
        with tenant(user_id):
            MemoryPreferences.objects.create(user_id=user_id, embedding_model=OTHER_MODEL)
        with _beside(user_id, lambda: backfill(user_id, 320, now)) as rounds:
            found["while_reembedding"] = _asked(user_id, now, OTHER_MODEL)
        found["while_reembedding"]["embedded"] = 320 * len(rounds)
        with tenant(user_id):
            MemoryPreferences.objects.filter(user_id=user_id).delete()
    report("measured while re-embedding")
    chats = list(sessions(MINED_CHATS, 10, 99, now))
    with _beside(user_id, lambda: ingest(user_id, [chats.pop()], now)) as rounds:
        found["while_mining"] = _measured(user_id, now)
    found["while_mining"]["mined"] = 10 * len(rounds)
    report("measured while mining")
    return found


def _asked(user_id: UUID, now: datetime, model: str) -> dict[str, float]:
    """Recall as a person who has chosen another model, which has not read everything yet."""
    return summary(time_recalls(user_id, questions(ASKED, 7), now, embedding_model=model))


def _many(user_id: UUID, clients: int, now: datetime) -> dict[str, float]:
    asked = list(questions(ASKED * 2, 13))

    def ask(question: str) -> tuple[float, bool]:
        with tenant(user_id):
            started = perf_counter()
            answer = recall(RecallRequest(user_id=user_id, message=question, now=now))
        return (perf_counter() - started) * 1000, not answer.trace.degraded

    started = perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        answers = list(pool.map(ask, asked))
        seconds = perf_counter() - started
        list(pool.map(lambda _: connection.close(), range(clients)))
    times = [milliseconds for milliseconds, _ in answers]
    return {
        "recalls_per_second": round(len(asked) / seconds, 1),
        "total_ms_p50": percentile(times, 50),
        "total_ms_p95": percentile(times, 95),
        "complete": round(sum(complete for _, complete in answers) / len(answers), 3),
    }


@contextmanager
def _beside(user_id: UUID, work: Callable[[], object]) -> Iterator[list[float]]:
    """Do something again and again in another thread; gives the seconds of each round."""
    rounds: list[float] = []
    stop = threading.Event()

    def go_on() -> None:
        with tenant(user_id):
            while not stop.is_set():
                started = perf_counter()
                work()
                rounds.append(perf_counter() - started)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        busy = pool.submit(go_on)
        try:
            yield rounds
        finally:
            stop.set()
            busy.result()
