"""Leaves out what was forgotten in this account, with everything that depends on it."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from psycopg import sql

from memory.facts.deduplication import tombstone_digest
from memory.forgetting.tombstones import tombstoned
from memory.models import Tombstone
from memory.preferences import excluding, preferences_of
from transfer.exporting.kinds import BY_NAME, KINDS, Kind
from transfer.restoring.stage import execute, fetch_rows

BATCH_SIZE = 500
_HISTORY_PARENTS = {
    "fact_versions": ("fact_id",),
    "skill_texts": ("skill_id",),
    "skill_sources": ("skill_id",),
    "negative_feedback": ("trace_id",),
    "summaries": ("room_id",),
}
"""The histories of these rows are not merged with those they have here."""

_TOMBSTONED_DRAWERS = """
UPDATE {drawers} s SET gone = true WHERE NOT s.here AND EXISTS (
  SELECT 1 FROM memory_tombstone t WHERE t.user_id = %s AND t.digest IN (
    sha256(convert_to(s.source_message_id::text, 'UTF8')),
    sha256(convert_to(s.source_id::text, 'UTF8')),
    sha256(convert_to(trunc(extract(epoch FROM s.said_at))::bigint || E'\\n' || s.content, 'UTF8'))))
"""
_TOMBSTONED_CHATS = """
UPDATE {conversations} s SET gone = true WHERE NOT s.here AND EXISTS (
  SELECT 1 FROM memory_tombstone t
  WHERE t.user_id = %s AND t.digest = sha256(convert_to(s.id::text, 'UTF8')))
"""
# The message keeps its place, so that the chat has no gap, and loses its words.
_TOMBSTONED_MESSAGES = """
UPDATE {messages} s SET content = '', tool_arguments = '' WHERE NOT s.here AND EXISTS (
  SELECT 1 FROM memory_tombstone t WHERE t.user_id = %s AND t.digest IN (
    sha256(convert_to(s.id::text, 'UTF8')),
    sha256(convert_to(trunc(extract(epoch FROM s.said_at))::bigint || E'\\n' || s.content, 'UTF8'))))
RETURNING s.conversation_id
"""
# Earlier versions knew deleted agents by when they were made.
_TOMBSTONED_AGENTS = """
UPDATE {agents} s SET gone = true WHERE NOT s.here AND EXISTS (
  SELECT 1 FROM memory_tombstone t WHERE t.user_id = %s AND t.kind = 'agent'
    AND t.digest IN (
      sha256(convert_to(s.id::text, 'UTF8')),
      sha256(convert_to(
        E'agent\\n' || (extract(epoch FROM s.created_at) * 1000000)::bigint, 'UTF8'))))
"""
_WITHOUT_AGENTS = """
UPDATE {conversations} s SET agent_id = NULL FROM {agents} a WHERE a.id = s.agent_id AND a.gone
"""
# Something else may go by that name, if it is in the file alone and has no other.
_TOMBSTONED_NAMES = """
UPDATE {entity_names} s SET gone = true FROM {entities} e
WHERE e.id = s.entity_id AND NOT s.here AND (s.is_alias OR e.here) AND EXISTS (
  SELECT 1 FROM memory_tombstone t WHERE t.user_id = %s AND t.kind = 'name'
    AND t.digest = sha256(convert_to(E'name\\n' || s.normalised || E'\\n' || s.sense, 'UTF8')))
"""
_TOMBSTONED = (_TOMBSTONED_DRAWERS, _TOMBSTONED_CHATS, _TOMBSTONED_AGENTS, _TOMBSTONED_NAMES)
# What was recalled in such a chat may quote the words, and its title may be made of them.
_CHAT_CLEANUP = (
    "UPDATE {traces} SET gone = true WHERE NOT here AND id IN ("
    "SELECT trace_id FROM {messages} WHERE conversation_id = ANY(%s))",
    "UPDATE {conversations} SET title = '' WHERE NOT here AND id = ANY(%s)",
)
# Earlier exports also hold recalls that belong to no reply, which nothing would erase with a chat.
_WITHOUT_REPLY = """
UPDATE {traces} t SET gone = true
WHERE NOT t.here AND NOT EXISTS (SELECT 1 FROM {messages} m WHERE m.trace_id = t.id)
"""
_WORDS_GONE = """
SELECT 1 FROM {drawers} WHERE gone UNION ALL SELECT 1 FROM {facts} WHERE gone LIMIT 1
"""
_CONTAINERS = (
    ("closets", "drawers", ("closet_id",)),
    ("rooms", "drawers", ("room_id",)),
    ("wings", "drawers", ("wing_id",)),
    ("traces", "messages", ("trace_id",)),
)
"""Places, which go when their drawers are all here or left out, and traces with their replies."""
_KNOWLEDGE = (
    ("facts", "fact_sources", ("fact_id",)),
    ("entities", "relation_sources", ("subject_id", "object_id")),
)
"""Knowledge, which goes when its sources are all left out."""
_EMPTY = """
UPDATE {parents} p SET gone = true WHERE NOT p.here
  AND EXISTS (SELECT 1 FROM {children} c WHERE p.id IN ({columns}))
  AND NOT EXISTS (SELECT 1 FROM {children} c WHERE p.id IN ({columns}) AND NOT c.gone {spared})
"""
# A relation opens by its next source if the first is left out; without one, it is left out.
_OTHER_WORDS = (
    """
    UPDATE {relations} r SET drawer_id = coalesce((
      SELECT s.drawer_id FROM {relation_sources} s WHERE s.edge_id = r.id AND NOT s.gone
      ORDER BY s.at, s.id LIMIT 1), r.drawer_id)
    FROM {drawers} d WHERE d.id = r.drawer_id AND d.gone AND NOT r.here""",
    """
    UPDATE {relations} r SET gone = true FROM {drawers} d
    WHERE d.id = r.drawer_id AND d.gone AND NOT r.here""",
    """
    UPDATE {relation_sources} s SET edge_id = NULL FROM {relations} r
    WHERE r.id = s.edge_id AND r.gone AND NOT s.here""",
)
# What may repeat forgotten words: changes, refused entries, and skills drawn from them.
_COPIES = (
    "UPDATE {row_changes} SET gone = true WHERE NOT here",
    "UPDATE {consolidation_runs} SET gone = true WHERE NOT here",
    "UPDATE {activity} SET details = jsonb_set(details, '{{refused}}', '[]') "
    "WHERE NOT here AND details ? 'refused'",
    "UPDATE {skills} k SET gone = true FROM {skill_sources} s "
    "WHERE s.skill_id = k.id AND s.gone AND NOT k.here",
    "UPDATE {skill_texts} s SET gone = true FROM {skills} k WHERE k.id = s.skill_id AND k.gone",
)


def exclude_forgotten(user_id: UUID) -> None:
    """Mark rows that must not be restored although they are not here."""
    if Tombstone.objects.filter(user_id=user_id).exists():
        _exclude_tombstoned(user_id)
    if never_remember := preferences_of(user_id).never_remember:
        _exclude_unwanted(never_remember)
    execute(_WITHOUT_REPLY)
    _exclude_empty(_CONTAINERS, "AND NOT c.here")
    for kind in KINDS:
        _exclude_dependents(kind)
    _exclude_empty(_CONTAINERS, "AND NOT c.here")
    _exclude_empty(_KNOWLEDGE)
    for kind in KINDS:
        _exclude_dependents(kind)
        _exclude_other_histories(kind)
    _clear_merge_targets()
    for statement in _OTHER_WORDS:
        execute(statement)
    if fetch_rows(_WORDS_GONE):
        for statement in _COPIES:
            execute(statement)


def _exclude_tombstoned(user_id: UUID) -> None:
    for statement in _TOMBSTONED:
        execute(statement, [user_id])
    execute(_WITHOUT_AGENTS)
    chats = [chat_id for (chat_id,) in fetch_rows(_TOMBSTONED_MESSAGES, [user_id])]
    for statement in _CHAT_CLEANUP:
        execute(statement, [chats])
    _exclude_deleted_facts(user_id)


def _exclude_unwanted(never_remember: str) -> None:
    """Leave out drawers that match the owner's excluded words."""
    is_excluded = excluding(never_remember)
    ids = [drawer_id for (drawer_id,) in fetch_rows("SELECT id FROM {drawers} WHERE NOT here")]
    for start in range(0, len(ids), BATCH_SIZE):
        batch = ids[start : start + BATCH_SIZE]
        drawers = fetch_rows("SELECT id, content FROM {drawers} WHERE id = ANY(%s)", [batch])
        unwanted = [drawer_id for drawer_id, content in drawers if is_excluded(content)]
        execute("UPDATE {drawers} SET gone = true WHERE id = ANY(%s)", [unwanted])


def _exclude_deleted_facts(user_id: UUID) -> None:
    """Leave out facts their owner deleted, identified by the message they came from."""
    if not Tombstone.objects.filter(user_id=user_id, kind=Tombstone.Kind.FACT).exists():
        return
    said = fetch_rows(
        "SELECT f.id, f.key, f.value, d.source_message_id FROM {facts} f "
        "JOIN {fact_sources} s ON s.fact_id = f.id JOIN {drawers} d ON d.id = s.drawer_id WHERE NOT f.here"
    )
    for fact_id, key, value, message_id in said:
        if tombstoned(user_id, [tombstone_digest(key, value, message_id)]):
            execute("UPDATE {facts} SET gone = true WHERE id = %s", [fact_id])


def _exclude_empty(holders: Iterable[tuple[str, str, Sequence[str]]], spared: str = "") -> None:
    for parents, children, columns in holders:
        execute(
            _EMPTY,
            parents=BY_NAME[parents],
            children=BY_NAME[children],
            columns=sql.SQL(", ").join(sql.Identifier("c", name) for name in columns),
            spared=sql.SQL(spared),
        )


def _exclude_dependents(kind: Kind) -> None:
    for column, target in kind.references.items():
        if (kind.name, target) != ("relations", "drawers"):
            execute(
                "UPDATE {stage} s SET gone = true FROM {target} t "
                "WHERE NOT s.here AND t.gone AND t.id = s.{column}",
                stage=kind,
                target=BY_NAME[target],
                column=column,
            )


def _exclude_other_histories(kind: Kind) -> None:
    for column in _HISTORY_PARENTS.get(kind.name, ()):
        execute(
            "UPDATE {stage} s SET gone = true FROM {target} t LEFT JOIN {ids} m ON m.was = t.id "
            "WHERE NOT s.here AND t.here AND s.{column} IN (t.id, m.now)",
            stage=kind,
            target=BY_NAME[kind.references[column]],
            column=column,
        )


def _clear_merge_targets() -> None:
    for name in ("wings", "rooms", "closets"):
        execute(
            "UPDATE {stage} s SET merged_into_id = NULL FROM {stage} t "
            "WHERE t.id = s.merged_into_id AND t.gone AND NOT t.here",
            stage=BY_NAME[name],
        )
