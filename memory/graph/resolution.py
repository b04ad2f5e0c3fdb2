"""Finds or makes the entity behind a name."""

from uuid import UUID

from memory.models import OWNER, Entity, EntityName
from memory.names import normalise_name

NAME_LIMIT = 200


def find_entity(user_id: UUID, name: str) -> Entity | None:
    """The entity with this name or alias, whatever its case and spacing, or None."""
    known = EntityName.objects.filter(user_id=user_id, normalised=_key(name)).first()
    return Entity.objects.get(user_id=user_id, id=known.entity_id) if known else None


def entity_for(user_id: UUID, name: str, type_: str = "thing") -> Entity:
    """The entity of this name, made if there is none. The name `user` is the owner.

    Runs inside a transaction that holds the palace lock.
    """
    found = find_entity(user_id, name)
    if found is not None:
        return found
    title = " ".join(name.split())[:NAME_LIMIT]
    entity = Entity.objects.create(
        user_id=user_id, name=title, type=OWNER if _key(name) == OWNER else type_
    )
    EntityName.objects.create(
        user_id=user_id, entity_id=entity.id, normalised=_key(name), name=title
    )
    return entity


def add_alias(entity: Entity, alias: str) -> None:
    """Let an entity be found by another name too, unless that name is taken."""
    if _key(alias):
        EntityName.objects.get_or_create(
            user_id=entity.user_id,
            normalised=_key(alias),
            defaults={
                "entity_id": entity.id,
                "name": " ".join(alias.split())[:NAME_LIMIT],
                "is_alias": True,
            },
        )


def _key(name: str) -> str:
    return normalise_name(name)[:NAME_LIMIT]
