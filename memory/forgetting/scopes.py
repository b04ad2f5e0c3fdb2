"""The scope of a request to forget: a place, an entity, chats, days, or everything."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.owned import NotFound
from memory.models import OWNER, Drawer, Entity, EntityName, Fact, FactSource, RelationSource
from memory.text.patterns import UNSPACED

NAMED_KINDS = ("drawer", "wing", "entity", "project", "agent")
"""What can be named instead of giving its id."""
_UNSPACED = re.compile(f"[{UNSPACED}]")


class NothingToForget(NotFound):
    """Nothing matches the request, or all of it was already forgotten."""


class InvalidScope(ValueError):
    """A request lacks something, or says more than its kind can mean; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What to forget: one of `KINDS`, with an id or, for `NAMED_KINDS`, a `name`; days for `dates` only.

    A drawer's name is its pointer. Days run from `since` up to, but not including, `until`. With `with_chats`
    the messages are also removed from their chats. Raises InvalidScope.
    """

    kind: str
    object_id: UUID | None = None
    name: str = ""
    since: datetime | None = None
    until: datetime | None = None
    with_chats: bool = True

    def __post_init__(self) -> None:
        if self.kind == "dates":
            self._check_days()
        elif self.since or self.until:
            raise InvalidScope(_("Only `dates` can have `since` and `until`."))
        if self.kind in ("dates", "everything"):
            if self.object_id or self.name:
                raise InvalidScope(_("`%(kind)s` cannot have an id or a name.") % {"kind": self.kind})
        else:
            self._check_target()

    @classmethod
    def named(cls, kind: str, words: str, **given: Any) -> "ForgetRequest":
        """The request for what has this id or else this name. Raises InvalidScope."""
        try:
            object_id = UUID(words)
        except ValueError:
            return cls(kind, name=words, **given)
        return cls(kind, object_id, **given)

    def _check_days(self) -> None:
        if not (self.since or self.until):
            raise InvalidScope(_("`dates` need `since` or `until`."))
        if self.since and self.until and self.since >= self.until:
            raise InvalidScope(_("`since` must be before `until`."))

    def _check_target(self) -> None:
        if self.object_id and self.name:
            raise InvalidScope(_("Give an id or a name, not both."))
        if self.name and self.kind not in NAMED_KINDS:
            raise InvalidScope(_("A `%(kind)s` can be named only by its id.") % {"kind": self.kind})
        if not (self.object_id or self.name):
            raise InvalidScope(_("Give the id of what to forget."))


@dataclass(frozen=True, slots=True)
class Scope:
    """A request resolved to ids: the drawer, place, entity, chat or agent `object_id`, widened to
    everything said in `sources` and filed in `wings`. `until` is exclusive."""

    kind: str
    object_id: UUID | None = None
    sources: tuple[UUID, ...] = ()
    wings: tuple[UUID, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


def drawers_in(user_id: UUID, scope: Scope) -> QuerySet[Drawer]:
    """The drawers in scope that are not in the trash. Raises NothingToForget for an unknown entity
    or the owner."""
    chosen = _CONDITIONS[scope.kind](user_id, scope)
    return Drawer.objects.live().filter(chosen, user_id=user_id)


def same_entities(entity: Entity) -> list[UUID]:
    """The ids of an entity and of all entities merged into it, directly or not."""
    found = [entity.id]
    while True:
        merged = Entity.objects.filter(user_id=entity.user_id, merged_into_id__in=found)
        new = list(merged.exclude(id__in=found).values_list("id", flat=True))
        if not new:
            return found
        found += new


def _by(field: str) -> Callable[[UUID, Scope], Q]:
    return lambda _user_id, scope: Q(**{field: scope.object_id})


def _of_chats(user_id: UUID, scope: Scope) -> Q:
    return Q(source_id__in=scope.sources) | Q(wing_id__in=scope.wings)


def _said_between(user_id: UUID, scope: Scope) -> Q:
    if scope.since is None and scope.until is None:
        raise NothingToForget
    chosen = Q(said_at__gte=scope.since) if scope.since else Q()
    return chosen & Q(said_at__lt=scope.until) if scope.until else chosen


def _about(user_id: UUID, scope: Scope) -> Q:
    """Drawers that name an entity, are tagged with it, or support a fact or relation about it."""
    entity = scope.object_id and Entity.objects.filter(user_id=user_id, id=scope.object_id).first()
    if not entity or entity.type == OWNER:
        raise NothingToForget
    entities = same_entities(entity)
    given = EntityName.objects.filter(user_id=user_id, entity_id__in=entities)
    names = list(dict.fromkeys([entity.name, *given.values_list("name", flat=True)]))
    relations = RelationSource.objects.filter(
        Q(subject_id__in=entities) | Q(object_id__in=entities), user_id=user_id
    )
    chosen = Q(id__in=relations.values("drawer_id")) | Q(id__in=_drawers_of_facts(user_id, names))
    for name in names:
        chosen |= Q(content__iregex=_pattern(name)) | Q(annotation__iregex=_pattern(name))
    for tags in ("people", "places", "events", "items"):
        chosen |= Q(**{f"{tags}__overlap": names})
    return chosen


def _drawers_of_facts(user_id: UUID, names: Sequence[str]) -> QuerySet[FactSource, UUID]:
    about = Q(persons__overlap=names) | Q(entities__overlap=names)
    about |= Q(object__in=names) | Q(location__in=names)
    facts = Fact.objects.filter(about, user_id=user_id)
    sources = FactSource.objects.filter(user_id=user_id, fact_id__in=facts.values("id"))
    return sources.values_list("drawer_id", flat=True)


def _pattern(name: str) -> str:
    """A regular expression for the name as whole words or, in scripts without spaces, anywhere."""
    words = r"\s+".join(re.escape(word) for word in name.split())
    return words if _UNSPACED.search(name) else rf"(^|[^[:alnum:]]){words}($|[^[:alnum:]])"


_CONDITIONS: dict[str, Callable[[UUID, Scope], Q]] = {
    "drawer": _by("id"),
    "closet": _by("closet_id"),
    "room": _by("room_id"),
    "wing": _by("wing_id"),
    "entity": _about,
    "source": _by("source_id"),
    "project": _of_chats,
    "agent": _of_chats,
    "import": _of_chats,
    "dates": _said_between,
    "everything": lambda _user_id, _scope: Q(),
}
KINDS = tuple(_CONDITIONS)
"""What can be forgotten."""
