"""Removes names of places and entities that mining made from forgotten words."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from memory.changes.log import forget_changes_of
from memory.forgetting.identifying_words import Words
from memory.mining.transcripts import CONVERSATION
from memory.models import Closet, Drawer, Entity, EntityName, Room, Wing, WingName

NAMELESS_CLOSET = "Topic"
NAMELESS_WING = "Wing"
BATCH = 2_000


@dataclass(frozen=True, slots=True)
class Places:
    """The wings, rooms and closets of drawers."""

    wings: frozenset[UUID]
    rooms: frozenset[UUID]
    closets: frozenset[UUID]

    def __or__(self, others: "Places") -> "Places":
        return Places(self.wings | others.wings, self.rooms | others.rooms, self.closets | others.closets)


def places_of(drawers: Iterable[Drawer]) -> Places:
    """The places of these drawers."""
    found = list(drawers)
    return Places(
        frozenset(drawer.wing_id for drawer in found),
        frozenset(drawer.room_id for drawer in found),
        frozenset(drawer.closet_id for drawer in found),
    )


def places_named_in(user_id: UUID, chats: Iterable[UUID]) -> Places:
    """The places named by mining these chats: their rooms and closets, and the wings that began with them.
    Rooms of notes are excluded, because their owners named them."""
    rooms = Room.objects.filter(user_id=user_id, source_kind=CONVERSATION, source_id__in=tuple(chats))
    begun = Wing.objects.filter(
        Exists(rooms.filter(wing_id=OuterRef("id"))),
        ~Exists(
            Room.objects.filter(user_id=user_id, wing_id=OuterRef("id"), ordinal=1).exclude(
                id__in=rooms.values("id")
            )
        ),
        user_id=user_id,
    )
    closets = Closet.objects.filter(user_id=user_id, room_id__in=rooms.values("id"))
    return Places(*(frozenset(each.values_list("id", flat=True)) for each in (begun, rooms, closets)))


def named_elsewhere(user_id: UUID, places: Places, words: Words) -> dict[tuple[str, str], int]:
    """The number of other places with any of the words in their names, by table and column."""
    counts: dict[tuple[str, str], int] = {}
    for model, key, ids, columns in (
        (Wing, "id", places.wings, ("name",)),
        (WingName, "wing_id", places.wings, ("name", "slug")),
        (Room, "id", places.rooms, ("title",)),
        (Closet, "id", places.closets, ("name", "slug")),
    ):
        others = model._default_manager.filter(user_id=user_id).exclude(**{f"{key}__in": ids})
        for row in others.values(*columns).iterator(BATCH):
            for column, value in row.items():
                if words.are_in(value):
                    place = (model._meta.db_table, column)
                    counts[place] = counts.get(place, 0) + 1
    return counts


def remove_empty(user_id: UUID, places: Places) -> int:
    """Erase places that are empty, even counting the trash; returns how many.

    Their ordinals are never reused.
    """
    count = 0
    for model, ids, held in (
        (Closet, places.closets, {"drawers": None}),
        (Room, places.rooms, {"drawers": None}),
        (Wing, places.wings, {"drawers": None, "rooms": None}),
    ):
        rows = model._default_manager.filter(user_id=user_id)
        gone = list(rows.filter(id__in=ids, **held).values_list("id", flat=True))
        rows.filter(id__in=gone).delete()
        forget_changes_of(user_id, gone)
        count += len(gone)
    return count


def remove_names(user_id: UUID, places: Places, words: Words) -> int:
    """Remove names made from forgotten words; returns how many.

    Applies to places that are not empty and to entities that are still mentioned. Names given by the owner
    stay.
    """
    if not words:
        return 0
    rooms = Room.objects.filter(user_id=user_id, id__in=places.rooms)
    matching = [room.id for room in rooms if words.are_in(room.title)]
    count = rooms.filter(id__in=matching).update(title="")
    count += _clear_closet_names(user_id, places, words) + _remove_wing_names(user_id, places, words)
    return count + _remove_entity_names(user_id, words)


def _clear_closet_names(user_id: UUID, places: Places, words: Words) -> int:
    closets = Closet.objects.filter(user_id=user_id, id__in=places.closets)
    matching = [closet for closet in closets if words.are_in(f"{closet.name} {closet.slug}")]
    for closet in matching:
        closet.name, closet.slug = NAMELESS_CLOSET, f"topic-{closet.id.hex}"
        closet.save(update_fields=("name", "slug"))
    return len(matching)


def _remove_wing_names(user_id: UUID, places: Places, words: Words) -> int:
    names = WingName.objects.filter(user_id=user_id, wing_id__in=places.wings)
    matching = [each.id for each in names if words.are_in(f"{each.name} {each.slug}")]
    names.filter(id__in=matching).delete()
    for wing in Wing.objects.filter(user_id=user_id, id__in=places.wings):
        if words.are_in(wing.name):
            _rename_wing(wing)
    return len(matching)


def _rename_wing(wing: Wing) -> None:
    """Fall back to another name of the wing, or to its ordinal."""
    names = WingName.objects.filter(user_id=wing.user_id, wing_id=wing.id)
    fallback = f"{NAMELESS_WING} {wing.ordinal}"
    if not names.exists():
        names.create(user_id=wing.user_id, wing_id=wing.id, slug=f"wing-{wing.id.hex}", name=fallback)
    _rename(wing, names, fallback)


def _remove_entity_names(user_id: UUID, words: Words) -> int:
    given = EntityName.objects.filter(user_id=user_id, by_owner=False)
    matching = [each for each in given if words.are_in(each.name)]
    EntityName.objects.filter(user_id=user_id, id__in=[each.id for each in matching]).delete()
    for entity in Entity.objects.filter(user_id=user_id, id__in=[each.entity_id for each in matching]):
        if words.are_in(entity.name):
            names = EntityName.objects.filter(user_id=user_id, entity_id=entity.id)
            _rename(entity, names, fallback=entity.type)
    return len(matching)


def _rename(named: Wing | Entity, names: QuerySet[WingName] | QuerySet[EntityName], fallback: str) -> None:
    """Use the first of the other names, or `fallback`."""
    other = names.order_by("is_alias", "id").first()
    if other is not None:
        names.filter(id=other.id).update(is_alias=False)
    named.name = other.name if other else fallback
    named.save(update_fields=("name",))
