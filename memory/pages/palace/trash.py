"""Deleting closets, rooms and wings, the trash, and taking a deletion back."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from memory.forgetting import trash as erasure
from memory.forgetting.trash import NotInTrash, deletions
from memory.forgetting.trash import deletion as deletion_of
from memory.organize.places import Place
from memory.pages.palace import queries
from memory.pages.requests import MemoryRequest, form_page, read_page


@form_page
def delete(
    request: MemoryRequest, wing_id: UUID, room_id: UUID | None = None, closet_id: UUID | None = None
) -> HttpResponse:
    """Ask, then put everything in a wing, room or closet into the trash."""
    scope = "wing"
    place: Place = queries.wing(request.user.id, wing_id)
    context: dict[str, object] = {"wing": place}
    if room_id:
        scope, place = "room", queries.room(request.user.id, room_id, wing_id)
        context["room"] = place
    if room_id and closet_id:
        scope, place = "closet", queries.closet(request.user.id, closet_id, room_id)
        context["closet"] = place
    if request.method != "POST":
        return render(request, "memory/delete.html", context | {"scope": scope, "place": place})
    thrown = erasure.delete(request.user.id, scope, place.id, timezone.now())
    return redirect("memory:deletion", thrown.id)


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
