"""Finds or creates the entity for a name.

Entities of different nature that share a name have different senses: Paris who called is not Paris on the
Seine. Places, organisations and projects are often hard to distinguish, so they share a sense; a thing or
topic may turn out to be any of them.
"""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q

from accounts.owned import first_or_raise
from memory.models import OWNER, Entity, EntityName, RelationSource
from memory.text.names import normalise_name

NAME_LIMIT = 200
UNKNOWN = ""

_SENSES = {
    "user": "person",
    "person": "person",
    "animal": "animal",
    "place": "site",
    "organisation": "site",
    "project": "site",
}


def sense_of(type_: str) -> str:
    """The sense of an entity type: person, animal, site, or empty if the type is too vague."""
    return _SENSES.get(type_, UNKNOWN)


def find_entity(user_id: UUID, name: str) -> Entity | None:
    """The entity with this name or alias, ignoring case and spacing; of several, the one with the most
    sources."""
    known = _names_matching(user_id, name)
    return _best_known(user_id, known) if known else None


def find_entities(user_id: UUID, name: str) -> tuple[Entity, ...]:
    """Every entity with this name or alias, oldest first."""
    return tuple(each.entity for each in _names_matching(user_id, name))


def known_entity(user_id: UUID, entity_id: UUID) -> Entity:
    """An entity that was not merged into another. Raises NotFound."""
    return first_or_raise(Entity.objects.filter(user_id=user_id, id=entity_id, merged_into_id=None))


def entity_for(user_id: UUID, name: str, type_: str = "thing") -> Entity:
    """The entity with this name and a compatible type, created if there is none.

    The name `user` is the owner's. An entity of an unspecific type adopts this one. Call inside a transaction
    that holds the palace lock.
    """
    if key_of(name) == OWNER:
        type_ = OWNER
    known = _names_matching(user_id, name)
    sense = sense_of(type_)
    same: Entity | None = next((each.entity for each in known if each.sense == sense), None)
    if same is None and known and sense == UNKNOWN:
        return _best_known(user_id, known)
    untyped: Entity | None = next((each.entity for each in known if each.sense == UNKNOWN), None)
    if same is None and untyped is not None and _narrow_type(untyped, type_):
        return untyped
    return same or _create_entity(user_id, name, type_)


def add_alias(entity: Entity, alias: str) -> None:
    """Add an alias to an entity, unless that name is taken in its sense."""
    if not key_of(alias):
        return
    if sense_of(entity.type) == UNKNOWN and _names_matching(entity.user_id, alias):
        return
    EntityName.objects.get_or_create(
        user_id=entity.user_id,
        normalised=key_of(alias),
        sense=sense_of(entity.type),
        defaults={"entity_id": entity.id, "name": title_of(alias), "is_alias": True},
    )


def key_of(name: str) -> str:
    """The normalised form of a name, by which entities are found."""
    return normalise_name(name)[:NAME_LIMIT]


def title_of(name: str) -> str:
    """The display form of a name."""
    return " ".join(name.split())[:NAME_LIMIT]


def _names_matching(user_id: UUID, name: str) -> list[EntityName]:
    names = EntityName.objects.filter(user_id=user_id, normalised=key_of(name))
    return list(names.select_related("entity").order_by("entity_id"))


def _best_known(user_id: UUID, names: Sequence[EntityName]) -> Entity:
    sources = RelationSource.objects.filter(user_id=user_id)

    def count_sources(name: EntityName) -> int:
        return sources.filter(Q(subject_id=name.entity_id) | Q(object_id=name.entity_id)).count()

    best: Entity = max(names, key=count_sources).entity
    return best


def _narrow_type(entity: Entity, type_: str) -> bool:
    """Give an entity a more specific type, unless one of its names would then be taken."""
    sense = sense_of(type_)
    names = entity.names.all()
    taken = EntityName.objects.filter(
        user_id=entity.user_id, sense=sense, normalised__in=names.values("normalised")
    )
    if taken.exclude(entity_id=entity.id).exists():
        return False
    names.update(sense=sense)
    Entity.objects.filter(user_id=entity.user_id, id=entity.id).update(type=type_)
    entity.type = type_
    return True


def _create_entity(user_id: UUID, name: str, type_: str) -> Entity:
    entity = Entity.objects.create(user_id=user_id, name=title_of(name), type=type_)
    EntityName.objects.create(
        user_id=user_id,
        entity_id=entity.id,
        normalised=key_of(name),
        sense=sense_of(type_),
        name=entity.name,
    )
    return entity
