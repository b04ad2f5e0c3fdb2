"""Verifies that forgotten words are gone by searching every table for them.

The tables and columns come from the database's own catalogue, so a new table cannot be left out. Words that a
request does not cover, such as those in kept chats or in names from other chats, are counted with the reason
they stay.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from psycopg import sql

from memory.forgetting.erasure import ErasureTargets, as_text
from memory.forgetting.holders import holders
from memory.forgetting.identifying_words import Words
from memory.forgetting.place_names import named_elsewhere
from memory.forgetting.receipts import IN_CHATS, NAMED, NAMED_ELSEWHERE, SAID_ELSEWHERE, WRITTEN
from memory.sql import fetch, fetch_value

BATCH = 2_000
TIMEOUT_S = 20.0
MIN_IN_BYTES_LENGTH = 7
QUEUE = "queue"
JsonObject = dict[str, Any]
JOURNALS = frozenset(("memory_activityevent", "memory_changeset", "memory_forgetting"))
"""Tables that may refer to erased rows by id, which reveals nothing."""

EXCUSED: dict[str, str] = {
    "memory_drawer": SAID_ELSEWHERE,
    "memory_drawerwords": SAID_ELSEWHERE,
    "memory_recalltrace": IN_CHATS,
    "memory_profiletext": WRITTEN,
    "accounts_user": WRITTEN,
    "memory_entity": NAMED,
    "memory_entityname": NAMED,
}

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
  AND n.nspname NOT LIKE 'pg\\_%'
  AND has_schema_privilege(n.oid, 'USAGE')
  AND has_table_privilege(c.oid, 'SELECT')
  AND (t.typname IN ('uuid', 'bytea', 'json', 'jsonb', 'tsvector', 'xml', 'hstore')
       OR t.typcategory = 'S' OR e.typcategory = 'S' OR e.typname IN ('json', 'jsonb', 'bytea'))
ORDER BY greatest(c.reltuples, 0), n.nspname, c.relname, a.attnum
"""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its text columns by name and type (`text`, `json` or `bytes`), its UUID columns, and its owner
    column, if any."""

    schema: str
    name: str
    words: tuple[tuple[str, str], ...]
    ids: tuple[str, ...]
    owner: str


@dataclass(slots=True)
class _Search:
    """A search in progress."""

    user_id: UUID
    words: Words
    ids: list[UUID]
    end: float
    elsewhere: dict[tuple[str, str], int]
    excused: dict[str, str]
    unexcused: dict[tuple[str, str], int]
    found: list[JsonObject] = field(default_factory=list)
    columns: int = 0

    def search_table(self, table: Table) -> bool:
        """Search a table; False if time ran out."""
        counts = [0] * len(table.words)
        for number, row in enumerate(texts_in(table, self.user_id) if table.words else ()):
            if number % 200 == 0 and monotonic() > self.end:
                return False
            for place, hit in enumerate(self._hits(table, row)):
                counts[place] += hit
        self.columns += len(counts)
        for (column, _), count in zip(table.words, counts, strict=True):
            self._note(table, column, count)
        if table.name not in JOURNALS and self.ids:
            self._note(table, "id", count_references(table, self.user_id, self.ids))
        return True

    def _hits(self, table: Table, row: Sequence[Any]) -> Iterator[bool]:
        words = self.words if table.owner or table.name == QUEUE else Words(runs=self.words.runs)
        for (_, type_), value in zip(table.words, row, strict=True):
            yield value is not None and words.are_in(_text(type_, value))

    def _note(self, table: Table, column: str, rows: int) -> None:
        """Add the findings in a column, or of erased ids: why the words stay, empty for unexpected ones."""
        elsewhere = min(rows, self.elsewhere.get((table.name, column), 0))
        why = self.excused.get(table.name, "") if column != "id" else ""
        unexcused = min(rows - elsewhere, self.unexcused.get((table.name, column), 0)) if why else 0
        rest = rows - elsewhere - unexcused
        for count, reason in ((elsewhere, NAMED_ELSEWHERE), (unexcused, ""), (rest, why)):
            if count:
                self.found.append({"table": table.name, "column": column, "rows": count, "why": reason})


def find_residue(targets: ErasureTargets) -> JsonObject:
    """Search every table for what was erased, small tables first, until time runs out. The result is JSON
    for a receipt; it is clean if every table was searched and nothing unexpected was found."""
    elsewhere = named_elsewhere(targets.user_id, targets.named, targets.words)
    excused = dict(EXCUSED)
    unexcused: dict[tuple[str, str], int] = {}
    for holder in holders():
        excused |= holder.excused
        unexcused |= holder.unexcused(targets.user_id, targets.words)
    end = monotonic() + TIMEOUT_S
    search = _Search(targets.user_id, targets.words, list(targets.ids), end, elsewhere, excused, unexcused)
    all_tables = tables()
    unsearched = [table.name for table in all_tables if not search.search_table(table)]
    return {
        "words": len(targets.words.words),
        "runs": len(targets.words.runs),
        "tables": len(all_tables) - len(unsearched),
        "columns": search.columns,
        "found": search.found,
        "unsearched": unsearched,
        "is_clean": not unsearched and all(each["why"] for each in search.found),
    }


def tables() -> list[Table]:
    """All tables that this role may read, small ones first."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for schema, table, column, type_, _ in fetch(_COLUMNS):
        found.setdefault((schema, table), []).append((column, type_))
    return [_table(schema, name, columns) for (schema, name), columns in found.items()]


def texts_in(table: Table, user_id: UUID) -> Iterator[tuple[object, ...]]:
    """The values of a table's text columns, row by row, limited to this user's rows if the table has an
    owner. Text and JSON are strings, bytes are bytes."""
    chosen = [_value(column, type_) for column, type_ in table.words]
    query = sql.SQL("SELECT {columns} FROM {table} WHERE {whose}").format(
        columns=sql.SQL(", ").join(chosen),
        table=sql.Identifier(table.schema, table.name),
        whose=_owner_condition(table),
    )
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(query, [user_id] if table.owner else [])
        while rows := cursor.fetchmany(BATCH):
            yield from rows


def count_references(table: Table, user_id: UUID, ids: list[UUID]) -> int:
    """The number of the user's rows with any of these ids in a column."""
    conditions = [
        sql.SQL("{} = ANY(%s)").format(sql.Identifier(column))
        for column in table.ids
        if column != table.owner
    ]
    if not conditions or not table.owner:
        return 0
    condition = sql.SQL("{} AND ({})").format(_owner_condition(table), sql.SQL(" OR ").join(conditions))
    return _count(table, condition, [user_id, *([ids] * len(conditions))])


def count_rows(table: Table, user_id: UUID) -> int:
    """The number of the user's rows in a table."""
    return _count(table, _owner_condition(table), [user_id] if table.owner else [])


def _count(table: Table, condition: sql.Composable, parameters: Sequence[Any]) -> int:
    query = sql.SQL("SELECT count(*) FROM {} WHERE {}").format(
        sql.Identifier(table.schema, table.name), condition
    )
    return int(fetch_value(query, parameters))


def _table(schema: str, name: str, columns: list[tuple[str, str]]) -> Table:
    ids = tuple(column for column, type_ in columns if type_ == "id")
    return Table(
        schema=schema,
        name=name,
        words=tuple((column, type_) for column, type_ in columns if type_ != "id"),
        ids=ids,
        owner="user_id" if "user_id" in ids else "id" if name == "accounts_user" else "",
    )


def _value(column: str, type_: str) -> sql.Composable:
    name = sql.Identifier(column)
    return name if type_ == "bytes" else sql.SQL("{}::text").format(name)


def _owner_condition(table: Table) -> sql.Composable:
    if not table.owner:
        return sql.SQL("true")
    return sql.SQL("{} = %s").format(sql.Identifier(table.owner))


def _text(type_: str, value: Any) -> str:
    """A value as text. Short pieces of bytes are dropped, because they match by chance."""
    if type_ == "json":
        return as_text(json.loads(value))
    if type_ == "bytes":
        decoded = bytes(value).decode("utf-8", errors="replace")
        return " ".join(part for part in decoded.split("\ufffd") if len(part) >= MIN_IN_BYTES_LENGTH)
    return str(value)
