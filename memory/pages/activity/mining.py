"""What could not be mined, or only by rules: trying again, leaving it, taking it back."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from memory.mining import progress as ledger
from memory.mining.reextraction import ask_for_second_readings
from memory.pages.requests import MemoryRequest, memory_page


@require_POST
@memory_page
def retry(request: MemoryRequest) -> HttpResponse:
    """Give every chat that was given up a fresh start."""
    for progress in ledger.given_up(request.user.id):
        ledger.try_again(progress, timezone.now())
    messages.success(request, _("They will be tried again in a moment."))
    return redirect("memory:palace")


@require_POST
@memory_page
def discard(request: MemoryRequest) -> HttpResponse:
    """Leave every chat that was given up unremembered."""
    left = ledger.discard_all(request.user.id, timezone.now())
    undo_url = reverse("memory:undo", args=[left]) if left else ""
    words = _("These chats stay in your list and are not remembered.")
    messages.success(request, words, extra_tags=undo_url)
    return redirect("memory:palace")


@require_POST
@memory_page
def read_again(request: MemoryRequest) -> HttpResponse:
    """Have a model read what only the built-in reader has read so far."""
    count = ask_for_second_readings(request.user.id, timezone.now())
    message = ngettext(
        "A model will read %(count)s part of your chats again. What it finds appears below.",
        "A model will read %(count)s parts of your chats again. What it finds appears below.",
        count,
    )
    messages.success(request, message % {"count": count})
    return redirect("memory:activity")
