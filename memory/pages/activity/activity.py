"""What happened to memory, by day and chat; consolidation; and chats that wait to be mined or read again."""

from datetime import tzinfo
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from memory.changes.activity_queries import OF_CHATS, Day, days
from memory.consolidation import application, decay, journal
from memory.consolidation.application import AlreadyApplied, PlanOutdated
from memory.consolidation.planning import plan
from memory.facts.review import NoSuchFact
from memory.mining import progress, reextraction
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
    planned = {"told": told, "lines": told and journal.lines(request.user.id, told.run, now)}
    return render(request, "memory/consolidation.html", _list(request, Kind.CONSOLIDATED) | planned)


@require_safe
@memory_page
def consolidation_run(request: MemoryRequest, run_id: UUID) -> HttpResponse:
    """One run with each of its changes."""
    now = timezone.now()
    told = journal.run_of(request.user.id, run_id, now)
    lines = journal.lines(request.user.id, told.run, now, request.GET.get("after", ""))
    return render(request, "memory/consolidation_run.html", {"told": told, "lines": lines})


@require_POST
@memory_page
def preview(request: MemoryRequest) -> HttpResponse:
    """Plan what a run would change now, for its owner to read."""
    run = application.keep(request.user.id, plan(request.user.id, timezone.now()))
    if not run.counts:
        application.drop(request.user.id)
        messages.success(request, _("There is nothing to consolidate."))
    return redirect("memory:consolidation")


@require_POST
@memory_page
def apply_plan(request: MemoryRequest, run_id: UUID) -> HttpResponse:
    """Apply the plan on show; make a new one if facts have changed since."""
    digest, now = request.POST.get("digest", ""), timezone.now()
    try:
        application.apply(request.user.id, run_id, digest, now)
    except PlanOutdated:
        application.keep(request.user.id, plan(request.user.id, now))
        words = _("Facts have changed since, so nothing was applied. This is the new plan.")
        messages.warning(request, words)
        return redirect("memory:consolidation")
    except AlreadyApplied:
        return redirect("memory:consolidation_run", run_id)
    messages.success(request, _("Applied. You can undo it for 30 days."))
    return redirect("memory:consolidation_run", run_id)


@require_POST
@memory_page
def drop_plan(request: MemoryRequest) -> HttpResponse:
    """Discard the plan."""
    application.drop(request.user.id)
    messages.success(request, _("The plan was discarded. Nothing changed."))
    return redirect("memory:consolidation")


@require_POST
@memory_page
def use_again(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Take a fact out of the archive."""
    if not decay.use_again(request.user.id, fact_id):
        raise NoSuchFact
    messages.success(request, _("The fact is in use again."))
    return redirect("memory:facts")


@require_POST
@memory_page
def retry(request: MemoryRequest) -> HttpResponse:
    """Give every chat that was given up a fresh start."""
    for each in progress.given_up(request.user.id):
        progress.try_again(each, timezone.now())
    messages.success(request, _("They will be tried again in a moment."))
    return redirect("memory:palace")


@require_POST
@memory_page
def discard(request: MemoryRequest) -> HttpResponse:
    """Give up failed chats without mining them."""
    left = progress.discard_all(request.user.id, timezone.now())
    undo_url = reverse("memory:undo", args=[left]) if left else ""
    words = _("These chats stay in your list and are not saved to memory.")
    messages.success(request, words, extra_tags=undo_url)
    return redirect("memory:palace")


@require_POST
@memory_page
def read_again(request: MemoryRequest) -> HttpResponse:
    """Have a model read what only the built-in reader has read so far."""
    count = reextraction.ask_for_second_readings(request.user.id, timezone.now())
    message = ngettext(
        "A model will read %(count)s part of your chats again. What it finds appears below.",
        "A model will read %(count)s parts of your chats again. What it finds appears below.",
        count,
    )
    messages.success(request, message % {"count": count})
    return redirect("memory:activity")


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
        "failed": progress.given_up(user_id).count(),
        "by_rules": reextraction.read_by_rules(user_id).count(),
        "to_read_again": reextraction.waiting(user_id).count(),
        "has_model": has_writer(),
    }
