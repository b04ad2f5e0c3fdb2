"""The tables of the database as it says itself, with the columns that can hold words or ids."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from psycopg import sql

AT_ONCE = 2_000

_COLUMNS = """
SELECT n.nspname, c.relname, a.attname,
  CASE WHEN t.typname = 'uuid' THEN 'id' WHEN t.typname = 'bytea' THEN 'bytes'
       WHEN t.typname IN ('json', 'jsonb') THEN 'json' ELSE 'text' END,
  greatest(c.reltuples, 0)
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
WHERE c.relkind IN ('r', 'p', 'm')
  AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND n.nspname NOT LIKE 'pg\\_%%'
  AND has_schema_privilege(n.oid, 'USAGE')
  AND has_table_privilege(c.oid, 'SELECT')
  AND (t.typname IN ('uuid', 'bytea', 'json', 'jsonb', 'tsvector', 'xml', 'hstore')
       OR t.typcategory = 'S' OR e.typcategory = 'S' OR e.typname IN ('json', 'jsonb', 'bytea'))
ORDER BY greatest(c.reltuples, 0), n.nspname, c.relname, a.attnum
"""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its columns: those of words by name and sort (`text`, `json`, `bytes`), those
    of ids, and the one that says whose a row is, empty when it does not say."""

    schema: str
    name: str
    words: tuple[tuple[str, str], ...]
    ids: tuple[str, ...]
    owner: str


def tables() -> list[Table]:
    """Every table that this role may read, small ones first."""
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        rows = cursor.fetchall()
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for schema, table, column, sort, _ in rows:
        found.setdefault((schema, table), []).append((column, sort))
    return [_table(schema, name, columns) for (schema, name), columns in found.items()]


def texts_in(table: Table, user_id: UUID) -> Iterator[tuple[object, ...]]:
    """The values of a table's columns of words, row by row: of this person where rows say whose
    they are, of everybody else's none. Text and JSON come as text, bytes as bytes."""
    chosen = [_value(column, sort) for column, sort in table.words]
    query = sql.SQL("SELECT {columns} FROM {table} WHERE {whose}").format(
        columns=sql.SQL(", ").join(chosen),
        table=sql.Identifier(table.schema, table.name),
        whose=_whose(table),
    )
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(query, [user_id] if table.owner else [])
        while rows := cursor.fetchmany(AT_ONCE):
            yield from rows


def rows_with(table: Table, user_id: UUID, ids: list[UUID]) -> int:
    """How many of the person's rows name any of these ids in a column of its own."""
    named = [
        sql.SQL("{} = ANY(%s)").format(sql.Identifier(column))
        for column in table.ids
        if column != table.owner
    ]
    if not named or not table.owner:
        return 0
    query = sql.SQL("SELECT count(*) FROM {table} WHERE {whose} AND ({named})").format(
        table=sql.Identifier(table.schema, table.name),
        whose=_whose(table),
        named=sql.SQL(" OR ").join(named),
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [user_id, *([ids] * len(named))])
        (count,) = cursor.fetchone()
    return int(count)


def rows_of(table: Table, user_id: UUID) -> int:
    """How many rows of a table are this person's."""
    query = sql.SQL("SELECT count(*) FROM {table} WHERE {whose}").format(
        table=sql.Identifier(table.schema, table.name), whose=_whose(table)
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [user_id] if table.owner else [])
        (count,) = cursor.fetchone()
    return int(count)


def _table(schema: str, name: str, columns: list[tuple[str, str]]) -> Table:
    ids = tuple(column for column, sort in columns if sort == "id")
    return Table(
        schema=schema,
        name=name,
        words=tuple((column, sort) for column, sort in columns if sort != "id"),
        ids=ids,
        owner="user_id" if "user_id" in ids else "id" if name == "accounts_user" else "",
    )


def _value(column: str, sort: str) -> sql.Composable:
    name = sql.Identifier(column)
    return name if sort == "bytes" else sql.SQL("{}::text").format(name)


def _whose(table: Table) -> sql.Composable:
    if not table.owner:
        return sql.SQL("true")
    return sql.SQL("{} = %s").format(sql.Identifier(table.owner))
