"""Entities that nothing mentions any more."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Lower

from memory.changes.log import forget_changes_of
from memory.models import OWNER, ChangeSet, Entity, EntityName, Fact, Relation, RelationSource


def orphans(user_id: UUID) -> list[Entity]:
    """Entities without a relation, a name or change by their owner, or a fact that mentions them.

    What is in the trash counts as a mention, so that it can be restored.
    """
    edits = ChangeSet.objects.filter(user_id=user_id, area=ChangeSet.Area.GRAPH)
    changed = {
        each for subject, others in edits.values_list("subject_id", "others") for each in (subject, *others)
    }
    untouched = _unrelated(user_id).filter(merged_into_id=None).exclude(type=OWNER)
    return _unmentioned(user_id, untouched.exclude(id__in=changed))


def remove_orphans(user_id: UUID) -> int:
    """Erase entities that nothing mentions, after words were erased for good; returns how many.

    Includes changed and merged entities, except those named by their owner. Call inside a transaction that
    holds the palace lock.
    """
    merged = _merged_without_sources(user_id)
    left = _unrelated(user_id).filter(merged_into_id=None).exclude(type=OWNER)
    ids = [entity.id for entity in _unmentioned(user_id, left)] + merged
    Entity.objects.filter(user_id=user_id, id__in=ids).delete()
    forget_changes_of(user_id, ids)
    return len(ids)


def _merged_without_sources(user_id: UUID) -> list[UUID]:
    """Merged entities without any source left; deletes their names."""
    merges = ChangeSet.objects.filter(
        user_id=user_id, area=ChangeSet.Area.GRAPH, kind=ChangeSet.Kind.MERGED, undone_at=None
    )
    known = RelationSource.objects.filter(user_id=user_id)
    moved = [edit for edit in merges if edit.details["sources"]]
    empty = [edit for edit in moved if not known.filter(id__in=edit.details["sources"]).exists()]
    names = [name_id for edit in empty for name_id in edit.details["names"]]
    EntityName.objects.filter(user_id=user_id, id__in=names, by_owner=False).delete()
    return [other_id for edit in empty for other_id in edit.others]


def _unrelated(user_id: UUID) -> QuerySet[Entity]:
    relations = Relation.objects.filter(user_id=user_id)
    sources = RelationSource.objects.filter(user_id=user_id)
    given = EntityName.objects.filter(user_id=user_id, entity_id=OuterRef("id"), by_owner=True)
    related = (
        Exists(rows.filter(**{end: OuterRef("id")}))
        for rows in (relations, sources)
        for end in ("subject_id", "object_id")
    )
    lonely = [~each for each in related]
    return Entity.objects.filter(*lonely, ~Exists(given), user_id=user_id).order_by("id")


def _unmentioned(user_id: UUID, entities: QuerySet[Entity]) -> list[Entity]:
    found = list(entities)
    mentioned = _mentioned_in_facts(user_id, found)
    return [entity for entity in found if entity.id not in mentioned]


def _mentioned_in_facts(user_id: UUID, entities: Sequence[Entity]) -> set[UUID]:
    names: dict[str, set[UUID]] = {}
    known = EntityName.objects.filter(user_id=user_id, entity_id__in=[e.id for e in entities])
    for entity_id, name, normalised in known.values_list("entity_id", "name", "normalised"):
        for form in (name, name.lower(), normalised):
            names.setdefault(form, set()).add(entity_id)
    if not names:
        return set()
    wanted = list(names)
    facts = (
        Fact.objects.filter(user_id=user_id)
        .annotate(thing=Lower("object"), place=Lower("location"))
        .filter(
            Q(thing__in=wanted)
            | Q(place__in=wanted)
            | Q(persons__overlap=wanted)
            | Q(entities__overlap=wanted)
        )
        .values_list("thing", "place", "persons", "entities")
    )
    mentioned_words = {
        word for thing, place, persons, others in facts for word in (thing, place, *persons, *others)
    }
    return {entity_id for word in mentioned_words for entity_id in names.get(word, ())}
