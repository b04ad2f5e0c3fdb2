"""Staging tables for the rows of a file, and the schema of each row.

Besides its own columns, a staged row has `here` (the account has it already), `gone` (it will not be
restored) and `flagged` (its words wait for a review). `restored_ids` maps rows of the file to rows of the
account where the ids differ.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, Literal
from uuid import UUID
from zoneinfo import available_timezones

from django.contrib.postgres.fields import ArrayField
from django.core.serializers.json import DjangoJSONEncoder
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, models
from django.utils.translation import gettext as _
from psycopg import sql
from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
    ValidationError,
    create_model,
)
from uuid_utils.compat import uuid7

from memory import sql as database
from memory.models.preferences import MAX_EXCLUSIONS_LENGTH
from transfer.exporting.kinds import BY_NAME, KINDS, Kind
from transfer.importing.archives import FileRefused

IDS = "restored_ids"
CHATS = "restored_chats"
EARLIEST = datetime(2, 1, 1, tzinfo=UTC)
LATEST = datetime(9998, 12, 31, tzinfo=UTC)
DIGEST_BYTES = 32
MAX_TAGS = 10_000
BATCH_SIZE = 200

_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_WHOLE_NUMBERS = {
    "PositiveSmallIntegerField": 2**15 - 1,
    "PositiveIntegerField": 2**31 - 1,
    "PositiveBigIntegerField": 2**63 - 1,
}


Parameters = Mapping[str, Any] | Sequence[Any]
Name = str | Kind | sql.Composable


def execute(query: str, parameters: Parameters = (), **names: Name) -> int:
    """Run a statement with `{names}` in it: `{drawers}` is the staging table of drawers, `{ids}` the table of
    ids; other names are passed as arguments, a kind for its staging table. Returns the number
    of rows."""
    return database.execute(_compose(query, names), parameters)


def fetch_rows(query: str, parameters: Parameters = (), **names: Name) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    return database.fetch(_compose(query, names), parameters)


def staged_rows(kind_name: str, *texts: str) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a kind that will be restored, a few hundred at a time: their id, and each expression of
    SQL over their columns."""
    last = UUID(int=0)
    columns = "".join(f", {text}" for text in texts)
    while rows := fetch_rows(
        f"SELECT id{columns} FROM {{stage}} "  # noqa: S608 - of constants and quoted names
        "WHERE NOT here AND NOT gone AND id > %s ORDER BY id LIMIT %s",
        [last, BATCH_SIZE],
        stage=BY_NAME[kind_name],
    ):
        yield rows
        last = rows[-1][0]


def columns_of(kind: Kind) -> sql.Composed:
    """All columns of a kind's table, separated by commas."""
    return sql.SQL(", ").join(map(sql.Identifier, kind.fields))


@contextmanager
def staging_tables() -> Iterator[None]:
    """Create an empty table for each kind, dropped at the end. A file may lack kinds."""
    _drop()
    try:
        execute("CREATE TEMP TABLE {ids} (kind text, was uuid, now uuid)")
        execute("CREATE INDEX ON {ids} (was)")
        for kind in KINDS:
            execute(
                "CREATE TEMP TABLE {stage} (LIKE {table}, here boolean NOT NULL DEFAULT false, "
                "gone boolean NOT NULL DEFAULT false, flagged boolean NOT NULL DEFAULT false)",
                stage=kind,
                table=kind.table,
            )
        yield
    finally:
        if not connection.needs_rollback:
            _drop()


def insert_rows(kind: Kind, user_id: UUID, lines: Sequence[bytes]) -> None:
    """Insert validated rows into the staging table of their kind."""
    rows = ",".join(
        _with_defaults(kind, user_id, line.decode()) for line in lines if not _is_unshown_summary(kind, line)
    )
    execute(
        "INSERT INTO {stage} ({columns}) SELECT {columns} "
        "FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb)",
        [f"[{rows}]"],
        stage=kind,
        table=kind.table,
        columns=columns_of(kind),
    )


def _is_unshown_summary(kind: Kind, line: bytes) -> bool:
    """Whether this is a summary that an earlier version did not show yet, or no longer."""
    if kind.name != "summaries":
        return False
    row = json.loads(line)
    return bool(row.get("retired_at")) or row.get("shown_at", True) is None


def index_table(kind: Kind) -> None:
    """Index and analyse the staged rows of a kind."""
    if kind.order:
        execute("CREATE INDEX ON {stage} (id)", stage=kind)
    execute("ANALYZE {stage}", stage=kind)


def _with_defaults(kind: Kind, user_id: UUID, line: str) -> str:
    """Add the owner to a row, and defaults for the fields it omits."""
    free = {name for name, field in kind.fields.items() if name in kind.left_out or _is_optional(field)}
    values = {name: kind.fields[name].get_default() for name in free - {"id"}} | {"user_id": str(user_id)}
    if "id" in kind.left_out:
        values["id"] = str(uuid7())
    before = json.dumps(values, cls=DjangoJSONEncoder)[:-1]
    after = line.strip()[1:].strip()
    return f"{before}{after}" if after == "}" else f"{before}, {after}"


def _compose(query: str, names: Mapping[str, Name]) -> sql.Composed:
    every: dict[str, Name] = {**BY_NAME, "ids": IDS, "chats": CHATS, **names}
    return sql.SQL(query).format(**{name: _identifier(each) for name, each in every.items()})


def _identifier(name: Name) -> sql.Composable:
    if isinstance(name, Kind):
        return sql.Identifier(f"restored_{name.name}")
    return sql.Identifier(name) if isinstance(name, str) else name


def _drop() -> None:
    tables: tuple[Name, ...] = (IDS, *KINDS, CHATS)
    for table in tables:
        execute("DROP TABLE IF EXISTS pg_temp.{table}", table=table)


def check_line(kind_name: str, line: bytes, number: int) -> None:
    """Raise FileRefused, naming line and field, if a row does not match its schema. The message quotes
    nothing from the row."""
    where = {"line": f"{number:,}", "file": f"data/{kind_name}.jsonl"}
    try:
        _row_schema(kind_name).model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = str(first["loc"][0]) if first["loc"] else ""
        sentence = _schema_error(kind_name, field) % (where | {"field": field})
        raise FileRefused(sentence) from None
    if _NUL.search(line):
        sentence = _(
            "Nothing was restored: line %(line)s of %(file)s contains a character that cannot be stored."
        )
        raise FileRefused(sentence % where)


def _schema_error(kind_name: str, field: str) -> str:
    if not field:
        return _("Nothing was restored: line %(line)s of %(file)s is not JSON.")
    if field not in BY_NAME[kind_name].columns:
        return _(
            "Nothing was restored: line %(line)s of %(file)s has a wrong value in a field that this "
            "version of Palace does not know."
        )
    return _("Nothing was restored: line %(line)s of %(file)s has a wrong value in %(field)s.")


@cache
def _row_schema(kind_name: str) -> type[BaseModel]:
    kind = BY_NAME[kind_name]
    given: dict[str, Any] = dict.fromkeys(kind.former, (Any, None))
    for name in kind.columns:
        field = kind.fields[name]
        type_ = _type(field) | None if field.null else _type(field)
        given[name] = (type_, None if _is_optional(field) else ...)
    return create_model(kind_name, __config__=ConfigDict(extra="forbid"), **given)


def _is_optional(field: "models.Field[Any, Any]") -> bool:
    """Whether a row may omit a field. Times and ids are always required."""
    by_itself = isinstance(field, models.DateTimeField | models.UUIDField) and not field.null
    return not by_itself and (field.null or field.has_default() or field.blank)


def _type(field: "models.Field[Any, Any]") -> Any:
    if field.choices:
        values = [value for value, _ in field.flatchoices]
        return Literal[tuple([*values, ""] if field.blank else values)]
    if isinstance(field, ArrayField):
        return Annotated[list[_type(field.base_field)], Field(max_length=MAX_TAGS)]  # type: ignore[misc]
    if isinstance(field, models.CharField):
        return Annotated[str, StringConstraints(max_length=field.max_length)]
    if isinstance(field, models.BinaryField):
        return Annotated[str, StringConstraints(pattern=rf"^\\x[0-9a-f]{{{2 * DIGEST_BYTES}}}$")]
    name = field.get_internal_type()
    if name in _WHOLE_NUMBERS:
        return Annotated[int, Field(strict=True, **_bounds(field, 0, _WHOLE_NUMBERS[name]))]
    if name in _PLAIN:
        return _PLAIN[name]
    sort = Decimal if isinstance(field, models.DecimalField) else float
    return Annotated[sort, Field(allow_inf_nan=False, **_bounds(field, None, None))]


def _bounds(field: "models.Field[Any, Any]", low: Any, high: Any) -> dict[str, Any]:
    for validator in field.validators:
        if isinstance(validator, MinValueValidator):
            low = validator.limit_value
        elif isinstance(validator, MaxValueValidator):
            high = validator.limit_value
    return {"ge": low, "le": high}


_PLAIN: Mapping[str, Any] = {
    "UUIDField": UUID,
    "TextField": str,
    "BooleanField": StrictBool,
    "JSONField": Any,
    "DateTimeField": Annotated[AwareDatetime, Field(ge=EARLIEST, le=LATEST)],
}


_OUTSIDE = (
    'SELECT 1 FROM {%s} s JOIN {drawers} d ON d.id = s.drawer_id WHERE %s OR s."end" > char_length(d.content)'
)
# What the constraints of the tables themselves do not refuse.
_CONTRADICTIONS = (
    (
        "SELECT 1 FROM {drawers} WHERE content_hash <> sha256(convert_to(content, 'UTF8'))",
        "the digest of a drawer is not that of its words",
    ),
    (
        "SELECT 1 FROM {drawers} d JOIN {rooms} r ON r.id = d.room_id JOIN {closets} c ON c.id = d.closet_id "
        "WHERE r.wing_id <> d.wing_id OR c.room_id <> d.room_id",
        "a drawer is in two places at once",
    ),
    (_OUTSIDE % ("fact_sources", 's.start >= s."end"'), "a fact names words outside of its drawer"),
    (_OUTSIDE % ("fact_endings", 's.start > s."end"'), "an ending names words outside of its drawer"),
    (_OUTSIDE % ("relation_sources", 's.start > s."end"'), "a relation names words outside of its drawer"),
    (
        "SELECT 1 FROM {messages} m JOIN {conversations} c ON c.id = m.conversation_id "
        "WHERE m.sequence > c.last_sequence OR m.sequence < 1 OR m.parent_sequence >= m.sequence",
        "a message is not in the order of its chat",
    ),
    (
        "SELECT 1 FROM {messages} GROUP BY conversation_id, sequence HAVING count(*) > 1",
        "two messages have one place in a chat",
    ),
    ("SELECT 1 FROM {conversations} WHERE incognito", "an incognito chat is in it"),
    ("SELECT 1 FROM {fact_links} WHERE fact_id >= other_id", "a link is odd"),
)


def check() -> None:
    """Raise FileRefused with the first contradiction, if there is one."""
    for kind in KINDS:
        _check_ids(kind)
        _check_references(kind)
    for query, sentence in _CONTRADICTIONS:
        if fetch_rows(f"{query} LIMIT 1"):
            raise _refusal(sentence)
    _check_settings()


def _check_ids(kind: Kind) -> None:
    if kind.order:
        twice = "SELECT 1 FROM {stage} GROUP BY id HAVING count(*) > 1 LIMIT 1"
    else:
        twice = "SELECT 1 FROM {stage} HAVING count(*) > 1"
    if fetch_rows(twice, stage=kind):
        raise _refusal(f"data/{kind.name}.jsonl holds a row twice")


def _check_references(kind: Kind) -> None:
    for column, target in kind.references.items():
        lost = fetch_rows(
            "SELECT 1 FROM {stage} s LEFT JOIN {target} t ON t.id = s.{column} "
            "WHERE s.{column} IS NOT NULL AND t.id IS NULL LIMIT 1",
            stage=kind,
            target=BY_NAME[target],
            column=column,
        )
        if lost:
            raise _refusal(f"data/{kind.name}.jsonl names rows that the file does not hold")


def _check_settings() -> None:
    zones = fetch_rows("SELECT time_zone FROM {settings}")
    if any(zone not in available_timezones() for (zone,) in zones):
        raise _refusal("its time zone is unknown")
    if fetch_rows("SELECT 1 FROM {settings} WHERE length(never_remember) > %s", [MAX_EXCLUSIONS_LENGTH]):
        raise _refusal("its excluded words are too long")


def _refusal(sentence: str) -> FileRefused:
    words = _("This export conflicts with itself, so nothing was restored: %(why)s.")
    return FileRefused(words % {"why": sentence})
