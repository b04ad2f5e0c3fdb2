"""Leaves out what was forgotten in this account, with everything that depends on it."""

from collections.abc import Collection, Sequence
from uuid import UUID

from memory.facts.deduplication import burial_digests
from memory.mining.progress import buried
from memory.models import Tombstone
from transfer.exporting.kinds import Kind
from transfer.restoring.stage import IDS, ask, run, table_of

_PARENT_AS_HERE = {
    "fact_versions": ("fact_id",),
    "skill_texts": ("skill_id",),
    "skill_sources": ("skill_id",),
    "insight_sources": ("insight_id",),
    "misfits": ("trace_id",),
    "summaries": ("room_id",),
}
"""The history of a row is not mixed with the history it has here."""

_BURIED_DRAWERS = """
UPDATE {drawers} s SET gone = true WHERE NOT s.here AND EXISTS (
  SELECT 1 FROM memory_tombstone t WHERE t.user_id = %s AND t.digest IN (
    sha256(convert_to(s.source_message_id::text, 'UTF8')),
    sha256(convert_to(s.source_id::text, 'UTF8')),
    sha256(convert_to(trunc(extract(epoch FROM s.said_at))::bigint || E'\\n' || s.content, 'UTF8'))))
"""
_BURIED_CHATS = """
UPDATE {conversations} s SET gone = true WHERE NOT s.here AND EXISTS (
  SELECT 1 FROM memory_tombstone t
  WHERE t.user_id = %s AND t.digest = sha256(convert_to(s.id::text, 'UTF8')))
"""
# The message keeps its place, so that the chat has no gap, and loses its words.
_BURIED_MESSAGES = """
UPDATE {messages} s SET content = '', tool_arguments = '' WHERE NOT s.here AND EXISTS (
  SELECT 1 FROM memory_tombstone t WHERE t.user_id = %s AND t.digest IN (
    sha256(convert_to(s.id::text, 'UTF8')),
    sha256(convert_to(trunc(extract(epoch FROM s.said_at))::bigint || E'\\n' || s.content, 'UTF8'))))
RETURNING s.conversation_id
"""
_BURIED_AGENTS = """
UPDATE {agents} s SET gone = true WHERE NOT s.here AND EXISTS (
  SELECT 1 FROM memory_tombstone t WHERE t.user_id = %s AND t.kind = 'agent'
    AND t.digest = sha256(convert_to(
      E'agent\\n' || (extract(epoch FROM s.created_at) * 1000000)::bigint, 'UTF8')))
"""
_WITHOUT_AGENTS = """
UPDATE {conversations} s SET agent_id = NULL FROM {agents} a WHERE a.id = s.agent_id AND a.gone
"""
# Something else may go by that name, if it is in the file alone and has no other.
_BURIED_NAMES = """
UPDATE {entity_names} s SET gone = true FROM {entities} e
WHERE e.id = s.entity_id AND NOT s.here AND (s.is_alias OR e.here) AND EXISTS (
  SELECT 1 FROM memory_tombstone t WHERE t.user_id = %s AND t.kind = 'name'
    AND t.digest = sha256(convert_to(E'name\\n' || s.normalised || E'\\n' || s.sense, 'UTF8')))
"""
_BURIED = (
    ({"drawers"}, _BURIED_DRAWERS),
    ({"conversations"}, _BURIED_CHATS),
    ({"agents"}, _BURIED_AGENTS),
    ({"entities", "entity_names"}, _BURIED_NAMES),
)
# What was recalled in such a chat may quote the words, and its title may be made of them.
_AROUND = {
    "traces": "UPDATE {traces} SET gone = true WHERE NOT here AND id IN ("
    "SELECT trace_id FROM {messages} WHERE conversation_id = ANY(%s))",
    "conversations": "UPDATE {conversations} SET title = '' WHERE NOT here AND id = ANY(%s)",
}
_HOLD = (
    ("closets", "drawers", "closet_id"),
    ("rooms", "drawers", "room_id"),
    ("wings", "drawers", "wing_id"),
    ("traces", "messages", "trace_id"),
)
_KNOWLEDGE = (
    ("facts", "fact_sources", ("fact_id",)),
    ("entities", "relation_sources", ("subject_id", "object_id")),
)
_HOLLOW = """
UPDATE {parents} p SET gone = true WHERE NOT p.here
  AND EXISTS (SELECT 1 FROM {children} c WHERE c.{column} = p.id)
  AND NOT EXISTS (SELECT 1 FROM {children} c WHERE c.{column} = p.id AND NOT c.here AND NOT c.gone)
"""
_UNFOUNDED = """
UPDATE {parents} p SET gone = true WHERE NOT p.here
  AND EXISTS (SELECT 1 FROM {children} c WHERE c.{column} = p.id)
  AND NOT EXISTS (SELECT 1 FROM {children} c WHERE c.{column} = p.id AND NOT c.gone)
"""


def keep_out(kinds: Collection[Kind], user_id: UUID) -> None:
    """Mark rows that must not be restored although they are not here."""
    present = {kind.name: kind for kind in kinds}
    if Tombstone.objects.filter(user_id=user_id).exists():
        _bury(present.keys(), user_id)
    _leave_hollow(present.keys())
    for kind in kinds:
        _leave_what_hangs_on(kind)
    _leave_hollow(present.keys())
    _leave_unfounded(present.keys())
    for kind in kinds:
        _leave_what_hangs_on(kind)
        _leave_other_pasts(kind)
    _forget_successors(present.keys())
    if "relations" in present:
        _find_other_words()
    if _anything_gone(present.keys()):
        _leave_copies(present.keys())


def _bury(present: Collection[str], user_id: UUID) -> None:
    tables = {name: table_of(name) for name in present}
    for needed, statement in _BURIED:
        if needed <= set(present):
            run(statement, [user_id], **tables)
    if {"agents", "conversations"} <= set(present):
        run(_WITHOUT_AGENTS, **tables)
    if "messages" in present:
        chats = [chat_id for (chat_id,) in ask(_BURIED_MESSAGES, [user_id], **tables)]
        for statement in [_AROUND[name] for name in _AROUND if name in present]:
            run(statement, [chats], **tables)
    if "facts" in present:
        _bury_facts(user_id)


def _bury_facts(user_id: UUID) -> None:
    """Leave out facts their owner deleted, identified by the message they came from."""
    stones = Tombstone.objects.filter(user_id=user_id, kind=Tombstone.Kind.FACT)
    if not stones.exists():
        return
    said = ask(
        "SELECT f.id, f.key, f.value, d.source_message_id FROM {facts} f "
        "JOIN {sources} s ON s.fact_id = f.id JOIN {drawers} d ON d.id = s.drawer_id "
        "WHERE NOT f.here",
        facts=table_of("facts"),
        sources=table_of("fact_sources"),
        drawers=table_of("drawers"),
    )
    for fact_id, key, value, message_id in said:
        if buried(user_id, list(burial_digests(key, value, message_id))):
            run("UPDATE {facts} SET gone = true WHERE id = %s", [fact_id], facts=table_of("facts"))


def _leave_hollow(present: Collection[str]) -> None:
    """Leave out places whose drawers are all here or forgotten, and traces whose replies are."""
    for parents, children, column in _HOLD:
        if {parents, children} <= set(present):
            tables = {"parents": table_of(parents), "children": table_of(children)}
            run(_HOLLOW, column=column, **tables)


def _leave_unfounded(present: Collection[str]) -> None:
    """Leave out knowledge whose sources are all left out."""
    for parents, children, columns in _KNOWLEDGE:
        if parents in present and children in present:
            _leave_without(table_of(parents), table_of(children), columns)


def _leave_without(parents: str, children: str, columns: Sequence[str]) -> None:
    if len(columns) == 1:
        run(_UNFOUNDED, parents=parents, children=children, column=columns[0])
        return
    one, other = columns
    run(
        "UPDATE {parents} p SET gone = true WHERE NOT p.here "
        "AND EXISTS (SELECT 1 FROM {children} c WHERE p.id IN (c.{one}, c.{other})) "
        "AND NOT EXISTS (SELECT 1 FROM {children} c WHERE p.id IN (c.{one}, c.{other}) "
        "AND NOT c.gone)",
        parents=parents,
        children=children,
        one=one,
        other=other,
    )


def _leave_what_hangs_on(kind: Kind) -> None:
    for column, target in kind.references.items():
        if (kind.name, target) != ("relations", "drawers"):
            run(
                "UPDATE {stage} s SET gone = true FROM {target} t "
                "WHERE NOT s.here AND t.gone AND t.id = s.{column}",
                stage=table_of(kind.name),
                target=table_of(target),
                column=column,
            )


def _leave_other_pasts(kind: Kind) -> None:
    for column in _PARENT_AS_HERE.get(kind.name, ()):
        run(
            "UPDATE {stage} s SET gone = true FROM {target} t LEFT JOIN {ids} m ON m.was = t.id "
            "WHERE NOT s.here AND t.here AND s.{column} IN (t.id, m.now)",
            stage=table_of(kind.name),
            target=table_of(kind.references[column]),
            ids=IDS,
            column=column,
        )


def _forget_successors(present: Collection[str]) -> None:
    for name in {"wings", "rooms", "closets"} & set(present):
        run(
            "UPDATE {stage} s SET merged_into_id = NULL FROM {stage} t "
            "WHERE t.id = s.merged_into_id AND t.gone AND NOT t.here",
            stage=table_of(name),
        )


def _find_other_words() -> None:
    """Open a relation by its next source if the first is left out; without one, leave it out."""
    tables = {
        "relations": table_of("relations"),
        "sources": table_of("relation_sources"),
        "drawers": table_of("drawers"),
    }
    run(
        "UPDATE {relations} r SET drawer_id = coalesce((SELECT s.drawer_id FROM {sources} s "
        "WHERE s.edge_id = r.id AND NOT s.gone ORDER BY s.at, s.id LIMIT 1), r.drawer_id) "
        "FROM {drawers} d WHERE d.id = r.drawer_id AND d.gone AND NOT r.here",
        **tables,
    )
    run(
        "UPDATE {relations} r SET gone = true FROM {drawers} d "
        "WHERE d.id = r.drawer_id AND d.gone AND NOT r.here",
        **tables,
    )
    run(
        "UPDATE {sources} s SET edge_id = NULL FROM {relations} r "
        "WHERE r.id = s.edge_id AND r.gone AND NOT s.here",
        **tables,
    )


def _anything_gone(present: Collection[str]) -> bool:
    wanted = {"drawers", "facts"} & set(present)
    return any(ask("SELECT 1 FROM {stage} WHERE gone LIMIT 1", stage=table_of(name)) for name in wanted)


def _leave_copies(present: Collection[str]) -> None:
    """Leave out rows that may repeat forgotten words: changes, refused entries and skills drawn from
    them."""
    for name in {"row_changes", "consolidation_runs"} & set(present):
        run("UPDATE {stage} SET gone = true WHERE NOT here", stage=table_of(name))
    if "activity" in present:
        run(
            "UPDATE {stage} SET details = jsonb_set(details, '{{refused}}', '[]') "
            "WHERE NOT here AND details ? 'refused'",
            stage=table_of("activity"),
        )
    if "skill_sources" in present:
        run(
            "UPDATE {skills} k SET gone = true FROM {sources} s "
            "WHERE s.skill_id = k.id AND s.gone AND NOT k.here",
            skills=table_of("skills"),
            sources=table_of("skill_sources"),
        )
        run(
            "UPDATE {stage} s SET gone = true FROM {skills} k WHERE k.id = s.skill_id AND k.gone",
            stage=table_of("skill_texts"),
            skills=table_of("skills"),
        )
