"""What a person chooses about their memory."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memory.preferences import change_preferences, preferences_of
from memory.quota import quota_of
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


def _words(changed: list[str]) -> str:
    if not changed:
        return _("Nothing was different.")
    if "embedding_model" in changed:
        return _(
            "Saved. The new model reads your drawers in the background; until it has read them "
            "all, the one before it answers."
        )
    return _("Saved. It holds from the next message on.")
