"""Reads, compares and writes whole rows by their values. The only SQL of consolidation.

PostgreSQL itself turns JSON into a row of the table and back, so that a row is restored exactly,
whatever columns it has.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models

from memory.consolidation.changes import RowChange
from memory.models import (
    Closet,
    Entity,
    EntityName,
    Fact,
    FactSource,
    PalaceEdit,
    Relation,
    RelationSource,
    Room,
    Summary,
    Wing,
    WingName,
)

PARENTS_FIRST: tuple[type[models.Model], ...] = (
    Wing,
    WingName,
    Room,
    Closet,
    Summary,
    Entity,
    EntityName,
    Fact,
    FactSource,
    Relation,
    RelationSource,
    PalaceEdit,
)
_MODELS = {model._meta.model_name or "": model for model in PARENTS_FIRST}
_ORDER = {name: place for place, name in enumerate(_MODELS)}


class RowsChanged(Exception):
    """Rows are not as a change expects them; nothing was written. `ids` names them."""

    def __init__(self, ids: Iterable[UUID]) -> None:
        super().__init__("Rows are not as a change expects them.")
        self.ids = frozenset(ids)


def name_of(model: type[models.Model]) -> str:
    """The name of a table in a change."""
    return model._meta.model_name or ""


def image_of(row: models.Model) -> dict[str, Any]:
    """A row that is not stored yet, as JSON values by column."""
    values = {field.column: getattr(row, field.attname) for field in row._meta.concrete_fields}
    made: dict[str, Any] = json.loads(DjangoJSONEncoder().encode(values))
    return made


def images(
    user_id: UUID, model: type[models.Model], ids: Sequence[UUID]
) -> dict[UUID, dict[str, Any]]:
    """Whole rows as JSON values, by id."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, to_jsonb(t) FROM {table} t WHERE user_id = %s AND id = ANY(%s)",  # noqa: S608 - the name of a model's table
            [user_id, list(ids)],
        )
        return {row_id: _read(image) for row_id, image in cursor.fetchall()}


def rewrite(user_id: UUID, changes: Sequence[RowChange]) -> None:
    """Make all these changes, or none.

    Runs inside a transaction that holds the palace lock. Raises RowsChanged when a row differs
    from what it is said to be before.
    """
    differing = [row_id for group in _groups(changes) for row_id in _differing(user_id, group)]
    if differing:
        raise RowsChanged(differing)
    groups = _groups(changes)
    for group in sorted(groups, key=_place):
        _write(user_id, group)


def _groups(changes: Iterable[RowChange]) -> list[list[RowChange]]:
    """Changes that one statement can make: of one table, of one sort, with the same columns."""
    groups: defaultdict[tuple[Any, ...], list[RowChange]] = defaultdict(list)
    for change in changes:
        shape = (change.before is None, change.after is None, *sorted(change.after or {}))
        shape += tuple(f"+{name}" for name in sorted(change.added))
        groups[change.table, shape].append(change)
    return list(groups.values())


def _place(group: Sequence[RowChange]) -> tuple[int, int]:
    """Parents are added before their children, and removed after them."""
    first = group[0]
    place = _ORDER[first.table]
    return (1, -place) if first.after is None else (0, place)


def _differing(user_id: UUID, group: Sequence[RowChange]) -> list[UUID]:
    first = group[0]
    table = _table(first.table)
    if first.before is None:
        condition = "t.id IS NOT NULL"
    else:
        names = _columns(first.table, first.before)
        mine, theirs = (", ".join(f"{side}.{name}" for name in names) for side in "tr")
        condition = f"t.id IS NULL OR ROW({mine}) IS DISTINCT FROM ROW({theirs})"
    statement = (
        f"SELECT r.id FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb) r "  # noqa: S608 - names of a model's table and columns
        f"LEFT JOIN {table} t ON t.user_id = %s AND t.id = r.id WHERE {condition}"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [_records(group, "before"), user_id])
        return [row_id for (row_id,) in cursor.fetchall()]


def _write(user_id: UUID, group: Sequence[RowChange]) -> None:
    first = group[0]
    table = _table(first.table)
    values: list[Any]
    if first.before is None:
        statement = (
            f"INSERT INTO {table} SELECT * FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb) "  # noqa: S608
            "ON CONFLICT DO NOTHING"
        )
        values = [_records(group, "after")]
    elif first.after is None:
        statement = f"DELETE FROM {table} WHERE user_id = %s AND id = ANY(%s)"  # noqa: S608
        values = [user_id, [change.id for change in group]]
    else:
        statement = _update(first, table)
        values = [_records(group, "after"), user_id]
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        if cursor.rowcount != len(group):
            raise RowsChanged(change.id for change in group)


def _update(change: RowChange, table: str) -> str:
    settings = [f"{name} = r.{name}" for name in _columns(change.table, change.after or {})]
    settings += [f"{name} = t.{name} + r.{name}" for name in _columns(change.table, change.added)]
    return (
        f"UPDATE {table} t SET {', '.join(settings)} "  # noqa: S608
        f"FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb) r "
        "WHERE t.user_id = %s AND t.id = r.id"
    )


def _records(group: Sequence[RowChange], side: str) -> str:
    found = (
        {**(getattr(change, side) or {}), **change.added, "id": str(change.id)} for change in group
    )
    return json.dumps(list(found), ensure_ascii=False)


def _table(name: str) -> str:
    return _MODELS[name]._meta.db_table


def _columns(name: str, values: Mapping[str, Any]) -> list[str]:
    """The columns of these values, in an order of their own; refuses what is no column."""
    known = {column.column for column in _MODELS[name]._meta.concrete_fields}
    unknown = set(values) - known
    if unknown:
        raise ValueError(f"{name} has no column {sorted(unknown)}")
    return [f'"{column}"' for column in sorted(values)]


def _read(image: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(image) if isinstance(image, str) else image
    return found
