"""Trying a message out before it is sent."""

from copy import copy
from dataclasses import replace
from datetime import date, datetime, time

from django.forms.models import model_to_dict
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.recall.settings import settings_from
from memory.sandbox_form import SandboxForm
from memory.trials import Trial, try_out
from memory.views.requests import MemoryRequest, memory_page

REFUSED = 422
NOON = time(12)


@require_http_methods(["GET", "HEAD", "POST"])
@memory_page
def sandbox(request: MemoryRequest) -> HttpResponse:
    """Show what would be put before a model for a message. Nothing is kept."""
    form = _form(request)
    context = {"form": form, "live": _is_live(request)}
    if form.is_bound and form.is_valid():
        context["tried"] = try_out(request.user.id, _trial(request, form))
    refused = form.is_bound and not form.is_valid()
    return render(request, "memory/sandbox.html", context, status=REFUSED if refused else 200)


def _form(request: MemoryRequest) -> SandboxForm:
    """What was sent; or the message of the address, by the person's own settings."""
    preferences = copy(request.preferences)
    if request.method == "POST":
        return SandboxForm(request.POST, instance=preferences)
    message = request.GET.get("message", "")
    if not message.strip():
        return SandboxForm(instance=preferences)
    chosen = model_to_dict(preferences, SandboxForm.Meta.fields)
    return SandboxForm({**chosen, "message": message}, instance=preferences)


def _trial(request: MemoryRequest, form: SandboxForm) -> Trial:
    chosen = settings_from(form.instance)
    return Trial(
        message=form.cleaned_data["message"],
        earlier=form.earlier_messages(),
        settings=replace(chosen, rerank=chosen.rerank and not _is_live(request)),
        now=_moment(form.cleaned_data["on"]),
    )


def _is_live(request: MemoryRequest) -> bool:
    """Whether this was sent while the person still types; no model that costs is asked then."""
    return "live" in request.GET


def _moment(day: date | None) -> datetime:
    return timezone.make_aware(datetime.combine(day, NOON)) if day else timezone.now()
