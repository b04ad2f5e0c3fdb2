"""Compares and writes whole rows by their values. All SQL of the change log is here.

PostgreSQL itself converts rows to JSON and back, so a row is restored exactly, whatever its columns.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import models

from accounts.owned import Operational, Owned
from memory.sql import execute, fetch, fetch_value

Values = Mapping[str, Any]
NOTHING: frozenset[str] = frozenset()


class RowsChanged(Exception):
    """Rows do not match what a change expects. Roll back the transaction: some may have been written."""


@dataclass(frozen=True, slots=True)
class RowDiff:
    """One row of a table (named as in `memory.fact`), before and after, as JSON values by column.

    A row without `before` is added, one without `after` removed. A column with the same value on both sides
    is only compared. `added` is added to the current values of counters.
    """

    table: str
    id: UUID
    before: Values | None
    after: Values | None
    added: Mapping[str, int] = field(default_factory=dict)

    def reversed(self, derived: frozenset[str] = NOTHING) -> "RowDiff":
        """The diff that undoes this one: only written columns, and those `derived`."""
        if self.before is None or self.after is None:
            return RowDiff(self.table, self.id, self.after, self.before)
        written = [name for name in self.after if name in derived or self.after[name] != self.before[name]]
        return RowDiff(
            self.table,
            self.id,
            {name: self.after[name] for name in written},
            {name: self.before[name] for name in written},
            {name: -count for name, count in self.added.items()},
        )

    def without(self, column: str) -> "RowDiff":
        """This diff of a changed row, except for one column."""
        before, after = (
            {name: value for name, value in (side or {}).items() if name != column}
            for side in (self.before, self.after)
        )
        return replace(self, before=before, after=after)


def table_of(model: type[models.Model]) -> str:
    """The name of a model's table in a diff."""
    return model._meta.label_lower


def as_json(value: Any) -> Any:
    """A value in the JSON form that PostgreSQL reads."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return f"\\x{bytes(value).hex()}"
    return str(value) if isinstance(value, UUID) else value


def image_of(row: models.Model) -> dict[str, Any]:
    """A row in memory as JSON values by column."""
    fields = [each for each in row._meta.concrete_fields if each.column]
    return {str(each.column): as_json(getattr(row, each.attname)) for each in fields}


def added(row: Owned | Operational) -> RowDiff:
    """The diff that adds a row in memory."""
    return RowDiff(table_of(type(row)), row.id, None, image_of(row))


def changed(row: Owned | Operational, compared: Iterable[str] = (), **values: Any) -> RowDiff:
    """The diff that sets these columns of a row in memory; those `compared` must not have changed since."""
    same = {name: as_json(getattr(row, name)) for name in compared}
    before = {name: as_json(getattr(row, name)) for name in values}
    after = {name: as_json(value) for name, value in values.items()}
    return RowDiff(table_of(type(row)), row.id, same | before, same | after)


def images(user_id: UUID, model: type[models.Model], ids: Iterable[UUID]) -> dict[UUID, dict[str, Any]]:
    """Stored rows as JSON values by column, by id."""
    table = model._meta.db_table
    statement = f"SELECT id, to_jsonb(t) FROM {table} t WHERE user_id = %s AND id = ANY(%s)"  # noqa: S608
    return {row_id: json.loads(image) for row_id, image in fetch(statement, [user_id, list(ids)])}


def diff_of(
    old: RowDiff, after: Values, counters: frozenset[str] = NOTHING, derived: frozenset[str] = NOTHING
) -> RowDiff | None:
    """`old` reduced to columns that differ in `after`, and those `derived`; None if nothing differs.

    Of `counters` only the difference is recorded.
    """
    before = old.before or {}
    differing = [name for name in after if after[name] != before[name]]
    if not differing:
        return None
    written = [name for name in after if name not in counters and (name in differing or name in derived)]
    return replace(
        old,
        before={name: before[name] for name in written},
        after={name: after[name] for name in written},
        added={name: after[name] - before[name] for name in differing if name in counters},
    )


def write(user_id: UUID, diffs: Iterable[RowDiff]) -> None:
    """Write all these diffs.

    Raises RowsChanged if a row is not as it was before, IntegrityError if another row conflicts.
    """
    for groups in _batches(diffs):
        if any(_differs(user_id, group) for group in groups):
            raise RowsChanged
        for group in groups:
            _write(user_id, group)


def undo(user_id: UUID, diffs: Sequence[RowDiff], derived: frozenset[str] = NOTHING) -> None:
    """Write the reverse of diffs that were written in this order.

    Rows that were erased since are skipped. Raises RowsChanged if another row no longer matches; `derived`
    columns, which the caller recomputes, are not compared.
    """
    for groups in _batches(diff.reversed(derived) for diff in reversed(diffs)):
        if any(_differs(user_id, group, derived, skip_erased=True) for group in groups):
            raise RowsChanged
        for group in groups:
            _write(user_id, group)


def check_references() -> None:
    """Raise IntegrityError now, not at commit, if a row refers to one that is gone."""
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    execute("SET CONSTRAINTS ALL DEFERRED")


def _batches(diffs: Iterable[RowDiff]) -> Iterator[list[list[RowDiff]]]:
    """Batches of groups of diffs; a group has one table, operation and set of columns, for one statement.

    A row that occurs again starts a new batch, so that order is preserved.
    """
    groups: defaultdict[tuple[Any, ...], list[RowDiff]] = defaultdict(list)
    seen: set[UUID] = set()
    for diff in diffs:
        if diff.id in seen:
            yield list(groups.values())
            groups.clear()
            seen.clear()
        seen.add(diff.id)
        columns = tuple(sorted(diff.after or ())), tuple(sorted(diff.added))
        groups[diff.table, diff.before is None, diff.after is None, *columns].append(diff)
    yield list(groups.values())


def _differs(
    user_id: UUID, group: Sequence[RowDiff], derived: frozenset[str] = NOTHING, *, skip_erased: bool = False
) -> bool:
    first = group[0]
    table = apps.get_model(first.table)._meta.db_table
    statement = (
        f"SELECT EXISTS (SELECT 1 FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb) r "  # noqa: S608
        f"LEFT JOIN {table} t ON t.user_id = %s AND t.id = r.id WHERE {_difference(first, derived)}"
        f"{' AND t.id IS NOT NULL' if skip_erased else ''})"
    )
    return bool(fetch_value(statement, [_records(group, "before"), user_id]))


def _difference(diff: RowDiff, derived: frozenset[str]) -> str:
    if diff.before is None:
        return "t.id IS NOT NULL"
    names = _columns(diff.table, diff.before.keys() - derived)
    ours, theirs = (", ".join(f"{side}.{name}" for name in names) for side in "tr")
    return f"(t.id IS NULL OR ROW({ours}) IS DISTINCT FROM ROW({theirs}))"


def _write(user_id: UUID, group: Sequence[RowDiff]) -> None:
    first = group[0]
    table = apps.get_model(first.table)._meta.db_table
    if first.before is None:
        records = f"jsonb_populate_recordset(NULL::{table}, %s::jsonb)"
        statement = f"INSERT INTO {table} SELECT * FROM {records}"  # noqa: S608
        parameters: list[Any] = [_records(group, "after")]
    elif first.after is None:
        statement = f"DELETE FROM {table} WHERE user_id = %s AND id = ANY(%s)"  # noqa: S608
        parameters = [user_id, [diff.id for diff in group]]
    elif not first.after and not first.added:
        return
    else:
        statement = _update(first, table)
        parameters = [_records(group, "after"), user_id]
    execute(statement, parameters)


def _update(diff: RowDiff, table: str) -> str:
    settings = [f"{name} = r.{name}" for name in _columns(diff.table, diff.after or {})]
    settings += [f"{name} = t.{name} + r.{name}" for name in _columns(diff.table, diff.added)]
    return (
        f"UPDATE {table} t SET {', '.join(settings)} "  # noqa: S608
        f"FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb) r "
        "WHERE t.user_id = %s AND t.id = r.id"
    )


def _records(group: Sequence[RowDiff], side: str) -> str:
    found = ({**(getattr(diff, side) or {}), **diff.added, "id": str(diff.id)} for diff in group)
    return json.dumps(list(found), ensure_ascii=False)


def _columns(table: str, names: Iterable[str]) -> list[str]:
    """These columns, quoted and sorted; rejects unknown ones."""
    wanted = set(names)
    unknown = wanted - {column.column for column in apps.get_model(table)._meta.concrete_fields}
    if unknown:
        raise ValueError(f"{table} has no column {sorted(unknown)}")
    return [f'"{column}"' for column in sorted(wanted)]
