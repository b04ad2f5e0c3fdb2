"""Pages in a small palace and in a large one, asked for in turn in one run."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client

from accounts.models import User
from accounts.tenancy import tenant
from bench.errors import BenchmarkImpossible
from bench.isolation import own_database
from bench.loading import Loader
from bench.pages.furnishing import LEAST, furnished
from bench.pages.sights import sights
from memory.table_statistics import renew_statistics

OK = 200

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """How many drawers the small and the large palace hold, and how often each page is asked for."""

    small: int = LEAST
    large: int = 100_000
    rounds: int = 20


@dataclass(frozen=True, slots=True)
class Seen:
    """A page that was asked for once: bytes sent, SQL statements, milliseconds on the server."""

    bytes: int
    statements: int
    milliseconds: float


def run(plan: Plan, now: datetime, report: Report) -> dict[str, Any]:
    """The figures of every page in both palaces. Raises BenchmarkImpossible when a page does not
    come, or the small palace would not fill its lists."""
    if plan.small < LEAST:
        raise BenchmarkImpossible(f"The small palace needs {LEAST} drawers to fill its pages.")
    call_command("collectstatic", interactive=False, verbosity=0)
    with own_database("palace_bench_pages", keep=False):
        loader = Loader(now)
        owners = []
        for size in (plan.small, plan.large):
            owners.append(furnished(loader, size, now))
            report(f"{size} drawers loaded")
        renew_statistics()
        return compared(owners[0], owners[1], plan.rounds, report)


def compared(small: User, large: User, rounds: int, report: Report) -> dict[str, Any]:
    """By name of the page what it took in both palaces and the ratio of the times; the worst of all
    pages under `worst`. Times are the fastest of all rounds, because other work on the machine
    only ever adds to them; the first time does not count."""
    people = [(_visitor(user), _sights(user)) for user in (small, large)]
    found: dict[str, Any] = {}
    for name in people[0][1]:
        looks = [[look(client, known[name]) for client, known in people] for _ in range(rounds + 1)]
        found[name] = _figures([each[0] for each in looks[1:]], [each[1] for each in looks[1:]])
        report(f"{name}: {found[name]['ratio']}")
    return {"pages": found, "worst": _worst(found.values())}


def look(client: Client, address: str) -> Seen:
    """Ask for a page once. Raises BenchmarkImpossible when it does not come."""
    statements = 0

    def count(execute: Any, *arguments: Any) -> Any:
        nonlocal statements
        statements += 1
        return execute(*arguments)

    with connection.execute_wrapper(count):
        started = perf_counter()
        answer = client.get(address, secure=settings.SECURE_SSL_REDIRECT)
        milliseconds = (perf_counter() - started) * 1000
    if answer.status_code != OK:
        raise BenchmarkImpossible(f"{address} answered {answer.status_code}.")
    return Seen(len(answer.content), statements, milliseconds)


def _visitor(user: User) -> Client:
    """A browser of this person; `localhost` is a name every installation knows."""
    client = Client(SERVER_NAME=settings.ALLOWED_HOSTS[0])
    client.force_login(user)
    return client


def _sights(user: User) -> dict[str, str]:
    with tenant(user.id):
        return dict(sights(user.id))


def _figures(small: list[Seen], large: list[Seen]) -> dict[str, Any]:
    times = [min(each.milliseconds for each in seen) for seen in (small, large)]
    return {
        "kB": [round(max(each.bytes for each in seen) / 1000, 1) for seen in (small, large)],
        "statements": [max(each.statements for each in seen) for seen in (small, large)],
        "ms": [round(each, 1) for each in times],
        "ratio": round(times[1] / times[0], 2),
    }


def _worst(figures: Iterable[dict[str, Any]]) -> dict[str, Any]:
    every = list(figures)
    return {
        "kB": max(max(each["kB"]) for each in every),
        "statements": max(max(each["statements"]) for each in every),
        "same_statements": all(len(set(each["statements"])) == 1 for each in every),
        "ratio": max(each["ratio"] for each in every),
    }
