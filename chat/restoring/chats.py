"""Lets chats that are here already grow by what the file has of them, where nothing went on here."""

from collections.abc import Collection
from uuid import UUID

from chat.restoring.stage import IDS, ask, run, table_of

CHATS = "restored_chats"

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
_LEAVE_MESSAGES = """
UPDATE {messages} m SET gone = true FROM {chats} h
WHERE m.conversation_id = h.id AND NOT m.here AND (h.closed OR h.diverged)
"""
# Mining here has not come to these yet, and would file them once more.
_LEAVE_DRAWERS = """
UPDATE {drawers} d SET gone = true FROM {chats} h
JOIN chat_message t ON t.user_id = %(user)s AND t.conversation_id = h.id
LEFT JOIN memory_miningprogress p ON p.user_id = t.user_id AND p.source_id = h.id
WHERE h.diverged AND NOT d.here AND d.source_message_id = t.id
  AND t.sequence > coalesce(p.mined_through, 0)
"""
_GROW = """
UPDATE chat_conversation c SET last_sequence = h.last_sequence, head_sequence = h.head_sequence,
  last_message_at = greatest(c.last_message_at, h.last_message_at)
FROM {chats} h WHERE c.user_id = %(user)s AND c.id = h.id AND NOT h.closed AND NOT h.diverged
  AND h.last_sequence > c.last_sequence
  AND EXISTS (SELECT 1 FROM {messages} m WHERE m.conversation_id = h.id AND NOT m.here)
"""
_MOVE_ON = """
UPDATE memory_miningprogress p SET mined_through = greatest(p.mined_through, f.mined_through),
  looked_through = greatest(p.looked_through, f.looked_through),
  drifted_after = greatest(p.drifted_after, f.drifted_after)
FROM {progress} f LEFT JOIN {chats} h ON h.id = f.source_id
WHERE p.user_id = %(user)s AND p.source_kind = f.source_kind AND p.source_id = f.source_id
  AND f.here AND NOT coalesce(h.diverged OR h.closed, false)
"""


def compare_chats(present: Collection[str], user_id: UUID) -> int:
    """Decide for each chat that both have; returns how many went on in both places."""
    if not {"conversations", "messages"} <= set(present):
        return 0
    tables = _tables()
    run(_FIND, {"user": user_id}, ids=IDS, **tables)
    run(_GAPS, **tables)
    run(_LEAVE_MESSAGES, **tables)
    if "drawers" in present:
        run(_LEAVE_DRAWERS, {"user": user_id}, drawers=table_of("drawers"), **tables)
    (diverged,) = ask(
        "SELECT count(*) FROM {chats} h WHERE diverged AND NOT closed AND EXISTS ("
        "SELECT 1 FROM {messages} m WHERE m.conversation_id = h.id AND m.gone)",
        **tables,
    )[0]
    return int(diverged)


def grow_chats(present: Collection[str], user_id: UUID) -> None:
    """Let the chats reach as far as their messages now do, and mining as far as their drawers."""
    if not {"conversations", "messages"} <= set(present):
        return
    run(_GROW, {"user": user_id}, **_tables())
    if "mining_progress" in present:
        run(_MOVE_ON, {"user": user_id}, progress=table_of("mining_progress"), **_tables())


def _tables() -> dict[str, str]:
    return {
        "chats": CHATS,
        "conversations": table_of("conversations"),
        "messages": table_of("messages"),
    }
