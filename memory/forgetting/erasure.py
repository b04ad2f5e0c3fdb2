"""Erases drawers for good, with everything that was derived from them alone, and counts it beforehand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory.changes.activity import forget_reasons
from memory.changes.log import forget_changes_of
from memory.consolidation.summaries import summaries_around
from memory.facts.endings import clear_questions
from memory.forgetting.identifying_words import Words, distinctive
from memory.forgetting.place_names import Places, places_named_in, places_of, remove_empty, remove_names
from memory.graph.orphans import remove_orphans
from memory.models import (
    ActivityEvent,
    ChangeSet,
    ConsolidationRun,
    Drawer,
    DrawerVector,
    Entity,
    EntityName,
    Fact,
    FactSource,
    FactVersion,
    Profile,
    Relation,
    RelationSource,
    RowChange,
    SentenceVectors,
    Skill,
    SkillSource,
)
from memory.search.index import forget_words, hide
from memory.sql import execute, fetch

BATCH = 1_000
CODES = frozenset(
    ("action", "by", "change", "decision", "error", "method", "notes", "reason", "scope", "table")
)
"""Keys of JSON values that Palace writes itself, never a user's words."""

_TRACES_OF_DRAWERS = """
SELECT id FROM memory_recalltrace WHERE user_id = %s AND EXISTS (
  SELECT 1 FROM jsonb_array_elements(hits) AS hit WHERE (hit ->> 'drawer_id')::uuid = ANY(%s))
"""
_ERASE_TRACES = """
UPDATE memory_recalltrace SET
  hits = coalesce((
    SELECT jsonb_agg(hit) FROM jsonb_array_elements(hits) AS hit
    WHERE (hit ->> 'drawer_id')::uuid <> ALL(%(ids)s)), '[]'),
  trace = CASE WHEN trace -> 'considered' IS NULL THEN trace ELSE
    jsonb_set(trace, '{considered}', coalesce((
      SELECT jsonb_agg(one) FROM jsonb_array_elements(trace -> 'considered') AS one
      WHERE (one ->> 'drawer_id')::uuid <> ALL(%(ids)s)), '[]')) END
WHERE user_id = %(user)s AND (
  EXISTS (SELECT 1 FROM jsonb_array_elements(hits) AS hit
          WHERE (hit ->> 'drawer_id')::uuid = ANY(%(ids)s))
  OR EXISTS (SELECT 1 FROM jsonb_array_elements(trace -> 'considered') AS one
             WHERE (one ->> 'drawer_id')::uuid = ANY(%(ids)s)))
"""


@dataclass(frozen=True, slots=True)
class ErasureTargets:
    """What is about to be erased: drawers, their places and messages, facts with no other source, and the
    words that identify any of it. `chats` are those that contain or recalled the words: mining them may have
    named places after the words."""

    user_id: UUID
    drawer_ids: tuple[UUID, ...]
    fact_ids: tuple[UUID, ...]
    message_ids: tuple[UUID, ...]
    places: Places
    words: Words
    counts: dict[str, int] = field(default_factory=dict)
    chats: frozenset[UUID] = frozenset()

    @property
    def named(self) -> Places:
        """The places whose names may come from the words."""
        return self.places | places_named_in(self.user_id, self.chats)

    @property
    def ids(self) -> frozenset[UUID]:
        """The ids of the drawers and facts, to which no row may refer afterwards."""
        return frozenset((*self.drawer_ids, *self.fact_ids))


def combined(targets: ErasureTargets, others: Sequence[ErasureTargets]) -> ErasureTargets:
    """Combine erasures, so that one search verifies them all."""
    every = (targets, *others)
    return replace(
        targets,
        drawer_ids=tuple(each for one in every for each in one.drawer_ids),
        fact_ids=tuple(each for one in every for each in one.fact_ids),
        chats=frozenset().union(*(one.chats for one in every)),
        words=Words(
            frozenset().union(*(one.words.words for one in every)),
            frozenset().union(*(one.words.runs for one in every)),
        ),
    )


def collect_targets(
    user_id: UUID,
    drawer_ids: Sequence[UUID],
    texts: Iterable[str] = (),
    chats: frozenset[UUID] = frozenset(),
) -> ErasureTargets:
    """Collect everything to erase with these drawers, which are in the trash, and with further texts.

    Call inside the transaction that erases them, under the palace lock.
    """
    drawers = Drawer.objects.filter(user_id=user_id, id__in=drawer_ids)
    hide(user_id, drawer_ids)
    rows = list(
        drawers.only("user_id", "id", "wing_id", "room_id", "closet_id", "source_message_id", "source_id")
    )
    said = drawers.values_list("content", "annotation", "speaker").iterator(BATCH)
    counts = counts_of(user_id, drawers)
    counts["relations"] = Relation.objects.filter(user_id=user_id, drawer_id__in=drawers.values("id")).count()
    return ErasureTargets(
        user_id=user_id,
        drawer_ids=tuple(row.id for row in rows),
        fact_ids=tuple(_facts_only_from(user_id, drawer_ids)),
        message_ids=tuple(row.source_message_id for row in rows),
        places=places_of(rows),
        words=distinctive(user_id, chain(("\n".join(parts) for parts in said), texts)),
        counts={store: counts[store] for store in ("drawers", "relations", "vectors", "skills")},
        chats=chats | {row.source_id for row in rows},
    )


def erase(targets: ErasureTargets) -> dict[str, int]:
    """Erase everything; returns the number of erased rows by store.

    Call inside a transaction that holds the palace lock.
    """
    user_id, ids = targets.user_id, list(targets.drawer_ids)
    forget_words(user_id, ids)
    _skills_drawn_from(user_id, ids).delete()  # those derived from facts go with their facts
    forget_reasons(user_id, ids)
    clear_questions(user_id, targets.fact_ids)
    Fact.objects.filter(user_id=user_id, id__in=targets.fact_ids).delete()
    execute("DELETE FROM memory_drawer WHERE user_id = %s AND id = ANY(%s)", [user_id, ids])
    return targets.counts | {
        "facts": len(targets.fact_ids),
        "traces": execute(_ERASE_TRACES, {"user": user_id, "ids": ids}),
        "entities": remove_orphans(user_id),
        "places": remove_empty(user_id, targets.places),
        "names": remove_names(user_id, targets.named, targets.words),
        "journals": _erase_in_journals(user_id, targets.ids, targets.words),
    }


def counts_of(user_id: UUID, drawers: QuerySet[Drawer]) -> dict[str, int]:
    """How many rows of each store are removed with these drawers.

    Facts that other drawers also support stay, and are counted as `facts_kept`.
    """
    ids = drawers.values("id")
    facts, shared = facts_resting_on(user_id, ids), facts_resting_on(user_id, ids, shared=True)
    vectors = DrawerVector.objects.filter(user_id=user_id, drawer_id__in=ids)
    sentences = SentenceVectors.objects.filter(user_id=user_id, drawer_id__in=ids)
    of_facts = Skill.objects.filter(user_id=user_id, fact_id__in=facts.values("id"))
    skills = _skills_drawn_from(user_id, ids) | of_facts
    return {
        "drawers": drawers.count(),
        "facts": facts.count(),
        "facts_kept": shared.count(),
        "relations": _relations_resting_on(user_id, ids).count(),
        "vectors": vectors.count() + sentences.count(),
        "summaries": summaries_around(user_id, drawers).count(),
        "skills": skills.count(),
        "traces": len(traces_of_drawers(user_id, ids.values_list("id", flat=True))),
    }


def traces_of_drawers(user_id: UUID, drawer_ids: Iterable[UUID]) -> list[UUID]:
    """The traces of recalls that chose any of these drawers."""
    return [trace_id for (trace_id,) in fetch(_TRACES_OF_DRAWERS, [user_id, list(drawer_ids)])]


def facts_resting_on(
    user_id: UUID, ids: QuerySet[Drawer, Any] | Sequence[UUID], *, shared: bool = False
) -> QuerySet[Fact]:
    """Facts with sources in these drawers and no other outside the trash, or `shared` with others."""
    sources = FactSource.objects.filter(user_id=user_id, fact_id=OuterRef("id"))
    others = Exists(sources.filter(drawer__deleted_at=None).exclude(drawer_id__in=ids))
    resting = Exists(sources.filter(drawer_id__in=ids))
    return Fact.objects.filter(resting, others if shared else ~others, user_id=user_id, deleted_at=None)


def _relations_resting_on(user_id: UUID, ids: QuerySet[Drawer, Any]) -> QuerySet[Relation]:
    sources = RelationSource.objects.filter(user_id=user_id, edge_id=OuterRef("id"), ends=False)
    others = sources.filter(drawer__deleted_at=None).exclude(drawer_id__in=ids)
    resting = Exists(sources.filter(drawer_id__in=ids))
    return Relation.objects.filter(resting, ~Exists(others), user_id=user_id, deleted_at=None)


def _skills_drawn_from(user_id: UUID, ids: QuerySet[Drawer, Any] | Sequence[UUID]) -> QuerySet[Skill]:
    drawn = SkillSource.objects.filter(user_id=user_id, drawer_id__in=ids)
    return Skill.objects.filter(user_id=user_id, id__in=drawn.values("skill_id"))


def erase_entity(user_id: UUID, entity_ids: Sequence[UUID]) -> int:
    """Erase entities with the names and attributes their owner gave them, and their remaining relations."""
    EntityName.objects.filter(user_id=user_id, entity_id__in=entity_ids).delete()
    forget_changes_of(user_id, entity_ids)
    return Entity.objects.filter(user_id=user_id, id__in=entity_ids).delete()[0]


def blank_words(value: Any, words: Words) -> Any:
    """A JSON value in which every string with any of these words is blank, except keys and the values of
    `CODES`."""
    if isinstance(value, dict):
        return {name: inner if name in CODES else blank_words(inner, words) for name, inner in value.items()}
    if isinstance(value, list):
        return [blank_words(inner, words) for inner in value]
    return "" if isinstance(value, str) and words.are_in(value) else value


def as_text(value: Any) -> str:
    """All strings and keys in a JSON value, without the values of `CODES`."""
    if isinstance(value, dict):
        return "\n".join(f"{name}\n{as_text(inner)}" for name, inner in value.items() if name not in CODES)
    if isinstance(value, list):
        return "\n".join(map(as_text, value))
    return value if isinstance(value, str) else ""


def _facts_only_from(user_id: UUID, drawer_ids: Sequence[UUID]) -> list[UUID]:
    """Facts whose sources are all in these drawers."""
    sources = FactSource.objects.filter(user_id=user_id, fact_id=OuterRef("id"))
    resting = Exists(sources.filter(drawer_id__in=drawer_ids))
    others = Exists(sources.exclude(drawer_id__in=drawer_ids))
    facts = Fact.objects.filter(resting, ~others, user_id=user_id)
    return list(facts.values_list("id", flat=True))


def _erase_in_journals(user_id: UUID, erased_ids: frozenset[UUID], words: Words) -> int:
    """Remove erased rows and the words from events and histories; returns the number of entries.

    Changes that held such words can no longer be undone.
    """
    count = _scrub_activity(user_id, words) + _erase_changes(user_id, erased_ids, words)
    versions = FactVersion.objects.filter(user_id=user_id)
    affected = versions.values_list("id", "content").iterator(BATCH)
    ids = [row_id for row_id, content in affected if words.are_in(as_text(content))]
    count += versions.filter(id__in=ids).delete()[0]
    return count + _clear_profile_text(user_id, words)


def _scrub_activity(user_id: UUID, words: Words) -> int:
    changed: list[ActivityEvent] = []
    for event in ActivityEvent.objects.filter(user_id=user_id).iterator(BATCH):
        scrubbed = blank_words(event.details, words)
        if scrubbed != event.details:
            event.details = scrubbed
            changed.append(event)
    for event in changed:
        event.save(update_fields=("details",))
    return len(changed)


def _erase_changes(user_id: UUID, erased_ids: frozenset[UUID], words: Words) -> int:
    """Remove erased rows from the change log, and all rows of changes with the words.

    Those changes can no longer be undone. Unapplied plans are removed as a whole.
    """
    runs = ConsolidationRun.objects.filter(user_id=user_id, state=ConsolidationRun.State.PLANNED)
    ChangeSet.objects.filter(user_id=user_id, made_at=None).delete()
    runs.delete()
    row_changes = RowChange.objects.filter(user_id=user_id)
    erased = row_changes.filter(row_id__in=erased_ids).delete()[0]
    rows = row_changes.values_list("change_set_id", "before", "after").iterator(BATCH)
    affected = {set_id for set_id, *values in rows if words.are_in(as_text(values))}
    row_changes.filter(change_set_id__in=affected).delete()
    return erased + len(affected)


def _clear_profile_text(user_id: UUID, words: Words) -> int:
    """Drop profile paragraphs with the words; they are generated again from what is left."""
    stored = Profile.objects.filter(~Q(paragraphs=[]), user_id=user_id).first()
    if stored is None or not words.are_in(" ".join(stored.paragraphs)):
        return 0
    return Profile.objects.filter(user_id=user_id).update(digest=b"", paragraphs=[])
