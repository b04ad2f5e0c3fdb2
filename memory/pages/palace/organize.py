"""The pages that change a wing, room or closet, and move a drawer."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.owned import NotFound, first_or_raise
from memory.changes.log import ChangeRefused
from memory.models import ChangeSet, Closet, Drawer, Room, Wing
from memory.organize import places as choices
from memory.organize.arranging import (
    Destination,
    change_kind,
    last_changes,
    merge,
    move,
    move_drawers,
    rename,
)
from memory.organize.places import Place, Target, place_of, title_of
from memory.pages.requests import REFUSED, MemoryRequest, form_page, parse_uuid, report

Change = Callable[[UUID, Target, Mapping[str, Any], datetime], ChangeSet]

CHANGES: dict[str, Change] = {
    "rename": lambda user_id, target, given, now: rename(user_id, target, given.get("name", ""), now),
    "change_kind": lambda user_id, target, given, now: change_kind(
        user_id, target, given.get("kind", ""), now
    ),
    "merge": lambda user_id, target, given, now: merge(
        user_id, target, Target(target.scope, _chosen_id(given, "other")), now
    ),
    "move": lambda user_id, target, given, now: move(user_id, target, _chosen_id(given, "into"), now),
}


CHANGED = {
    "rename": gettext_lazy("Renamed."),
    "merge": gettext_lazy("Merged."),
    "move": gettext_lazy("Moved."),
}


@form_page
def change_place(request: MemoryRequest, scope: str, place_id: UUID) -> HttpResponse:
    """Rename, merge or move a wing, room or closet, or change the kind of a wing."""
    place = place_of(request.user.id, scope, place_id)
    if request.method != "POST":
        return render(request, "memory/change_place.html", _context(request, place))
    change = CHANGES.get(request.POST.get("action", ""))
    if change is None:
        raise Http404
    try:
        edit = change(request.user.id, Target(scope, place_id), request.POST, timezone.now())
    except ChangeRefused as refusal:
        context = _context(request, place) | {"refusal": str(refusal)}
        return render(request, "memory/change_place.html", context, status=REFUSED)
    report(request, str(CHANGED.get(request.POST["action"], _("Changed."))), edit.batch_id)
    return redirect(url_of(request.user.id, scope, place_id))


@form_page
def move_drawer(request: MemoryRequest, drawer_id: UUID) -> HttpResponse:
    """Move a drawer to its chat's room in another wing."""
    user_id = request.user.id
    drawer = first_or_raise(Drawer.objects.live().filter(user_id=user_id, id=drawer_id))
    refusal = ""
    if request.method == "POST":
        try:
            to = Destination(_chosen_id(request.POST, "into"), request.POST.get("closet", ""))
            outcome = move_drawers(user_id, [drawer.id], to, timezone.now())
        except ChangeRefused as refused:
            refusal = str(refused)
        else:
            if outcome.edit is None:
                messages.info(request, outcome.left[drawer.id])
            else:
                report(request, _("Moved."), outcome.edit.batch_id)
            return redirect("memory:drawer", drawer.id)
    words = _search_words(request)
    context = {"drawer": drawer, "q": words, "choices": choices.wings(user_id, words), "refusal": refusal}
    return render(request, "memory/move_drawer.html", context, status=REFUSED if refusal else 200)


def url_of(user_id: UUID, scope: str, object_id: UUID) -> str:
    """The URL of a wing, room, closet or drawer; that of the palace if it does not exist."""
    if scope == "wing":
        return reverse("memory:wing", args=[object_id])
    if scope == "drawer":
        return reverse("memory:drawer", args=[object_id])
    if scope == "room":
        room = Room.objects.filter(user_id=user_id, id=object_id).first()
        return reverse("memory:room", args=[room.wing_id, room.id]) if room else _palace()
    closet = Closet.objects.filter(user_id=user_id, id=object_id).select_related("room").first()
    if closet is None:
        return _palace()
    return reverse("memory:closet", args=[closet.room.wing_id, closet.room_id, closet.id])


def _palace() -> str:
    return reverse("memory:palace")


def _chosen_id(given: Mapping[str, Any], name: str) -> UUID:
    """The id of the place chosen in a form. Raises ChangeRefused if it is missing, NotFound if invalid."""
    text = given.get(name, "")
    if not text:
        raise ChangeRefused(_("Select one first."))
    place_id = parse_uuid(text)
    if place_id is None:
        raise NotFound
    return place_id


def _search_words(request: MemoryRequest) -> str:
    return request.GET.get("q", "").strip()[:200]


def _context(request: MemoryRequest, place: Place) -> dict[str, object]:
    words = _search_words(request)
    return {
        "place": place,
        "scope": place._meta.model_name,
        "title": title_of(place),
        "q": words,
        "kinds": Wing.Kind.choices,
        "merge_with": choices.to_merge_with(place, words),
        "move_into": choices.to_move_into(place, words),
        "edits": last_changes(request.user.id, place.id),
        "address": url_of(request.user.id, place._meta.model_name or "", place.id),
        "refusal": "",
    }
