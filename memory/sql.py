"""Run SQL on the current connection."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection
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
