"""Screens what could reach a model's prompt: an export may have been edited since it was made.

Words that mining would not let through unreviewed are restored, but take no effect before their owner has
seen them. What has no state in which it could wait is left out.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext_noop

from chat.edits import edit_agent
from chat.models import Agent
from memory.mining.screening import overrides_instructions, reasons_for_review
from memory.text.sanitizing import hidden_characters
from transfer.exporting.kinds import BY_NAME
from transfer.restoring.stage import execute, fetch_rows, staged_rows

REASON = gettext_noop("It comes from a restored file and reads like an instruction to a model.")

_TEXTS = {
    "facts": "concat_ws(E'\\n', statement, value, object, key, predicate, location, topic, persons, "
    "entities)",
    "fact_versions": "concat_ws(E'\\n', content->>'statement', content->>'value', content->>'object')",
    "skill_texts": "concat_ws(E'\\n', goal, worked, failed, applies)",
    "profile_texts": "text",
    "agents": "instructions",
    "drawers": "concat_ws(E'\\n', annotation, CASE WHEN role = 'note' THEN content END)",
    "wings": "name",
    "closets": "name",
    "summaries": "text",
    "entities": "CASE WHEN type <> 'user' THEN name ELSE '' END",
    "entity_names": "name",
    "relations": "relation",
    "relation_sources": "relation",
    "row_changes": """coalesce((
      SELECT string_agg(pair.value, E'\\n') FROM (VALUES (before), (after)) image(row),
        jsonb_each_text(coalesce(nullif(image.row, 'null'), '{{}}')) pair
      WHERE pair.key IN ('statement', 'value', 'object', 'name', 'text', 'goal', 'worked', 'failed',
                         'annotation', 'instructions')), '')""",
}
_TESTS: Mapping[str, Callable[[str], object]] = {
    "agents": lambda words: overrides_instructions(words) or hidden_characters(words),
    "drawers": overrides_instructions,
}
_PLACES = ("wings", "closets")
_LEFT_OUT = ("summaries", "entities", "entity_names", "relations", "relation_sources")
# Of several facts that state the same only one may wait; the others are over, and stay so while it waits.
_REVIEW_FACTS = """
UPDATE {stage} s SET status = 'pending_review', review_reason = %(reason)s
WHERE s.flagged AND s.status IN ('active', 'superseded') AND (
  s.status = 'active' OR s.deleted_at IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM memory_fact t WHERE t.user_id = %(user)s AND t.content_hash = s.content_hash
      AND t.status <> 'superseded' AND t.deleted_at IS NULL
    UNION ALL SELECT 1 FROM {stage} t WHERE t.content_hash = s.content_hash AND t.id <> s.id
      AND t.deleted_at IS NULL AND NOT t.here AND (t.status <> 'superseded' OR t.id < s.id)))
"""
_REVIEW = (
    ("facts", _REVIEW_FACTS),
    (
        "fact_versions",
        'UPDATE {stage} SET content = content || \'{{"status": "pending_review"}}\' WHERE flagged',
    ),
    (
        "profile_texts",
        "UPDATE {stage} SET ended_at = coalesce(ended_at, greatest(written_at, %(now)s)) WHERE flagged",
    ),
    ("drawers", "UPDATE {stage} SET sensitive = true WHERE flagged"),
    *(
        (name, "UPDATE {stage} SET name = 'Restored ' || right(id::text, 12) WHERE flagged")
        for name in _PLACES
    ),
    (
        "skill_texts",
        "UPDATE {skills} s SET flagged = true, decided_at = NULL, status = 'proposed' FROM {stage} t "
        "WHERE t.skill_id = s.id AND t.flagged AND s.status = 'published' AND NOT s.here",
    ),
    (
        "row_changes",
        "UPDATE {changes} s SET gone = true FROM {stage} t "
        "WHERE t.change_set_id = s.id AND t.flagged AND NOT s.here",
    ),
    *((name, "UPDATE {stage} SET gone = true WHERE flagged") for name in _LEFT_OUT),
)
_WITHOUT_FLAGGED_FACTS = (
    "UPDATE {relation_sources} s SET gone = true FROM {facts} f WHERE f.id = s.decided_fact_id AND f.flagged",
    "UPDATE {relations} r SET gone = true WHERE NOT r.here "
    "AND EXISTS (SELECT 1 FROM {relation_sources} s WHERE s.edge_id = r.id AND s.gone) "
    "AND NOT EXISTS (SELECT 1 FROM {relation_sources} s WHERE s.edge_id = r.id AND NOT s.gone)",
)
_SHOWN = ("facts", "skills", "profile_texts", "agents", "drawers", *_PLACES)


def flag_for_review(user_id: UUID, now: datetime) -> None:
    """Flag staged rows whose words need a review, so that they wait for it or are left out. Runs before
    rows that depend on others are left out with them."""
    for name in _TEXTS:
        needs_review = _TESTS.get(name, reasons_for_review)
        for rows in staged_rows(name, _TEXTS[name]):
            flagged = [row_id for row_id, words in rows if needs_review(words)]
            execute("UPDATE {stage} SET flagged = true WHERE id = ANY(%s)", [flagged], stage=BY_NAME[name])
    for name, statement in _REVIEW:
        execute(statement, {"user": user_id, "now": now, "reason": REASON}, stage=BY_NAME[name])
    for statement in _WITHOUT_FLAGGED_FACTS:
        execute(statement)


def clear_flagged_instructions(user_id: UUID, now: datetime) -> dict[str, int]:
    """Empty the instructions of flagged agents, which their owner can undo for 30 days; returns how many
    rows of each kind wait for their owner."""
    flagged = "SELECT id FROM {stage} WHERE flagged AND NOT here AND NOT gone"
    waiting = {name: [row_id for (row_id,) in fetch_rows(flagged, stage=BY_NAME[name])] for name in _SHOWN}
    for agent in Agent.objects.filter(user_id=user_id, id__in=waiting["agents"], deleted_at=None):
        edit_agent(agent, {"instructions": ""}, now)
    return {name: len(ids) for name, ids in waiting.items() if ids}
