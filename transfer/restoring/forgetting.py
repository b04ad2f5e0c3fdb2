"""Leaves out what was forgotten in this account, with everything that depends on it."""

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from psycopg import sql

from memory.facts.deduplication import tombstone_digest
from memory.forgetting.tombstones import tombstoned
from memory.models import Tombstone
from memory.preferences import preferences_of
from memory.text.exclusions import excluding
from transfer.exporting.kinds import BY_NAME, Kind
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
_TOMBSTONED = (
    ({"drawers"}, _TOMBSTONED_DRAWERS),
    ({"conversations"}, _TOMBSTONED_CHATS),
    ({"agents"}, _TOMBSTONED_AGENTS),
    ({"entities", "entity_names"}, _TOMBSTONED_NAMES),
)
# What was recalled in such a chat may quote the words, and its title may be made of them.
_CHAT_CLEANUP = (
    (
        {"traces"},
        "UPDATE {traces} SET gone = true WHERE NOT here AND id IN ("
        "SELECT trace_id FROM {messages} WHERE conversation_id = ANY(%s))",
    ),
    ({"conversations"}, "UPDATE {conversations} SET title = '' WHERE NOT here AND id = ANY(%s)"),
)
# Earlier exports also hold recalls that belong to no reply, which nothing would erase with a chat.
_WITHOUT_REPLY = (
    (
        {"traces", "messages"},
        "UPDATE {traces} t SET gone = true WHERE NOT t.here "
        "AND NOT EXISTS (SELECT 1 FROM {messages} m WHERE m.trace_id = t.id)",
    ),
)
_WORDS = {"drawers", "facts"}
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
    ({"row_changes"}, "UPDATE {row_changes} SET gone = true WHERE NOT here"),
    ({"consolidation_runs"}, "UPDATE {consolidation_runs} SET gone = true WHERE NOT here"),
    (
        {"activity"},
        "UPDATE {activity} SET details = jsonb_set(details, '{{refused}}', '[]') "
        "WHERE NOT here AND details ? 'refused'",
    ),
    (
        {"skills", "skill_sources"},
        "UPDATE {skills} k SET gone = true FROM {skill_sources} s "
        "WHERE s.skill_id = k.id AND s.gone AND NOT k.here",
    ),
    (
        {"skills", "skill_texts"},
        "UPDATE {skill_texts} s SET gone = true FROM {skills} k WHERE k.id = s.skill_id AND k.gone",
    ),
)


def exclude_forgotten(kinds: Collection[Kind], user_id: UUID) -> None:
    """Mark rows that must not be restored although they are not here."""
    present = {kind.name for kind in kinds}
    if Tombstone.objects.filter(user_id=user_id).exists():
        _exclude_tombstoned(present, user_id)
    never_remember = preferences_of(user_id).never_remember
    if "drawers" in present and never_remember:
        _exclude_unwanted(never_remember)
    _run_where_present(_WITHOUT_REPLY, present)
    _exclude_empty(present, _CONTAINERS, "AND NOT c.here")
    for kind in kinds:
        _exclude_dependents(kind)
    _exclude_empty(present, _CONTAINERS, "AND NOT c.here")
    _exclude_empty(present, _KNOWLEDGE)
    for kind in kinds:
        _exclude_dependents(kind)
        _exclude_other_histories(kind)
    _clear_merge_targets(present)
    for statement in _OTHER_WORDS if "relations" in present else ():
        execute(statement)
    if any(
        fetch_rows("SELECT 1 FROM {stage} WHERE gone LIMIT 1", stage=BY_NAME[name])
        for name in _WORDS & present
    ):
        _run_where_present(_COPIES, present)


def _run_where_present(
    statements: Iterable[tuple[set[str], str]], present: Collection[str], values: Sequence[object] = ()
) -> None:
    for needed, statement in statements:
        if needed <= set(present):
            execute(statement, values)


def _exclude_tombstoned(present: Collection[str], user_id: UUID) -> None:
    _run_where_present(_TOMBSTONED, present, [user_id])
    _run_where_present([({"agents", "conversations"}, _WITHOUT_AGENTS)], present)
    if "messages" in present:
        chats = [chat_id for (chat_id,) in fetch_rows(_TOMBSTONED_MESSAGES, [user_id])]
        _run_where_present(_CHAT_CLEANUP, present, [chats])
    if "facts" in present:
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


def _exclude_empty(
    present: Collection[str], holders: Iterable[tuple[str, str, Sequence[str]]], spared: str = ""
) -> None:
    for parents, children, columns in holders:
        if {parents, children} <= set(present):
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


def _clear_merge_targets(present: Collection[str]) -> None:
    for name in {"wings", "rooms", "closets"} & set(present):
        execute(
            "UPDATE {stage} s SET merged_into_id = NULL FROM {stage} t "
            "WHERE t.id = s.merged_into_id AND t.gone AND NOT t.here",
            stage=BY_NAME[name],
        )
