"""Makes changes to entities so that each can be undone exactly.

A draft changes rows and remembers what was there. Everything here runs inside a transaction that
holds the palace lock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from memory.activity import Happening, record
from memory.graph.settlement import settle, tracks_of
from memory.models import ActivityEvent, Entity, EntityName, GraphEdit, RelationSource


class EditRefused(Exception):
    """The change cannot be made; the message is a sentence for the owner."""


@dataclass(slots=True)
class Before:
    """What a change replaced, by ids: fields of entities and names, whole names that are gone,
    names that are new, and ends of sources that lead elsewhere now."""

    entities: dict[str, dict[str, Any]] = field(default_factory=dict)
    names: dict[str, dict[str, Any]] = field(default_factory=dict)
    names_gone: list[dict[str, Any]] = field(default_factory=list)
    names_new: list[str] = field(default_factory=list)
    moved_subjects: list[str] = field(default_factory=list)
    moved_objects: list[str] = field(default_factory=list)


class Draft:
    """A change in the making to an entity, and maybe another one. `id` is that of its edit."""

    def __init__(self, entity: Entity, now: datetime) -> None:
        self.id = uuid7()
        self.before = Before()
        self._entity = entity
        self._user_id = entity.user_id
        self._now = now

    def change(self, entity: Entity, /, **values: Any) -> None:
        """Give an entity other values."""
        kept = {name: _plain(getattr(entity, name)) for name in values}
        self.before.entities[str(entity.id)] = kept
        Entity.objects.filter(user_id=self._user_id, id=entity.id).update(**values)

    def change_name(self, name: EntityName, /, **values: Any) -> None:
        """Give a name other values."""
        kept = {each: _plain(getattr(name, each)) for each in values}
        known = self.before.names.setdefault(str(name.id), {})
        known.update({each: value for each, value in kept.items() if each not in known})
        EntityName.objects.filter(user_id=self._user_id, id=name.id).update(**values)

    def add_name(self, **values: Any) -> None:
        """Let the entity, or another, be found by one more name."""
        given = {"entity_id": self._entity.id, **values}
        name = EntityName.objects.create(user_id=self._user_id, **given)
        self.before.names_new.append(str(name.id))

    def remove_name(self, name: EntityName) -> None:
        """Let an entity no longer be found by a name."""
        self.before.names_gone.append(_row(name))
        name.delete()

    def move(self, sources: Sequence[RelationSource], start: UUID, end: UUID) -> None:
        """Let what these sources say of one entity be said of another."""
        moved = [(source, _ends_at(source, start)) for source in sources]
        self.before.moved_subjects += [str(each.id) for each, at in moved if at == "subject_id"]
        self.before.moved_objects += [str(each.id) for each, at in moved if at == "object_id"]
        gone = {"deleted_at": self._now, "deletion_id": self.id}
        _repoint(self._user_id, self.before, (start, end), gone)

    def keep(self, kind: GraphEdit.Kind, other_id: UUID | None = None) -> GraphEdit:
        """Write down what was done, for its owner to read and undo."""
        edit = GraphEdit.objects.create(
            user_id=self._user_id,
            id=self.id,
            kind=kind,
            entity_id=self._entity.id,
            other_id=other_id,
            details=asdict(self.before),
            at=self._now,
        )
        details = {"edit": str(edit.id), "change": kind.value}
        happening = Happening(ActivityEvent.Kind.GRAPH_EDITED, self._entity.id, details)
        record(self._user_id, happening, self._now)
        return edit


def put_back(edit: GraphEdit) -> None:
    """Restore what an edit replaced. Raises EditRefused when a name means something else by now."""
    before = Before(**edit.details)
    user_id = edit.user_id
    EntityName.objects.filter(user_id=user_id, id__in=before.names_new).delete()
    for name in EntityName.objects.filter(user_id=user_id, id__in=list(before.names)):
        values = before.names[str(name.id)]
        _refuse_if_taken(name, values.get("sense", name.sense))
        EntityName.objects.filter(user_id=user_id, id=name.id).update(**values)
    for row in before.names_gone:
        _refuse_if_taken(EntityName(user_id=user_id, **row), row["sense"])
        EntityName.objects.create(user_id=user_id, **row)
    for entity_id, values in before.entities.items():
        Entity.objects.filter(user_id=user_id, id=entity_id).update(**values)
    if edit.other_id is not None:
        _move_back(edit, before, edit.other_id)


def _move_back(edit: GraphEdit, before: Before, other_id: UUID) -> None:
    """What was merged goes out again; what was split off comes home, with all it learned since."""
    if edit.kind == GraphEdit.Kind.MERGED:
        _repoint(edit.user_id, before, (edit.entity_id, other_id), None)
        return
    learned = RelationSource.objects.filter(user_id=edit.user_id)
    for end, ids in (("subject_id", before.moved_subjects), ("object_id", before.moved_objects)):
        since = learned.filter(**{end: other_id}).exclude(id__in=ids)
        ids += [str(source_id) for source_id in since.values_list("id", flat=True)]
    _repoint(edit.user_id, before, (other_id, edit.entity_id), None)
    _bring_names_home(edit, other_id)
    Entity.objects.filter(user_id=edit.user_id, id=other_id).delete()


def _bring_names_home(edit: GraphEdit, other_id: UUID) -> None:
    names = EntityName.objects.filter(user_id=edit.user_id, entity_id=other_id)
    names.update(entity_id=edit.entity_id, is_alias=True)


def _repoint(
    user_id: UUID, moved: Before, ends: tuple[UUID, UUID], gone: Mapping[str, Any] | None
) -> None:
    """Let sources lead from one entity to the other, and settle every track they are or were in."""
    start, end = ends
    ids = [*moved.moved_subjects, *moved.moved_objects]
    sources = RelationSource.objects.filter(user_id=user_id, id__in=ids)
    tracks = set(tracks_of(user_id, sources.all()))
    sources.filter(id__in=moved.moved_subjects, subject_id=start).update(subject_id=end)
    sources.filter(id__in=moved.moved_objects, object_id=start).update(object_id=end)
    tracks |= set(tracks_of(user_id, sources.all()))
    for track in sorted(tracks, key=lambda each: (each.subject_id, each.relation)):
        settle(track, gone=gone)


def said_about(user_id: UUID, entity_id: UUID) -> list[RelationSource]:
    """Everything that was said of an entity."""
    ends = Q(subject_id=entity_id) | Q(object_id=entity_id)
    return list(RelationSource.objects.filter(ends, user_id=user_id).order_by("id"))


def _ends_at(source: RelationSource, entity_id: UUID) -> str:
    return "subject_id" if source.subject_id == entity_id else "object_id"


def _refuse_if_taken(name: EntityName, sense: str) -> None:
    taken = EntityName.objects.filter(
        user_id=name.user_id, normalised=name.normalised, sense=sense
    ).exclude(id=name.id)
    if taken.exists():
        raise EditRefused(_("Something else goes by that name by now; merge the two instead."))


def _row(name: EntityName) -> dict[str, Any]:
    fields = [
        each.attname for each in EntityName._meta.concrete_fields if each.attname != "user_id"
    ]
    return {each: _plain(getattr(name, each)) for each in fields}


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value
