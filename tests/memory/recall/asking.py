"""Runs recall with a generous time limit, and makes its reads fail."""

from typing import Any

from django.db import connection

from memory.models import RecallTrace
from memory.recall.pipeline import recall
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import Recall, RecallRequest, RecallSettings
from memory.sql import _prepared
from tests.drills.ledger import NOW


def question(user, message, *, now=NOW, settings: dict[str, Any] | None = None, **given) -> RecallRequest:
    """A recall request with a generous time limit."""
    chosen = RecallSettings(**{"time_limit_ms": 5_000, **(settings or {})})
    return RecallRequest(user.id, message, now, settings=chosen, **given)


def ask(user, message, **given) -> Recall:
    """What is recalled for a message."""
    return recall(question(user, message, **given))


def traced(user, message, **given) -> tuple[Recall, RecallTrace]:
    """Recall for a message, with its trace stored as for a reply."""
    request = question(user, message, **given)
    found = recall(request)
    hits = [hit_as_json(hit) for hit in found.hits]
    trace = trace_as_json(found.trace)
    return found, RecallTrace.objects.create(user_id=user.id, trace=trace, hits=hits, at=request.now)


def texts(found: Recall) -> list[str]:
    """The texts of the hits, best first."""
    return [hit.text for hit in found.hits]


def breaking(table, error):
    """Raise this error wherever the table is read."""

    def wrapper(execute, sql, params, many, context):
        if table in sql and "SELECT" in sql:
            raise error
        return execute(sql, params, many, context)

    _forget_prepared()
    return connection.execute_wrapper(wrapper)


def running_first(statement, *words):
    """Run this statement before each query that contains all of these words."""

    def wrapper(execute, sql, params, many, context):
        if "SELECT" in sql and all(word in sql for word in words):
            execute(statement, None, False, context)
        return execute(sql, params, many, context)

    _forget_prepared()
    return connection.execute_wrapper(wrapper)


def _forget_prepared():
    """Have the session prepare its queries anew, in which their words are seen."""
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    _prepared.clear()
