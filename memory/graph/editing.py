"""Edits of entities by their owner, all of which can be undone.

Relations are computed from their sources, so only entities, names and sources are recorded. Call everything
inside a transaction that holds the palace lock.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from memory.changes import log
from memory.changes.log import Area, Change, Recording, refuse
from memory.forgetting.tombstones import add_tombstone, name_digest, remove_tombstones
from memory.graph.relations import settle, tracks_of
from memory.graph.resolution import key_of, known_entity, sense_of, title_of
from memory.models import (
    OWNER,
    ActivityEvent,
    ChangeSet,
    Entity,
    EntityName,
    RelationSource,
    Tombstone,
)
from memory.placement import locked_palace

Kind = ChangeSet.Kind
SOURCE_TABLE = "memory.relationsource"
TYPES = ("person", "animal", "place", "organisation", "project", "thing", "topic")
MAX_DETAILS = 50
MAX_EDITS = 20
DETAIL_LIMIT = 500


@dataclass(frozen=True, slots=True)
class Part:
    """What to split off: a name and a type, and the relations and aliases that move along."""

    name: str
    type: str
    relation_ids: tuple[UUID, ...] = ()
    name_ids: tuple[UUID, ...] = ()


def rename(user_id: UUID, entity_id: UUID, name: str, now: datetime) -> ChangeSet:
    """Rename an entity; its old name still finds it. Raises NotFound and ChangeRefused."""
    with _editing(user_id, entity_id) as entity:
        _refuse_unless(entity.type != OWNER, _("You are always called “You” here."))
        _refuse_unless(bool(key_of(name)), _("A name must contain letters."))
        _refuse_unless(title_of(name) != entity.name, _("That is already its name."))
        draft = Draft(entity, now)
        draft.change(entity.names.filter(is_alias=False), is_alias=True)
        _set_name(draft, entity, name, is_alias=False)
        draft.change([entity], name=title_of(name))
        return draft.save(Kind.RENAMED)


def retype(user_id: UUID, entity_id: UUID, type_: str, now: datetime) -> ChangeSet:
    """Change the type of an entity. Raises NotFound and ChangeRefused."""
    with _editing(user_id, entity_id) as entity:
        _refuse_unless(entity.type != OWNER, _("You are the owner of this palace."))
        _refuse_unless(type_ in TYPES, _("There is no such kind."))
        _refuse_unless(type_ != entity.type, _("That is already its kind."))
        draft = Draft(entity, now)
        for name in entity.names.order_by("id"):
            _refuse_if_taken(entity, name.normalised, sense_of(type_))
            draft.change([name], sense=sense_of(type_))
        draft.change([entity], type=type_)
        return draft.save(Kind.RETYPED)


def set_detail(user_id: UUID, entity_id: UUID, detail: tuple[str, str], now: datetime) -> ChangeSet:
    """Set a named attribute of an entity; an empty value removes it. Raises NotFound and ChangeRefused."""
    label, value = (" ".join(each.split())[:DETAIL_LIMIT] for each in detail)
    with _editing(user_id, entity_id) as entity:
        _refuse_unless(bool(label), _("A detail needs a name."))
        details = {name: known for name, known in entity.attributes.items() if name != label}
        if value:
            details[label] = value
        _refuse_unless(details != entity.attributes, _("That is already saved."))
        too_many = _("There can be at most %(most)s details.") % {"most": MAX_DETAILS}
        _refuse_unless(len(details) <= MAX_DETAILS, too_many)
        draft = Draft(entity, now)
        draft.change([entity], attributes=details)
        return draft.save(Kind.DETAILED)


def add_name(user_id: UUID, entity_id: UUID, name: str, now: datetime) -> ChangeSet:
    """Add an alias to an entity. Raises NotFound and ChangeRefused."""
    with _editing(user_id, entity_id) as entity:
        _refuse_unless(bool(key_of(name)), _("A name must contain letters."))
        known = entity.names.filter(normalised=key_of(name)).exists()
        _refuse_unless(not known, _("It already has that name."))
        draft = Draft(entity, now)
        _set_name(draft, entity, name, is_alias=True)
        return draft.save(Kind.NAMED)


def remove_name(user_id: UUID, entity_id: UUID, name_id: UUID, now: datetime) -> ChangeSet:
    """Remove an alias from an entity. Raises NotFound and ChangeRefused."""
    with _editing(user_id, entity_id) as entity:
        name = entity.names.filter(id=name_id, is_alias=True).first()
        if name is None:
            refuse(_("It has no such alias."))
        draft = Draft(entity, now)
        draft.remove(name)
        digest = name_digest(name.normalised, name.sense)
        add_tombstone(user_id, Tombstone.Kind.NAME, digest, draft.id)
        return draft.save(Kind.UNNAMED)


def merge(user_id: UUID, entity_id: UUID, other_id: UUID, now: datetime) -> ChangeSet:
    """Merge another entity into this one, which keeps its name and gets the other's as aliases.

    Raises NotFound and ChangeRefused.
    """
    with _editing(user_id, entity_id) as entity:
        other = known_entity(user_id, other_id)
        _refuse_unless(other.id != entity.id, _("They are already merged."))
        _refuse_unless(other.type != OWNER, _("Merge the other one into you instead."))
        draft = Draft(entity, now)
        draft.change(other.names.order_by("id"), entity_id=entity.id, is_alias=True)
        draft.change([entity], attributes={**other.attributes, **entity.attributes})
        draft.change([other], merged_into_id=entity.id)
        draft.move(sources_of(user_id, other.id), other.id, entity.id)
        return draft.save(Kind.MERGED, other.id)


def split(user_id: UUID, entity_id: UUID, part: Part, now: datetime) -> ChangeSet:
    """Split some relations and names off into a new entity. Raises NotFound and ChangeRefused."""
    with _editing(user_id, entity_id) as entity:
        _refuse_unless(bool(key_of(part.name)), _("A name must contain letters."))
        _refuse_unless(part.type in TYPES, _("There is no such kind."))
        sources = [s for s in sources_of(user_id, entity.id) if s.edge_id in part.relation_ids]
        names = list(entity.names.filter(id__in=part.name_ids, is_alias=True))
        _refuse_unless(bool(sources or names), _("Choose something to move to the new one."))
        draft = Draft(entity, now)
        other = Entity.objects.create(user_id=user_id, name=title_of(part.name), type=part.type)
        draft.added(other)
        draft.change(names, entity_id=other.id, sense=sense_of(other.type))
        _set_name(draft, other, other.name, is_alias=False)
        draft.move(sources, entity.id, other.id)
        return draft.save(Kind.SPLIT, other.id)


def undo(user_id: UUID, edit_id: UUID, now: datetime) -> ChangeSet:
    """Undo a change; what was learned since is kept.

    Raises NotFound, AlreadyUndone, and ChangedSince if later changes depend on it.
    """
    with locked_palace(user_id):
        [edit] = log.undoable_in_batch(user_id, Area.GRAPH, edit_id)
        diffs = log.diffs_of(user_id, [edit])[edit.id]
        sources = {diff.id for diff in diffs if diff.table == SOURCE_TABLE}
        learned = sources_of(user_id, edit.others[0]) if edit.kind == Kind.SPLIT else []
        learned = [each for each in learned if each.id not in sources]
        with _settling(user_id, [*sources, *(each.id for each in learned)]):
            _move_back(edit, learned)
            log.undo(user_id, [edit], now)
        remove_tombstones(user_id, Tombstone.Kind.NAME, edit_id)
    return edit


def edits_of(user_id: UUID, entity_id: UUID) -> Sequence[ChangeSet]:
    """The owner's changes to an entity that can be undone, newest first."""
    edits = log.undoable(user_id, area=Area.GRAPH, subject_id=entity_id)
    return list(edits.order_by("-id")[:MAX_EDITS])


def sources_of(user_id: UUID, entity_id: UUID) -> list[RelationSource]:
    """All sources of an entity's relations."""
    ends = Q(subject_id=entity_id) | Q(object_id=entity_id)
    return list(RelationSource.objects.filter(ends, user_id=user_id).order_by("id"))


class Draft(Recording):
    """A change to an entity in progress. `id` is what undoes it."""

    def __init__(self, entity: Entity, now: datetime) -> None:
        super().__init__(entity.user_id)
        self.id = uuid7()
        self._entity = entity
        self._now = now

    def move(self, sources: Sequence[RelationSource], start: UUID, end: UUID) -> None:
        """Move these sources from one entity to another."""
        gone = {"deleted_at": self._now, "deletion_id": self.id}
        with _settling(self.user_id, [each.id for each in sources], gone):
            self.change([each for each in sources if each.subject_id == start], subject_id=end)
            self.change([each for each in sources if each.subject_id != start], object_id=end)

    def save(self, kind: ChangeSet.Kind, other_id: UUID | None = None) -> ChangeSet:
        """Record the change for its owner to read and undo."""
        others = () if other_id is None else (other_id,)
        moved = {"sources": self._ids(SOURCE_TABLE), "names": self._ids("memory.entityname")}
        given = moved if kind == Kind.MERGED else {}
        change = Change(kind.value, "entity", self._entity.id, tuple(self.diffs), others, given)
        edited = ActivityEvent.Kind.GRAPH_EDITED
        return log.record_with_event(self.user_id, Area.GRAPH, change, self._now, edited, self.id)

    def _ids(self, table: str) -> list[str]:
        return [str(diff.id) for diff in self.diffs if diff.table == table]


def _move_back(edit: ChangeSet, learned: Sequence[RelationSource]) -> None:
    """Move back what was split off, with everything learned about it since and its new names."""
    if edit.kind != Kind.SPLIT:
        return
    other_id, original_id = edit.others[0], edit.subject_id
    sources = RelationSource.objects.filter(user_id=edit.user_id, id__in=[each.id for each in learned])
    sources.filter(subject_id=other_id).update(subject_id=original_id)
    sources.filter(object_id=other_id).update(object_id=original_id)
    names = EntityName.objects.filter(user_id=edit.user_id, entity_id=other_id)
    known = [diff.id for diff in log.diffs_of(edit.user_id, [edit])[edit.id]]
    names.exclude(id__in=known).update(entity_id=original_id, is_alias=True)


@contextmanager
def _settling(
    user_id: UUID, source_ids: Collection[UUID], gone: Mapping[str, Any] | None = None
) -> Iterator[None]:
    """Settle every relation that these sources belong to before or after the block."""
    sources = RelationSource.objects.filter(user_id=user_id, id__in=source_ids)
    tracks = set(tracks_of(user_id, sources.all()))
    yield
    tracks |= set(tracks_of(user_id, sources.all()))
    for track in sorted(tracks, key=lambda each: (each.subject_id, each.relation)):
        settle(track, gone=gone)


@contextmanager
def _editing(user_id: UUID, entity_id: UUID) -> Iterator[Entity]:
    with locked_palace(user_id):
        yield known_entity(user_id, entity_id)


def _set_name(draft: Draft, entity: Entity, name: str, *, is_alias: bool) -> None:
    """Give an entity a name its owner chose: one of its own respelled, or a new one."""
    own = entity.names.filter(normalised=key_of(name)).first()
    if own is not None:
        draft.change([own], name=title_of(name), is_alias=is_alias, by_owner=True)
        return
    _refuse_if_taken(entity, key_of(name), sense_of(entity.type))
    made = EntityName.objects.create(
        user_id=entity.user_id,
        entity_id=entity.id,
        normalised=key_of(name),
        sense=sense_of(entity.type),
        name=title_of(name),
        is_alias=is_alias,
        by_owner=True,
    )
    draft.added(made)


def _refuse_if_taken(entity: Entity, normalised: str, sense: str) -> None:
    taken = EntityName.objects.filter(user_id=entity.user_id, normalised=normalised, sense=sense)
    if taken.exclude(entity_id=entity.id).exists():
        refuse(_("Something else has that name; if they are the same, merge them."))


def _refuse_unless(holds: bool, reason: str) -> None:
    if not holds:
        refuse(reason)
