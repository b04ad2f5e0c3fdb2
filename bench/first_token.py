"""What memory adds to the time until the first token: the same question to the same endpoint
directly, through Palace without memory, and through Palace with it, in one run."""

import http.client
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.conf import settings

from accounts.models import User
from accounts.tenancy import tenant
from accounts.tokens import issue_token
from bench.corpus import questions
from bench.errors import BenchmarkImpossible
from bench.isolation import own_database
from bench.loading import Loader
from bench.processes import PATIENCE_S, free_port, running, wait_for
from bench.timing import percentile
from llm import current
from memory.table_statistics import renew_statistics

WARM_UP = 10
DIRECT, WITHOUT, WITH = "direct", "without_memory", "with_memory"
NOBODY = "http://127.0.0.1"

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FirstTokenPlan:
    """How many drawers there are, and how many questions are asked each way."""

    drawers: int
    asked: int


@dataclass(frozen=True, slots=True)
class Timed:
    """Milliseconds until the first token, how many drawers went before the model, and whether
    memory lacked nothing."""

    ms: float
    recalled: int = 0
    complete: bool = True


class Line:
    """A connection that is kept, over which chats are asked."""

    def __init__(self, port: int, **headers: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        self._headers = {"Content-Type": "application/json", "Host": "localhost", **headers}

    def ask(self, question: str) -> Timed:
        """How long the first token takes. Raises BenchmarkImpossible when none comes."""
        asked = {"role": "user", "content": question}
        body = json.dumps({"model": "upstream", "stream": True, "messages": [asked]})
        started = time.perf_counter()
        self._connection.request("POST", "/v1/chat/completions", body, self._headers)
        answer = self._connection.getresponse()
        while line := answer.readline():
            if b'"content"' in line:
                break
        ms = (time.perf_counter() - started) * 1000
        answer.read()
        if not line:
            raise BenchmarkImpossible(f"No token came; the answer was {answer.status}.")
        recalled = int(answer.headers.get("X-Palace-Recalled") or 0)
        return Timed(ms, recalled, "X-Palace-Notice" not in answer.headers)

    def close(self) -> None:
        """Ask no more."""
        self._connection.close()


def first_token(plan: FirstTokenPlan, now: datetime, report: Report) -> dict[str, Any]:
    """Percentiles in milliseconds of each way, and of what memory and all of Palace add to the same
    question."""
    with own_database("palace_bench_first_token", keep=False), ExitStack() as processes:
        user = User.objects.create_user("owner@bench.invalid")
        Loader(now).load(user.id, plan.drawers)
        renew_statistics()
        report(f"{plan.drawers} drawers loaded")
        with tenant(user.id):
            token = issue_token(user.id, "bench", now, ("chat",))
        lines = _lines(token, processes)
        return figures(_measured(lines, plan.asked, report)) | {"drawers": plan.drawers}


def figures(measured: Mapping[str, Sequence[Timed]]) -> dict[str, Any]:
    """The percentiles of what was measured; the same place is the same question."""
    found: dict[str, Any] = {
        way: _percentiles([each.ms for each in timed]) for way, timed in measured.items()
    }
    for name, base in (("added_by_recall", WITHOUT), ("added_by_palace", DIRECT)):
        pairs = zip(measured[WITH], measured[base], strict=True)
        found[name] = _percentiles([with_it.ms - bare.ms for with_it, bare in pairs])
    timed = measured[WITH]
    found["asked"] = len(timed)
    found["recalled"] = round(sum(each.recalled > 0 for each in timed) / len(timed), 3)
    found["complete"] = round(sum(each.complete for each in timed) / len(timed), 3)
    return found


def _lines(token: str, processes: ExitStack) -> dict[str, Line]:
    upstream, site = free_port(), free_port()
    stand_in = [sys.executable, "-m", "bench.upstream", "--port", str(upstream)]
    processes.enter_context(running(stand_in))
    web = [sys.executable, str(settings.BASE_DIR / "manage.py"), "web"]
    given = {
        "PORT": str(site),
        "OPENAI_BASE_URL": f"{NOBODY}:{upstream}/v1",
        "OPENAI_API_KEY": "",
        "EMBEDDING_MODEL": _embedding_model(),
        "PALACE_API_RATE": "1000000",
    }
    processes.enter_context(running(web, **given))
    bearer = {"Authorization": f"Bearer {token}"}
    for port in (upstream, site):
        wait_for(port)
    lines = {
        DIRECT: Line(upstream),
        WITHOUT: Line(site, **bearer, **{"X-Palace-Memory": "off"}),
        WITH: Line(site, **bearer),
    }
    for line in lines.values():
        processes.callback(line.close)
    return lines


def _embedding_model() -> str:
    """The local model stays the one that reads, also when there is an endpoint."""
    return current.configuration().embedding_model or "local"


def _measured(lines: Mapping[str, Line], asked: int, report: Report) -> dict[str, list[Timed]]:
    """Each question goes each way before the next, so that a busy machine slows all alike."""
    measured: dict[str, list[Timed]] = {way: [] for way in lines}
    for number, question in enumerate(islice(questions(asked + WARM_UP, 7), asked + WARM_UP)):
        for way, line in lines.items():
            timed = line.ask(question)
            if number >= WARM_UP:
                measured[way].append(timed)
    report(f"{asked} questions asked {len(lines)} ways")
    return measured


def _percentiles(values: list[float]) -> dict[str, float]:
    return {"p50": percentile(values, 50), "p95": percentile(values, 95)}
