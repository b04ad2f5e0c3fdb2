"""Adds staged rows to the account: messages of existing chats, new rows, and updates of existing ones."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from psycopg import sql

from memory.drawers import searchable_words
from memory.facts.validity import settle_around, settle_drawers
from memory.graph.relations import resettle
from memory.models import Drawer, RelationSource
from memory.search.index import file_words, hide
from transfer.exporting.kinds import KINDS, NOBODY, Kind
from transfer.restoring.stage import columns_of, execute, fetch_rows, staged_rows

# The messages of the file are those of the chat here, and then more.
_FIND = """
CREATE TEMP TABLE {chats} AS
SELECT c.id, c.last_sequence AS before, f.id AS was, f.last_sequence, f.head_sequence,
       f.last_message_at,
       c.deleted_at IS NOT NULL AS closed,
       NOT coalesce((
         SELECT bool_and(CASE WHEN m.here THEN t.sequence = m.sequence
                              ELSE m.sequence > c.last_sequence END)
         FROM {messages} m LEFT JOIN {ids} x ON x.kind = 'messages' AND x.was = m.id
         LEFT JOIN chat_message t ON t.user_id = %(user)s AND t.id = coalesce(x.now, m.id)
         WHERE m.conversation_id = c.id), true) AS diverged
FROM {conversations} f LEFT JOIN {ids} i ON i.kind = 'conversations' AND i.was = f.id
JOIN chat_conversation c ON c.user_id = %(user)s AND c.id = coalesce(i.now, f.id)
WHERE f.here
"""
# A gap between what is here and what would follow means that the file lacks what was said here.
_GAPS = """
UPDATE {chats} h SET diverged = true
WHERE NOT h.closed AND h.before > 0
  AND EXISTS (SELECT 1 FROM {messages} m WHERE m.conversation_id = h.id AND NOT m.here)
  AND h.before <> (SELECT count(*) FROM {messages} m WHERE m.conversation_id = h.id AND m.here)
"""
_SKIP_MESSAGES = """
UPDATE {messages} m SET gone = true FROM {chats} h
WHERE m.conversation_id = h.id AND NOT m.here AND (h.closed OR h.diverged)
"""
# Mining has not reached these here, and would file them again.
_SKIP_DRAWERS = """
UPDATE {drawers} d SET gone = true FROM {chats} h
JOIN chat_message t ON t.user_id = %(user)s AND t.conversation_id = h.id
LEFT JOIN memory_miningprogress p ON p.user_id = t.user_id AND p.source_id = h.id
WHERE h.diverged AND NOT d.here AND d.source_message_id = t.id
  AND t.sequence > coalesce(p.mined_through, 0)
"""
_EXTEND_CHATS = """
UPDATE chat_conversation c SET last_sequence = h.last_sequence, head_sequence = h.head_sequence,
  last_message_at = least(greatest(c.last_message_at, h.last_message_at), %(now)s)
FROM {chats} h WHERE c.user_id = %(user)s AND c.id = h.id AND NOT h.closed AND NOT h.diverged
  AND h.last_sequence > c.last_sequence
  AND EXISTS (SELECT 1 FROM {messages} m WHERE m.conversation_id = h.id AND NOT m.here)
"""
_ADVANCE_MINING = """
UPDATE memory_miningprogress p SET mined_through = greatest(p.mined_through, f.mined_through),
  scanned_through = greatest(p.scanned_through, f.scanned_through),
  topic_shift_after = greatest(p.topic_shift_after, f.topic_shift_after)
FROM {mining_progress} f LEFT JOIN {chats} h ON h.id = f.source_id
WHERE p.user_id = %(user)s AND p.source_kind = f.source_kind AND p.source_id = f.source_id
  AND f.here AND NOT coalesce(h.diverged OR h.closed, false)
"""


def compare_chats(user_id: UUID) -> int:
    """Compare the chats that exist on both sides; returns how many continued on both."""
    execute(_FIND, {"user": user_id})
    execute(_GAPS)
    execute(_SKIP_MESSAGES)
    execute(_SKIP_DRAWERS, {"user": user_id})
    (diverged,) = fetch_rows(
        "SELECT count(*) FROM {chats} h WHERE diverged AND NOT closed AND EXISTS ("
        "SELECT 1 FROM {messages} m WHERE m.conversation_id = h.id AND m.gone)"
    )[0]
    return int(diverged)


def extend_chats(user_id: UUID, now: datetime) -> None:
    """Extend the chats to their last message, and mining progress to their last drawer."""
    execute(_EXTEND_CHATS, {"user": user_id, "now": now})
    execute(_ADVANCE_MINING, {"user": user_id})


_ID = re.compile(r"(?<![0-9a-f-])(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32})(?![0-9a-f-])")


def add(kind: Kind) -> int:
    """Insert the rows of a kind that are missing here and not left out; returns how many."""
    if kind.name == "counters":
        return 0
    is_referred_to = any(kind.name in each.references.values() for each in KINDS)
    last = "" if is_referred_to else " ON CONFLICT DO NOTHING"
    return execute(
        "INSERT INTO {table} ({columns}) SELECT {columns} FROM {stage} WHERE NOT here AND NOT gone{last}",
        table=kind.table,
        columns=columns_of(kind),
        stage=kind,
        last=sql.SQL(last),
    )


def adapt(user_id: UUID, now: datetime) -> None:
    """Adapt staged rows to this account."""
    execute("UPDATE {conversations} SET last_message_at = least(last_message_at, %s)", [now])
    execute(
        "UPDATE {profile_texts} SET ended_at = greatest(written_at, %s) WHERE ended_at IS NULL "
        "AND NOT here AND EXISTS (SELECT 1 FROM memory_profiletext t "
        "WHERE t.user_id = %s AND t.ended_at IS NULL)",
        [now, user_id],
    )
    execute("UPDATE {fact_links} SET fact_id = other_id, other_id = fact_id WHERE fact_id > other_id")
    execute("UPDATE {fact_links} SET gone = true WHERE fact_id = other_id")
    execute(_REMAPPED_TOMBSTONES)
    for kind in KINDS:
        if kind.rows_in:
            _rewrite_ids(kind, user_id)


def index_words(user_id: UUID) -> None:
    """Index the words of added drawers, and hide those in the trash."""
    for rows in staged_rows("drawers"):
        ids = [row_id for (row_id,) in rows]
        drawers = list(Drawer.objects.filter(user_id=user_id, id__in=ids).order_by("id"))
        file_words(user_id, [searchable_words(drawer) for drawer in drawers])
        hide(user_id, [drawer.id for drawer in drawers if drawer.deleted_at])


# Tombstones of a message's id in the file also apply to its id here.
_REMAPPED_TOMBSTONES = """
INSERT INTO {tombstones} (user_id, id, kind, digest, deletion_id, created_at)
SELECT s.user_id, md5(concat(s.id, m.now))::uuid, s.kind,
       sha256(convert_to(m.now::text, 'UTF8')), s.deletion_id, s.created_at
FROM {tombstones} s JOIN {ids} m ON m.kind IN ('messages', 'conversations')
  AND s.digest = sha256(convert_to(m.was::text, 'UTF8'))
"""


def _rewrite_ids(kind: Kind, user_id: UUID) -> None:
    """Replace ids inside JSON columns with those of this account."""
    if kind.name != "row_changes" and not fetch_rows("SELECT 1 FROM {ids} LIMIT 1"):
        return
    columns = [f"coalesce({name}::text, '')" for name in kind.rows_in]
    for rows in staged_rows(kind.name, *columns):
        texts = [text for _, *values in rows for text in values]
        ids = {str(UUID(found)) for text in texts for found in _ID.findall(text)}
        known = fetch_rows("SELECT was::text, now::text FROM {ids} WHERE was = ANY(%s::uuid[])", [list(ids)])
        now = dict(known) | {NOBODY: str(user_id)}
        for row_id, *values in rows:
            changed = [_replace_ids(text, now) for text in values]
            if changed != values:
                _write(kind, row_id, changed)


def _replace_ids(text: str, now: Mapping[str, str]) -> str:
    def named(found: re.Match[str]) -> str:
        plain = str(UUID(found[0]))
        new = now.get(plain, plain)
        return new if "-" in found[0] else UUID(new).hex

    return _ID.sub(named, text)


def _write(kind: Kind, row_id: UUID, texts: Sequence[str]) -> None:
    for name, text in zip(kind.rows_in, texts, strict=True):
        sort = "uuid[]" if isinstance(kind.fields[name], ArrayField) else "jsonb"
        execute(
            "UPDATE {stage} SET {column} = nullif(%s, '')::{sort} WHERE id = %s",
            [text, row_id],
            sort=sql.SQL(sort),
            stage=kind,
            column=name,
        )


def skip_derived_relations() -> None:
    """Leave out relations that this account derives itself: those that follow from facts, and those
    with every source here. Runs before relations are added."""
    execute("UPDATE {relation_sources} SET gone = true WHERE NOT here AND decided_fact_id IS NOT NULL")
    execute(
        "UPDATE {relations} r SET gone = true WHERE NOT r.here AND NOT EXISTS ("
        "SELECT 1 FROM {relation_sources} s WHERE s.edge_id = r.id AND NOT s.here AND NOT s.gone)"
    )


def recompute_validity(user_id: UUID) -> None:
    """After everything was added: recompute the validity of what the new rows touch."""
    _merge_sources(user_id)
    for rows in staged_rows("facts"):
        settle_around(user_id, [fact_id for (fact_id,) in rows])
    drawers = fetch_rows("SELECT DISTINCT drawer_id FROM {fact_endings} WHERE NOT here AND NOT gone")
    settle_drawers(user_id, [drawer_id for (drawer_id,) in drawers])
    for rows in staged_rows("relation_sources"):
        sources = [source_id for (source_id,) in rows]
        resettle(user_id, RelationSource.objects.filter(user_id=user_id, id__in=sources))


def _merge_sources(user_id: UUID) -> None:
    """Add the file's sources to facts that exist here already."""
    joined = fetch_rows(
        "UPDATE memory_fact f SET times_seen = f.times_seen + n.more, "
        "valid_from = least(f.valid_from, n.first) FROM ("
        "SELECT m.now AS id, count(s.id) AS more, min(w.valid_from) AS first FROM {ids} m "
        "JOIN {facts} w ON w.id = m.was JOIN {fact_sources} s ON s.fact_id = m.now "
        "AND NOT s.here AND NOT s.gone WHERE m.kind = 'facts' GROUP BY m.now) n "
        "WHERE f.user_id = %s AND f.id = n.id RETURNING f.id",
        [user_id],
    )
    settle_around(user_id, [fact_id for (fact_id,) in joined])
