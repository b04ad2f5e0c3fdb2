"""Writes the waiting rows into the tables of memory and the ledger."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from psycopg import sql

from chat.exporting.conditions import NOBODY
from chat.exporting.description import Kind
from chat.exporting.kinds import KINDS
from chat.restoring.stage import IDS, ask, columns_of, run, table_of
from memory.drawers import words_of
from memory.index import file_words, hide
from memory.models import Drawer

AT_ONCE = 200
FIRST = UUID(int=0)

_REFERRED_TO = {target for kind in KINDS for target in kind.references.values()}
_ID = re.compile(
    r"(?<![0-9a-f-])(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32})(?![0-9a-f-])"
)


def add(kind: Kind) -> int:
    """Write the rows of a kind that are neither here nor left out; returns how many."""
    if kind.name == "counters":
        return 0
    last = "" if kind.name in _REFERRED_TO else " ON CONFLICT DO NOTHING"
    return run(
        "INSERT INTO {table} ({columns}) SELECT {columns} FROM {stage} "
        "WHERE NOT here AND NOT gone{last}",
        table=kind.table,
        columns=columns_of(kind),
        stage=table_of(kind.name),
        last=sql.SQL(last),
    )


def adapt(present: Collection[str], user_id: UUID, now: datetime) -> None:
    """Bring waiting rows into the form they have in this account."""
    if "own_words" in present:
        run(
            "UPDATE {stage} SET ended_at = greatest(written_at, %s) WHERE ended_at IS NULL "
            "AND NOT here AND EXISTS (SELECT 1 FROM memory_ownwords t "
            "WHERE t.user_id = %s AND t.ended_at IS NULL)",
            [now, user_id],
            stage=table_of("own_words"),
        )
    if "fact_links" in present:
        links = table_of("fact_links")
        run(
            "UPDATE {stage} SET fact_id = other_id, other_id = fact_id WHERE fact_id > other_id",
            stage=links,
        )
        run("UPDATE {stage} SET gone = true WHERE fact_id = other_id", stage=links)
    if {"tombstones", "messages"} <= set(present):
        run(_STONES, stage=table_of("tombstones"), ids=IDS)
    for kind in KINDS:
        if kind.name in present and kind.rows_in:
            _rewrite(kind, user_id)


def index_words(user_id: UUID) -> int:
    """Make the drawers that were added findable by their words; returns how many they are. Those
    in the trash are hidden from every search, as they were."""
    count, last = 0, FIRST
    while ids := _added(last):
        drawers = list(Drawer.objects.filter(user_id=user_id, id__in=ids).order_by("id"))
        file_words(user_id, [words_of(drawer) for drawer in drawers])
        hide(user_id, [drawer.id for drawer in drawers if drawer.deleted_at])
        count, last = count + len(ids), ids[-1]
    return count


# What is buried under the id that a message has in the file is so under the one it has here.
_STONES = """
INSERT INTO {stage} (user_id, id, kind, digest, deletion_id, created_at)
SELECT s.user_id, md5(concat(s.id, m.now))::uuid, s.kind,
       sha256(convert_to(m.now::text, 'UTF8')), s.deletion_id, s.created_at
FROM {stage} s JOIN {ids} m ON m.kind IN ('messages', 'conversations')
  AND s.digest = sha256(convert_to(m.was::text, 'UTF8'))
"""


def _added(after: UUID) -> list[UUID]:
    rows = ask(
        "SELECT id FROM {stage} WHERE NOT here AND NOT gone AND id > %s ORDER BY id LIMIT %s",
        [after, AT_ONCE],
        stage=table_of("drawers"),
    )
    return [row_id for (row_id,) in rows]


def _rewrite(kind: Kind, user_id: UUID) -> None:
    """Let ids inside of kept rows be those of this account."""
    if kind.name != "consolidation_changes" and not ask("SELECT 1 FROM {ids} LIMIT 1", ids=IDS):
        return
    for rows in _rows(kind):
        texts = [text for _, *values in rows for text in values]
        now = _known(texts) | {NOBODY: str(user_id)}
        for row_id, *values in rows:
            changed = [_translated(text, now) for text in values]
            if changed != values:
                _write(kind, row_id, changed)


def _rows(kind: Kind) -> Iterator[list[tuple[UUID, str]]]:
    texts = sql.SQL(", ").join(
        sql.SQL("{}::text").format(sql.Identifier(name)) for name in kind.rows_in
    )
    last = FIRST
    while rows := ask(
        "SELECT id, {texts} FROM {stage} WHERE NOT here AND NOT gone AND id > %s "
        "ORDER BY id LIMIT %s",
        [last, AT_ONCE],
        texts=texts,
        stage=table_of(kind.name),
    ):
        yield rows
        last = rows[-1][0]


def _known(texts: Sequence[str]) -> dict[str, str]:
    ids = {str(UUID(found)) for text in texts for found in _ID.findall(text)}
    rows = ask(
        "SELECT was::text, now::text FROM {ids} WHERE was = ANY(%s::uuid[])", [list(ids)], ids=IDS
    )
    return dict(rows)


def _translated(text: str, now: Mapping[str, str]) -> str:
    def named(found: re.Match[str]) -> str:
        plain = str(UUID(found[0]))
        new = now.get(plain, plain)
        return new if "-" in found[0] else UUID(new).hex

    return _ID.sub(named, text)


def _write(kind: Kind, row_id: UUID, texts: Sequence[str]) -> None:
    fields = {field.column: field for field in kind.model._meta.concrete_fields}
    for name, text in zip(kind.rows_in, texts, strict=True):
        sort = "uuid[]" if isinstance(fields[name], ArrayField) else "jsonb"
        run(
            "UPDATE {stage} SET {column} = %s::{sort} WHERE id = %s",
            [text, row_id],
            sort=sql.SQL(sort),
            stage=table_of(kind.name),
            column=name,
        )
