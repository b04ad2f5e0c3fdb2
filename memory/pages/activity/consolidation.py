"""Tidying up: look at what would change, let it happen, take it back."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from memory.consolidation import application, decay, journal
from memory.consolidation.application import AlreadyApplied, PlanOutdated
from memory.consolidation.planning import plan
from memory.facts.review import NoSuchFact
from memory.pages.requests import MemoryRequest, memory_page


@require_safe
@memory_page
def consolidation(request: MemoryRequest) -> HttpResponse:
    """The plan that waits, if there is one, and what was tidied up before."""
    now = timezone.now()
    told = journal.planned(request.user.id, now)
    context = {
        "told": told,
        "lines": told and journal.lines(request.user.id, told.run, now),
        "runs": journal.done(request.user.id, now, request.GET.get("after", "")),
    }
    return render(request, "memory/consolidation.html", context)


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
    """Work out what would be tidied up now, for its owner to read."""
    run = application.keep(request.user.id, plan(request.user.id, timezone.now()))
    if not run.counts:
        application.drop(request.user.id)
        messages.success(request, _("Everything is tidy: there is nothing to do."))
    return redirect("memory:consolidation")


@require_POST
@memory_page
def apply_plan(request: MemoryRequest, run_id: UUID) -> HttpResponse:
    """Do exactly what the plan on show says; make a new one when facts have changed since."""
    digest, now = request.POST.get("digest", ""), timezone.now()
    try:
        application.apply(request.user.id, run_id, digest, now)
    except PlanOutdated:
        application.keep(request.user.id, plan(request.user.id, now))
        words = _("Facts have changed since, so nothing was done. Here is what would change now.")
        messages.warning(request, words)
        return redirect("memory:consolidation")
    except AlreadyApplied:
        return redirect("memory:consolidation_run", run_id)
    messages.success(request, _("Done. You can take all of it back for 30 days."))
    return redirect("memory:consolidation_run", run_id)


@require_POST
@memory_page
def drop_plan(request: MemoryRequest) -> HttpResponse:
    """Leave everything as it is."""
    application.drop(request.user.id)
    messages.success(request, _("Everything stays as it is."))
    return redirect("memory:consolidation")


@require_POST
@memory_page
def undo_run(request: MemoryRequest, run_id: UUID) -> HttpResponse:
    """Take back all changes of a run that were not taken back yet."""
    return _undone(request, run_id, None)


@require_POST
@memory_page
def undo_change(request: MemoryRequest, run_id: UUID, change_id: UUID) -> HttpResponse:
    """Take back one change of a run."""
    return _undone(request, run_id, change_id)


@require_POST
@memory_page
def use_again(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Take a fact out of the archive."""
    if not decay.use_again(request.user.id, fact_id):
        raise NoSuchFact
    messages.success(request, _("The fact is in use again."))
    return redirect("memory:facts")


def _undone(request: MemoryRequest, run_id: UUID, change_id: UUID | None) -> HttpResponse:
    left = application.undo(request.user.id, run_id, timezone.now(), change_id)
    if left:
        words = ngettext(
            "%(count)s change stays, because what it concerns has changed again since.",
            "%(count)s changes stay, because what they concern has changed again since.",
            left,
        )
        messages.warning(request, words % {"count": left})
    else:
        messages.success(request, _("Taken back: everything is as it was before."))
    return redirect("memory:consolidation_run", run_id)
