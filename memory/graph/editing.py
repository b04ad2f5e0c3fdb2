"""What the owner of a palace can change about its people and things; all of it can be undone."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from memory.graph.edits import Draft, EditRefused, put_back, said_about
from memory.graph.resolution import key_of, title_of
from memory.graph.senses import sense_of
from memory.ledger import keep_away, let_come, name_digest
from memory.models import OWNER, ActivityEvent, Entity, EntityName, GraphEdit, Tombstone
from memory.placement import lock_palace

TYPES = ("person", "animal", "place", "organisation", "project", "thing", "topic")
DETAILS = 50
DETAIL_LIMIT = 500


class NoSuchEntity(Exception):
    """There is no such entity, or it was merged into another."""


class NoSuchEdit(Exception):
    """There is no such change, or it was undone already."""


@dataclass(frozen=True, slots=True)
class Part:
    """What is to be split off: a name and type of its own, relations and names that go with it."""

    name: str
    type: str
    relation_ids: tuple[UUID, ...] = ()
    name_ids: tuple[UUID, ...] = ()


def rename(user_id: UUID, entity_id: UUID, name: str, now: datetime) -> GraphEdit:
    """Call an entity something else; its old name still finds it. Raises NoSuchEntity and
    EditRefused."""
    with _editing(user_id, entity_id) as entity:
        _refuse_owner(entity, _("You are always called “You” here."))
        _refuse_unless(bool(key_of(name)), _("A name needs some letters."))
        _refuse_unless(title_of(name) != entity.name, _("That is its name already."))
        draft = Draft(entity, now)
        for old in _names(entity).filter(is_alias=False):
            draft.change_name(old, is_alias=True)
        _call(draft, entity, name, is_alias=False)
        draft.change(entity, name=title_of(name))
        return draft.keep(GraphEdit.Kind.RENAMED)


def retype(user_id: UUID, entity_id: UUID, type_: str, now: datetime) -> GraphEdit:
    """Say that an entity is a person, a place or something else. Raises NoSuchEntity and
    EditRefused."""
    with _editing(user_id, entity_id) as entity:
        _refuse_owner(entity, _("You are the owner of this palace."))
        _refuse_unless(type_ in TYPES, _("There is no such kind."))
        _refuse_unless(type_ != entity.type, _("That is its kind already."))
        draft = Draft(entity, now)
        for name in _names(entity):
            _refuse_if_taken(entity, name.normalised, sense_of(type_))
            draft.change_name(name, sense=sense_of(type_))
        draft.change(entity, type=type_)
        return draft.keep(GraphEdit.Kind.RETYPED)


def set_detail(user_id: UUID, entity_id: UUID, detail: tuple[str, str], now: datetime) -> GraphEdit:
    """Note a detail of an entity by its name, or take it away when the value is empty. Raises
    NoSuchEntity and EditRefused."""
    label, value = (" ".join(each.split())[:DETAIL_LIMIT] for each in detail)
    with _editing(user_id, entity_id) as entity:
        _refuse_unless(bool(label), _("A detail needs a name."))
        details = {name: known for name, known in entity.attributes.items() if name != label}
        if value:
            details[label] = value
        _refuse_unless(details != entity.attributes, _("That is noted already."))
        too_many = _("At most %(most)s details can be noted.") % {"most": DETAILS}
        _refuse_unless(len(details) <= DETAILS, too_many)
        draft = Draft(entity, now)
        draft.change(entity, attributes=details)
        return draft.keep(GraphEdit.Kind.DETAILED)


def add_name(user_id: UUID, entity_id: UUID, name: str, now: datetime) -> GraphEdit:
    """Let an entity be found by another name too. Raises NoSuchEntity and EditRefused."""
    with _editing(user_id, entity_id) as entity:
        _refuse_unless(bool(key_of(name)), _("A name needs some letters."))
        known = _names(entity).filter(normalised=key_of(name)).exists()
        _refuse_unless(not known, _("It goes by that name already."))
        draft = Draft(entity, now)
        _call(draft, entity, name, is_alias=True)
        return draft.keep(GraphEdit.Kind.NAMED)


def remove_name(user_id: UUID, entity_id: UUID, name_id: UUID, now: datetime) -> GraphEdit:
    """Let an alias no longer find an entity. Raises NoSuchEntity and EditRefused."""
    with _editing(user_id, entity_id) as entity:
        name = _names(entity).filter(id=name_id, is_alias=True).first()
        if name is None:
            raise EditRefused(_("It has no such other name."))
        draft = Draft(entity, now)
        draft.remove_name(name)
        digest = name_digest(name.normalised, name.sense)
        keep_away(user_id, Tombstone.Kind.NAME, digest, draft.id)
        return draft.keep(GraphEdit.Kind.UNNAMED)


def merge(user_id: UUID, entity_id: UUID, other_id: UUID, now: datetime) -> GraphEdit:
    """Take another entity for the same as this one, which keeps its name and knows the other's.

    Raises NoSuchEntity and EditRefused.
    """
    with _editing(user_id, entity_id) as entity:
        other = _entity(user_id, other_id)
        _refuse_unless(other.id != entity.id, _("They are one already."))
        _refuse_owner(other, _("Merge the other into you instead."))
        draft = Draft(entity, now)
        for name in _names(other):
            draft.change_name(name, entity_id=entity.id, is_alias=True)
        draft.change(entity, attributes={**other.attributes, **entity.attributes})
        draft.change(other, merged_into_id=entity.id)
        draft.move(said_about(user_id, other.id), other.id, entity.id)
        return draft.keep(GraphEdit.Kind.MERGED, other.id)


def split(user_id: UUID, entity_id: UUID, part: Part, now: datetime) -> GraphEdit:
    """Make an entity of its own of some relations and names of this one. Raises NoSuchEntity and
    EditRefused."""
    with _editing(user_id, entity_id) as entity:
        _refuse_unless(bool(key_of(part.name)), _("A name needs some letters."))
        _refuse_unless(part.type in TYPES, _("There is no such kind."))
        sources = [s for s in said_about(user_id, entity.id) if s.edge_id in part.relation_ids]
        names = list(_names(entity).filter(id__in=part.name_ids, is_alias=True))
        _refuse_unless(bool(sources or names), _("Choose something that goes with the new one."))
        draft = Draft(entity, now)
        other = Entity.objects.create(user_id=user_id, name=title_of(part.name), type=part.type)
        _give_names(draft, other, names)
        draft.move(sources, entity.id, other.id)
        return draft.keep(GraphEdit.Kind.SPLIT, other.id)


def undo(user_id: UUID, edit_id: UUID, now: datetime) -> GraphEdit:
    """Take back a change: everything is as it was, with what was learned since. Raises NoSuchEdit,
    and EditRefused when something was changed later that rests on it."""
    with transaction.atomic():
        lock_palace(user_id)
        edits = GraphEdit.objects.filter(user_id=user_id, undone_at=None)
        edit = edits.filter(id=edit_id).first()
        if edit is None:
            raise NoSuchEdit
        touched = [each for each in (edit.entity_id, edit.other_id) if each]
        later = edits.filter(Q(entity_id__in=touched) | Q(other_id__in=touched), id__gt=edit.id)
        _refuse_unless(not later.exists(), _("Take back what was changed after it first."))
        put_back(edit)
        let_come(user_id, Tombstone.Kind.NAME, edit.id)
        edits.filter(id=edit.id).update(undone_at=now)
        ActivityEvent.objects.filter(
            user_id=user_id,
            subject_id=edit.entity_id,
            kind=ActivityEvent.Kind.GRAPH_EDITED,
            details__edit=str(edit.id),
        ).update(undone_at=now)
    return edit


def edit_of(user_id: UUID, edit_id: UUID) -> GraphEdit:
    """A change that stands. Raises NoSuchEdit."""
    edit = GraphEdit.objects.filter(user_id=user_id, id=edit_id, undone_at=None).first()
    if edit is None:
        raise NoSuchEdit
    return edit


def edits_of(user_id: UUID, entity_id: UUID, most: int = 20) -> Sequence[GraphEdit]:
    """What its owner changed about an entity and did not take back, newest first."""
    edits = GraphEdit.objects.filter(user_id=user_id, entity_id=entity_id, undone_at=None)
    return list(edits.order_by("-id")[:most])


@contextmanager
def _editing(user_id: UUID, entity_id: UUID) -> Iterator[Entity]:
    with transaction.atomic():
        lock_palace(user_id)
        yield _entity(user_id, entity_id)


def _entity(user_id: UUID, entity_id: UUID) -> Entity:
    entity = Entity.objects.filter(user_id=user_id, id=entity_id, merged_into_id=None).first()
    if entity is None:
        raise NoSuchEntity
    return entity


def _names(entity: Entity) -> QuerySet[EntityName]:
    names = EntityName.objects.filter(user_id=entity.user_id, entity_id=entity.id)
    return names.order_by("id")


def _call(draft: Draft, entity: Entity, name: str, *, is_alias: bool) -> None:
    """Give an entity a name of its owner's choice, its own in another writing or a new one."""
    own = _names(entity).filter(normalised=key_of(name)).first()
    if own is not None:
        draft.change_name(own, name=title_of(name), is_alias=is_alias, by_owner=True)
        return
    _refuse_if_taken(entity, key_of(name), sense_of(entity.type))
    draft.add_name(
        entity_id=entity.id,
        normalised=key_of(name),
        sense=sense_of(entity.type),
        name=title_of(name),
        is_alias=is_alias,
        by_owner=True,
    )


def _give_names(draft: Draft, other: Entity, names: Sequence[EntityName]) -> None:
    sense = sense_of(other.type)
    for name in names:
        draft.change_name(name, entity_id=other.id, sense=sense)
    _call(draft, other, other.name, is_alias=False)


def _refuse_if_taken(entity: Entity, normalised: str, sense: str) -> None:
    taken = EntityName.objects.filter(user_id=entity.user_id, normalised=normalised, sense=sense)
    if taken.exclude(entity_id=entity.id).exists():
        raise EditRefused(_("Something else goes by that name; merge the two if they are one."))


def _refuse_owner(entity: Entity, reason: str) -> None:
    _refuse_unless(entity.type != OWNER, reason)


def _refuse_unless(holds: bool, reason: str) -> None:
    if not holds:
        raise EditRefused(reason)
