"""Queries of the palace pages: wings, rooms, closets and drawers.

Lists use cursor pagination. They contain only places with a drawer outside the trash, and read their sizes
from counts that database triggers maintain.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Left

from accounts.owned import first_or_raise
from memory.models import OWNER, Closet, Drawer, Entity, EntityName, RelationSource, Room, Wing
from memory.outgoing import MARGIN, Outgoing
from memory.paging import Page, after_moment, paginate

WINGS_PER_PAGE = 40
PAGE = 30
PREVIEW_LENGTH = 90
MAX_NAMES = 400
NAMES_PER_ROOM = 3


def wings(user_id: UUID, after: str = "", limit: int = WINGS_PER_PAGE, *, kind: str = "") -> Page[Wing]:
    """Wings, optionally of one kind, most recent first. Raises CursorUnreadable."""
    found = Wing.objects.filter(user_id=user_id, last_at__isnull=False)
    return paginate(found.filter(kind=kind) if kind else found, "-last_at", "id", after, limit)


def wing(user_id: UUID, wing_id: UUID) -> Wing:
    """One wing. Raises NotFound."""
    return first_or_raise(Wing.objects.filter(user_id=user_id, id=wing_id, merged_into_id=None))


def rooms(user_id: UUID, wing_id: UUID, after: str = "", limit: int = PAGE) -> Page[Room]:
    """The rooms of a wing, newest first. Raises CursorUnreadable."""
    found = Room.objects.filter(user_id=user_id, wing_id=wing_id, drawers_held__gt=0)
    return paginate(found, "-started_at", "id", after, limit)


def first_of(found: Page[Room], limit: int) -> Page[Room]:
    """The first of these rooms."""
    if len(found.items) <= limit:
        return found
    last = found.items[limit - 1]
    return Page(found.items[:limit], after_moment(last.started_at, last.id))


def room(user_id: UUID, room_id: UUID, wing_id: UUID | None = None) -> Room:
    """One room, of this wing if given. Raises NotFound."""
    found = Room.objects.filter(user_id=user_id, id=room_id, merged_into_id=None)
    return first_or_raise(found.filter(wing_id=wing_id) if wing_id else found)


def room_previews(user_id: UUID, rooms: Sequence[Room]) -> list[tuple[Room, str, list[str], list[Entity]]]:
    """These rooms, each with its first words (not a tool's; secrets masked), topics, and entities."""
    ids = [room.id for room in rooms]
    words, names, people = _first_words(user_id, ids), _closet_names(user_id, ids), people_of(user_id, ids)
    return [(room, words.get(room.id, ""), names[room.id], people[room.id]) for room in rooms]


def _first_words(user_id: UUID, room_ids: Sequence[UUID]) -> dict[UUID, str]:
    live = Drawer.objects.live().filter(user_id=OuterRef("user_id"), room_id=OuterRef("id"))
    spoken = live.exclude(role=Drawer.Role.TOOL).order_by("said_at", "id")
    first = spoken.annotate(begun=Left("content", PREVIEW_LENGTH + 1 + MARGIN))
    rooms = Room.objects.filter(user_id=user_id, id__in=room_ids)
    rows = rooms.annotate(begun=Subquery(first.values("begun")[:1]))
    out = Outgoing(user_id)
    beginnings = {
        key: out.beginning(words or "", PREVIEW_LENGTH) for key, words in rows.values_list("id", "begun")
    }
    return {key: words if is_whole else f"{words}…" for key, (words, is_whole) in beginnings.items()}


def _closet_names(user_id: UUID, room_ids: Sequence[UUID]) -> dict[UUID, list[str]]:
    """The first topics of each room."""
    found = Closet.objects.filter(user_id=user_id, room_id__in=room_ids, drawers_held__gt=0)
    names: dict[UUID, list[str]] = defaultdict(list)
    for room_id, name in found.order_by("created_at", "id").values_list("room_id", "name")[:MAX_NAMES]:
        if len(names[room_id]) < NAMES_PER_ROOM:
            names[room_id].append(name)
    return names


def people_of(user_id: UUID, room_ids: Sequence[UUID]) -> dict[UUID, list[Entity]]:
    """A few entities from the relations in each of these rooms."""
    sources = RelationSource.objects.filter(
        user_id=user_id, drawer__room_id__in=room_ids, drawer__deleted_at=None
    )
    newest = sources.order_by("-at", "id").values_list(
        "drawer__room_id", "subject_id", "subject__type", "object_id", "object__type"
    )
    found: dict[UUID, dict[UUID, None]] = defaultdict(dict)
    for room_id, subject_id, subject_type, object_id, object_type in newest[:MAX_NAMES]:
        for entity_id, entity_type in ((subject_id, subject_type), (object_id, object_type)):
            if entity_type != OWNER and len(found[room_id]) < NAMES_PER_ROOM:
                found[room_id][entity_id] = None
    shown = {key for several in found.values() for key in several}
    entities = {each.id: each for each in Entity.objects.filter(user_id=user_id, id__in=shown)}
    return defaultdict(
        list, {room: [entities[key] for key in keys if key in entities] for room, keys in found.items()}
    )


def closets(user_id: UUID, room_id: UUID, after: str = "", limit: int = PAGE) -> Page[Closet]:
    """The closets of a room, oldest first. Raises CursorUnreadable."""
    found = Closet.objects.filter(user_id=user_id, room_id=room_id, drawers_held__gt=0)
    return paginate(_dated(found), "created_at", "id", after, limit)


def closet(user_id: UUID, closet_id: UUID, room_id: UUID | None = None) -> Closet:
    """One closet, of this room if given. Raises NotFound."""
    found = Closet.objects.filter(user_id=user_id, id=closet_id, merged_into_id=None)
    return first_or_raise(_dated(found.filter(room_id=room_id) if room_id else found))


def _dated(closets: QuerySet[Closet]) -> QuerySet[Closet]:
    """Annotate closets with the times of their `first` and `last` drawer outside the trash."""
    live = Drawer.objects.live().filter(user_id=OuterRef("user_id"), closet_id=OuterRef("id"))
    said = live.values("said_at")
    return closets.annotate(
        first=Subquery(said.order_by("said_at")[:1]), last=Subquery(said.order_by("-said_at")[:1])
    )


DRAWERS_PER_PAGE = 20
EXCERPT = 320

_LIST_FIELDS = (
    *("user_id", "id", "pointer_wing", "pointer_room", "pointer_drawer", "role", "speaker", "said_at"),
    *("closet_id", "closet__user_id", "closet__name", "pinned", "sensitive"),
)


def drawers_of_room(
    user_id: UUID, room_id: UUID, after: str = "", limit: int = DRAWERS_PER_PAGE
) -> Page[Drawer]:
    """The drawers of a room, oldest first. Raises CursorUnreadable."""
    return _drawer_page(user_id, after, limit, room_id=room_id)


def drawers_of_closet(
    user_id: UUID, closet_id: UUID, after: str = "", limit: int = DRAWERS_PER_PAGE
) -> Page[Drawer]:
    """The drawers of a closet, oldest first. Raises CursorUnreadable."""
    return _drawer_page(user_id, after, limit, closet_id=closet_id)


def drawers_between(
    user_id: UUID, start: datetime, end: datetime, after: str = "", limit: int = DRAWERS_PER_PAGE
) -> Page[Drawer]:
    """The drawers between two instants (inclusive), oldest first. Raises CursorUnreadable."""
    return _drawer_page(user_id, after, limit, said_at__range=(start, end))


def adjacent_drawers(drawer: Drawer) -> tuple[Drawer | None, Drawer | None]:
    """The drawers just before and after a drawer in its room."""
    live = _listed(drawer.user_id, room_id=drawer.room_id)
    here = {"said_at": drawer.said_at}
    earlier = live.filter(
        Q(said_at__lt=drawer.said_at) | Q(id__lt=drawer.id, **here),
        said_at__lte=drawer.said_at,  # where the index begins
    )
    later = live.filter(
        Q(said_at__gt=drawer.said_at) | Q(id__gt=drawer.id, **here), said_at__gte=drawer.said_at
    )
    before = _with_excerpts(drawer.user_id, earlier.order_by("-said_at", "-id")[:1])
    following = _with_excerpts(drawer.user_id, later.order_by("said_at", "id")[:1])
    return (before[0] if before else None, following[0] if following else None)


def _listed(user_id: UUID, **chosen: Any) -> QuerySet[Drawer]:
    """Live drawers with their closets, but only the beginning of each text."""
    found = Drawer.objects.live().filter(user_id=user_id, **chosen).select_related("closet")
    return found.only(*_LIST_FIELDS).annotate(beginning=Left("content", EXCERPT + 1 + MARGIN))


def _drawer_page(user_id: UUID, after: str, limit: int, **chosen: Any) -> Page[Drawer]:
    page = paginate(_listed(user_id, **chosen), "said_at", "id", after, limit)
    return Page(_with_excerpts(user_id, page.items), page.after)


def _with_excerpts(user_id: UUID, listed: Iterable[Drawer]) -> tuple[Drawer, ...]:
    out, drawers = Outgoing(user_id), tuple(listed)
    for each in drawers:
        each.excerpt, each.is_whole = out.beginning(each.beginning, EXCERPT)  # type: ignore[attr-defined]
    return drawers


@dataclass(frozen=True, slots=True)
class NameMatches:
    """Wings, rooms and entities whose names match."""

    wings: tuple[Wing, ...]
    rooms: tuple[Room, ...]
    entities: tuple[Entity, ...]


def search_names(user_id: UUID, words: str, limit: int) -> NameMatches:
    """Up to `limit` each of the wings, rooms and entities whose name contains every word."""
    wanted = words.split()
    if not wanted:
        return NameMatches((), (), ())
    wings = Wing.objects.filter(_contains_all(wanted, "name"), user_id=user_id)
    rooms = Room.objects.filter(_contains_all(wanted, "title"), user_id=user_id).select_related("wing")
    names = EntityName.objects.filter(_contains_all(wanted, "name"), user_id=user_id)
    known = names.order_by("name").values_list("entity_id", flat=True)[: limit * 4]
    entities = Entity.objects.filter(user_id=user_id, id__in=list(known), merged_into_id=None).exclude(
        type="user"
    )
    return NameMatches(
        tuple(wings.order_by("name", "id")[:limit]),
        tuple(rooms.order_by("-started_at", "-id")[:limit]),
        tuple(entities.order_by("name", "id")[:limit]),
    )


def _contains_all(words: Sequence[str], field: str) -> Q:
    condition = Q()
    for word in words:
        condition &= Q(**{f"{field}__icontains": word})
    return condition
