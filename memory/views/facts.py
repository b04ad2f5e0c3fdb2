"""Facts with the words they rest on, and deciding about those that wait."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from memory import review
from memory.knowledge import count_by_status, facts_by_status, with_quotes
from memory.models import Fact
from memory.views.requests import MemoryRequest, memory_page


@require_safe
@memory_page
def facts(request: MemoryRequest) -> HttpResponse:
    """Facts of one status, newest first."""
    status = request.GET.get("status", Fact.Status.ACTIVE)
    if status not in Fact.Status.values:
        raise Http404
    counts = count_by_status(request.user.id)
    context = {
        "facts": facts_by_status(request.user.id, status, request.GET.get("after", "")),
        "status": status,
        "statuses": [(value, label, counts.get(value, 0)) for value, label in Fact.Status.choices],
    }
    return render(request, "memory/facts.html", context)


@require_POST
@memory_page
def approve(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Let a waiting fact hold from now on."""
    return _decided(request, review.approve(request.user.id, fact_id), _("Approved."))


@require_POST
@memory_page
def reject(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Refuse a waiting fact."""
    return _decided(request, review.reject(request.user.id, fact_id), _("Rejected."))


@require_POST
@memory_page
def reconsider(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Put a decided fact back into review."""
    review.reconsider(request.user.id, fact_id)
    messages.success(request, _("The fact waits for review again."))
    return redirect(_list(Fact.Status.PENDING))


def _decided(request: MemoryRequest, fact: Fact, words: str) -> HttpResponse:
    if not request.htmx:
        messages.success(request, words)
        return redirect(f"{_list(fact.status)}#fact-{fact.id}")
    context = {
        "known": with_quotes(request.user.id, [fact])[0],
        "text": words,
        "undo_url": reverse("memory:reconsider", args=[fact.id]),
    }
    return render(request, "memory/_fact_decided.html", context)


def _list(status: str) -> str:
    return f"{reverse('memory:facts')}?status={status}"
