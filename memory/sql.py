"""Run SQL on the current connection, and compile or prepare queries that run often."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL
from psycopg import sql

Query = str | sql.Composable
Parameters = Sequence[Any] | Mapping[str, Any] | None

_PARAMETER = re.compile(r"(?<!%)%\((\w+)\)s")
_prepared: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
"""The queries that each database session has prepared."""


def fetch(query: Query, parameters: Parameters = None) -> list[Any]:
    """The rows of a query, as tuples."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        rows: list[Any] = cursor.fetchall()
    return rows


def fetch_prepared(query: str, parameters: Mapping[str, Any]) -> list[Any]:
    """The rows of a query of which there are few texts: each session parses it once, and may reuse a plan."""
    prepare, run = _statements(query)
    connection.ensure_connection()
    prepared = _prepared.setdefault(connection.connection, set())
    if query not in prepared:
        execute(prepare)
        prepared.add(query)
    return fetch(run, parameters)


@lru_cache(maxsize=256)
def _statements(query: str) -> tuple[str, str]:
    """The statements that prepare a query and run it."""
    names = list(dict.fromkeys(_PARAMETER.findall(query)))
    numbered = _PARAMETER.sub(lambda found: f"${names.index(found[1]) + 1}", query).replace("%%", "%")
    name = f"palace_{sha256(query.encode()).hexdigest()[:32]}"
    return f"PREPARE {name} AS {numbered}", f"EXECUTE {name} ({', '.join(f'%({each})s' for each in names)})"


def fetch_value(query: Query, parameters: Parameters = None) -> Any:
    """The only value of a query that returns one row and column."""
    ((value,),) = fetch(query, parameters)
    return value


def execute(query: Query, parameters: Parameters = None) -> int:
    """Run a statement; returns how many rows it affected."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return int(cursor.rowcount)


def parameter(name: str) -> Any:
    """Stands for the value of this name in a queryset that will be `compiled`."""
    return RawSQL(f"%({name})s", ())  # noqa: S611 - a name chosen by the caller's code, not a value


def compiled(found: QuerySet[Any, Any]) -> str:
    """The SQL of a queryset, to be compiled once and fetched with other parameters each time."""
    text, constants = found.query.sql_with_params()
    first, *others = text.split("%s")
    quoted = [sql.quote(constant).replace("%", "%%") for constant in constants]
    return first + "".join(f"{constant}{other}" for constant, other in zip(quoted, others, strict=True))
