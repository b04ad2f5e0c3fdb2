"""What could not be mined: trying again, or leaving it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from memory import ledger
from memory.views.requests import MemoryRequest, memory_page


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
    for progress in ledger.given_up(request.user.id):
        ledger.discard(progress, timezone.now())
    messages.success(request, _("These chats stay in your list and are not remembered."))
    return redirect("memory:palace")
