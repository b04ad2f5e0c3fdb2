"""Entities that nothing speaks of any more."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Lower

from memory.models import OWNER, Entity, EntityName, Fact, Relation, RelationSource


def orphans(user_id: UUID, *, since: UUID | None = None) -> list[Entity]:
    """Entities without any relation, without a name that their owner gave them, and of which no
    fact speaks; with `since`, only those that came after this UUIDv7.

    What lies in the trash counts as there, so that it can come back.
    """
    entities = list(_unrelated(user_id, since))
    spoken_of = _in_facts(user_id, entities)
    return [entity for entity in entities if entity.id not in spoken_of]


def remove_orphans(user_id: UUID, *, since: UUID | None = None) -> int:
    """Erase the orphans with their names; returns how many there were.

    Runs inside a transaction that holds the palace lock.
    """
    ids = [entity.id for entity in orphans(user_id, since=since)]
    Entity.objects.filter(user_id=user_id, id__in=ids).delete()
    return len(ids)


def _unrelated(user_id: UUID, since: UUID | None) -> QuerySet[Entity]:
    relations = Relation.objects.filter(user_id=user_id)
    sources = RelationSource.objects.filter(user_id=user_id)
    given = EntityName.objects.filter(user_id=user_id, entity_id=OuterRef("id"), by_owner=True)
    found = Entity.objects.filter(
        *(
            ~Exists(rows.filter(**{end: OuterRef("id")}))
            for rows in (relations, sources)
            for end in ("subject_id", "object_id")
        ),
        ~Exists(given),
        user_id=user_id,
    )
    found = found.filter(id__gte=since) if since else found.exclude(type=OWNER)
    return found.order_by("id")


def _in_facts(user_id: UUID, entities: Sequence[Entity]) -> set[UUID]:
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
        .filter(Q(thing__in=wanted) | Q(place__in=wanted) | Q(persons__overlap=wanted))
        .values_list("thing", "place", "persons")
    )
    said = {word for thing, place, persons in facts for word in (thing, place, *persons)}
    return {entity_id for word in said for entity_id in names.get(word, ())}
