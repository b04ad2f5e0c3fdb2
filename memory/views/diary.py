"""The diary: what memory learned, changed and forgot, in plain sentences."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.diary import days
from memory.views.requests import MemoryRequest, memory_page


@require_safe
@memory_page
def diary(request: MemoryRequest) -> HttpResponse:
    """The days on which something happened, newest first."""
    zone = timezone.get_current_timezone()
    told = days(request.user.id, zone, request.GET.get("after", ""))
    return render(request, "memory/diary.html", {"days": told})
