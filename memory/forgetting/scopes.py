"""What a wish to forget covers: the drawers of a place, a person or thing, chats, days, or all."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from memory.models import OWNER, Drawer, Entity, EntityName, Fact, FactSource, RelationSource

KINDS = (
    "drawer",
    "closet",
    "room",
    "wing",
    "entity",
    "source",
    "project",
    "agent",
    "dates",
    "everything",
)
_DENSE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


class NothingToForget(Exception):
    """There is nothing of that kind, or all of it is forgotten already."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to be forgotten. `object_id` names the drawer, place, entity, chat or agent;
    `sources` and `wings` widen it to all that was said in these chats and filed in these wings.
    Of days, `since` counts and `until` does not."""

    kind: str
    object_id: UUID | None = None
    sources: tuple[UUID, ...] = ()
    wings: tuple[UUID, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


def drawers_in(user_id: UUID, scope: Scope) -> QuerySet[Drawer]:
    """The drawers outside the trash that a wish covers. Raises NothingToForget for an entity that
    is not there, or is the owner."""
    chosen = _CONDITIONS[scope.kind](user_id, scope)
    return Drawer.objects.live().filter(chosen, user_id=user_id)


def names_of(user_id: UUID, entity_id: UUID) -> tuple[str, ...]:
    """Every name that an entity goes by, those of entities merged into it too. Raises
    NothingToForget."""
    entity = Entity.objects.filter(user_id=user_id, id=entity_id).first()
    if entity is None or entity.type == OWNER:
        raise NothingToForget
    names = EntityName.objects.filter(user_id=user_id, entity_id__in=same_entities(entity))
    return tuple(dict.fromkeys([entity.name, *names.values_list("name", flat=True)]))


def same_entities(entity: Entity) -> list[UUID]:
    """An entity and those that were merged into it, at any remove."""
    found = [entity.id]
    while True:
        merged = Entity.objects.filter(user_id=entity.user_id, merged_into_id__in=found)
        new = list(merged.exclude(id__in=found).values_list("id", flat=True))
        if not new:
            return found
        found += new


def _by(field: str) -> Callable[[UUID, Scope], Q]:
    return lambda _, scope: Q(**{field: scope.object_id})


def _of_chats(user_id: UUID, scope: Scope) -> Q:
    return Q(source_id__in=scope.sources) | Q(wing_id__in=scope.wings)


def _said_between(user_id: UUID, scope: Scope) -> Q:
    if scope.since is None and scope.until is None:
        raise NothingToForget
    chosen = Q(said_at__gte=scope.since) if scope.since else Q()
    return chosen & Q(said_at__lt=scope.until) if scope.until else chosen


def _about(user_id: UUID, scope: Scope) -> Q:
    """Drawers that name an entity, are tagged with it, or from which something is known of it."""
    if scope.object_id is None:
        raise NothingToForget
    names = names_of(user_id, scope.object_id)
    entities = same_entities(Entity.objects.get(user_id=user_id, id=scope.object_id))
    relations = RelationSource.objects.filter(
        Q(subject_id__in=entities) | Q(object_id__in=entities), user_id=user_id
    )
    chosen = Q(id__in=relations.values("drawer_id")) | Q(id__in=_drawers_of_facts(user_id, names))
    for name in names:
        chosen |= Q(content__iregex=_pattern(name)) | Q(annotation__iregex=_pattern(name))
    for tags in ("people", "places", "events", "items"):
        chosen |= Q(**{f"{tags}__overlap": list(names)})
    return chosen


def _drawers_of_facts(user_id: UUID, names: Sequence[str]) -> QuerySet[FactSource, UUID]:
    known = list(names)
    about = Q(persons__overlap=known) | Q(entities__overlap=known)
    about |= Q(object__in=known) | Q(location__in=known)
    facts = Fact.objects.filter(about, user_id=user_id)
    sources = FactSource.objects.filter(user_id=user_id, fact_id__in=facts.values("id"))
    return sources.values_list("drawer_id", flat=True)


def _pattern(name: str) -> str:
    """A whole word of any script; in scripts without spaces wherever it stands."""
    words = r"\s+".join(re.escape(word) for word in name.split())
    return words if _DENSE.search(name) else rf"(^|[^[:alnum:]]){words}($|[^[:alnum:]])"


_CONDITIONS: dict[str, Callable[[UUID, Scope], Q]] = {
    "drawer": _by("id"),
    "closet": _by("closet_id"),
    "room": _by("room_id"),
    "wing": _by("wing_id"),
    "source": _by("source_id"),
    "entity": _about,
    "project": _of_chats,
    "agent": _of_chats,
    "dates": _said_between,
    "everything": lambda _user_id, _scope: Q(),
}
