"""How well the memory stands."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.health import health_of
from memory.views.requests import MemoryRequest, memory_page


@require_safe
@memory_page
def health(request: MemoryRequest) -> HttpResponse:
    """A score, what it is made of, and what would raise it."""
    found = health_of(request.user.id, timezone.now())
    return render(request, "memory/health.html", {"health": found})
