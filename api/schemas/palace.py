"""Wings, rooms, closets, drawers, notes and the trash, as the API tells and takes them."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from api.schemas.values import Given, Ids, Name, OptionalName, Text
from memory.drawers import pointer_of
from memory.notes import NOTE_LIMIT

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
