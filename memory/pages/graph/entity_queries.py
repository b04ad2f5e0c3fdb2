"""Reads one person, place or thing of the graph with all that is known of it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Least, Substr

from accounts.owned import first_or_raise
from memory.facts.queries import Line, line_of, owner_of
from memory.graph.editing import edits_of
from memory.graph.traversal import history_of
from memory.models import OWNER, ChangeSet, Entity, EntityName, Relation, RelationSource
from memory.text.owner_sentences import MAX_WORDS_LENGTH

SHOWN = 16
MOMENTS = 16
NEAR = 24
STEPS = 120


@dataclass(frozen=True, slots=True)
class Words:
    """Words that say a relation holds, or is over; empty when only their drawer is known."""

    drawer_id: UUID
    words: str
    ends: bool


@dataclass(frozen=True, slots=True)
class Supported:
    """A relation with its source."""

    line: Line
    said: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """A relation that began or `ended` then."""

    at: datetime
    ended: bool
    line: Line


@dataclass(frozen=True, slots=True)
class EntityPage:
    """An entity: its other names, its relations of today and of the past (newest first, as many
    as are shown), what happened when, what is one step further, and its owner's changes."""

    entity: Entity
    names: tuple[EntityName, ...]
    current: tuple[Supported, ...]
    past: tuple[Supported, ...]
    events: tuple[Event, ...]
    near: tuple[Entity, ...]
    edits: tuple[ChangeSet, ...]

    @property
    def is_owner(self) -> bool:
        """Whether it is the owner of the palace."""
        return self.entity.type == OWNER

    @property
    def more(self) -> bool:
        """Whether there may be more relations than are shown."""
        return max(len(self.current), len(self.past)) == SHOWN


def entity_page(user_id: UUID, entity_id: UUID, now: datetime) -> EntityPage:
    """Everything the page of an entity shows. Raises NotFound."""
    entity = first_or_raise(Entity.objects.filter(user_id=user_id, id=entity_id, merged_into_id=None))
    names = EntityName.objects.filter(user_id=user_id, entity_id=entity_id, is_alias=True)
    over = Q(valid_to__lte=now)
    return EntityPage(
        entity=entity,
        names=tuple(names.order_by("name", "id")),
        current=_relations(entity, ~over | Q(valid_to=None)),
        past=_relations(entity, over),
        events=_events(entity),
        near=_near(entity, now),
        edits=tuple(edits_of(user_id, entity_id)),
    )


def merged_into(user_id: UUID, entity_id: UUID) -> UUID | None:
    """The entity that an entity was merged into, or None."""
    merged = Entity.objects.filter(user_id=user_id, id=entity_id, merged_into_id__isnull=False)
    return merged.values_list("merged_into_id", flat=True).first()


def newest_relations(entity: Entity) -> QuerySet[Relation]:
    """The relations of an entity with both ends, the newest first."""
    ends = Q(subject_id=entity.id) | Q(object_id=entity.id)
    found = Relation.objects.filter(ends, user_id=entity.user_id, deleted_at=None)
    return found.select_related("subject", "object").order_by("-valid_from", "id")


def _relations(entity: Entity, when: Q) -> tuple[Supported, ...]:
    lines = [line_of(row) for row in newest_relations(entity).filter(when)[:SHOWN]]
    said = said_of(entity.user_id, [line.id for line in lines])
    return tuple(Supported(line, tuple(said[line.id])) for line in lines)


def said_of(user_id: UUID, relation_ids: Sequence[UUID]) -> dict[UUID | None, list[Words]]:
    """The words that each of these relations rests on, the earliest first."""
    sources = (
        RelationSource.objects.filter(user_id=user_id, edge_id__in=relation_ids, drawer__deleted_at=None)
        .annotate(length=Least(F("end") - F("start"), MAX_WORDS_LENGTH))
        .annotate(words=Substr("drawer__content", F("start") + 1, F("length") + 0))
        .order_by("at", "drawer__said_at", "id")
        .values_list("edge_id", "drawer_id", "words", "ends")
    )
    found: dict[UUID | None, list[Words]] = defaultdict(list)
    for relation_id, drawer_id, words, ends in sources:
        found[relation_id].append(Words(drawer_id, words or "", ends))
    return found


def _events(entity: Entity) -> tuple[Event, ...]:
    moments = history_of(entity.user_id, entity.id)[:MOMENTS]
    ids = {moment.edge.relation_id for moment in moments}
    rows = Relation.objects.filter(user_id=entity.user_id, id__in=ids)
    lines = {row.id: line_of(row) for row in rows.select_related("subject", "object")}
    return tuple(
        Event(moment.at, moment.kind == "ended", lines[moment.edge.relation_id]) for moment in moments
    )


def _near(entity: Entity, now: datetime) -> tuple[Entity, ...]:
    """What is two relations away, by the newest that hold. Everybody is near everything through the
    owner, so that does not count."""
    owner = owner_of(entity.user_id)
    passed = {entity.id} | ({owner.id} if owner else set())
    holding = _holding(entity.user_id, now)
    near = _reached(holding, {entity.id}, passed)
    further = _reached(holding, set(near), passed | set(near))
    direct = Q(subject_id=entity.id, object_id__in=further) | Q(object_id=entity.id, subject_id__in=further)
    for ends in holding.filter(direct).values_list("subject_id", "object_id"):
        for entity_id in ends:
            further.pop(entity_id, None)
    return tuple(further.values())[:NEAR]


def _holding(user_id: UUID, now: datetime) -> QuerySet[Relation]:
    found = Relation.objects.filter(user_id=user_id, deleted_at=None, valid_from__lte=now)
    return found.filter(Q(valid_to=None) | Q(valid_to__gt=now))


def _reached(holding: QuerySet[Relation], starts: set[UUID], passed: set[UUID]) -> dict[UUID, Entity]:
    """Where the newest relations of some entities lead, without what was passed already."""
    found = holding.filter(Q(subject_id__in=starts) | Q(object_id__in=starts))
    rows = found.select_related("subject", "object").order_by("-valid_from", "id")[:STEPS]
    ends = {end.id: end for row in rows for end in (row.subject, row.object)}
    return {key: end for key, end in ends.items() if key not in passed}
