"""The profile: a summary of the user as values and prose, and its edits."""

from dataclasses import dataclass, replace
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.facts.queries import KnownFact, with_quotes
from memory.models import ProfileText
from memory.pages.facts.rows import Text, by_kind
from memory.pages.forms import OwnWordsForm
from memory.pages.requests import REFUSED, MemoryRequest, post_page, read_page
from memory.projections import corrections, insights
from memory.projections.insights import Pattern
from memory.projections.profile import ProfileView, profile_of, prose_for_owner

MAX_PER_SECTION = 12

LABELS = {
    "changed": gettext_lazy("Changed over time"),
    "often": gettext_lazy("Mentioned often"),
    "both": gettext_lazy("Mixed feelings"),
    "noted": gettext_lazy("Found by a model"),
}


@dataclass(frozen=True, slots=True)
class Insight:
    """An insight with a heading, and its facts with their quotes."""

    view: Pattern
    label: Text
    facts: tuple[KnownFact, ...]

    @property
    def sentence(self) -> str:
        """The insight in the second person."""
        stated = self.facts[0].fact
        return self.view.sentence.replace(stated.statement, stated.sentence)


@read_page
def profile(request: MemoryRequest) -> HttpResponse:
    """The current values, the generated prose or the owner's own, and insights."""
    return render(request, "memory/profile.html", _context(request) | _insights(request))


@post_page
def own_words(request: MemoryRequest) -> HttpResponse:
    """Replace the generated prose with the owner's words; an empty text restores it."""
    form = OwnWordsForm(request.POST)
    if not form.is_valid():
        context = _context(request) | _insights(request) | {"form": form}
        return render(request, "memory/profile.html", context, status=REFUSED)
    text = form.cleaned_data["text"]
    before = corrections.write_own_words(request.user.id, text, timezone.now())
    saved = _("Your profile now uses your own words.")
    words = saved if text.strip() else _("Palace will write your profile again.")
    messages.success(request, words, extra_tags=_undo_url(before))
    return redirect("memory:profile")


@post_page
def use_words(request: MemoryRequest, words_id: UUID) -> HttpResponse:
    """Restore an earlier version of the owner's words."""
    before = corrections.restore_version(request.user.id, words_id, timezone.now())
    messages.success(request, _("Your earlier version was restored."), extra_tags=_undo_url(before))
    return redirect("memory:profile")


@post_page
def erase_words(request: MemoryRequest, words_id: UUID) -> HttpResponse:
    """Erase a version of the owner's words for good."""
    corrections.erase_words(request.user.id, words_id, timezone.now())
    messages.success(request, _("Erased."))
    return redirect("memory:profile")


@post_page
def decide_value(request: MemoryRequest, fact_id: UUID, *, hidden: bool) -> HttpResponse:
    """Leave a value out of the profile, or show it again; the fact itself stays."""
    corrections.set_hidden(request.user.id, fact_id, timezone.now(), hidden=hidden)
    undo_url = reverse("memory:show_value" if hidden else "memory:hide_value", args=[fact_id])
    words = _("Left out of your profile.") if hidden else _("Back in your profile.")
    if not request.htmx:
        messages.success(request, words, extra_tags=undo_url)
        return redirect("memory:profile")
    context = _context(request) | {"text": words, "undo_url": undo_url, "undo_target": "#profile"}
    return render(request, "memory/profile.html#answer", context)


@post_page
def decide_insight(request: MemoryRequest, insight_id: UUID, *, dismissed: bool) -> HttpResponse:
    """Dismiss an insight, or show it again."""
    insights.decide(request.user.id, insight_id, timezone.now(), dismissed=dismissed)
    undo_url = reverse("memory:restore_insight" if dismissed else "memory:dismiss_insight", args=[insight_id])
    words = _("Dismissed. It won’t appear again.") if dismissed else _("Shown again.")
    if not request.htmx:
        messages.success(request, words, extra_tags=undo_url)
        return redirect(f"{reverse('memory:profile')}#insights")
    return render(request, "_toast_swap.html", {"text": words, "undo_url": undo_url})


def _undo_url(before: ProfileText | None) -> str:
    """The URL that restores the previous version, or the generated prose."""
    return reverse("memory:use_words", args=[before.id]) if before else reverse("memory:own_words")


def _context(request: MemoryRequest) -> dict[str, object]:
    found = profile_of(request.user.id, timezone.now())
    standing, sections = found.own_words, _sections(request.user.id, found)
    return {
        "profile": replace(found, prose=prose_for_owner(found)),
        "sections": sections,
        "hidden": with_quotes(request.user.id, found.hidden, places=False),
        "form": OwnWordsForm(initial={"text": standing.text if standing else ""}),
        "injected": request.preferences.enabled and request.preferences.inject_profile,
    }


def _sections(user_id: UUID, found: ProfileView) -> list[tuple[Text, list[KnownFact], bool]]:
    """The name of each kind, its values, and whether there are more."""
    facts = [fact for _, several in found.sections for fact in several]
    known = {each.fact.id: each for each in with_quotes(user_id, facts, places=False)}
    return [
        (name, [known[fact.id] for fact in several[:MAX_PER_SECTION]], len(several) > MAX_PER_SECTION)
        for name, several in by_kind(facts)
    ]


def _insights(request: MemoryRequest) -> dict[str, object]:
    """Current or dismissed insights, newest first, with facts and sources."""
    dismissed = "dismissed" in request.GET
    page = insights.insights(request.user.id, dismissed=dismissed, after=request.GET.get("after", ""))
    facts = [fact for view in page.items for fact in view.facts]
    known = {each.fact.id: each for each in with_quotes(request.user.id, facts, places=False)}
    return {
        "insights": [
            Insight(view, LABELS[view.rule], tuple(known[fact.id] for fact in view.facts))
            for view in page.items
        ],
        "after": page.after,
        "is_dismissed": dismissed,
        "dismissed": insights.count_dismissed(request.user.id),
    }
