"""Wings, rooms and closets: list, rename, move, merge and delete them."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.rest.schemas import (
    Deletion,
    Destination,
    Ids,
    JsonObject,
    MergeSource,
    Name,
    NewName,
    OptionalName,
    Paged,
    PageQuery,
    StrictSchema,
    Text,
    Truncated,
)
from memory.consolidation.summaries import summary_of
from memory.forgetting import trash
from memory.models import ChangeSet
from memory.organize import arranging
from memory.organize.arranging import change_kind, rename
from memory.organize.places import Target, place_of
from memory.pages.palace import queries

router = Router(tags=["Palace"])
WingKind = Literal["person", "project", "topic", "agent"]
NO_SUMMARY = {"text": "", "written_by": ""}


class Wing(Schema):
    """A subject. `first` and `last` are when it was first and last mentioned."""

    id: UUID
    name: str
    kind: str
    ordinal: int
    rooms: int = Field(validation_alias="rooms_held")
    drawers: int = Field(validation_alias="drawers_held")
    first: datetime | None = Field(validation_alias="first_at")
    last: datetime | None = Field(validation_alias="last_at")


class Room(Schema):
    """A slice of time in a wing, with the source it was mined from."""

    id: UUID
    wing_id: UUID
    title: str
    closets: int = Field(validation_alias="closets_held")
    drawers: int = Field(validation_alias="drawers_held")
    first: datetime = Field(validation_alias="started_at")
    last: datetime = Field(validation_alias="ended_at")
    source_kind: str
    source_id: UUID


class Closet(Schema):
    """A topic within a room."""

    id: UUID
    room_id: UUID
    name: str
    drawers: int = Field(validation_alias="drawers_held")
    first: datetime | None
    last: datetime | None


class Summary(Schema):
    """A generated summary, `written_by` `rules` or a `model`; both fields are empty without one."""

    text: str
    written_by: str


class DrawerItem(Schema):
    """A drawer in a list. `excerpt` is the beginning of its text if `truncated`, otherwise all of it."""

    id: UUID
    pointer: Text
    role: str
    speaker: str
    said_at: datetime
    excerpt: str
    truncated: Truncated
    closet_id: UUID
    closet: str = Field(validation_alias="closet.name")
    pinned: bool
    sensitive: bool


class WingUpdate(StrictSchema):
    """The fields to change; omitted fields stay as they are."""

    name: Name | None = None
    kind: WingKind | None = None


class MoveDrawers(StrictSchema):
    """The drawers to move, and the wing to move them to. Each keeps its topic unless `closet` is given."""

    drawers: Ids
    wing: UUID
    closet: OptionalName = ""


class Changes(Schema):
    """The ids of the changes made. Undo each with `POST /undo/{id}`. `skipped` lists drawers that were left
    as they were."""

    changes: list[UUID]
    skipped: list[UUID] = []


@router.get("wings", response=Paged[Wing])
def list_wings(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List wings, the most recently mentioned first."""
    return queries.wings(request.user.id, query.after, query.limit)


@router.get("wings/{uuid:wing_id}", response=Wing)
def get_wing(request: BearerRequest, wing_id: UUID) -> Any:
    """Get a wing."""
    return queries.wing(request.user.id, wing_id)


@router.patch("wings/{uuid:wing_id}", response=Changes, auth=WRITE)
def update_wing(request: BearerRequest, wing_id: UUID, change: WingUpdate) -> Any:
    """Change the name or kind of a wing.

    The old name still finds it."""
    user_id, now, target = request.user.id, timezone.now(), Target("wing", wing_id)
    place_of(user_id, "wing", wing_id)
    made = []
    with transaction.atomic():
        if change.name is not None:
            made.append(rename(user_id, target, change.name, now))
        if change.kind is not None:
            made.append(change_kind(user_id, target, change.kind, now))
    return _changes(*made)


@router.delete("wings/{uuid:wing_id}", response=Deletion, auth=WRITE)
def delete_wing(request: BearerRequest, wing_id: UUID) -> Any:
    """Move a wing to the trash.

    Includes all its drawers and whatever is known from them alone."""
    return trash.delete(request.user.id, "wing", wing_id, timezone.now())


@router.post("wings/{uuid:wing_id}/merge", response=Changes, auth=WRITE)
def merge_wings(request: BearerRequest, wing_id: UUID, source: MergeSource) -> Any:
    """Merge another wing into this one, which keeps its name."""
    return _merge(request, "wing", wing_id, source)


@router.get("wings/{uuid:wing_id}/rooms", response=Paged[Room])
def list_rooms(request: BearerRequest, wing_id: UUID, query: Query[PageQuery]) -> Any:
    """List the rooms of a wing, newest first."""
    queries.wing(request.user.id, wing_id)
    return queries.rooms(request.user.id, wing_id, query.after, query.limit)


@router.get("rooms/{uuid:room_id}", response=Room)
def get_room(request: BearerRequest, room_id: UUID) -> Any:
    """Get a room."""
    return queries.room(request.user.id, room_id)


@router.patch("rooms/{uuid:room_id}", response=Changes, auth=WRITE)
def rename_room(request: BearerRequest, room_id: UUID, new: NewName) -> Any:
    """Rename a room."""
    return _changes(rename(request.user.id, Target("room", room_id), new.name, timezone.now()))


@router.delete("rooms/{uuid:room_id}", response=Deletion, auth=WRITE)
def delete_room(request: BearerRequest, room_id: UUID) -> Any:
    """Move a room to the trash.

    Includes all its drawers and whatever is known from them alone."""
    return trash.delete(request.user.id, "room", room_id, timezone.now())


@router.post("rooms/{uuid:room_id}/merge", response=Changes, auth=WRITE)
def merge_rooms(request: BearerRequest, room_id: UUID, source: MergeSource) -> Any:
    """Merge another room into this one, which keeps its title."""
    return _merge(request, "room", room_id, source)


@router.post("rooms/{uuid:room_id}/move", response=Changes, auth=WRITE)
def move_room(request: BearerRequest, room_id: UUID, destination: Destination) -> Any:
    """Move a room to another wing.

    Pointers stay valid."""
    return _move(request, "room", room_id, destination)


@router.get("rooms/{uuid:room_id}/summary", response=Summary)
def get_room_summary(request: BearerRequest, room_id: UUID) -> Any:
    """Get the summary of a room."""
    queries.room(request.user.id, room_id)
    return summary_of(request.user.id, room_id) or NO_SUMMARY


@router.get("rooms/{uuid:room_id}/closets", response=Paged[Closet])
def list_closets(request: BearerRequest, room_id: UUID, query: Query[PageQuery]) -> Any:
    """List the closets of a room, oldest first."""
    queries.room(request.user.id, room_id)
    return queries.closets(request.user.id, room_id, query.after, query.limit)


@router.get("rooms/{uuid:room_id}/drawers", response=Paged[DrawerItem])
def list_room_drawers(request: BearerRequest, room_id: UUID, query: Query[PageQuery]) -> Any:
    """List the drawers of a room in the order they were said."""
    queries.room(request.user.id, room_id)
    return queries.drawers_of_room(request.user.id, room_id, query.after, query.limit)


@router.get("closets/{uuid:closet_id}", response=Closet)
def get_closet(request: BearerRequest, closet_id: UUID) -> Any:
    """Get a closet."""
    return queries.closet(request.user.id, closet_id)


@router.patch("closets/{uuid:closet_id}", response=Changes, auth=WRITE)
def rename_closet(request: BearerRequest, closet_id: UUID, new: NewName) -> Any:
    """Rename a closet.

    The old name still finds it."""
    return _changes(rename(request.user.id, Target("closet", closet_id), new.name, timezone.now()))


@router.delete("closets/{uuid:closet_id}", response=Deletion, auth=WRITE)
def delete_closet(request: BearerRequest, closet_id: UUID) -> Any:
    """Move a closet to the trash.

    Includes all its drawers and whatever is known from them alone."""
    return trash.delete(request.user.id, "closet", closet_id, timezone.now())


@router.post("closets/{uuid:closet_id}/merge", response=Changes, auth=WRITE)
def merge_closets(request: BearerRequest, closet_id: UUID, source: MergeSource) -> Any:
    """Merge another closet of the same room into this one, which keeps its name."""
    return _merge(request, "closet", closet_id, source)


@router.post("closets/{uuid:closet_id}/move", response=Changes, auth=WRITE)
def move_closet(request: BearerRequest, closet_id: UUID, destination: Destination) -> Any:
    """Move a closet to another room.

    Pointers stay valid."""
    return _move(request, "closet", closet_id, destination)


@router.get("closets/{uuid:closet_id}/summary", response=Summary)
def get_closet_summary(request: BearerRequest, closet_id: UUID) -> Any:
    """Get the summary of a closet."""
    queries.closet(request.user.id, closet_id)
    return summary_of(request.user.id, closet_id) or NO_SUMMARY


@router.get("closets/{uuid:closet_id}/drawers", response=Paged[DrawerItem])
def list_closet_drawers(request: BearerRequest, closet_id: UUID, query: Query[PageQuery]) -> Any:
    """List the drawers of a closet in the order they were said."""
    queries.closet(request.user.id, closet_id)
    return queries.drawers_of_closet(request.user.id, closet_id, query.after, query.limit)


@router.post("drawers/move", response=Changes, auth=WRITE)
def move_drawers(request: BearerRequest, move: MoveDrawers) -> Any:
    """Move drawers to another wing.

    Pointers stay valid."""
    destination = arranging.Destination(move.wing, move.closet)
    outcome = arranging.move_drawers(request.user.id, move.drawers, destination, timezone.now())
    made = (outcome.edit,) if outcome.edit else ()
    return {**_changes(*made), "skipped": list(outcome.left)}


def _merge(request: BearerRequest, scope: str, kept: UUID, source: MergeSource) -> JsonObject:
    targets = Target(scope, kept), Target(scope, source.other)
    return _changes(arranging.merge(request.user.id, *targets, timezone.now()))


def _move(request: BearerRequest, scope: str, place_id: UUID, destination: Destination) -> JsonObject:
    target = Target(scope, place_id)
    return _changes(arranging.move(request.user.id, target, destination.into, timezone.now()))


def _changes(*made: ChangeSet) -> JsonObject:
    return {"changes": [change.batch_id for change in made]}
