"""The settings pages, consent, and the time zone."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.forms import changed_fields
from llm.tokens import estimate_tokens
from memory.models import ActivityEvent, Fact, MemoryPreferences, RecallTrace
from memory.pages.requests import REFUSED, MemoryRequest, back_url, form_page, post_page, read_page, report
from memory.pages.search.traces import trace_view
from memory.pages.settings.form import SettingsForm, label_of
from memory.preferences import change_preferences, default_of, has_saved, is_zone, preferences_of
from memory.recall.pipeline import recall
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import RecallRequest, settings_from
from memory.search.embedding_backfill import vector_state
from memory.usage.budgets import budget_of
from memory.usage.quota import quota_of

MAX_LEFT_OUT = 3
MAX_TRACES_SEARCHED = 20


def recall_example(user_id: UUID, preferences: MemoryPreferences, now: datetime) -> dict[str, object]:
    """The effect of these preferences on the last message that was searched for.

    The message, its time and its number of drawers `before`; the drawers now `kept`, their tokens, and the
    best of those `left_out` (none of these before the first recall). `waiting` of all `facts` would need
    review. No reranking model is called, so this is free.
    """
    facts = Fact.objects.filter(user_id=user_id, status=Fact.Status.ACTIVE, deleted_at=None)
    waiting = facts.filter(confidence__lt=preferences.review_threshold)
    counts: dict[str, object] = {"waiting": waiting.count(), "facts": facts.count()}
    last = _last_recall(user_id)
    if last is None:
        return counts
    settings = replace(settings_from(preferences), rerank=False)
    message = last.trace["query"]["text"]
    found = recall(RecallRequest(user_id, message, now, settings=settings))
    view = trace_view(user_id, trace_as_json(found.trace), [hit_as_json(hit) for hit in found.hits])
    missed = [each for each in view["considered"] if not each["recalled"] and each["pointer"]]
    return counts | {
        "message": message,
        "at": last.at,
        "before": len(last.hits),
        "kept": found.hits,
        "left_out": missed[:MAX_LEFT_OUT],
        "tokens": estimate_tokens(found.block),
    }


def _last_recall(user_id: UUID) -> RecallTrace | None:
    rows = RecallTrace.objects.filter(user_id=user_id, source=RecallTrace.Source.CHAT)
    latest = rows.order_by("-at", "-id")[:MAX_TRACES_SEARCHED]
    return next((row for row in latest if (row.trace.get("query") or {}).get("text")), None)


MAX_WAITING = 10_000
AUTOMATICALLY = "automatically"
MAX_ZONE_LENGTH = 60


@form_page
def settings(request: MemoryRequest) -> HttpResponse:
    """Show and save all settings."""
    form = SettingsForm(request.POST or None, instance=preferences_of(request.user.id))
    if form.is_bound and form.is_valid():
        event = change_preferences(request.user.id, changed_fields(form), timezone.now())
        report(request, _saved_message(event), event.id if event else None)
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
    """The effect of the values in the form, without saving them (a fragment)."""
    if not request.htmx:
        return redirect("memory:settings")
    form = SettingsForm(request.GET, instance=preferences_of(request.user.id))
    usable = form.is_valid()
    shown = recall_example(request.user.id, form.instance, timezone.now()) if usable else None
    context = {"form": form, "usable": usable, "example": shown}
    return render(request, "memory/setting_example.html", context)


@post_page
def reset_setting(request: MemoryRequest, name: str) -> HttpResponse:
    """Reset one setting to its default."""
    if name not in SettingsForm.Meta.fields:
        raise Http404
    event = change_preferences(request.user.id, {name: default_of(name)}, timezone.now())
    words = _("“%(setting)s” was reset to its default.") % {"setting": label_of(name)}
    report(request, words, event.id if event else None)
    return redirect(f"{reverse('memory:settings')}#id_{name}")


@form_page
def consent(request: MemoryRequest) -> HttpResponse:
    """Explain what is stored, and record the user's consent and whether to save chats automatically. The
    first consent also sets the time zone to the browser's."""
    if request.method != "POST":
        return render(request, "memory/consent.html")
    now = timezone.now()
    choices = {"auto_mine": request.POST.get("remember") == AUTOMATICALLY} | _browser_zone(request)
    request.user.agree(now)
    change_preferences(request.user.id, choices, now)
    return redirect("accounts:welcome")


@post_page
def use_zone(request: MemoryRequest) -> HttpResponse:
    """Switch to the browser's time zone."""
    zone = request.POST.get("time_zone", "")
    if is_zone(zone):
        event = change_preferences(request.user.id, {"time_zone": zone}, timezone.now())
        words = _("Dates are now shown in the time zone %(zone)s.") % {"zone": zone.replace("_", " ")}
        report(request, words, event.id if event else None)
    else:
        words = _("There is no time zone named %(value)s.") % {"value": zone[:MAX_ZONE_LENGTH]}
        messages.error(request, words)
    return redirect(back_url(request) or "memory:settings")


def _browser_zone(request: MemoryRequest) -> dict[str, str]:
    """The browser's time zone as a setting, unless the user has agreed or saved settings before."""
    zone = request.POST.get("time_zone", "")
    if request.user.agreed_at or has_saved(request.user.id) or not is_zone(zone):
        return {}
    return {"time_zone": zone}


def _saved_message(event: ActivityEvent | None) -> str:
    if event is None:
        return _("Nothing changed.")
    if "embedding_model" in event.details["changed"]:
        return _(
            "Saved. The new model indexes your drawers in the background. Until then, searches use the "
            "previous model."
        )
    return _("Saved. Changes apply from your next message.")
