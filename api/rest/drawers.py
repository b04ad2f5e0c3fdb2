"""Drawers: the verbatim messages and notes."""

from datetime import date, datetime
from typing import Annotated, Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from ninja import Query, Router, Schema, Status
from pydantic import Field

from accounts.http import BearerRequest
from accounts.owned import NotFound
from api.auth import WRITE
from api.rest.facts import Fact, Relation
from api.rest.idempotency import keep_response
from api.rest.places import DrawerItem, WingKind
from api.rest.schemas import Deletion, Ids, Moment, OptionalName, Paged, PageQuery, StrictSchema, Text
from memory import drawers
from memory.aaak import parse_pointer
from memory.facts.queries import facts_in_drawer, relations_in_drawer
from memory.forgetting import trash
from memory.models import ChangeSet
from memory.models import Drawer as DrawerRow
from memory.organize.arranging import annotate, mark
from memory.organize.notes import NOTE_LIMIT, Note, embed_note, file_note
from memory.pages.facts.timeline import FIRST_YEAR, LAST_YEAR, drawers_by_day, years_of
from memory.pages.palace import queries
from memory.preferences import preferences_of, zone_of

router = Router(tags=["Drawers"])


class DrawerQuery(PageQuery):
    """The period to list, both ends included."""

    since: Moment
    until: Moment


class CalendarQuery(Schema):
    """The year to count; the latest with any drawer if omitted."""

    year: Annotated[int, Field(ge=FIRST_YEAR, le=LAST_YEAR)] | None = None


class CalendarDay(Schema):
    """The number of drawers of a day."""

    day: date
    count: int


class CalendarYear(Schema):
    """Drawers per day of a year, in the owner's time zone, and all years with any, newest first."""

    year: int
    drawers: int
    days: list[CalendarDay]
    years: list[int]


class Tags(Schema):
    """The people, places, events, items and times a drawer mentions."""

    people: list[str]
    places: list[str]
    events: list[str]
    items: list[str]
    times: list[str]


class Drawer(Schema):
    """A verbatim message or note, with its place and pointer. Secrets are masked."""

    id: UUID
    pointer: Text
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


class DrawerNeighbours(Schema):
    """The messages directly before and after a drawer."""

    before: DrawerItem | None
    after: DrawerItem | None


class FactSpan(Schema):
    """A fact, and the half-open character range in the drawer it was extracted from."""

    fact: Fact
    start: int
    end: int


class DrawerFacts(Schema):
    """The facts and relations extracted from a drawer."""

    facts: list[FactSpan]
    relations: list[Relation]


class DrawerUpdate(StrictSchema):
    """The fields to change; omitted fields stay as they are. Sensitive drawers are never sent to a model."""

    pinned: bool | None = None
    sensitive: bool | None = None
    annotation: Annotated[str, Field(max_length=10_000)] | None = None


class SelectedDrawers(StrictSchema):
    """Several drawers."""

    drawers: Ids


class UpdatedDrawer(Schema):
    """The marks of a drawer after the update. Undo each of `changes` with `POST /undo/{id}`."""

    id: UUID
    pinned: bool
    sensitive: bool
    changes: list[UUID]


class NewNote(StrictSchema):
    """A note to save. The wing, room and closet are created if they do not exist."""

    text: Annotated[str, Field(min_length=1, max_length=NOTE_LIMIT)]
    wing: OptionalName = "Notes"
    wing_kind: WingKind = "topic"
    room: OptionalName = "Notes"
    closet: OptionalName = "Notes"


class SavedNote(Schema):
    """The drawer of a note."""

    id: UUID
    pointer: Text


@router.get("drawers", response=Paged[DrawerItem])
def list_drawers(request: BearerRequest, query: Query[DrawerQuery]) -> Any:
    """List the drawers of a period in the order they were said."""
    period = query.since, query.until
    return queries.drawers_between(request.user.id, *period, query.after, query.limit)


@router.get("calendar", response=CalendarYear)
def get_calendar(request: BearerRequest, query: Query[CalendarQuery]) -> Any:
    """Count the drawers of a year by day."""
    zone = zone_of(preferences_of(request.user.id))
    years = years_of(request.user.id, zone)
    latest = years[0] if years else timezone.now().astimezone(zone).year
    year = query.year or latest
    counts = drawers_by_day(request.user.id, year, zone)
    days = [{"day": day, "count": count} for day, count in counts.items()]
    return {"year": year, "drawers": sum(counts.values()), "days": days, "years": list(years)}


@router.get("drawers/{uuid:drawer_id}", response=Drawer)
def get_drawer(request: BearerRequest, drawer_id: UUID) -> Any:
    """Get a drawer, also from the trash."""
    return drawers.found_drawer(request.user.id, drawer_id)


@router.get("pointers", response=Drawer)
def resolve_pointer(
    request: BearerRequest,
    pointer: Annotated[str, Query(max_length=60, description="Such as `§ W-042/R-11/D-007`.")],
) -> Any:
    """Get the drawer of an AAAK pointer, even if it was moved since."""
    address = parse_pointer(pointer)
    found = drawers.find_by_pointer(request.user.id, address) if address else None
    if found is None:
        raise NotFound
    return found


@router.get("drawers/{uuid:drawer_id}/neighbours", response=DrawerNeighbours)
def get_drawer_neighbours(request: BearerRequest, drawer_id: UUID) -> Any:
    """Get the drawers before and after a drawer in its room."""
    before, after = queries.adjacent_drawers(drawers.found_drawer(request.user.id, drawer_id))
    return {"before": before, "after": after}


@router.get("drawers/{uuid:drawer_id}/facts", response=DrawerFacts)
def get_drawer_facts(request: BearerRequest, drawer_id: UUID) -> Any:
    """Get the facts and relations extracted from a drawer."""
    user_id = request.user.id
    drawers.found_drawer(user_id, drawer_id)
    return {
        "facts": facts_in_drawer(user_id, drawer_id),
        "relations": relations_in_drawer(user_id, drawer_id),
    }


@router.patch("drawers/{uuid:drawer_id}", response=UpdatedDrawer, auth=WRITE)
def update_drawer(request: BearerRequest, drawer_id: UUID, change: DrawerUpdate) -> Any:
    """Pin, annotate or mark a drawer as sensitive."""
    found = drawers.found_drawer(request.user.id, drawer_id)
    changes = _apply(found, change, timezone.now())
    found.refresh_from_db()
    return {"id": found.id, "pinned": found.pinned, "sensitive": found.sensitive, "changes": changes}


@router.post("drawers/delete", response=Deletion, auth=WRITE)
def delete_drawers(request: BearerRequest, selection: SelectedDrawers) -> Any:
    """Move several drawers to the trash as one deletion.

    Includes facts and relations that rest on them alone. Drawers that do not exist are skipped."""
    return trash.delete_chosen(request.user.id, {"drawer": selection.drawers}, timezone.now())


@router.delete("drawers/{uuid:drawer_id}", response=Deletion, auth=WRITE)
def delete_drawer(request: BearerRequest, drawer_id: UUID) -> Any:
    """Move a drawer to the trash.

    Includes whatever is known from it alone."""
    return trash.delete(request.user.id, "drawer", drawer_id, timezone.now())


@router.post("notes", response={201: SavedNote}, auth=WRITE)
def create_note(request: BearerRequest, note: NewNote) -> Any:
    """Save a note verbatim."""
    now = timezone.now()
    with transaction.atomic():
        made = file_note(request.user.id, Note(**note.model_dump()), now)
        saved = {"id": made.id, "pointer": str(made.pointer)}
        keep_response(request, 201, saved)
    embed_note(made, now)
    return Status(201, saved)


def _apply(drawer: DrawerRow, change: DrawerUpdate, now: datetime) -> list[UUID]:
    """Update a drawer; returns the ids that undo each change. Raises NotFound if it is in the trash."""
    user_id = drawer.user_id
    made: list[ChangeSet | None] = []
    with transaction.atomic():
        if change.annotation is not None and change.annotation != drawer.annotation:
            made.append(annotate(user_id, drawer.id, change.annotation, now))
        for field, on in (("pinned", change.pinned), ("sensitive", change.sensitive)):
            if on is not None:
                made.append(mark(user_id, drawer.id, field, on=on, now=now))
    return [edit.batch_id for edit in made if edit is not None]
