"""The trash, and the pages that delete wings, rooms and closets or a selection."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory.forgetting.scopes import NothingToForget
from memory.forgetting.trash import NotInTrash, delete_chosen, deletions
from memory.forgetting.trash import delete as move_to_trash
from memory.forgetting.trash import deletion as deletion_of
from memory.organize.places import SCOPES, Place
from memory.pages.palace import queries
from memory.pages.requests import MemoryRequest, back_url, form_page, parse_uuid, post_page, read_page, report

MAX_ITEMS = 500


@form_page
def delete(
    request: MemoryRequest, wing_id: UUID, room_id: UUID | None = None, closet_id: UUID | None = None
) -> HttpResponse:
    """Move everything in a wing, room or closet to the trash, after confirmation."""
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
    deleted = move_to_trash(request.user.id, scope, place.id, timezone.now())
    return redirect("memory:deletion", deleted.id)


@post_page
def delete_selected(request: MemoryRequest) -> HttpResponse:
    """Move the selected items to the trash as one deletion."""
    back = redirect(back_url(request) or reverse("memory:palace"))
    chosen: dict[str, list[UUID]] = {}
    for value in request.POST.getlist("item")[:MAX_ITEMS]:
        scope, _colon, text = value.partition(":")
        item_id = parse_uuid(text)
        if item_id and (scope == "drawer" or scope in SCOPES):
            chosen.setdefault(scope, []).append(item_id)
    try:
        deletion = delete_chosen(request.user.id, chosen, timezone.now())
    except NothingToForget:
        messages.info(request, _("There was nothing to delete."))
        return back
    count = deletion.counts["drawers"]
    words = ngettext("%(count)s drawer moved to the trash.", "%(count)s drawers moved to the trash.", count)
    report(request, words % {"count": count}, deletion.id)
    return back


@read_page
def trash(request: MemoryRequest) -> HttpResponse:
    """Deleted items that can still be restored."""
    page = deletions(request.user.id, request.GET.get("after", ""))
    return render(request, "memory/trash.html", {"deletions": page})


@read_page
def deletion(request: MemoryRequest, deletion_id: UUID) -> HttpResponse:
    """A deletion that can be undone."""
    deleted = deletion_of(request.user.id, deletion_id)
    if deleted is None:
        raise NotInTrash
    return render(request, "memory/deletion.html", {"item": deleted})
