"""Trying a message out before it is sent."""

from copy import copy
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from django import forms
from django.forms.models import model_to_dict
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from memory.models import MemoryPreferences
from memory.pages.forms import WordsField
from memory.pages.requests import MemoryRequest, memory_page
from memory.pages.search.recall_preview import Trial, try_out
from memory.pages.settings.form import SettingsForm
from memory.recall.settings import settings_from

MAX_LENGTH = 200_000


class SandboxForm(forms.ModelForm):  # type: ignore[type-arg]
    """A message, the person's earlier ones, a day, and the settings that matter for recall. It
    changes a copy of the preferences and saves nothing."""

    message = WordsField(label=_("Your message"), max_length=MAX_LENGTH, rows=4)
    earlier = WordsField(
        label=_("Your earlier messages"),
        required=False,
        max_length=MAX_LENGTH,
        rows=3,
        help_text=_(
            "One per line, newest last. They give context to a message such as “And the second one?”"
        ),
    )
    on = forms.DateField(
        label=_("Date"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("“Yesterday” is the day before this one. Leave empty for today."),
    )

    field_order = ("message", "earlier", "on")

    class Meta:
        model = MemoryPreferences
        fields = (
            "recipe",
            "top_k",
            "token_budget",
            "similarity_floor",
            "inject_profile",
            "use_rerank",
        )
        labels = SettingsForm.Meta.labels
        help_texts = SettingsForm.Meta.help_texts

    def clean_message(self) -> str:
        """The message word for word; one of spaces alone is none."""
        message: str = self.cleaned_data["message"]
        if not message.strip():
            raise forms.ValidationError(_("Write something first."))
        return message

    def earlier_messages(self) -> tuple[str, ...]:
        """The earlier messages of a valid form, newest last."""
        lines: list[str] = self.cleaned_data["earlier"].split("\n")
        return tuple(line for line in lines if line.strip())

    def save(self, commit: bool = True) -> Any:
        """Not for a sandbox: raises TypeError."""
        raise TypeError(_("The sandbox stores nothing."))


REFUSED = 422
NOON = time(12)


@require_http_methods(["GET", "HEAD", "POST"])
@memory_page
def sandbox(request: MemoryRequest) -> HttpResponse:
    """Show what the model would see for a message. Stores nothing."""
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
