"""What a person chooses about their memory."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.page_changes import changed_fields
from memory.models import ActivityEvent, Fact, MemoryPreferences, RecallTrace
from memory.pages.requests import REFUSED, MemoryRequest, form_page, page_before, post_page, read_page, report
from memory.pages.search.recall_preview import preview
from memory.pages.search.traces import Considered
from memory.pages.settings.form import SettingsForm, label_of
from memory.preferences import (
    change_preferences,
    change_with_event,
    default_of,
    has_chosen,
    is_zone,
    preferences_of,
)
from memory.recall.settings import settings_from
from memory.recall.types import Hit
from memory.search.embedding_backfill import vector_state
from memory.usage.budgets import budget_of
from memory.usage.quota import quota_of

LEFT_OUT_SHOWN = 3
TRACES_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class Example:
    """The last message that was searched for, when, and what these settings would recall for it;
    `before` is how many drawers it had then. `waiting` of `facts` would wait in the review."""

    message: str
    at: datetime | None
    before: int
    kept: tuple[Hit, ...]
    left_out: tuple[Considered, ...]
    tokens: int
    waiting: int
    facts: int


def example(user_id: UUID, preferences: MemoryPreferences, now: datetime) -> Example:
    """What these preferences would come to; the message is empty before the first recall.

    No model chooses among the drawers here, so that looking costs nothing.
    """
    facts = Fact.objects.filter(user_id=user_id, status=Fact.Status.ACTIVE, deleted_at=None)
    waiting = facts.filter(confidence__lt=preferences.review_threshold)
    last = _last_recall(user_id)
    message = last.trace["query"]["text"] if last else ""
    settings = replace(settings_from(preferences), rerank=False)
    found = preview(user_id, message, settings, now) if message else None
    return Example(
        message=message,
        at=last.at if last else None,
        before=len(last.hits) if last else 0,
        kept=found.hits if found else (),
        left_out=_left_out(found.considered) if found else (),
        tokens=found.tokens if found else 0,
        waiting=waiting.count(),
        facts=facts.count(),
    )


def _last_recall(user_id: UUID) -> RecallTrace | None:
    rows = RecallTrace.objects.filter(user_id=user_id, source=RecallTrace.Source.CHAT)
    latest = rows.order_by("-at", "-id")[:TRACES_LOOKED_AT]
    return next((row for row in latest if (row.trace.get("query") or {}).get("text")), None)


def _left_out(considered: tuple[Considered, ...]) -> tuple[Considered, ...]:
    """The best of those that were found and not kept."""
    missed = [each for each in considered if not each.recalled and each.pointer]
    return tuple(missed[:LEFT_OUT_SHOWN])


MAX_WAITING = 10_000
BY_ITSELF = "by-itself"
MAX_ZONE_LENGTH = 60


@form_page
def settings(request: MemoryRequest) -> HttpResponse:
    """Show every choice with what it does and costs; keep them when all are within bounds."""
    form = SettingsForm(request.POST or None, instance=preferences_of(request.user.id))
    if form.is_bound and form.is_valid():
        event = change_with_event(request.user.id, changed_fields(form), timezone.now())
        report(request, _words(event), event.id if event else None)
        return redirect("memory:settings")
    budget = budget_of(request.preferences, timezone.now())
    context = {
        "form": form,
        "budget": budget,
        "quota": quota_of(request.user.id),
        "vectors": vector_state(request.user.id, MAX_WAITING, timezone.now()),
    }
    return render(request, "memory/settings.html", context, status=REFUSED if form.is_bound else 200)


@read_page
def setting_example(request: MemoryRequest) -> HttpResponse:
    """What the values in the form would come to, without keeping them: a part of the page."""
    if not request.htmx:
        return redirect("memory:settings")
    form = SettingsForm(request.GET, instance=preferences_of(request.user.id))
    usable = form.is_valid()
    shown = example(request.user.id, form.instance, timezone.now()) if usable else None
    context = {"form": form, "usable": usable, "example": shown}
    return render(request, "memory/setting_example.html", context)


@post_page
def reset_setting(request: MemoryRequest, name: str) -> HttpResponse:
    """Reset one setting to its default."""
    if name not in SettingsForm.Meta.fields:
        raise Http404
    event = change_with_event(request.user.id, {name: default_of(name)}, timezone.now())
    words = _("“%(setting)s” was reset to its default.") % {"setting": label_of(name)}
    report(request, words, event.id if event else None)
    return redirect(f"{reverse('memory:settings')}#id_{name}")


@form_page
def consent(request: MemoryRequest) -> HttpResponse:
    """Say what is stored; agreeing leads to the welcome page. For users who want to be asked each time, no
    chat is saved to memory automatically. The first consent also sets the time zone to the browser's."""
    if request.method != "POST":
        return render(request, "memory/consent.html")
    now = timezone.now()
    choices = {"auto_mine": request.POST.get("remember") == BY_ITSELF} | _first_zone(request)
    request.user.agree(now)
    change_preferences(request.user.id, choices, now)
    return redirect("accounts:welcome")


@post_page
def use_zone(request: MemoryRequest) -> HttpResponse:
    """Use the browser's time zone, which was offered because the setting differs."""
    zone = request.POST.get("time_zone", "")
    if is_zone(zone):
        event = change_with_event(request.user.id, {"time_zone": zone}, timezone.now())
        words = _("Dates are now shown in the time zone %(zone)s.") % {"zone": zone.replace("_", " ")}
        report(request, words, event.id if event else None)
    else:
        words = _("There is no time zone named %(value)s.") % {"value": zone[:MAX_ZONE_LENGTH]}
        messages.error(request, words)
    return redirect(page_before(request) or "memory:settings")


def _first_zone(request: MemoryRequest) -> dict[str, str]:
    """The browser's time zone as a setting, unless the user agreed before or saved settings already."""
    zone = request.POST.get("time_zone", "")
    if request.user.agreed_at or has_chosen(request.user.id) or not is_zone(zone):
        return {}
    return {"time_zone": zone}


def _words(event: ActivityEvent | None) -> str:
    if event is None:
        return _("Nothing changed.")
    if "embedding_model" in event.details["changed"]:
        return _(
            "Saved. The new model indexes your drawers in the background. Until then, searches use the "
            "previous model."
        )
    return _("Saved. Changes apply from your next message.")
