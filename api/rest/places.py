"""Wings, rooms and closets: reading and naming them, and putting them into the trash."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.rest.paging import Asked, Paged, paged
from api.rest.values import Deleted, Given, Ids, Name, OptionalName, Text
from memory.consolidation.summaries import summary_of
from memory.drawers import pointer_of
from memory.forgetting import trash
from memory.models import ChangeSet
from memory.organize import merging, moving, recording
from memory.organize.naming import rekind, rename
from memory.organize.notes import NOTE_LIMIT
from memory.organize.places import Target, place_of
from memory.pages.palace import queries

Kind = Literal["person", "project", "topic", "agent"]


class Wing(Schema):
    """A subject, with what it holds; `first` and `last` are when its first and last room began."""

    id: UUID
    name: str
    kind: str
    ordinal: int
    rooms: int
    drawers: int
    first: datetime | None
    last: datetime | None


class Room(Schema):
    """A slice of time in a wing; `source_kind` and `source_id` say where it came from."""

    id: UUID
    wing_id: UUID
    title: str
    closets: int
    drawers: int
    first: datetime
    last: datetime
    source_kind: str
    source_id: UUID


class Closet(Schema):
    """A topic of a room."""

    id: UUID
    room_id: UUID
    name: str
    drawers: int
    first: datetime | None
    last: datetime | None


class Summary(Schema):
    """What a place is about, written by the machine: by `rules` or a `model`; empty without any."""

    text: str
    written_by: str

    @classmethod
    def of(cls, summary: Any) -> "Summary":
        """A stored summary, or an empty one."""
        written_by = summary.written_by if summary else ""
        return cls(text=summary.text if summary else "", written_by=written_by)


class DrawerItem(Schema):
    """The beginning of a drawer's words, all of them when `is_whole`."""

    id: UUID
    pointer: Text
    role: str
    speaker: str
    said_at: datetime
    excerpt: str
    is_whole: bool
    closet_id: UUID
    closet: str
    pinned: bool
    sensitive: bool


class Tags(Schema):
    """Who, where, what and when a drawer speaks of."""

    people: list[str]
    places: list[str]
    events: list[str]
    items: list[str]
    times: list[str]


class Drawer(Schema):
    """One verbatim message or note, with its place and its address."""

    id: UUID
    pointer: str
    wing_id: UUID
    room_id: UUID
    closet_id: UUID
    role: str
    speaker: str
    content: str
    said_at: datetime
    token_count: int
    tags: Tags
    pinned: bool
    sensitive: bool
    annotation: str
    source_kind: str
    source_id: UUID
    deleted_at: datetime | None
    deletion_id: UUID | None

    @staticmethod
    def resolve_pointer(drawer: Any) -> str:
        """The AAAK pointer as it is written."""
        return str(pointer_of(drawer))

    @staticmethod
    def resolve_tags(drawer: Any) -> Any:
        """The tags stand in columns of the drawer."""
        return drawer


class Beside(Schema):
    """What was said just before and just after a drawer."""

    before: DrawerItem | None
    after: DrawerItem | None


class DrawerChange(Given):
    """What its owner may say about a drawer; what is left out stays."""

    pinned: bool | None = None
    sensitive: bool | None = None
    annotation: Annotated[str, Field(max_length=10_000)] | None = None


class NewNote(Given):
    """A note to file at once; wing, room and closet are made when they are new."""

    text: Annotated[str, Field(min_length=1, max_length=NOTE_LIMIT)]
    wing: OptionalName = "Notes"
    wing_kind: Kind = "topic"
    room: OptionalName = "Notes"
    closet: OptionalName = "Notes"


class Filed(Schema):
    """Where a note was filed."""

    id: UUID
    pointer: str


class Thrown(Schema):
    """A deletion in the trash: `final_at` is when it can no longer be taken back."""

    deletion_id: UUID
    deleted_at: datetime
    final_at: datetime
    drawers: int
    scope: str
    beginning: str
    is_whole: bool
    drawer_id: UUID


class Marked(Schema):
    """How a drawer is marked now. Posting to `/changes/{id}/undo` takes a change back."""

    id: UUID
    pinned: bool
    sensitive: bool
    changes: list[UUID]


class WingChange(Given):
    """Another name or kind of a wing; what is left out stays."""

    name: Name | None = None
    kind: Kind | None = None


class NewName(Given):
    """Another name of a room or closet."""

    name: Name


class Other(Given):
    """The one that is taken for the same."""

    other: UUID


class Into(Given):
    """Where something goes: a room into a wing, a closet into a room."""

    into: UUID


class MovedDrawers(Given):
    """Drawers that go to a wing, each under its topic or all into one closet."""

    drawers: Ids
    wing: UUID
    closet: OptionalName = ""


class Changed(Schema):
    """What was changed. Posting to `/changes/{id}/undo` takes each of `changes` back; drawers that
    were left as they are stand in `left`."""

    changes: list[UUID]
    left: list[UUID] = []


class Undone(Schema):
    """How many changes were taken back."""

    changes: int


router = Router(tags=["Palace"])


@router.get("wings", response=Paged[Wing], summary="Wings, the latest spoken of first")
def wings(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Every subject that holds a drawer."""
    return paged(queries.wings(request.user.id, asked.after, asked.limit))


@router.get("wings/{uuid:wing_id}", response=Wing, summary="One wing")
def wing(request: BearerRequest, wing_id: UUID) -> Any:
    """A subject with the number of its rooms and drawers."""
    return queries.wing(request.user.id, wing_id)


@router.delete("wings/{uuid:wing_id}", response=Deleted, auth=WRITE, summary="Delete a wing")
def delete_wing(request: BearerRequest, wing_id: UUID) -> Any:
    """Put every drawer of a wing, and what is known from them alone, into the trash."""
    return trash.delete(request.user.id, "wing", wing_id, timezone.now())


@router.get("wings/{uuid:wing_id}/rooms", response=Paged[Room], summary="Rooms of a wing")
def rooms(request: BearerRequest, wing_id: UUID, asked: Query[Asked]) -> Any:
    """The rooms of a wing, newest first."""
    queries.wing(request.user.id, wing_id)
    return paged(queries.rooms(request.user.id, wing_id, asked.after, asked.limit))


@router.get("rooms/{uuid:room_id}", response=Room, summary="One room")
def room(request: BearerRequest, room_id: UUID) -> Any:
    """A slice of time in a wing."""
    return queries.found_room(request.user.id, room_id)


@router.delete("rooms/{uuid:room_id}", response=Deleted, auth=WRITE, summary="Delete a room")
def delete_room(request: BearerRequest, room_id: UUID) -> Any:
    """Put every drawer of a room, and what is known from them alone, into the trash."""
    return trash.delete(request.user.id, "room", room_id, timezone.now())


@router.get("rooms/{uuid:room_id}/closets", response=Paged[Closet], summary="Closets of a room")
def closets(request: BearerRequest, room_id: UUID, asked: Query[Asked]) -> Any:
    """The topics of a room in the order they were made."""
    queries.found_room(request.user.id, room_id)
    return paged(queries.closets(request.user.id, room_id, asked.after, asked.limit))


@router.get("rooms/{uuid:room_id}/drawers", response=Paged[DrawerItem], summary="Drawers of a room")
def drawers_of_room(request: BearerRequest, room_id: UUID, asked: Query[Asked]) -> Any:
    """The drawers of a room as they were said."""
    queries.found_room(request.user.id, room_id)
    found = queries.drawers_of_room(request.user.id, room_id, asked.after, asked.limit)
    return paged(found)


@router.get("rooms/{uuid:room_id}/summary", response=Summary, summary="What a room is about")
def summary_of_room(request: BearerRequest, room_id: UUID) -> Any:
    """A few sentences by the machine; empty when there are none yet."""
    queries.found_room(request.user.id, room_id)
    return Summary.of(summary_of(request.user.id, room_id))


@router.get("closets/{uuid:closet_id}", response=Closet, summary="One closet")
def closet(request: BearerRequest, closet_id: UUID) -> Any:
    """A topic of a room."""
    return queries.found_closet(request.user.id, closet_id)


@router.delete("closets/{uuid:closet_id}", response=Deleted, auth=WRITE, summary="Delete a closet")
def delete_closet(request: BearerRequest, closet_id: UUID) -> Any:
    """Put every drawer of a closet, and what is known from them alone, into the trash."""
    return trash.delete(request.user.id, "closet", closet_id, timezone.now())


@router.get(
    "closets/{uuid:closet_id}/drawers",
    response=Paged[DrawerItem],
    summary="Drawers of a closet",
)
def drawers_of_closet(request: BearerRequest, closet_id: UUID, asked: Query[Asked]) -> Any:
    """The drawers of a closet as they were said."""
    queries.found_closet(request.user.id, closet_id)
    found = queries.drawers_of_closet(request.user.id, closet_id, asked.after, asked.limit)
    return paged(found)


@router.get("closets/{uuid:closet_id}/summary", response=Summary, summary="What a closet is about")
def summary_of_closet(request: BearerRequest, closet_id: UUID) -> Any:
    """A few sentences by the machine; empty when there are none yet."""
    queries.found_closet(request.user.id, closet_id)
    return Summary.of(summary_of(request.user.id, closet_id))


@router.patch("wings/{uuid:wing_id}", response=Changed, auth=WRITE, summary="Rename a wing")
def change_wing(request: BearerRequest, wing_id: UUID, change: WingChange) -> Any:
    """Give a wing another name or kind; its old name still finds it."""
    place_of(request.user.id, "wing", wing_id)
    return {"changes": _apply(request.user.id, wing_id, change, timezone.now())}


@router.patch("rooms/{uuid:room_id}", response=Changed, auth=WRITE, summary="Rename a room")
def rename_room(request: BearerRequest, room_id: UUID, new: NewName) -> Any:
    """Give a room another title."""
    target = Target("room", room_id)
    edit = rename(request.user.id, target, new.name, timezone.now())
    return {"changes": [edit.batch_id]}


@router.patch("closets/{uuid:closet_id}", response=Changed, auth=WRITE, summary="Rename a closet")
def rename_closet(request: BearerRequest, closet_id: UUID, new: NewName) -> Any:
    """Give a closet another name; its old name still finds it."""
    target = Target("closet", closet_id)
    edit = rename(request.user.id, target, new.name, timezone.now())
    return {"changes": [edit.batch_id]}


def _apply(user_id: UUID, wing_id: UUID, change: WingChange, now: datetime) -> list[UUID]:
    """Name a wing and say its kind as asked; returns what takes each change back. Raises
    NothingThere and ArrangingRefused, and changes nothing then."""
    target, made = Target("wing", wing_id), []
    with transaction.atomic():
        if change.name is not None:
            made.append(rename(user_id, target, change.name, now))
        if change.kind is not None:
            made.append(rekind(user_id, target, change.kind, now))
    return [edit.batch_id for edit in made]


@router.post("wings/{uuid:wing_id}/merge", response=Changed, auth=WRITE, summary="Merge wings")
def merge_wings(request: BearerRequest, wing_id: UUID, given: Other) -> Any:
    """Take another wing for the same as this one, which keeps its name."""
    return _merged(request, "wing", wing_id, given.other)


@router.post("rooms/{uuid:room_id}/merge", response=Changed, auth=WRITE, summary="Merge rooms")
def merge_rooms(request: BearerRequest, room_id: UUID, given: Other) -> Any:
    """Take another room for the same as this one, which keeps its title."""
    return _merged(request, "room", room_id, given.other)


@router.post("closets/{uuid:closet_id}/merge", response=Changed, auth=WRITE, summary="Merge closets")
def merge_closets(request: BearerRequest, closet_id: UUID, given: Other) -> Any:
    """Take another closet of the same room for the same as this one, which keeps its name."""
    return _merged(request, "closet", closet_id, given.other)


@router.post("rooms/{uuid:room_id}/move", response=Changed, auth=WRITE, summary="Move a room")
def move_room(request: BearerRequest, room_id: UUID, given: Into) -> Any:
    """Put a room into another wing. Pointers stay as they are."""
    target = Target("room", room_id)
    return _made(moving.move(request.user.id, target, given.into, timezone.now()))


@router.post("closets/{uuid:closet_id}/move", response=Changed, auth=WRITE, summary="Move a closet")
def move_closet(request: BearerRequest, closet_id: UUID, given: Into) -> Any:
    """Put a closet into another room. Pointers stay as they are."""
    target = Target("closet", closet_id)
    return _made(moving.move(request.user.id, target, given.into, timezone.now()))


@router.post("drawers/move", response=Changed, auth=WRITE, summary="Move drawers")
def move_drawers(request: BearerRequest, given: MovedDrawers) -> Any:
    """Put drawers under another subject. Pointers stay as they are."""
    to = moving.Destination(given.wing, given.closet)
    outcome = moving.move_drawers(request.user.id, given.drawers, to, timezone.now())
    changes = [outcome.edit.batch_id] if outcome.edit else []
    return {"changes": changes, "left": list(outcome.left)}


@router.post("changes/{uuid:change_id}/undo", response=Undone, auth=WRITE, summary="Take a change back")
def undo_change(request: BearerRequest, change_id: UUID) -> Any:
    """Take back what was renamed, merged, moved or marked at once."""
    return {"changes": len(recording.undo(request.user.id, change_id, timezone.now()))}


def _merged(request: BearerRequest, scope: str, kept: UUID, other: UUID) -> dict[str, Any]:
    targets = Target(scope, kept), Target(scope, other)
    return _made(merging.merge(request.user.id, *targets, timezone.now()))


def _made(edit: ChangeSet) -> dict[str, Any]:
    return {"changes": [edit.batch_id]}
