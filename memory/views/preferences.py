"""What a person chooses about their memory."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.preferences import change_preferences, default_of, preferences_of
from memory.quota import quota_of
from memory.setting_examples import example
from memory.settings_form import SettingsForm
from memory.spending import budget_of
from memory.vector_state import vector_state
from memory.views.requests import MemoryRequest, memory_page

REFUSED = 422
MOST_WAITING = 10_000


@require_http_methods(["GET", "HEAD", "POST"])
@memory_page
def settings(request: MemoryRequest) -> HttpResponse:
    """Show every choice with what it does and costs; keep them when all are within bounds."""
    form = SettingsForm(request.POST or None, instance=preferences_of(request.user.id))
    if form.is_bound and form.is_valid():
        changed = change_preferences(request.user.id, form.cleaned_data, timezone.now())
        messages.success(request, _words(changed))
        return redirect("memory:settings")
    budget = budget_of(request.preferences, timezone.now())
    context = {
        "form": form,
        "budget": budget,
        "quota": quota_of(request.user.id),
        "vectors": vector_state(request.user.id, MOST_WAITING, timezone.now()),
    }
    return render(
        request, "memory/settings.html", context, status=REFUSED if form.is_bound else 200
    )


@require_safe
@memory_page
def setting_example(request: MemoryRequest) -> HttpResponse:
    """What the values in the form would come to, without keeping them: a part of the page."""
    if not request.htmx:
        return redirect("memory:settings")
    form = SettingsForm(request.GET, instance=preferences_of(request.user.id))
    usable = form.is_valid()
    shown = example(request.user.id, form.instance, timezone.now()) if usable else None
    context = {"form": form, "usable": usable, "example": shown}
    return render(request, "memory/setting_example.html", context)


@require_POST
@memory_page
def reset_setting(request: MemoryRequest, name: str) -> HttpResponse:
    """Put one setting back to what it is at the beginning; the others stay."""
    if name not in SettingsForm.Meta.fields:
        raise Http404
    change_preferences(request.user.id, {name: default_of(name)}, timezone.now())
    label = SettingsForm(instance=preferences_of(request.user.id)).fields[name].label
    messages.success(request, _("“%(setting)s” is as at the beginning again.") % {"setting": label})
    return redirect(f"{reverse('memory:settings')}#id_{name}")


def _words(changed: list[str]) -> str:
    if not changed:
        return _("Nothing was different.")
    if "embedding_model" in changed:
        return _(
            "Saved. The new model reads your drawers in the background; until it has read them "
            "all, the one before it answers."
        )
    return _("Saved. It holds from the next message on.")
