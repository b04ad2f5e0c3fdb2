"""Consolidation: preview its changes, apply them, and look at a run."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from memory.consolidation import application, decay, journal
from memory.consolidation.application import AlreadyApplied, PlanOutdated
from memory.consolidation.planning import plan
from memory.facts.review import NoSuchFact
from memory.pages.requests import MemoryRequest, memory_page


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
