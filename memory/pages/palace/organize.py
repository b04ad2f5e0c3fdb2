"""The page on which a wing, room or closet is changed, what is done to several things at once, and
the way back."""

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
from django.utils.translation import ngettext

from accounts.owned import NotFound
from memory.models import ChangeSet, Closet, Room, Wing
from memory.organize import places as choices
from memory.organize.merging import merge
from memory.organize.moving import move
from memory.organize.naming import rekind, rename
from memory.organize.places import ArrangingRefused, Place, Target, place_of, title_of
from memory.organize.recording import last_changes
from memory.organize.selection import (
    ACTIONS,
    ActionRequest,
    ActionResult,
    Item,
    apply_action,
    named,
    read_items,
)
from memory.pages.requests import (
    REFUSED,
    MemoryRequest,
    as_id,
    form_page,
    page_before,
    post_page,
    report,
    undo_url,
)

Change = Callable[[UUID, Target, Mapping[str, Any], datetime], ChangeSet]

CHANGES: dict[str, Change] = {
    "rename": lambda user_id, target, given, now: rename(user_id, target, given.get("name", ""), now),
    "rekind": lambda user_id, target, given, now: rekind(user_id, target, given.get("kind", ""), now),
    "merge": lambda user_id, target, given, now: merge(
        user_id, target, Target(target.scope, _chosen(given, "other")), now
    ),
    "move": lambda user_id, target, given, now: move(user_id, target, _chosen(given, "into"), now),
}


@form_page
def change_place(request: MemoryRequest, scope: str, place_id: UUID) -> HttpResponse:
    """Rename, merge or move a wing, room or closet, or say what kind of subject a wing is."""
    place = place_of(request.user.id, scope, place_id)
    if request.method != "POST":
        return render(request, "memory/change_place.html", _context(request, place))
    change = CHANGES.get(request.POST.get("action", ""))
    if change is None:
        raise Http404
    try:
        edit = change(request.user.id, Target(scope, place_id), request.POST, timezone.now())
    except ArrangingRefused as refusal:
        context = _context(request, place) | {"refusal": str(refusal)}
        return render(request, "memory/change_place.html", context, status=REFUSED)
    report(request, _("Changed."), edit.batch_id)
    return redirect(address_of(request.user.id, scope, place_id))


@post_page
def selected(request: MemoryRequest) -> HttpResponse:
    """Do something to everything that was chosen; where it takes a place to go, ask for that."""
    action, items = request.POST.get("action", ""), read_items(request.POST.getlist("item"))
    if action not in ACTIONS:
        raise Http404
    back = page_before(request) or reverse("memory:palace")
    if not items:
        messages.info(request, _("Nothing was selected."))
        return redirect(back)
    if action in {"move", "merge"} and not request.POST.get("into"):
        return render(request, "memory/selected.html", _asked(request, action, items, back))
    into = _chosen(request.POST, "into") if request.POST.get("into") else None
    wish = ActionRequest(action, into, request.POST.get("closet", ""))
    return _answer(request, apply_action(request.user.id, items, wish, timezone.now()), back)


def address_of(user_id: UUID, scope: str, object_id: UUID) -> str:
    """The page of a wing, room, closet or drawer; that of the palace when it is not here."""
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


def _chosen(given: Mapping[str, Any], name: str) -> UUID:
    """The place a form chose. Raises ArrangingRefused without one, NotFound when it is none."""
    text = given.get(name, "")
    if not text:
        raise ArrangingRefused(_("Select one first."))
    place_id = as_id(text)
    if place_id is None:
        raise NotFound
    return place_id


def _context(request: MemoryRequest, place: Place) -> dict[str, object]:
    words = request.GET.get("q", "").strip()[:200]
    return {
        "place": place,
        "scope": place._meta.model_name,
        "title": title_of(place),
        "q": words,
        "kinds": Wing.Kind.choices,
        "merge_with": choices.to_merge_with(place, words),
        "move_into": choices.to_move_into(place, words),
        "edits": last_changes(request.user.id, place.id),
        "address": address_of(request.user.id, place._meta.model_name or "", place.id),
        "refusal": "",
    }


def _asked(request: MemoryRequest, action: str, items: tuple[Item, ...], back: str) -> dict[str, object]:
    words = request.POST.get("q", "").strip()[:200]
    scopes = {each.scope for each in items}
    known = [each for each in named(request.user.id, items) if each.name]
    find = choices.rooms if scopes == {"closet"} else choices.wings
    return {
        "action": action,
        "items": items,
        "known": known,
        "back": back,
        "q": words,
        "of_drawers": scopes == {"drawer"},
        "choices": () if action == "merge" else find(request.user.id, words),
    }


def _answer(request: MemoryRequest, done: ActionResult, back: str) -> HttpResponse:
    change_id = done.batch_id or done.deletion_id
    if done.left:
        context = {"done": done, "undo_url": undo_url(change_id), "back": back}
        return render(request, "memory/selection_done.html", context)
    words = ngettext("Done: %(count)s.", "Done: %(count)s.", done.number)
    report(request, words % {"count": done.number}, change_id)
    return redirect(back)
