"""The palace as a tree: wings, rooms, closets and drawers, each page a link, each branch a
fragment."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory import browsing, drawer_lists
from memory.browsing import RoomItem
from memory.cursors import Page
from memory.ledger import given_up, gone_at
from memory.models import Wing
from memory.quota import quota_of
from memory.spending import budget_of
from memory.summaries import summary_of
from memory.vector_state import vector_state
from memory.views.requests import MemoryRequest, memory_page

MOST_WAITING = 1000


@require_safe
@memory_page
def palace(request: MemoryRequest) -> HttpResponse:
    """All wings, and what keeps the palace from being complete."""
    wings = browsing.wings(request.user.id, request.GET.get("after", ""))
    context = {
        "wings": wings,
        "failed": given_up(request.user.id).count(),
        "quota": quota_of(request.user.id),
        "budget": budget_of(request.preferences, timezone.now()),
        "is_first_page": "after" not in request.GET,
        "kinds": Wing.Kind.choices,
    }
    return render(request, "memory/palace.html", context)


@require_safe
@memory_page
def waiting_drawers(request: MemoryRequest) -> HttpResponse:
    """How it stands with search by meaning, as a notice, or nothing."""
    state = vector_state(request.user.id, MOST_WAITING, timezone.now())
    return render(request, "memory/waiting_drawers.html", {"vectors": state})


@require_safe
@memory_page
def wing(request: MemoryRequest, wing_id: UUID) -> HttpResponse:
    """One wing and its rooms."""
    context = {
        "wing": browsing.wing(request.user.id, wing_id),
        "rooms": browsing.rooms(request.user.id, wing_id, request.GET.get("after", "")),
    }
    return render(request, "memory/wing.html", context)


@require_safe
@memory_page
def room(request: MemoryRequest, wing_id: UUID, room_id: UUID) -> HttpResponse:
    """One room: its closets, and its drawers as they were said."""
    after = request.GET.get("after", "")
    context = _beside(request, wing_id, room_id) | {
        "is_room": True,
        "summary": summary_of(request.user.id, room_id),
        "closets": browsing.closets(request.user.id, room_id),
        "drawers": drawer_lists.drawers_of_room(request.user.id, room_id, after),
    }
    return render(request, "memory/room.html", context)


@require_safe
@memory_page
def closet(request: MemoryRequest, wing_id: UUID, room_id: UUID, closet_id: UUID) -> HttpResponse:
    """One closet and its drawers."""
    after = request.GET.get("after", "")
    context = _beside(request, wing_id, room_id) | {
        "closet": browsing.closet(request.user.id, room_id, closet_id),
        "summary": summary_of(request.user.id, closet_id),
        "closets": browsing.closets(request.user.id, room_id),
        "drawers": drawer_lists.drawers_of_closet(request.user.id, closet_id, after),
    }
    return render(request, "memory/closet.html", context)


@require_safe
@memory_page
def wing_list(request: MemoryRequest) -> HttpResponse:
    """More wings, as branches of the tree."""
    wings = browsing.wings(request.user.id, request.GET.get("after", ""))
    return render(request, "memory/_wings.html", {"wings": wings})


@require_safe
@memory_page
def room_list(request: MemoryRequest, wing_id: UUID) -> HttpResponse:
    """The rooms of a wing, as branches of the tree."""
    context = {
        "wing": browsing.wing(request.user.id, wing_id),
        "rooms": browsing.rooms(request.user.id, wing_id, request.GET.get("after", "")),
    }
    return render(request, "memory/_rooms.html", context)


@require_safe
@memory_page
def closet_list(request: MemoryRequest, wing_id: UUID, room_id: UUID) -> HttpResponse:
    """The closets of a room, as branches of the tree."""
    context = {
        "room": browsing.room(request.user.id, wing_id, room_id),
        "closets": browsing.closets(request.user.id, room_id, request.GET.get("after", "")),
    }
    return render(request, "memory/_closets.html", context)


@require_safe
@memory_page
def drawer_list(
    request: MemoryRequest, wing_id: UUID, room_id: UUID, closet_id: UUID
) -> HttpResponse:
    """The drawers of a closet, as leaves of the tree."""
    after = request.GET.get("after", "")
    context = {
        "room": browsing.room(request.user.id, wing_id, room_id),
        "closet": browsing.closet(request.user.id, room_id, closet_id),
        "drawers": drawer_lists.drawers_of_closet(request.user.id, closet_id, after),
    }
    return render(request, "memory/_drawers.html", context)


def _beside(request: MemoryRequest, wing_id: UUID, room_id: UUID) -> dict[str, object]:
    """The wing and its newest rooms, with the open one among them even when it is an old one."""
    open_room = browsing.room(request.user.id, wing_id, room_id)
    rooms = browsing.rooms(request.user.id, wing_id)
    return {
        "wing": browsing.wing(request.user.id, wing_id),
        "room": open_room,
        "gone_at": gone_at(request.user.id, open_room.source_kind, open_room.source_id),
        "rooms": _with(rooms, open_room),
    }


def _with(rooms: Page[RoomItem], open_room: RoomItem) -> Page[RoomItem]:
    if open_room in rooms.items:
        return rooms
    return Page((open_room, *rooms.items), rooms.after)
