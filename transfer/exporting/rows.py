"""Reads the rows of a kind as JSON lines, a few at a time."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from transfer.exporting.kinds import KINDS, Kind

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Scope:
    """What is exported of whom: everything, or one wing."""

    user_id: UUID
    wing_id: UUID | None = None

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of row in scope."""
        return tuple(kind for kind in KINDS if self.wing_id is None or kind.in_wing)

    @property
    def parameters(self) -> dict[str, UUID | None]:
        """The parameters of the SQL of kinds."""
        return {"user": self.user_id, "wing": self.wing_id}


@contextmanager
def one_moment() -> Iterator[None]:
    """Read everything from one snapshot, whatever is written meanwhile."""
    outermost = not connection.in_atomic_block
    if outermost:
        connection.cursor().close()  # sets the tenant of the session before the transaction
    with transaction.atomic():
        if outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def lines_of(kind: Kind, scope: Scope) -> Iterator[str]:
    """Each row as JSON on one line, in an order that depends on the rows only. Runs inside a
    transaction."""
    query = (
        f"SELECT {_line(kind, scope)} FROM {kind.table} t "  # noqa: S608 - of the constants of a kind
        f"WHERE {_condition(kind, scope)}{_order(kind)}"
    )
    parameters = {**scope.parameters, "left": ["user_id", *kind.left_out]}
    for _, (line,) in read(query, parameters):
        yield line


def read(query: str, parameters: Mapping[str, Any]) -> Iterator[tuple[Sequence[str], tuple[Any, ...]]]:
    """Column names and values of each row, a few hundred in memory at once. Runs inside a
    transaction."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(query, parameters)
        columns: list[str] = []
        while rows := cursor.fetchmany(AT_ONCE):
            columns = columns or [column[0] for column in cursor.description or ()]
            for row in rows:
                yield columns, row


def count_of(kind: Kind, scope: Scope) -> int:
    """How many rows of a kind there are."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM {kind.table} t WHERE {_condition(kind, scope)}",  # noqa: S608
            scope.parameters,
        )
        return int(cursor.fetchone()[0])


def _line(kind: Kind, scope: Scope) -> str:
    values = {**kind.values, **(kind.values_in_wing if scope.wing_id else {})}
    changed = ", ".join(f"'{name}', {value}" for name, value in values.items())
    row = "to_jsonb(t) - %(left)s::text[]"
    return f"(({row}) || jsonb_build_object({changed}))::text"


def _condition(kind: Kind, scope: Scope) -> str:
    part = kind.in_wing if scope.wing_id else "true"
    return f"t.user_id = %(user)s AND ({kind.condition}) AND ({part})"


def _order(kind: Kind) -> str:
    return f" ORDER BY {', '.join(f't.{name}' for name in kind.order)}" if kind.order else ""
