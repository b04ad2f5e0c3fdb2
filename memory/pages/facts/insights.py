"""Insights: patterns over facts, each with what it rests on."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from memory.facts.queries import KnownFact, with_quotes
from memory.pages.requests import MemoryRequest, memory_page
from memory.projections import insights as domain
from memory.projections.insights import ToldInsight

LABELS = {
    "changed": gettext_lazy("Changed over time"),
    "often": gettext_lazy("Said again and again"),
    "both": gettext_lazy("Two minds about it"),
    "person": gettext_lazy("Somebody important"),
    "theme": gettext_lazy("A theme"),
    "habits": gettext_lazy("Habits together"),
    "noted": gettext_lazy("Noted by a model"),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """An insight with a heading, its facts and their words."""

    told: ToldInsight
    label: "str | Promise"
    facts: tuple[KnownFact, ...]

    @property
    def sentence(self) -> str:
        """What the insight says, a statement in it in the second person."""
        stated = self.facts[0].fact
        return self.told.sentence.replace(stated.statement, stated.told)


@require_safe
@memory_page
def insights(request: MemoryRequest) -> HttpResponse:
    """Patterns that stand, or those that were dismissed, newest first."""
    dismissed = "dismissed" in request.GET
    page = domain.insights(request.user.id, dismissed=dismissed, after=request.GET.get("after", ""))
    facts = [fact for told in page.items for fact in told.facts]
    known = {each.fact.id: each for each in with_quotes(request.user.id, facts)}
    context = {
        "shown": [
            Shown(told, LABELS[told.insight.rule], tuple(known[fact.id] for fact in told.facts))
            for told in page.items
        ],
        "after": page.after,
        "is_dismissed": dismissed,
        "dismissed": domain.count_dismissed(request.user.id),
    }
    return render(request, "memory/insights.html", context)


@require_POST
@memory_page
def dismiss_insight(request: MemoryRequest, insight_id: UUID) -> HttpResponse:
    """Show a pattern no more."""
    domain.dismiss(request.user.id, insight_id, timezone.now())
    undo_url = reverse("memory:restore_insight", args=[insight_id])
    return _decided(request, _("Dismissed. It will not come back by itself."), undo_url)


@require_POST
@memory_page
def restore_insight(request: MemoryRequest, insight_id: UUID) -> HttpResponse:
    """Show a dismissed pattern again."""
    domain.restore(request.user.id, insight_id, timezone.now())
    undo_url = reverse("memory:dismiss_insight", args=[insight_id])
    return _decided(request, _("It is shown again."), undo_url)


def _decided(request: MemoryRequest, words: str, undo_url: str) -> HttpResponse:
    if not request.htmx:
        messages.success(request, words, extra_tags=undo_url)
        return redirect("memory:insights")
    return render(request, "_toast_swap.html", {"text": words, "undo_url": undo_url})
