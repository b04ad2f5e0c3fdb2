"""Run SQL on the current connection, and compile querysets that run often."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL
from psycopg import sql

Query = str | sql.Composable
Parameters = Sequence[Any] | Mapping[str, Any] | None


def fetch(query: Query, parameters: Parameters = None) -> list[Any]:
    """The rows of a query, as tuples."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        rows: list[Any] = cursor.fetchall()
    return rows


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
