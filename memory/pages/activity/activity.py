"""What happened to memory, by day and chat, with its undo; and consolidation, planned and done."""

from datetime import tzinfo
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.changes.activity_queries import OF_CHATS, Day, days
from memory.consolidation import journal
from memory.mining.progress import given_up
from memory.mining.reextraction import read_by_rules, waiting
from memory.models import ActivityEvent
from memory.pages.requests import MemoryRequest, memory_page
from memory.pages.settings.form import label_of
from memory.paging import Page
from memory.usage.metering import has_writer

Kind = ActivityEvent.Kind

_NO_CHANGES = {*OF_CHATS, Kind.NOTE_SAVED, Kind.IMPORTED, Kind.DEMO, Kind.EXPORTED, Kind.REEMBEDDED}
CHANGES = tuple(kind for kind in Kind if kind not in _NO_CHANGES)


@require_safe
@memory_page
def activity(request: MemoryRequest) -> HttpResponse:
    """Everything that happened, and what waits for its owner to decide."""
    return render(request, "memory/activity.html", _list(request) | _unread(request.user.id))


@require_safe
@memory_page
def changes(request: MemoryRequest) -> HttpResponse:
    """What changed in what was known before."""
    return render(request, "memory/activity.html", _list(request, *CHANGES))


@require_safe
@memory_page
def consolidation(request: MemoryRequest) -> HttpResponse:
    """The plan that waits, if there is one, and the runs that changed something."""
    now = timezone.now()
    told = journal.planned(request.user.id, now)
    plan = {"told": told, "lines": told and journal.lines(request.user.id, told.run, now)}
    return render(request, "memory/consolidation.html", _list(request, Kind.CONSOLIDATED) | plan)


def _list(request: MemoryRequest, *kinds: str) -> dict[str, object]:
    zone: tzinfo = timezone.get_current_timezone()
    page = days(request.user.id, zone, request.GET.get("after", ""), kinds)
    _name_settings(page)
    return {"days": page.items, "after": page.after}


def _name_settings(page: Page[Day]) -> None:
    for event in (event for day in page.items for group in day.groups for event in group.events):
        if event.kind == Kind.SETTINGS:
            event.details["changed"] = [label_of(name) for name in event.details["changed"]]


def _unread(user_id: UUID) -> dict[str, object]:
    """How many chats could not be mined, how many parts only the built-in reader has read, how many of
    these wait for a model, and whether there is one."""
    return {
        "failed": given_up(user_id).count(),
        "by_rules": read_by_rules(user_id).count(),
        "to_read_again": waiting(user_id).count(),
        "has_model": has_writer(),
    }
