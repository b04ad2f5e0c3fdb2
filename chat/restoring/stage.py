"""Temporary tables in which the rows of a file wait, seen by this connection alone.

Beside its own columns a waiting row has `here` (the account has it already) and `gone` (it will not
be restored). `restored_ids` says which row of the account a row of the file is, where the ids differ.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from psycopg import sql
from uuid_utils.compat import uuid7

from chat.exporting.description import Kind
from chat.exporting.kinds import KINDS
from chat.restoring.shapes import defaults_of

IDS = "restored_ids"


def table_of(kind_name: str) -> str:
    """The name of the table in which rows of a kind wait."""
    return f"restored_{kind_name}"


def run(
    query: str, parameters: Mapping[str, Any] | Sequence[Any] = (), **names: str | sql.Composable
) -> int:
    """Carry out a statement with `{names}` of tables and columns in it; returns the rows it was
    about."""
    with connection.cursor() as cursor:
        cursor.execute(_composed(query, names), parameters)
        return int(cursor.rowcount)


def ask(
    query: str, parameters: Mapping[str, Any] | Sequence[Any] = (), **names: str | sql.Composable
) -> list[tuple[Any, ...]]:
    """The rows that a query finds."""
    with connection.cursor() as cursor:
        cursor.execute(_composed(query, names), parameters)
        return list(cursor.fetchall())


def columns_of(kind: Kind, alias: str = "") -> sql.Composed:
    """All columns of a kind's table, separated by commas."""
    found = (field.column for field in kind.model._meta.concrete_fields if field.column)
    parts = [sql.Identifier(alias, name) if alias else sql.Identifier(name) for name in found]
    return sql.SQL(", ").join(parts)


@contextmanager
def prepared(kinds: Sequence[Kind]) -> Iterator[None]:
    """Empty tables for these kinds, dropped at the end."""
    _drop()
    try:
        run("CREATE TEMP TABLE {ids} (kind text, was uuid, now uuid)", ids=IDS)
        run("CREATE INDEX ON {ids} (was)", ids=IDS)
        for kind in kinds:
            names = {"stage": table_of(kind.name), "table": kind.table}
            run("CREATE TEMP TABLE {stage} (LIKE {table})", **names)
            run(
                "ALTER TABLE {stage} ADD COLUMN here boolean NOT NULL DEFAULT false, "
                "ADD COLUMN gone boolean NOT NULL DEFAULT false",
                **names,
            )
        yield
    finally:
        if not connection.needs_rollback:
            _drop()


def fill(kind: Kind, user_id: UUID, lines: Sequence[bytes]) -> None:
    """Put rows, which were looked at before, into the table of their kind."""
    rows = ",".join(_complete(kind, user_id, line.decode()) for line in lines)
    run(
        "INSERT INTO {stage} ({columns}) SELECT {columns} "
        "FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb)",
        [f"[{rows}]"],
        stage=table_of(kind.name),
        table=kind.table,
        columns=columns_of(kind),
    )


def ready(kind: Kind) -> None:
    """Let the rows of a kind be found quickly."""
    if kind.order:
        run("CREATE INDEX ON {stage} (id)", stage=table_of(kind.name))
    run("ANALYZE {stage}", stage=table_of(kind.name))


def _complete(kind: Kind, user_id: UUID, line: str) -> str:
    """The row with the defaults of what it leaves out, and with its owner."""
    values = {**defaults_of(kind.name), "user_id": str(user_id)}
    if "id" in kind.left_out:
        values["id"] = str(uuid7())
    before = json.dumps(values, cls=DjangoJSONEncoder)[:-1]
    after = line.strip()[1:].strip()
    return f"{before}{after}" if after == "}" else f"{before}, {after}"


def _composed(query: str, names: Mapping[str, str | sql.Composable]) -> sql.Composed:
    parts = {
        name: sql.Identifier(value) if isinstance(value, str) else value
        for name, value in names.items()
    }
    return sql.SQL(query).format(**parts)


def _drop() -> None:
    tables = [IDS, *(table_of(kind.name) for kind in KINDS), "restored_chats"]
    for table in tables:
        run("DROP TABLE IF EXISTS pg_temp.{table}", table=table)
