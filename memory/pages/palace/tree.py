"""The palace as a tree or as columns: a page for each wing, room and closet, and a fragment for each branch.

Above the tree is a row of houses: one for each wing, with more windows the more drawers it holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any
from uuid import UUID

from django.db.models import Sum
from django.db.models.functions import TruncMonth
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from accounts.owned import NotFound
from memory.consolidation.summaries import summary_of
from memory.mining.progress import dead_letters, source_removed_at
from memory.models import Room, Wing
from memory.organize.places import merged_into
from memory.pages.forms import last_months, start_of
from memory.pages.palace import queries
from memory.pages.palace.organize import url_of
from memory.pages.palace.queries import PAGE
from memory.pages.requests import MemoryRequest, read_page
from memory.paging import Page
from memory.search.embedding_backfill import vector_state
from memory.usage.budgets import budget_of
from memory.usage.quota import quota_of

MAX_WAITING = 1000
PREVIEW_DRAWERS = 7
VIEWS = ("tree", "columns")
VIEW_SESSION_KEY = "palace_view"
SIDEBAR_SIZES = {"tree": 15}
"""How many wings and rooms to list beside the open one, by view; PAGE in others."""

RECENT_MONTHS = 3
DRAWERS_PER_WINDOW = 8
MAX_HOUSES = 20
WINDOWS_PER_FLOOR, FLOORS = 3, 5
WIDTH, FLOOR, GABLE = 60, 18, 36
Months = Mapping[UUID, tuple[int, ...]]
"""The number of drawers from chats of each of the last twelve months, by wing."""


@read_page
def palace(request: MemoryRequest) -> HttpResponse:
    """All wings, the newest room, and notices about the state of the palace."""
    kind = request.GET.get("kind", "")
    chosen = kind if kind in Wing.Kind.values else ""
    wings = queries.wings(request.user.id, request.GET.get("after", ""), kind=chosen)
    months = draw_bars(request.user.id, wings.items, timezone.now())
    window, row = houses(wings.items, months)
    context = {
        "wings": wings,
        "window": window,
        "houses": row,
        "chosen_kind": chosen,
        "preview": _newest_preview(request, wings),
        "failed": dead_letters(request.user.id).count(),
        "quota": quota_of(request.user.id),
        "budget": budget_of(request.preferences, timezone.now()),
        "is_first_page": "after" not in request.GET and not chosen,
        "kinds": Wing.Kind.choices,
    }
    return _render_view(request, "memory/palace.html", context)


@read_page
def waiting_drawers(request: MemoryRequest) -> HttpResponse:
    """A notice about the state of search by meaning, if there is something to say."""
    state = vector_state(request.user.id, MAX_WAITING, timezone.now())
    return render(request, "memory/waiting_drawers.html", {"vectors": state})


@read_page
def wing(request: MemoryRequest, wing_id: UUID) -> HttpResponse:
    """A wing and its rooms. Redirects if it was merged."""
    try:
        context = _wing_context(request, wing_id)
    except NotFound:
        return _redirect_to_current(request, "wing", wing_id)
    rooms = queries.rooms(request.user.id, wing_id, request.GET.get("after", ""))
    context["room_previews"] = queries.room_previews(request.user.id, rooms.items)
    context["after"] = rooms.after
    context["rooms"] = queries.first_of(rooms, _sidebar_size(request))
    return _render_view(request, "memory/wing.html", context)


@read_page
def room(request: MemoryRequest, wing_id: UUID, room_id: UUID) -> HttpResponse:
    """A room with its closets and drawers. Redirects if it was merged or moved."""
    try:
        context = _room_context(request, wing_id, room_id)
    except NotFound:
        return _redirect_to_current(request, "room", room_id)
    after = request.GET.get("after", "")
    context |= {
        "is_room": True,
        "people": queries.people_of(request.user.id, [room_id])[room_id],
        "summary": summary_of(request.user.id, room_id),
        "drawers": queries.drawers_of_room(request.user.id, room_id, after),
    }
    return _render_view(request, "memory/room.html", context)


@read_page
def room_preview(request: MemoryRequest, wing_id: UUID, room_id: UUID) -> HttpResponse:
    """The preview of a room beside the tree."""
    found = queries.room(request.user.id, room_id, wing_id)
    preview = _preview(request, queries.wing(request.user.id, wing_id), found)
    return render(request, "memory/_preview.html", {"preview": preview})


@read_page
def closet(request: MemoryRequest, wing_id: UUID, room_id: UUID, closet_id: UUID) -> HttpResponse:
    """A closet and its drawers. Redirects if it was merged or moved."""
    try:
        found = queries.closet(request.user.id, closet_id, room_id)
        context = _room_context(request, wing_id, room_id)
    except NotFound:
        return _redirect_to_current(request, "closet", closet_id)
    after = request.GET.get("after", "")
    context |= {
        "closet": found,
        "closets": _including(context["closets"], found),
        "summary": summary_of(request.user.id, closet_id),
        "drawers": queries.drawers_of_closet(request.user.id, closet_id, after),
    }
    return _render_view(request, "memory/closet.html", context)


@read_page
def wing_list(request: MemoryRequest) -> HttpResponse:
    """More wings for the tree."""
    wings = queries.wings(request.user.id, request.GET.get("after", ""))
    draw_bars(request.user.id, wings.items, timezone.now())
    return render(request, "memory/_wings.html", {"wings": wings})


@read_page
def room_list(request: MemoryRequest, wing_id: UUID) -> HttpResponse:
    """The rooms of a wing for the tree."""
    context = {
        "wing": queries.wing(request.user.id, wing_id),
        "rooms": queries.rooms(request.user.id, wing_id, request.GET.get("after", "")),
        "has_preview": True,
    }
    return render(request, "memory/_rooms.html", context)


@read_page
def closet_list(request: MemoryRequest, wing_id: UUID, room_id: UUID) -> HttpResponse:
    """The closets of a room for the tree."""
    context = {
        "room": queries.room(request.user.id, room_id, wing_id),
        "closets": queries.closets(request.user.id, room_id, request.GET.get("after", "")),
    }
    return render(request, "memory/_closets.html", context)


@read_page
def drawer_list(request: MemoryRequest, wing_id: UUID, room_id: UUID, closet_id: UUID) -> HttpResponse:
    """The drawers of a closet for the tree."""
    after = request.GET.get("after", "")
    context = {
        "room": queries.room(request.user.id, room_id, wing_id),
        "closet": queries.closet(request.user.id, closet_id, room_id),
        "drawers": queries.drawers_of_closet(request.user.id, closet_id, after),
    }
    return render(request, "memory/_drawers.html", context)


def _newest_preview(request: MemoryRequest, wings: Page[Wing]) -> dict[str, Any] | None:
    """A preview of the newest room of the first wing."""
    for wing in wings.items[:1]:
        for room in queries.rooms(request.user.id, wing.id, limit=1).items:
            return _preview(request, wing, room)
    return None


def _preview(request: MemoryRequest, wing: Wing, room: Room) -> dict[str, Any]:
    return {
        "wing": wing,
        "room": room,
        "people": queries.people_of(request.user.id, [room.id])[room.id],
        "drawers": queries.drawers_of_room(request.user.id, room.id, limit=PREVIEW_DRAWERS),
    }


def _wing_context(request: MemoryRequest, wing_id: UUID) -> dict[str, Any]:
    """The open wing, and the newest wings including it."""
    open_wing = queries.wing(request.user.id, wing_id)
    wings = queries.wings(request.user.id, limit=_sidebar_size(request))
    return {"wing": open_wing, "wings": _including(wings, open_wing)}


def _room_context(request: MemoryRequest, wing_id: UUID, room_id: UUID) -> dict[str, Any]:
    """The context of the wing, plus the open room, the newest rooms including it, and its closets."""
    open_room = queries.room(request.user.id, room_id, wing_id)
    rooms = queries.rooms(request.user.id, wing_id, limit=_sidebar_size(request))
    return _wing_context(request, wing_id) | {
        "room": open_room,
        "source_deleted_at": source_removed_at(request.user.id, open_room.source_kind, open_room.source_id),
        "rooms": _including(rooms, open_room),
        "closets": queries.closets(request.user.id, room_id, request.GET.get("closets", "")),
    }


def _including(page: Page[Any], item: Any) -> Page[Any]:
    if item in page.items:
        return page
    return Page((item, *page.items), page.after)


def _redirect_to_current(request: MemoryRequest, scope: str, place_id: UUID) -> HttpResponse:
    """Redirect to the current URL of a place that was merged or moved. Raises NotFound."""
    into = merged_into(request.user.id, scope, place_id) or place_id
    address = url_of(request.user.id, scope, into)
    if address == request.path or not address.endswith(f"{into}/"):
        raise NotFound
    return redirect(address)


def _render_view(request: MemoryRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Render a page in the view of the query string, or else the one chosen last."""
    view, is_chosen = _view(request), request.GET.get("view") in VIEWS
    if is_chosen and request.session.get(VIEW_SESSION_KEY, VIEWS[0]) != view:
        request.session[VIEW_SESSION_KEY] = view
    context |= {"view": view, "keep": f"?view={view}" if is_chosen else ""}
    return render(request, template, context)


def _view(request: MemoryRequest) -> str:
    chosen = request.GET.get("view", "")
    return chosen if chosen in VIEWS else str(request.session.get(VIEW_SESSION_KEY, VIEWS[0]))


def _sidebar_size(request: MemoryRequest) -> int:
    return SIDEBAR_SIZES.get(_view(request), PAGE)


@dataclass(frozen=True, slots=True)
class House:
    """A wing as a house; `lit` windows stand for recent drawers."""

    wing: Wing
    windows: int
    lit: int

    @property
    def height(self) -> int:
        """The height in units of the drawing."""
        return GABLE + FLOOR * ceil(self.windows / WINDOWS_PER_FLOOR)

    @property
    def wall(self) -> str:
        """The outline, open at the ground."""
        return f"M1 {self.height}V24Q3 12 30 1Q57 12 59 24V{self.height}"

    @property
    def lit_path(self) -> str:
        """The windows of the last months."""
        return "".join(self._window(number) for number in range(self.lit))

    @property
    def dark_path(self) -> str:
        """The older windows."""
        return "".join(self._window(number) for number in range(self.lit, self.windows))

    def _window(self, number: int) -> str:
        """Windows fill from the ground up; an incomplete floor is centred."""
        floor, place = divmod(number, WINDOWS_PER_FLOOR)
        in_row = min(WINDOWS_PER_FLOOR, self.windows - floor * WINDOWS_PER_FLOOR)
        x = WIDTH / 2 + (place - in_row / 2) * 16 + 2
        return f"M{x:g} {self.height - floor * FLOOR - 4}v-7a6 6 0 0 1 12 0v7z"


def houses(wings: Sequence[Wing], months: Months) -> tuple[int, list[House]]:
    """The number of drawers per window, and the houses of the first wings in order."""
    fullest = max((wing.drawers_held for wing in wings), default=0)
    needed = ceil(fullest / (WINDOWS_PER_FLOOR * FLOORS))
    window = DRAWERS_PER_WINDOW if needed <= DRAWERS_PER_WINDOW else ceil(needed / 10) * 10
    return window, [
        _house(wing, window, sum(months[wing.id][-RECENT_MONTHS:])) for wing in wings[:MAX_HOUSES]
    ]


def _house(wing: Wing, window: int, recent: int) -> House:
    windows = min(WINDOWS_PER_FLOOR * FLOORS, ceil(wing.drawers_held / window))
    return House(wing, windows, min(windows, ceil(recent / window)))


def draw_bars(user_id: UUID, wings: Sequence[Wing], now: datetime) -> Months:
    """Set the `bars` of each wing, one for each of the last twelve months, as an SVG path 18 units high;
    return the numbers behind them."""
    months = _months(user_id, wings, now)
    for wing in wings:
        highest = max(months[wing.id]) or 1
        highs = (max(3, round(16 * count / highest)) if count else 1 for count in months[wing.id])
        wing.bars = "".join(f"M{number * 7} 17v-{high}h5v{high}z" for number, high in enumerate(highs))
    return months


def _months(user_id: UUID, wings: Sequence[Wing], now: datetime) -> Months:
    months = [start_of(month) for month in last_months(timezone.localdate(now))]
    ids = [wing.id for wing in wings]
    found = Room.objects.filter(
        user_id=user_id, wing_id__in=ids, drawers_held__gt=0, started_at__gte=months[0]
    )
    by_month = found.annotate(month=TruncMonth("started_at")).values_list("wing_id", "month")
    rows = by_month.annotate(held=Sum("drawers_held")).order_by()
    counts = {(wing_id, month): held for wing_id, month, held in rows}
    return {key: tuple(counts.get((key, month), 0) for month in months) for key in ids}
