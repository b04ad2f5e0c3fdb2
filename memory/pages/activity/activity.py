"""What memory did, in words, with what was kept, refused and why."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memory.changes.activity_queries import days, events, usage_since
from memory.forgetting import trash
from memory.mining.progress import given_up
from memory.mining.reextraction import read_by_rules, waiting
from memory.models import ActivityEvent
from memory.pages.requests import MemoryRequest, memory_page
from memory.pages.settings.form import label_of
from memory.usage.metering import has_writer


@require_safe
@memory_page
def activity(request: MemoryRequest) -> HttpResponse:
    """Events, newest first, and what models were used for this month."""
    month = timezone.localtime().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    page = events(request.user.id, request.GET.get("after", ""))
    for event in page.items:
        if event.kind == ActivityEvent.Kind.SETTINGS:
            event.details["changed"] = [label_of(name) for name in event.details["changed"]]
    context = {
        "events": page,
        "usage": usage_since(request.user.id, month),
        "month": month,
        "failed": given_up(request.user.id).count(),
    } | _rules(request.user.id)
    return render(request, "memory/activity.html", context)


def _rules(user_id: UUID) -> dict[str, object]:
    """How much only the built-in reader has read, how much of that waits for a model, and whether there is
    one."""
    return {
        "by_rules": read_by_rules(user_id).count(),
        "to_read_again": waiting(user_id).count(),
        "has_model": has_writer(),
    }


@require_POST
@memory_page
def take_back(request: MemoryRequest, event_id: UUID) -> HttpResponse:
    """Put what one mining of a chat remembered into the trash."""
    thrown = trash.take_back(request.user.id, event_id, timezone.now())
    return redirect("memory:deletion", thrown.id)


@require_safe
@memory_page
def diary(request: MemoryRequest) -> HttpResponse:
    """The days on which something happened, newest first."""
    zone = timezone.get_current_timezone()
    told = days(request.user.id, zone, request.GET.get("after", ""))
    return render(request, "memory/diary.html", {"days": told})
