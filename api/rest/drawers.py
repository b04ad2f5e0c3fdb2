"""Drawers, notes and the trash."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from ninja import Query, Router, Status

from accounts.http import BearerRequest
from api.auth import WRITE
from api.problems import Refused
from api.rest import facts as known
from api.rest import places as told
from api.rest.paging import Asked, Paged, paged
from api.rest.values import Deleted
from memory.aaak import parse_pointer
from memory.drawers import (
    NoSuchDrawer,
    find_by_pointer,
    found_drawer,
    pointer_of,
)
from memory.facts.queries import known_from, relations_from
from memory.forgetting import trash as erasure
from memory.forgetting.trash import NotInTrash
from memory.models import ChangeSet, Drawer
from memory.organize.marking import annotate, mark
from memory.organize.notes import Note, NoteRefused, save_note
from memory.pages.palace import queries

router = Router(tags=["Drawers"])


@router.get("drawers/{uuid:drawer_id}", response=told.Drawer, summary="One drawer")
def drawer(request: BearerRequest, drawer_id: UUID) -> Any:
    """The words of a drawer as they were said, in the trash or not."""
    return found_drawer(request.user.id, drawer_id)


@router.get("pointers", response=told.Drawer, summary="The drawer of a pointer")
def drawer_of_pointer(
    request: BearerRequest,
    pointer: Annotated[str, Query(max_length=60, description="Such as `§ W-042/R-11/D-007`.")],
) -> Any:
    """The drawer that an AAAK pointer was minted for, wherever it lies now."""
    try:
        address = parse_pointer(pointer)
    except ValueError as error:
        raise NoSuchDrawer from error
    found = find_by_pointer(request.user.id, address) if address else None
    if found is None:
        raise NoSuchDrawer
    return found


@router.get("drawers/{uuid:drawer_id}/beside", response=told.Beside, summary="What was said beside")
def beside(request: BearerRequest, drawer_id: UUID) -> Any:
    """The drawers before and after one, in its room."""
    before, after = queries.beside(found_drawer(request.user.id, drawer_id))
    return {"before": before, "after": after}


@router.get("drawers/{uuid:drawer_id}/known", response=known.Known, summary="What is known from a drawer")
def known_from_drawer(request: BearerRequest, drawer_id: UUID) -> Any:
    """Facts and relations that rest on the words of a drawer, with where their words stand."""
    found_drawer(request.user.id, drawer_id)
    return {
        "facts": known_from(request.user.id, drawer_id),
        "relations": relations_from(request.user.id, drawer_id),
    }


@router.patch("drawers/{uuid:drawer_id}", response=told.Marked, auth=WRITE, summary="Pin, hide or annotate")
def change_drawer(request: BearerRequest, drawer_id: UUID, change: told.DrawerChange) -> Any:
    """Set what is given: pinned, sensitive (never put before a model), the owner's remark. Each of
    `changes` can be taken back."""
    found = found_drawer(request.user.id, drawer_id)
    changes = _apply(found, change, timezone.now())
    found.refresh_from_db()
    return {
        "id": found.id,
        "pinned": found.pinned,
        "sensitive": found.sensitive,
        "changes": changes,
    }


@router.delete("drawers/{uuid:drawer_id}", response=Deleted, auth=WRITE, summary="Delete a drawer")
def delete_drawer(request: BearerRequest, drawer_id: UUID) -> Any:
    """Put a drawer, and what is known from it alone, into the trash."""
    return erasure.delete(request.user.id, "drawer", drawer_id, timezone.now())


@router.post("notes", response={201: told.Filed}, auth=WRITE, summary="Save a note")
def save(request: BearerRequest, note: told.NewNote) -> Any:
    """File a note at once, word for word."""
    try:
        made = save_note(request.user.id, Note(**note.model_dump()), timezone.now())
    except NoteRefused as error:
        raise Refused(422, str(error)) from error
    return Status(201, {"id": made.id, "pointer": str(pointer_of(made))})


@router.get("trash", response=Paged[told.Thrown], summary="What is in the trash")
def thrown(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Deletions that can be taken back, newest first."""
    return paged(erasure.deletions(request.user.id, asked.after, asked.limit))


@router.get("trash/{uuid:deletion_id}", response=told.Thrown, summary="One deletion")
def deletion(request: BearerRequest, deletion_id: UUID) -> Any:
    """What went into the trash together."""
    found = erasure.deletion(request.user.id, deletion_id)
    if found is None:
        raise NotInTrash
    return found


def _apply(drawer: Drawer, change: told.DrawerChange, now: datetime) -> list[UUID]:
    """Mark a drawer as asked; returns what takes each change back. Raises NothingThere for one in
    the trash."""
    user_id = drawer.user_id
    made: list[ChangeSet | None] = []
    with transaction.atomic():
        if change.annotation is not None and change.annotation != drawer.annotation:
            made.append(annotate(user_id, drawer.id, change.annotation, "", now))
        for field, on in (("pinned", change.pinned), ("sensitive", change.sensitive)):
            if on is not None:
                made.append(mark(user_id, [drawer.id], field, on=on, now=now).edit)
    return [edit.batch_id for edit in made if edit is not None]
