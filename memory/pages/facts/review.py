"""The inbox of what Palace was unsure of, decisions about it, and taking them back."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from memory.facts.queries import with_quotes
from memory.facts.review import decisions
from memory.facts.review.decisions import Decision, NoSuchFact
from memory.pages.facts import queries
from memory.pages.facts.facts import DecisionForm, offer_undo, told_meanwhile
from memory.pages.requests import MemoryRequest, memory_page


@require_safe
@memory_page
def review(request: MemoryRequest) -> HttpResponse:
    """What waits for a decision, newest first, each with what it contradicts."""
    waiting = queries.waiting_facts(request.user.id, request.GET.get("after", ""))
    return render(request, "memory/review.html", {"waiting": waiting})


@require_POST
@memory_page
def decide(request: MemoryRequest) -> HttpResponse:
    """Decide about every fact that was ticked at once."""
    form = DecisionForm(request.POST)
    if not form.is_valid():
        messages.info(request, _("Tick the facts you want to decide about first."))
        return redirect("memory:review")
    act = {"approve": decisions.approve, "reject": decisions.reject}[form.cleaned_data["action"]]
    ticked = set(form.cleaned_data["fact"])
    waiting = decisions.still_waiting(request.user.id, list(ticked))
    if not waiting:
        messages.info(request, _("All of these were decided about in another window meanwhile."))
        return redirect("memory:review")
    decision = act(request.user.id, waiting, timezone.now())
    words = ngettext("Decided about %(count)s fact.", "Decided about %(count)s facts.", len(waiting))
    told = words % {"count": len(waiting)}
    if len(waiting) < len(ticked):
        told = f"{told} {_('The others were decided about in another window meanwhile.')}"
    offer_undo(request, decision, told)
    return redirect("memory:review")


@require_POST
@memory_page
@told_meanwhile
def approve(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Let a waiting fact hold from now on."""
    decision = decisions.approve(request.user.id, [fact_id], timezone.now())
    return _decided(request, decision, _("Approved."))


@require_POST
@memory_page
@told_meanwhile
def keep_both(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Let a waiting fact hold beside the one it contradicts."""
    decision = decisions.keep_both(request.user.id, fact_id, timezone.now())
    return _decided(request, decision, _("Both hold now."))


@require_POST
@memory_page
@told_meanwhile
def reject(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Refuse a fact."""
    decision = decisions.reject(request.user.id, [fact_id], timezone.now())
    return _decided(request, decision, _("Rejected."))


@require_POST
@memory_page
def merge(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Let a fact go up in another."""
    try:
        into = forms.UUIDField().clean(request.POST.get("into"))
    except forms.ValidationError as error:
        raise NoSuchFact from error
    decision = decisions.merge(request.user.id, fact_id, into, timezone.now())
    offer_undo(request, decision, _("The two are one fact now, with the words of both."))
    return redirect("memory:fact", into)


@require_POST
@memory_page
@told_meanwhile
def reconsider(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Put a decided fact back into review."""
    decision = decisions.wait_again(request.user.id, fact_id, timezone.now())
    offer_undo(request, decision, _("The fact waits for review again."))
    return redirect("memory:review")


def _decided(request: MemoryRequest, decision: Decision, words: str) -> HttpResponse:
    if not request.htmx:
        offer_undo(request, decision, words)
        return redirect("memory:review")
    context = {
        "known": with_quotes(request.user.id, decision.facts)[0],
        "text": words,
        "undo_url": reverse("memory:undo", args=[decision.event_id]),
    }
    return render(request, "memory/_fact_decided.html", context)
