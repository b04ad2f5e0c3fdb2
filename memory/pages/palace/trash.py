"""Deleting closets, rooms and wings, the trash, and taking a deletion back."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from memory.forgetting import trash as erasure
from memory.forgetting.trash import NotInTrash, deletions
from memory.forgetting.trash import deletion as deletion_of
from memory.pages.palace import queries
from memory.pages.requests import MemoryRequest, form_page, read_page


@form_page
def delete_wing(request: MemoryRequest, wing_id: UUID) -> HttpResponse:
    """Ask, then put everything in a wing into the trash."""
    wing = queries.wing(request.user.id, wing_id)
    return _delete(request, "wing", {"wing": wing, "place": wing})


@form_page
def delete_room(request: MemoryRequest, wing_id: UUID, room_id: UUID) -> HttpResponse:
    """Ask, then put everything in a room into the trash."""
    room = queries.room(request.user.id, wing_id, room_id)
    wing = queries.wing(request.user.id, wing_id)
    return _delete(request, "room", {"wing": wing, "room": room, "place": room})


@form_page
def delete_closet(request: MemoryRequest, wing_id: UUID, room_id: UUID, closet_id: UUID) -> HttpResponse:
    """Ask, then put everything in a closet into the trash."""
    room = queries.room(request.user.id, wing_id, room_id)
    closet = queries.closet(request.user.id, room_id, closet_id)
    wing = queries.wing(request.user.id, wing_id)
    return _delete(request, "closet", {"wing": wing, "room": room, "closet": closet, "place": closet})


@read_page
def trash(request: MemoryRequest) -> HttpResponse:
    """Deleted items that can still be restored."""
    thrown = deletions(request.user.id, request.GET.get("after", ""))
    return render(request, "memory/trash.html", {"thrown": thrown})


@read_page
def deletion(request: MemoryRequest, deletion_id: UUID) -> HttpResponse:
    """One deletion, right after it or later, with the way back."""
    thrown = deletion_of(request.user.id, deletion_id)
    if thrown is None:
        raise NotInTrash
    return render(request, "memory/deletion.html", {"item": thrown})


def _delete(request: MemoryRequest, scope: str, context: dict[str, object]) -> HttpResponse:
    place = context["place"]
    if request.method != "POST":
        return render(request, "memory/delete.html", context | {"scope": scope})
    thrown = erasure.delete(request.user.id, scope, place.id, timezone.now())  # type: ignore[attr-defined]
    return redirect("memory:deletion", thrown.id)
